/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays of variable length, functions in functions, complex numbers; prints what it sees. */
#include <complex.h>
#include <stdio.h>

static int outer(int n)
{
	int inner(int k) { return k * n; }

	return inner(3) + inner(4);
}

__attribute__((noinline)) static int matrix(int n, int m, int given[n][m])
{
	int twice[n][m];

	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			twice[i][j] = given[i][j] * 2;
	__asm__ volatile("" : : "r"(twice) : "memory");
	printf("matrix %d %d %d\n", twice[1][2], twice[0][1], given[1][0]);
	return twice[n - 1][m - 1];
}

__attribute__((noinline)) static double complex half(double complex z) { return z / 2; }
__attribute__((noinline)) static float complex third(float complex z) { return z / 3; }

/* A function with code of its own in an inlined one. */
__attribute__((always_inline)) static inline int wrap(int n)
{
	__attribute__((noipa)) int deep(int k) { return k * n; }

	return deep(2) + deep(5);
}

int main(void)
{
	int given[2][3] = {{1, 2, 3}, {4, 5, 6}};

	printf("outer %d\n", outer(5));
	printf("wrap %d\n", wrap(3));
	return matrix(2, 3, given) != 12 || half(3 - 4 * I) == 0 || third(6 + 1.5f * I) == 0;
}
