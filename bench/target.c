/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hit-cost probes: `target N` calls work() N times and prints the
 * nanoseconds of processor time that one call took.  Under run -i that is the
 * number of instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long sink;

__attribute__((noipa)) static void use(long x) { sink += x; }

/* Keeps values over a call, so that it begins with a push. */
__attribute__((noipa)) long work(long k, long v, const char *s)
{
	use(k);
	use(v);
	return k + v + s[0];
}

/* Of this thread alone: the reader of the trace runs on the same processor. */
static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	double start;

	for (long i = 0; i < 100; i++)
		work(i % 16, i, "warm");
	start = cpu_ns();
	for (long i = 0; i < n; i++)
		work(i % 16, i, "hello");
	printf("%.1f\n", (cpu_ns() - start) / n);
	return 0;
}
