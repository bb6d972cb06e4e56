/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files as another process sees them: in its mount namespace, below its root.  They are named by
 * their path from /proc/PID/root on, where symbolic links are followed as the process would follow
 * them, which realpath() does not. A program whose file is not there any more (deleted, replaced,
 * in memory only) is /proc/PID/exe, a library /proc/PID/map_files/START-END.
 */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "answers.h"
#include "proc_root.h"
#include "util.h"

enum { MAX_LINKS = 40 };

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* /proc/TID exists for each thread, though it is not listed. */
static bool has_program(int64_t tid)
{
	char name[2];

	return readlink(xprintf("/proc/%" PRId64 "/exe", tid), name, sizeof name) >= 0;
}

int64_t process_thread(int64_t pid)
{
	DIR *dir = has_program(pid) ? NULL : opendir(xprintf("/proc/%" PRId64 "/task", pid));
	int64_t found = pid;

	for (struct dirent *e; dir && found == pid && (e = readdir(dir));) {
		int64_t tid = strtoll(e->d_name, NULL, 10);

		if (tid && has_program(tid))
			found = tid;
	}
	if (dir)
		closedir(dir);
	return found;
}

const char *process_root(int64_t pid)
{
	int64_t tid = process_thread(pid);
	const char *root = xprintf("/proc/%" PRId64 "/root", tid);

	return same_file(root, "/") && same_file(xprintf("/proc/%" PRId64 "/ns/mnt", tid),
						 "/proc/self/ns/mnt")
		       ? ""
		       : root;
}

/* Length of the "/proc/PID/root", or another WHAT, that PATH begins with; 0: it does not. */
static size_t process_prefix(const char *path, const char *what)
{
	size_t n = strspn(path + (strncmp(path, "/proc/", 6) ? 0 : 6), "0123456789"),
	       len = strlen(what);

	if (strncmp(path, "/proc/", 6) || !n || strncmp(path + 6 + n, what, len) ||
	    (path[6 + n + len] && path[6 + n + len] != '/'))
		return 0;
	return 6 + n + len;
}

/* True for links of /proc to files that a process uses, which may have no path any more. */
static bool is_open_file(const char *path)
{
	return process_prefix(path, "/exe") || process_prefix(path, "/map_files");
}

size_t unmarked_length(const char *path, size_t n)
{
	static const char mark[] = " (deleted)";
	size_t len = sizeof mark - 1;

	return n > len && !memcmp(path + n - len, mark, len) ? n - len : n;
}

const char *path_when_opened(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = is_open_file(path) ? readlink(path, target, sizeof target) : -1;

	if (n <= 0 || *target != '/')
		return path;
	return xstrndup(target, unmarked_length(target, (size_t)n));
}

static const char *system_root = "";

void sysroot_is(const char *dir) { system_root = dir; }

const char *sysroot(void) { return system_root; }

/* Length of the sysroot that PATH begins with; 0: PATH is elsewhere. */
static size_t sysroot_prefix(const char *path)
{
	size_t n = strlen(system_root);

	return n && !strncmp(path, system_root, n) && path[n] == '/' ? n : 0;
}

const char *path_in_sysroot(const char *path) { return path + sysroot_prefix(path); }

const char *path_root(const char *path)
{
	size_t n = process_prefix(path, "/root");

	if (sysroot_prefix(path))
		return system_root;
	if (n)
		return xstrndup(path, n);
	return is_open_file(path) ? process_root(strtoll(path + strlen("/proc/"), NULL, 10)) : "";
}

/* DONE, a path without links below ROOT, goes one component further, or back. */
static const char *step(const char *done, const char *name, size_t n)
{
	const char *slash = strrchr(done, '/');

	if (!n || (n == 1 && *name == '.'))
		return done;
	if (n == 2 && !memcmp(name, "..", 2))
		return slash ? xstrndup(done, (size_t)(slash - done)) : done;
	return xprintf("%s/%.*s", done, (int)n, name);
}

const char *path_below(const char *root, const char *path)
{
	const char *done = "", *rest = path, *next;
	char link[PATH_MAX];
	int links = 0;
	struct stat st;

	if (!file_answers(xprintf("%s%s", root, path)))
		return NULL;
	while (*rest) {
		size_t n = strcspn(rest, "/");
		ssize_t len;

		next = step(done, rest, n);
		len = next == done ? -1
				   : readlink(xprintf("%s%s", root, next), link, sizeof link - 1);
		rest += n + (rest[n] == '/');
		if (len < 0) {
			done = next;
			continue;
		}
		if (++links > MAX_LINKS)
			return NULL;
		link[len] = 0;
		if (*link == '/')
			done = "";
		rest = xprintf("%s/%s", link, rest);
	}
	next = xprintf("%s%s", root, done);
	return stat(next, &st) ? NULL : next;
}

const char *path_real(const char *path)
{
	size_t n = process_prefix(path, "/root");
	char real[PATH_MAX];

	if (n)
		return path_below(xstrndup(path, n), path + n);
	if (is_open_file(path))
		return path;
	return file_answers(path) && realpath(path, real) ? xstrdup(real) : NULL;
}

/* The kernel gives the whole name, in which the process's root may be somewhere. */
const char *process_program(int64_t pid)
{
	const char *exe = xprintf("/proc/%" PRId64 "/exe", process_thread(pid)),
		   *root = process_root(pid);
	char name[PATH_MAX];
	ssize_t n = readlink(exe, name, sizeof name - 1);

	if (n < 0)
		return NULL;
	name[n] = 0;
	for (const char *rest = name; rest && *rest == '/';
	     rest = *root ? strchr(rest + 1, '/') : NULL) {
		const char *path = path_below(root, rest);

		if (path && same_file(path, exe))
			return path;
	}
	/* it has changed its root since */
	return same_file(name, exe) ? xstrdup(name) : exe;
}
