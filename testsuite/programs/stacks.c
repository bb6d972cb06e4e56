/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls leaf() by many ways; nothing has a frame pointer unless it needs one:
 *
 *   stacks plain      three functions, one with an array of variable size
 *   stacks signal     from a signal handler
 *   stacks callback   from qsort() of the C library
 *   stacks deep       from 100 calls of one function
 *   stacks aligned    from a function that aligns its stack
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noipa)) int leaf(int x)
{
	__asm__ volatile("" : : : "memory");
	return x + 1;
}

__attribute__((noipa)) int sized(int n)
{
	volatile char room[n * 10 + 5];

	room[0] = (char)n;
	return leaf(n) + room[0];
}

__attribute__((noipa)) int middle(int x) { return sized(x) * 2; }

__attribute__((noipa)) int outer(int x) { return middle(x) + 1; }

__attribute__((noipa)) int aligned(int x)
{
	volatile int v[16] __attribute__((aligned(64)));

	v[0] = leaf(x);
	return v[0];
}

__attribute__((noipa)) int deep(int n)
{
	int below = n ? deep(n - 1) : leaf(n);

	__asm__ volatile("" : "+r"(below));     /* or it becomes a loop */
	return below + !!n;
}

__attribute__((noipa)) void on_signal(int s)
{
	volatile int v = leaf(s);

	(void)v;
}

__attribute__((noipa)) int compare(const void *a, const void *b)
{
	volatile int v = leaf(7);

	(void)v;
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	int v[2] = {2, 1}, n = 0;

	if (!strcmp(how, "plain"))
		n = outer(3);
	else if (!strcmp(how, "aligned"))
		n = aligned(3);
	else if (!strcmp(how, "deep"))
		n = deep(100);
	else if (!strcmp(how, "callback"))
		qsort(v, 2, sizeof *v, compare);
	else
		signal(SIGUSR1, on_signal), raise(SIGUSR1);
	printf("%s %d\n", how, n);
	return 0;
}
