/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads that call top, mid and leaf the same number of times, and a recursion: what a tree of calls looks like. */
#include <pthread.h>
#include <stdio.h>

static volatile long n;

#define KEPT __attribute__((noinline, noclone))

KEPT long leaf(long i) { n = i; return n; }

KEPT long mid(long i)
{
	long r = leaf(i);

	if (i & 1)
		r += leaf(i + 1);
	return r + 1;
}

KEPT long top(long i) { return mid(i) + 1; }
KEPT long fact(long i) { return i < 2 ? 1 : fact(i - 1) * i; }

static void *work(void *a)
{
	for (long i = 0; i < 5; i++)
		top(i);
	return a;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	work(0);
	fact(4);
	if (argc > 1 && !pthread_create(&t, 0, work, 0))
		pthread_join(t, 0);
	printf("done\n");
	return 0;
}
