/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that several others call, directly and not. */
#include <stdlib.h>

#define HERE __attribute__((noinline, noclone))

HERE int leaf(int a) { __asm__ volatile(""); return a + 1; }
HERE int jumping(int a) { __asm__ volatile(""); return leaf(a + 5); }
static inline __attribute__((always_inline)) int within(int a) { __asm__ volatile(""); return leaf(a + 7); }
HERE int middle(int a) { int r = leaf(a) + leaf(a * 2); __asm__ volatile(""); return r + within(a) + 1; }
HERE int other(int a) { return leaf(a) * 3; }
HERE int top(int a) { int r = middle(a) + other(a); return r + jumping(r); }
HERE int beside(int a) { return middle(a + 50) + 1; }
HERE int down(int a)
{
	int r = a > 0 ? down(a - 1) : leaf(30);

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

int (*pointer)(int) = leaf;
HERE int indirect(int a) { return pointer(a) + 2; }

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < n; i++)
		sum += top(i) + indirect(i) + beside(i) + down(3);
	return sum == -1;
}
