/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of addresses, as bitmaps. */
#include "inject/patch/addresses.h"
#include "base/message.h"

#include <stddef.h>
#include <string.h>

static size_t size_of(const struct addresses *s) { return (s->hi - s->lo + 7) / 8; }

struct addresses addresses_new(uint64_t lo, uint64_t hi)
{
	struct addresses s = {.lo = lo, .hi = hi};

	s.bits = xrealloc(NULL, size_of(&s));
	memset(s.bits, 0, size_of(&s));
	return s;
}

void addresses_add(struct addresses *s, uint64_t addr)
{
	if (addr >= s->lo && addr < s->hi)
		s->bits[(addr - s->lo) / 8] |= (uint8_t)(1 << (addr - s->lo) % 8);
}

void addresses_add_all(struct addresses *s) { memset(s->bits, ~0, size_of(s)); }

bool addresses_in(const struct addresses *s, uint64_t lo, uint64_t hi)
{
	for (uint64_t at = lo < s->lo ? s->lo : lo; s->bits && at < hi && at < s->hi; at++)
		if (s->bits[(at - s->lo) / 8] >> (at - s->lo) % 8 & 1)
			return true;
	return false;
}
