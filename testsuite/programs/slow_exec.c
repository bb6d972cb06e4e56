/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slow_exec FILE NEXT: execute FILE, a copy of this program, on which a child holds a lease: the
 * kernel lets the exec wait until the child gives the lease up, three seconds later.  FILE executes
 * NEXT, another copy, at once, which calls step().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 3 };

__attribute__((noinline)) static int step(int n) { __asm__ volatile("" : "+r"(n)); return n; }

/* 0: somebody has waited for the lease. */
static int hold(const char *file, int ready)
{
	int fd = open(file, O_RDONLY), signal;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) < 0) {
		perror(file);
		return 1;
	}
	close(ready);
	if (sigwait(&set, &signal))
		return 1;
	sleep(SECONDS);
	return fcntl(fd, F_SETLEASE, F_UNLCK) < 0;
}

static int run(const char *file, const char *next)
{
	execl(file, file, next, NULL);
	perror(file);
	return 2;
}

int main(int argc, char **argv)
{
	int ready[2];
	char none;

	if (argc < 3)
		return argc < 2 ? step(0) : run(argv[1], NULL);
	if (pipe2(ready, O_CLOEXEC))
		return 2;
	if (!fork())
		_exit(hold(argv[1], ready[1]));
	close(ready[1]);
	if (read(ready[0], &none, 1))
		return 2;
	return run(argv[1], argv[2]);
}
