/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What building is for both backends: files and failures. */
#include "backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool refuse(struct unusable *why, enum errtag tag, const char *msg, const char *hint)
{
	*why = (struct unusable){.tag = tag, .msg = msg, .hint = hint};
	return false;
}

char *file_identity(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return xprintf("%s -", path);
	return xprintf("%s %lld %lld.%09ld %llu", path, (long long)st.st_size,
		       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		       (unsigned long long)st.st_ino);
}

bool write_text(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(text, 1, n, f) == n;

	if (f && fclose(f))
		ok = false;
	if (!ok)
		diag_error(E_IO, (struct loc){0}, "cannot write %s: %s", path, strerror(errno));
	return ok;
}

void report_failure(const char *what, const char *log)
{
	char *text = read_file(log, NULL);
	unsigned lines = 0;

	diag_error(E_BUILD, (struct loc){0}, "%s", what);
	for (char *line = text ? strtok(text, "\n") : NULL; line && lines < 12;
	     line = strtok(NULL, "\n"))
		if (strstr(line, "rror") || strstr(line, "not found") || strstr(line, "undefined")) {
			fprintf(stderr, "  %s\n", line);
			lines++;
		}
	if (!lines && text && *text)
		fprintf(stderr, "  %s\n", text);
}

bool copy_here(struct session *s, const char *name)
{
	size_t n;
	char *data = read_file(s->artifact, &n);

	if (!data) {
		diag_error(E_IO, (struct loc){0}, "cannot read %s: %s", s->artifact, strerror(errno));
		return false;
	}
	if (!write_text(name, data, n))
		return false;
	s->artifact = realpath(name, NULL);
	return s->artifact != NULL;
}
