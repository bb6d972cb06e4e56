/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions with arguments of many kinds; prints what they return. */
#include <stdio.h>

__attribute__((noipa)) long many(int a, unsigned b, long c, const char *d, long e, unsigned long f, int g, long h)
{
	return a + b + c + *d + e + (long)f + g + h;
}

__attribute__((noipa)) int failing(void) { return -2; }

int main(void)
{
	printf("%ld %d\n", many(-1, 4000000000u, -3, "text", 5, 6, -7, 1l << 40), failing());
	return 0;
}
