/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two units that print what a script should: parameters, also of inlined functions, a variable of
 * the file at a line, results. Tests (testsuite/forms/debug_forms) name its lines by number.
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
