/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removal of a directory with all in it. Entries are removed relative to a descriptor of their
 * directory, and links are not followed, so another user of it cannot lead the removal out of it. A
 * deep directory takes one descriptor for each level.
 */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void remove_at(int dir, const char *name);

/* Remove the entries of the directory FD, which is closed. */
static void empty(int fd)
{
	DIR *d = fdopendir(fd);

	if (!d) {
		close(fd);
		return;
	}
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			remove_at(fd, e->d_name);
	closedir(d);
}

static void remove_at(int dir, const char *name)
{
	int fd;

	if (!unlinkat(dir, name, 0) || (errno != EISDIR && errno != EPERM))
		return;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		empty(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

void cache_remove(const char *path) { remove_at(AT_FDCWD, path); }
