/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounded waits for FUSE servers.
 *
 * A process that waits for a server that has read its request cannot be killed. So a separate
 * process opens and reads the file first; if it makes no progress, it is abandoned and ends when
 * the server responds or ends. It is a grandchild, so no process has to wait for it.
 */
#define _GNU_SOURCE /* statx() */
#include "answers.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000, LATER_MS = 500, CHUNK = 1 << 20 };

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

/* -------------------------------------------------------------------- mounts */

/* True if LINE of mountinfo describes a FUSE file system, with device *DEV. */
static bool is_fuse(const char *line, dev_t *dev)
{
	const char *type = strstr(line, " - fuse");
	unsigned major, minor;

	if (!type || !strncmp(type + 3, "fusectl ", 8) ||
	    sscanf(line, "%*d %*d %u:%u", &major, &minor) != 2)
		return false;
	*dev = makedev(major, minor);
	return true;
}

/* True if the mount table NAME lists DEV, or any device if DEV is 0, as a FUSE file system. */
static bool lists_fuse(const char *name, dev_t dev)
{
	FILE *f = fopen(name, "re");
	char *line = NULL;
	bool found = false;
	size_t size = 0;
	dev_t fuse;

	while (f && !found && getline(&line, &size, f) > 0)
		found = is_fuse(line, &fuse) && (!dev || dev == fuse);
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* True if PATH begins with the root directory of a process, which may have other mounts. */
static bool is_foreign(const char *path)
{
	size_t n = strspn(path, "/");

	return n && !strncmp(path + n, "proc/", 5) && isdigit((unsigned char)path[n + 5]);
}

/* lists_fuse() for the mount namespace of this process and for the one whose root PATH begins
 * with. */
static bool is_mounted(const char *path, dev_t dev)
{
	size_t n = strspn(path, "/");
	char name[64];

	if (lists_fuse("/proc/self/mountinfo", dev))
		return true;
	if (!is_foreign(path))
		return false;
	snprintf(name, sizeof name, "/proc/%d/mountinfo", atoi(path + n + 5));
	return lists_fuse(name, dev);
}

/* True if any FUSE file system is mounted in the mount namespace of this process. poll(2) on
 * mountinfo reports mounts that changed since the file was opened or polled (proc(5)), so the table
 * is read only once. That state belongs to the open file, which a fork shares: each process opens
 * its own. */
static bool any_fuse(void)
{
	static int fd = -1;
	static pid_t owner;
	static bool found;
	struct pollfd p = {.events = POLLPRI};

	if (fd >= 0 && owner == getpid()) {
		p.fd = fd;
		if (!poll(&p, 1, 0))
			return found;
	}
	if (fd >= 0)
		close(fd);
	/* opened before it is read: a change in between is reported next time */
	fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	owner = getpid();
	found = lists_fuse("/proc/self/mountinfo", 0);
	return found;
}

/* True if PATH is known not to be on FUSE, without a request to any server. */
static bool is_elsewhere(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
	struct statx st;
	bool known;
	int fd;

	if (is_foreign(path) ? !is_mounted(path, 0) : !any_fuse())
		return true;
	fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
	if (fd < 0)
		return false;
	known = !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) &&
		!is_mounted(path, makedev(st.stx_dev_major, st.stx_dev_minor));
	close(fd);
	return known;
}

/* ---------------------------------------------------------- the other process */

static void report(int out)
{
	if (write(out, "", 1) != 1)
		_exit(0);
}

/* Read all of PATH, and report each response to OUT. */
static void read_all(const char *path, int out)
{
	static char chunk[CHUNK];
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct statfs fs;
	struct stat st;
	char name[40];
	ssize_t n = fd >= 0;

	report(out);
	/* a server need not respond to fstatfs() */
	if (n <= 0 || (!fstatfs(fd, &fs) && fs.f_type != FUSE_SUPER_MAGIC))
		return;
	report(out);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	report(out);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	for (; fd >= 0 && n > 0; n = read(fd, chunk, sizeof chunk))
		report(out);
}

/* Run read_all() without staprun's descriptors: a reader of staprun's output must see its end. */
static void run(const char *path, int out)
{
	int open_max = (int)sysconf(_SC_OPEN_MAX);

	if (dup2(out, 0) < 0)
		_exit(0);
	if (syscall(SYS_close_range, 1, ~0u, 0))
		for (int fd = 1; fd < open_max; fd++)
			close(fd);
	read_all(path, 0);
	_exit(0);
}

/* Start the process. Returns the reading end of the pipe that it reports to; -1 on failure. */
static int start(const char *path)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		if (!fork())
			run(path, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* --------------------------------------------------------------------- answers */

/* True if the reports on IN end, with progress in bounded time until then. */
static bool ends_in_time(int in)
{
	static int patience = PATIENCE_MS;
	struct pollfd p = {.fd = in, .events = POLLIN};
	char reports[64];
	int n;

	for (;;) {
		n = poll(&p, 1, patience);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			patience = LATER_MS;
			return n < 0;
		}
		if (read(in, reports, sizeof reports) <= 0)
			return true;
	}
}

bool file_answers(const char *path)
{
	bool answered;
	int in;

	if (is_elsewhere(path))
		return true;
	in = start(path);
	if (in < 0)
		return true;
	answered = ends_in_time(in);
	close(in);
	if (!answered)
		errno = ETIMEDOUT;
	return answered;
}
