/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupted N: works in many ways, also in the C library and in the kernel's code for processes (vdso), while a timer interrupts it N times,
 * anywhere. Each time stop() gets the stack as backtrace() of the C library, which uses libgcc's unwinder, finds it.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define OUTSIDE __attribute__((noipa))

static volatile sig_atomic_t left;

OUTSIDE void stop(void **pcs, int n) { __asm__ volatile("" : : "r"(pcs), "r"(n) : "memory"); }

OUTSIDE void on_timer(int s)
{
	void *pcs[100];

	(void)s;
	if (left > 0) {
		stop(pcs, backtrace(pcs, 100));
		left--;
	}
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

OUTSIDE double work(unsigned round)
{
	char text[200], *copy;
	int v[50];
	struct timespec now;
	double sum = 0;

	for (unsigned i = 0; i < 50; i++)
		v[i] = (int)(i * 7919 + round) % 50;
	qsort(v, 50, sizeof *v, compare);
	for (int i = 0; i < 100; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(text, sizeof text, "%d %s %.3f %lx", v[3], "some text", sqrt(round), (unsigned long)now.tv_nsec);
	copy = strdup(text);
	sum = strtod("3.25e3", NULL) + (double)strlen(copy);
	memmove(copy + 1, copy, strlen(copy) - 1);
	free(copy);
	return sum;
}

int main(int argc, char **argv)
{
	struct itimerval every = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};
	volatile double sum = 0;
	void *one[1];

	left = argc > 1 ? atoi(argv[1]) : 100;
	backtrace(one, 1);      /* loads libgcc */
	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned i = 0; left > 0; i++)
		sum += work(i);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("done\n");
	return 0;
}
