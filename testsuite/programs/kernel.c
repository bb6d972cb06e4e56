/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that tests of kernel probes know again, by numbers and names that no other program uses. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 500, THREADS = 4 };

static char buffer[4096];

static void reads(int n)
{
	int fd = open("kernel-probe.data", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (write(fd, buffer, 777) != 777)
		exit(1);
	for (int i = 0; i < n; i++)
		if (pread(fd, buffer, 111 + i, 7) != (111 + i < 770 ? 111 + i : 770))
			exit(1);
	close(fd);
	unlink("kernel-probe.data");
}

/* N children read, all at a time, until there is nothing more to come. */
static void waits(int n)
{
	int ready[2], never[2];

	if (pipe(ready) || pipe(never))
		exit(1);
	for (int i = 0; i < n; i++)
		if (!fork()) {
			close(never[1]);
			if (write(ready[1], "", 1) != 1)
				_exit(1);
			_exit(read(never[0], buffer, 333) != 0);
		}
	for (int i = 0; i < n; i++)
		if (read(ready[0], buffer, 1) != 1)
			exit(1);
	usleep(100000);
	close(never[1]);
	while (wait(NULL) > 0)
		;
}

/* A user-space probe can be here. */
__attribute__((noinline)) void step(int i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}

static void *many(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		step(i);
		syscall(SYS_getpriority, 7777, i);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	if (argc > 1 && !strcmp(argv[1], "reads"))
		reads(argc > 2 ? atoi(argv[2]) : 3);
	if (argc > 2 && !strcmp(argv[1], "waits"))
		waits(atoi(argv[2]));
	if (argc > 1 && !strcmp(argv[1], "threads")) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&t[i], NULL, many, NULL);
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
	}
	return 0;
}
