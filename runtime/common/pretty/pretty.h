/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between pretty.c and summary_print.c: printing values of the program. */
#ifndef USTAP_PRETTY_H
#define USTAP_PRETTY_H

#include "common.h"

/* Deeper levels are cut: the kernel's stack is small. */
enum { MAX_LEVEL = 8 };

/* A value that is in HERE, SIZE bytes, instead of the program's memory has the addresses from
 * HERE_BASE on, which no program has. */
#define HERE_BASE (1ull << 62)
struct printer {
	struct ust_ctx *c;
	struct ust_out *o;
	const unsigned char *here;
	u32 size;
	bool in_kernel;
};

/* Print TEXT. */
static inline void pretty_put(const struct printer *p, const char *text) { ust_put_s(p->o, text); }
/* True if the string is full, so that printing can end. */
static inline bool pretty_is_full(const struct printer *p) { return p->o->p >= p->o->end; }

/* Load SIZE bytes at ADDR; c->failed is set if they cannot be read. */
u64 pretty_load(const struct printer *p, u64 addr, u32 size);
/* Print CH as in a C literal that is enclosed in QUOTE. */
void pretty_put_char(const struct printer *p, unsigned char ch, char quote);
/* Print V with 0x. */
void pretty_put_hex(const struct printer *p, u64 v);
/* Print the value at ADDR with type layout S. */
void pretty_put_at(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level);
/* Print the members of a struct without its braces; of a tuple without their names. */
void pretty_put_members(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level,
			bool tuple);

/* True if the members of a struct are named __0, __1 and so on, as in a tuple of Rust. */
static inline bool pretty_is_tuple(const struct ust_shape *s)
{
	const char *name = s->count > 0 ? s->members[0].name : "";

	return name[0] == '_' && name[1] == '_' && name[2] == '0' && !name[3];
}

/* summary_print.c: pretty_put_at() for types with a summary. */
void summary_put_at(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level);

/* summary_print.c: print the UTF-16 or UTF-32 string, of units of UNIT bytes and at most MAX of
 * them, at ADDR, or the address if it cannot be read; the character CODE, or its number if it is
 * invalid. */
void pretty_put_wide(const struct printer *p, u64 addr, u32 unit, u64 max);
/* Print the character CODE in quotes, or its number if it is not one of Unicode. */
void pretty_put_wide_char(const struct printer *p, u32 code);

/* string_builtins.c: encode CODE as UTF-8; returns the length. */
u32 string_encode_utf8(char *text, u32 code);

#endif
