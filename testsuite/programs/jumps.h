/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Main program of tests about jumps: `PROGRAM THREADS CALLS'. Threads call round_of(I) of the
 * program that includes this, for I from 0 to CALLS - 1, which passes results to expect(). Prints
 * `wrong' for a wrong one, and at the end the number of correct ones. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long calls, right;

static void expect(long got, long want, long *ok)
{
	if (got == want)
		++*ok;
	else
		puts("wrong");
}

static void round_of(long i, long *ok);

static void *run(void *arg)
{
	long ok = 0;

	for (long i = 0; i < calls; i++)
		round_of(i, &ok);
	__atomic_fetch_add(&right, ok, __ATOMIC_SEQ_CST);
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t[16];

	calls = argc > 2 ? atol(argv[2]) : 1000;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < n && i < 16; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < n && i < 16; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", right);
	return 0;
}
