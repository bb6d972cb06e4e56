/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target program of bench/attach: a thread reads the clock all the time; for each line of standard
 * input it prints the longest time between two readings since the last line, in microseconds. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

extern long f_0(long);

static volatile long longest;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *run(void *unused)
{
	for (long last = now(), at;; last = at) {
		f_0(1);
		at = now();
		if (at - last > longest)
			longest = at - last;
	}
	return unused;
}

int main(void)
{
	char line[8];
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	while (fgets(line, sizeof line, stdin)) {
		printf("%ld\n", longest / 1000);
		fflush(stdout);
		longest = 0;
	}
	return 0;
}
