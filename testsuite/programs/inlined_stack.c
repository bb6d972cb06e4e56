/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that were inlined into those that call leaf(); lines matter to the tests. */
#include <stdio.h>

__attribute__((noipa)) int leaf(int x) { __asm__ volatile("" : : : "memory"); return x; }

static inline __attribute__((always_inline)) int inner(int x)
{
	return leaf(x) + 1;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	return inner(x) * 2;
}

__attribute__((noipa)) int outer(int x)
{
	return middle(x) + 1;
}

int main(void)
{
	printf("%d\n", outer(3));
	return 0;
}
