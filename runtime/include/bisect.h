/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search. */
#ifndef USTAP_BISECT_H
#define USTAP_BISECT_H

#include <stddef.h>

/* The first index of a sorted table of N elements that the search is for; N: none. BEFORE, an
 * expression of the index I, is true for the elements before it: BISECT(i, n, v[i].addr < addr) is
 * the first element at or after ADDR. */
#define BISECT(I, N, BEFORE)                                      \
	__extension__({                                           \
		size_t bisect_lo_ = 0, bisect_hi_ = (N);          \
		while (bisect_lo_ < bisect_hi_) {                 \
			size_t I = (bisect_lo_ + bisect_hi_) / 2; \
			if (BEFORE)                               \
				bisect_lo_ = I + 1;               \
			else                                      \
				bisect_hi_ = I;                   \
		}                                                 \
		bisect_lo_;                                       \
	})

#endif
