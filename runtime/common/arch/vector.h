/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Current vector registers of the program; the runtimes' own code does not use any. */
#ifndef USTAP_VECTOR_H
#define USTAP_VECTOR_H

#include "common.h"

#define VECTOR_CASE(n)                                                            \
	case n:                                                                   \
		__asm__ volatile("movdqu %%xmm" #n ", %0" : "=m"(*(u64(*)[2])v)); \
		break

/* Copy xmm register N (0-15) of the CPU to V, low half first; 0 for other N. Valid as long as no
 * code that uses vector registers has run since the hit. */
static inline void vector_read(u32 n, u64 v[2])
{
	switch (n) {
		VECTOR_CASE(0);
		VECTOR_CASE(1);
		VECTOR_CASE(2);
		VECTOR_CASE(3);
		VECTOR_CASE(4);
		VECTOR_CASE(5);
		VECTOR_CASE(6);
		VECTOR_CASE(7);
		VECTOR_CASE(8);
		VECTOR_CASE(9);
		VECTOR_CASE(10);
		VECTOR_CASE(11);
		VECTOR_CASE(12);
		VECTOR_CASE(13);
		VECTOR_CASE(14);
		VECTOR_CASE(15);
	default:
		v[0] = v[1] = 0;
	}
}

#undef VECTOR_CASE

#endif
