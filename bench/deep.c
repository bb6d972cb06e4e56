/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `deep N' calls leaf() N times from the 20th frame and prints the nanoseconds of processor time
 * that one call took. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FRAMES = 20, OTHERS = 4 }; /* leaf(), main() and those of the C library that call it */

__attribute__((noipa)) long leaf(long x) { return x + 1; }

__attribute__((noipa)) long many(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}

__attribute__((noipa)) long down(int depth, long n)
{
	long v = depth ? down(depth - 1, n) : many(n);

	__asm__ volatile("" : "+r"(v)); /* or it becomes a loop */
	return v + depth;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	down(FRAMES - OTHERS - 2, n);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	printf("%.2f\n",
	       ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n);
	return 0;
}
