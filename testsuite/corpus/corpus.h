/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common code of the corpus in C and C++: attributes that keep functions as they are, and output
 * lines `FUNCTION EXPRESSION VALUE'. */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdio.h>
#include <string.h>

/* Called as the convention says, with all parameters.  clang has no word for that; its callers are
 * kept by `sink'. */
#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

volatile long sink;

static unsigned long long bits(double d)
{
	unsigned long long v;

	memcpy(&v, &d, 8);
	return v;
}

#define D(f, e, v) printf(f " " e " %lld\n", (long long)(v))
#define X(f, e, v) printf(f " " e " %llx\n", (unsigned long long)(v))
#define S(f, e, v) printf(f " " e " %s\n", v)

#endif
