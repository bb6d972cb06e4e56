/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of the soak tests; every mode calls step(thread, i) a known number of times.
 *
 *   work N [USEC]        N times, USEC microseconds apart
 *   until FILE [USEC]    until FILE exists; prints how many times
 *   exec N TIMES         N times, then executes itself anew, TIMES times
 *   threads T N          N times in each of T threads
 *   forks C G N          C children with G children each: N times in each process
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long calls, gap;

__attribute__((noipa)) long step(long who, long i)
{
	__asm__ volatile("" : : : "memory");
	return who + i;
}

static void steps(long who)
{
	for (long i = 0; i < calls; i++) {
		step(who, i);
		if (gap)
			usleep((useconds_t)gap);
	}
}

static int until(const char *file)
{
	long i = 0;

	for (; access(file, F_OK); i++) {
		step(0, i);
		if (gap)
			usleep((useconds_t)gap);
	}
	printf("%ld\n", i);
	return 0;
}

static int again(char **argv, long times)
{
	char left[24];

	steps(0);
	if (times <= 0)
		return 0;
	snprintf(left, sizeof left, "%ld", times - 1);
	argv[3] = left;
	execv("/proc/self/exe", argv);
	return 1;
}

static void *thread(void *who)
{
	steps((intptr_t)who);
	return NULL;
}

static int threads(long n)
{
	pthread_t *t = calloc((size_t)n, sizeof *t);

	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(intptr_t)i))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return 0;
}

static int forks(long children, long grandchildren)
{
	int status, bad = 0;

	for (long i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid)
			_exit(forks(grandchildren, 0));
	}
	steps(0);
	while (wait(&status) > 0)
		bad |= status;
	return bad != 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[1] : "";
	long a = argc > 2 ? atol(argv[2]) : 0, b = argc > 3 ? atol(argv[3]) : 0;

	calls = a;
	gap = b;
	if (!strcmp(way, "work"))
		return steps(0), 0;
	if (!strcmp(way, "until"))
		return until(argv[2]);
	gap = 0;
	if (!strcmp(way, "exec") && argc > 3)
		return again(argv, b);
	calls = b;
	if (!strcmp(way, "threads"))
		return threads(a);
	calls = argc > 4 ? atol(argv[4]) : 0;
	if (!strcmp(way, "forks"))
		return forks(a, b);
	return 2;
}
