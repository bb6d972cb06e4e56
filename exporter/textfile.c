/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics in a file for the textfile collector of Prometheus' node exporter: each page is written
 * to FILE.prom.new, which the collector ignores, and then takes the place of FILE.prom.
 */
#include "export.h"
#include "createfile.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <unistd.h>

static bool write_page(const char *path, const char *page, size_t size)
{
	char new[PATH_MAX];
	FILE *f;
	bool ok;

	snprintf(new, sizeof new, "%s.new", path);
	f = file_create_stream(new);
	if (!f) {
		tell(UST_EXPORT_WARNING, "%s: %s", new, file_create_error(errno));
		return false;
	}
	ok = fwrite(page, 1, size, f) == size;
	ok = !fclose(f) && ok && !rename(new, path);
	if (!ok)
		tell(UST_EXPORT_WARNING, "%s: %s", path, strerror(errno));
	if (!ok)
		unlink(new);
	return ok;
}

/* Try to create the new file; false after a message. */
static bool can_write(const char *path)
{
	char new[PATH_MAX];
	FILE *f;

	snprintf(new, sizeof new, "%s.new", path);
	f = file_create_stream(new);
	if (!f) {
		tell(UST_EXPORT_FAILED, "%s: %s", new, file_create_error(errno));
		return false;
	}
	fclose(f);
	unlink(new);
	return true;
}

int write_pages(const char *path)
{
	struct pollfd p = {.fd = UST_EXPORT_SOCKET, .events = POLLIN};
	bool more = true, ok = true;
	size_t size = 0;
	char *page;

	if (strlen(path) > PATH_MAX - sizeof ".new") {
		tell(UST_EXPORT_FAILED, "the name of the file is too long");
		return EXIT_FAILURE;
	}
	if (!can_write(path))
		return EXIT_FAILURE;
	tell(UST_EXPORT_READY, "%s", path);
	while (more) {
		poll(&p, 1, -1);
		more = receive_page(&page, &size);
		if (page)
			ok = write_page(path, page, size);
		free(page);
	}
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
