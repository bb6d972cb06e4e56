/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the names of the functions that backtrace() finds from within several functions (-rdynamic);
 * frames without a name are left out. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE __attribute__((noipa))

OUTSIDE int innermost(int print)
{
	void *v[64];
	int n = backtrace(v, 64), named = 0;

	for (int i = 0; i < n; i++) {
		Dl_info info;

		/* a call may be the last instruction of its function */
		if (!dladdr((char *)v[i] - 1, &info) || !info.dli_sname || strstr(info.dli_fname, "libc"))
			continue;
		if (print)
			printf("%s ", info.dli_sname);
		named++;
	}
	if (print)
		printf("\n");
	return named;
}

OUTSIDE int third(int print) { volatile int r = innermost(print); return r; }
OUTSIDE int second(int depth, int print)
{
	volatile int r = depth ? second(depth - 1, print) : third(print);
	return r;
}
OUTSIDE int compare(const void *a, const void *b)
{
	volatile int r = third(0);
	volatile int seen = r * 0 + *(const int *)a - *(const int *)b;
	if (*(const int *)a == 1 && *(const int *)b == 2)
		third(1);
	return seen;
}
OUTSIDE int by_qsort(void)
{
	int v[] = {1, 2};
	qsort(v, 2, sizeof *v, compare);
	return v[0];
}
OUTSIDE void *in_thread(void *arg) { volatile int r = second(1, 1); return arg + r * 0; }

int main(void)
{
	pthread_t t;

	innermost(1);
	third(1);
	second(0, 1);
	second(3, 1);
	by_qsort();
	pthread_create(&t, NULL, in_thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
