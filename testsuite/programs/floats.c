/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Floating-point numbers in memory. */
#include <complex.h>

struct numbers {
	float f;
	double d;
	float tiny, row[3];
	long double wide;
	float complex z;
} numbers = {1.5f, -2.25, 1e-44f, {0, -0.0f, 1 / 0.0f}, 1, 1};
double tenth = 0.1;
float large = -3e38f;
long sink;

__attribute__((noipa)) void show(struct numbers *p, float x)
{
	sink += (long)p + (long)x;
	__asm__ volatile("" ::"r"(p) : "memory");
}

int main(void)
{
	show(&numbers, 2);
	return 0;
}
