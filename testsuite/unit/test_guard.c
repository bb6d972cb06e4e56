/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A crash while a file is read becomes an error that names the file; any other crash ends the
 * process. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/crash_guard.h"

static int deep(volatile char *p, long depth)
{
	volatile char room[4096];

	room[0] = p ? *p : 0;
	return depth < 0 ? 0 : deep(room, depth + 1) + room[0];
}

/* Map a file and truncate it. */
static int read_truncated(void)
{
	char path[] = "/tmp/test_guard\n.XXXXXX";
	int fd = mkstemp(path);
	volatile char *p = ftruncate(fd, 8192) ? MAP_FAILED
					       : mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED || ftruncate(fd, 4096))
		return -1;
	unlink(path);
	guard_mappings();
	return p[4096];
}

/* Messages of a child that reads PATH, if not NULL, and gets SIGNO, exhausts its stack if that is
 * 0, or reads a truncated file if that is SIGBUS; returns its status. */
static int crash(const char *path, int signo, char *said, size_t size)
{
	struct rlimit none = {0, 0};
	int out[2], status = -1;
	size_t all = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(out) || (pid = fork()) < 0)
		return -1;
	if (!pid) {
		dup2(out[1], STDERR_FILENO);
		setrlimit(RLIMIT_CORE, &none);
		guard_reading("/first");
		guard_reading(path);
		_exit(signo == SIGBUS ? read_truncated() : signo ? raise(signo) : deep(NULL, 0));
	}
	close(out[1]);
	while (all < size - 1 && (n = read(out[0], said + all, size - 1 - all)) > 0)
		all += (size_t)n;
	said[all] = 0;
	close(out[0]);
	waitpid(pid, &status, 0);
	return status;
}

static int check(const char *name, int ok, const char *said)
{
	printf(ok ? "ok %s\n" : "not ok %s: %s\n", name, said);
	return !ok;
}

int main(void)
{
	char said[400];
	int failed = 0, status;

#ifndef __SANITIZE_ADDRESS__ /* which reports these itself */
	status = crash("/some/file", SIGSEGV, said, sizeof said);
	failed |= check("signal",
			status == 1 << 8 && strstr(said, "error: reading /some/file crashed ustap"),
			said);
	status = crash("/some/file", 0, said, sizeof said);
	failed |= check("stack", status == 1 << 8 && strstr(said, "error: reading /some/file"),
			said);
#endif
	status = crash(NULL, SIGBUS, said, sizeof said);
	failed |= check("truncated",
			status == 1 << 8 && strstr(said, "error: /tmp/test_guard") &&
				strstr(said, "was truncated"),
			said);
	status = crash("/some/file", SIGBUS, said, sizeof said);
	failed |= check("truncated module",
			status == 1 << 8 && strstr(said, "error: /tmp/test_guard"), said);
	status = crash(NULL, SIGABRT, said, sizeof said);
	failed |= check("own", WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !*said, said);
	return failed;
}
