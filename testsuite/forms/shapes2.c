/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other unit: link-time optimisation inlines it into the first. */
#include <stdio.h>
#include "shapes.h"

int twice(const struct point *p, int by)
{
	__asm__ volatile("" : : "r"(p), "r"(by));        /* neither is optimised out */
	printf("twice %s %d\n", p->name, by);
	fflush(stdout);
	return p->x + p->x + by;
}
