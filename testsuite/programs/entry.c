/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls whose arguments are gone at their returns: recursion, tail calls, threads, longjmp(), fork().
 * `entry WHAT` makes one kind of them.
 */
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOIPA __attribute__((noipa))

struct pair { int a, b; struct pair *next; };

int counter = 100;
volatile long sink;
static jmp_buf back;

/* Its argument and the variable are others at the return. */
NOIPA int bump(int by)
{
	counter += by;
	by = -1;
	sink = by;
	return counter;
}

NOIPA long fib(long n)
{
	long sum;

	if (n < 2)
		return n;
	sum = fib(n - 1);
	sum += fib(n - 2);
	sink = sum;                     /* nothing is a tail call */
	return sum;
}

NOIPA int swap(struct pair *p, const char *name, unsigned char small)
{
	int a = p->a;

	p->a = p->b;
	p->b = a;
	sink += *name + small;
	return p->a;
}

NOIPA int odd(int n);
NOIPA int even(int n) { return n ? odd(n - 1) : 1; }            /* tail calls */
NOIPA int odd(int n) { return n ? even(n - 1) : 0; }

NOIPA int jumper(int n)
{
	if (n % 2)
		longjmp(back, n);
	return n;
}

NOIPA int deeper(int n)
{
	volatile char room[64];

	room[0] = (char)n;
	return jumper(n) + room[0];
}

NOIPA int forker(int n)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return n + 1;
}

static void jumps(void)
{
	volatile int i;

	for (i = 0; i < 400; i++)
		if (!setjmp(back))
			sink += i % 3 ? deeper(i) : jumper(i);
}

static void *thread(void *arg)
{
	long from = (long)arg;

	for (long i = from; i < from + 2000; i++)
		sink += fib(i % 7) + even((int)(i % 5));
	return NULL;
}

static void threads(void)
{
	pthread_t t[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, (void *)(i * 10000));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct pair second = {3, 4, NULL}, first = {1, 2, &second};

	if (!strcmp(what, "bump"))
		bump(bump(5));
	else if (!strcmp(what, "fib"))
		fib(5);
	else if (!strcmp(what, "swap"))
		swap(&first, "first", 200);
	else if (!strcmp(what, "null"))
		swap(&first, "first", 1), bump(1);
	else if (!strcmp(what, "tail"))
		even(5);
	else if (!strcmp(what, "jump"))
		jumps();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "fork"))
		forker(7);
	return 0;
}
