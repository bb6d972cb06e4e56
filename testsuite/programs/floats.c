/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Floating-point numbers in memory, in registers and on the stack. */
#include <complex.h>

struct numbers {
	float f;
	double d;
	float tiny, row[3];
	long double wide;
	float complex z;
} numbers = {1.5f, -2.25, 1e-44f, {0, -0.0f, 1 / 0.0f}, 1, 1};
long double third = 1.0L / 3, beyond = 1e4000L, below = -1e-320L;
double tenth = 0.1;
float large = -3e38f;
long sink;

__attribute__((noipa)) void show(struct numbers *p, float x)
{
	sink += (long)p + (long)x;
	__asm__ volatile("" ::"r"(p) : "memory");
}

__attribute__((noipa)) float mixed(float a, double b, int n, double c, double d, float e, float f, float g, float h,
				   double i, float j)
{
	sink += (long)(a + b + n + c + e + f + g + h + i + j) + (d > 1);
	return a;
}

/* in two vector registers, and in one of each kind */
struct point { float x, y, z; };
struct mixture { int n; char tag; double d; };

__attribute__((noipa)) struct point place(struct point p) { return p; }
__attribute__((noipa)) int both(struct mixture m) { return m.n + m.tag + (int)m.d; }

int main(void)
{
	show(&numbers, 2);
	sink += (long)mixed(1.5f, -2.5, 7, 0.1, 1e100, -0.125f, 3, 4, 5, 6.5, -7.5f);
	sink += (long)place((struct point){1.5f, -2, 0.25f}).x + both((struct mixture){-5, 'x', 0.5});
	return 0;
}
