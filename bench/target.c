/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target program of the benchmarks: `target N [THREADS [PAUSE [MODE]]]` calls work() N times in
 * each thread and prints the nanoseconds of CPU time that one call took. Under run -i that is the
 * number of instructions. PAUSE: microseconds of sleep after 1,000 calls. tiny, empty, marked: it
 * calls that function instead. handler: it has a handler of SIGSEGV.
 */
#include "../sdt/sys/sdt.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One byte, and as the distance of a jump the bytes behind it lead into the program itself, so a
 * probe takes a breakpoint. */
__asm__(".pushsection .text\n.globl tiny\n.type tiny, @function\n"
	"tiny: ret\n.size tiny, 1\n.long 0x40\n.popsection");
extern void tiny(void);

static _Thread_local volatile long sink;

__attribute__((noipa)) static void use(long x) { sink += x; }

/* Keeps values over a call, so that it begins with a push. */
__attribute__((noipa)) long work(long k, long v, const char *s)
{
	use(k);
	use(v);
	return k + v + s[0];
}

__attribute__((noipa)) void empty(void) {}

/* A marker between calls. */
__attribute__((noipa)) void marked(void)
{
	use(1);
	STAP_PROBE(bench, marker);
	use(2);
}

/* CPU time of this thread alone: the reader of the trace runs on the same processor. */
static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static long calls, pause_us;
static void (*small)(void); /* called instead of work() */

static void *run(void *cost)
{
	double start;

	for (long i = 0; i < 100; i++)
		work(i % 16, i, "warm");
	start = cpu_ns();
	for (long i = 0; i < calls; i++) {
		if (pause_us && i % 1000 == 999)
			usleep(pause_us);
		if (small)
			small();
		else
			work(i % 16, i, "hello");
	}
	*(double *)cost = (cpu_ns() - start) / calls;
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t t[64];
	double cost[64], sum = 0;

	calls = argc > 1 ? atol(argv[1]) : 1000;
	pause_us = argc > 3 ? atol(argv[3]) : 0;
	if (argc > 4 && !strcmp(argv[4], "tiny"))
		small = tiny;
	else if (argc > 4 && !strcmp(argv[4], "empty"))
		small = empty;
	else if (argc > 4 && !strcmp(argv[4], "marked"))
		small = marked;
	else if (argc > 4)
		signal(SIGSEGV, _exit);
	if (threads < 1 || threads > 64)
		return 2;
	for (int i = 1; i < threads; i++)
		pthread_create(&t[i], NULL, run, &cost[i]);
	run(&cost[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < threads; i++)
		sum += cost[i];
	printf("%.2f\n", sum / threads);
	return 0;
}
