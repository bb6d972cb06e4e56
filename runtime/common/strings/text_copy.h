/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of text, which is mostly short. */
#ifndef USTAP_COMMON_TEXT_COPY_H
#define USTAP_COMMON_TEXT_COPY_H

#include "common.h"

/* Copy N bytes, 1 to 32, by overlapping words. */
static inline void copy_few(char *to, const char *from, u32 n)
{
	u64 last;
	u32 word;

	if (n >= 8) {
		__builtin_memcpy(&last, from + n - 8, 8);
		for (u32 at = 0; at + 8 < n; at += 8)
			__builtin_memcpy(to + at, from + at, 8);
		__builtin_memcpy(to + n - 8, &last, 8);
	} else if (n >= 4) {
		__builtin_memcpy(&word, from + n - 4, 4);
		__builtin_memcpy(to, from, 4);
		__builtin_memcpy(to + n - 4, &word, 4);
	} else {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
}

/* Copy N bytes of FROM to TO, which do not overlap. */
static inline void text_copy(char *to, const char *from, u32 n)
{
	if (n > 32)
		memcpy(to, from, n);
	else if (n)
		copy_few(to, from, n);
}

#endif
