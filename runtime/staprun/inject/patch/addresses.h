/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of addresses in the code of a program. */
#ifndef USTAP_INJECT_PATCH_ADDRESSES_H
#define USTAP_INJECT_PATCH_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/* One bit for each byte in [LO, HI); BITS NULL: it is empty. */
struct addresses {
	uint64_t lo, hi;
	uint8_t *bits; /* to be freed */
};
/* Make it one without addresses, to which addresses in [LO, HI) can be added. */
struct addresses addresses_new(uint64_t lo, uint64_t hi);
/* Add ADDR, if it is in the range. */
void addresses_add(struct addresses *s, uint64_t addr);
/* Add all. */
void addresses_add_all(struct addresses *s);
/* True if an address in [LO, HI) is in S. */
bool addresses_in(const struct addresses *s, uint64_t lo, uint64_t hi);

#endif
