/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables that are in some places only, for testsuite/ustap.errors/where.stp. */
#include <stdio.h>

__attribute__((noipa)) int f(int a, int b)
{
	int k = a * 2;
	printf("%d\n", k);
	if (b) {
		int inner = k + getchar();
		printf("%d %d\n", inner, a);
		b += inner;
	}
	puts("x");
	return b;
}

int main(void) { return f(1, 2); }
