/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
* Events for the kernel's counters: events COMMAND [NUMBER].
 *   spin MS      computes for that many milliseconds
 *   faults N     touches N pages of fresh memory, one by one
 *   switches N   sleeps N times for a moment
 *   exec WHAT N  becomes itself with these arguments
 *   forks WHAT N runs itself with these arguments in a child, and waits for it
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void compute(void)
{
	for (int i = 0; i < 100000; i++)
		sink += sink * 7 + (unsigned long)i;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((noinline)) void spin(long ms)
{
	long end = now_ms() + ms;

	while (now_ms() < end)
		compute();
}

__attribute__((noinline)) void touch(volatile char *p, long n)
{
	for (long i = 0; i < n; i++)
		p[i * 4096] = 1;
}

static void faults(long n)
{
	char *p = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, (size_t)n * 4096, MADV_NOHUGEPAGE);
	touch(p, n);
}

__attribute__((noinline)) void nap(void)
{
	const struct timespec moment = {0, 100000};

	nanosleep(&moment, NULL);
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[argc - 1]) : 0;

	if (argc > 3) {
		char *again[] = {argv[0], argv[2], argv[3], NULL};

		if (!strcmp(argv[1], "forks") && fork()) {
			wait(NULL);
			return 0;
		}
		execv("/proc/self/exe", again);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "spin"))
		spin(n);
	else if (argc > 1 && !strcmp(argv[1], "faults"))
		faults(n);
	for (long i = 0; argc > 1 && !strcmp(argv[1], "switches") && i < n; i++)
		nap();
	return 0;
}
