/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program in two units that prints what a script should: parameters of a function, of an inlined one, a variable of
 * the file at a line, what comes back.  Lines are counted by testsuite/forms/script.
 */
#include <stdio.h>
#include "shapes.h"

static int total = 40;

static inline __attribute__((always_inline)) int mix(const struct point *p, int by)
{
	printf("mix %d %d\n", p->y, by);
	fflush(stdout);
	return p->y * by;
}

__attribute__((noinline)) int area(struct point *p, int times, enum way way)
{
	int sum;

	printf("area %d %s %d %d\n", p->x, p->name, times, way);
	sum = mix(p, times + 1) + twice(p, times);
	total += sum;
	fflush(stdout);
	printf("line %d\n", total);             /* line 28 */
	printf("back %d\n", sum);
	fflush(stdout);
	return sum;
}

int main(void)
{
	struct point p = {3, -4, "corner"}, q = {-70000, 12, "far"};

	return area(&p, 5, NEAR) + area(&q, 2, FAR) == 0;
}
