/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pretty-printer of the program's values: {.a=1, .s="text", .list=[1, ...]}. The memory belongs to
 * the program and may contain any bytes.
 */
#include "pretty/pretty.h"
#include "utf8_char.h"

void pretty_put_hex(const struct printer *p, u64 v)
{
	char digits[20];

	pretty_put(p, "0x");
	ust_put(p->o, digits, fmt_hex(digits, v));
}

void pretty_put_char(const struct printer *p, unsigned char ch, char quote)
{
	static const struct ust_spec escaped = {'c', UST_F_ALT, -1, -1};
	char pair[3] = {'\\', quote, 0};

	if (ch == (unsigned char)quote)
		pretty_put(p, pair);
	else if (ch == '\'')
		pretty_put(p, "'");
	else
		ust_put_l(p->o, &escaped, ch);
}

/* ------------------------------------------------------------------ strings */

/* Bytes outside of a value in registers are 0: offsets come from debug information. */
u64 pretty_load(const struct printer *p, u64 addr, u32 size)
{
	u64 v = 0, at = addr - HERE_BASE;
	u32 i;

	if (!p->here || at >> 32)
		return p->in_kernel ? ust_kernel_load(p->c, addr, size)
				    : target_load(p->c, addr, size);
	for (i = 0; i < size && i < sizeof v && at + i < p->size; i++)
		v |= (u64)p->here[at + i] << (8 * i);
	return v;
}

/* The bytes of the character at ADDR, up to MOST of them; returns their number. FIRST was read. If
 * the rest cannot be read, the first byte is a character of its own, and the error is pending. */
static u32 load_character(const struct printer *p, u64 addr, unsigned char first, u64 most,
			  unsigned char *bytes)
{
	u32 size = utf8_size(first), n = 1;

	bytes[0] = first;
	while (n < size && n < most) {
		bytes[n] = (unsigned char)pretty_load(p, addr + n, 1);
		if (p->c->failed)
			return 1;
		if (!utf8_continues(bytes[n]))
			break;
		n++;
	}
	return n;
}

/* Print the character at ADDR, whose first byte is FIRST; returns the number of its bytes. */
static u32 put_character(const struct printer *p, u64 addr, unsigned char first, u64 most)
{
	unsigned char bytes[4];
	char text[STRING_ESCAPED];
	u32 have, n, used;

	if (first < 0x80) {
		pretty_put_char(p, first, '"');
		return 1;
	}
	have = load_character(p, addr, first, most, bytes);
	n = string_escape(text, bytes, have, &used);
	ust_put(p->o, text, n);
	return used;
}

/* Print the string at ADDR, or the address if it cannot be read. */
static void put_string(const struct printer *p, u64 addr, u64 max)
{
	u64 i, ch = max ? pretty_load(p, addr, 1) : 0;

	if (p->c->failed) {
		if (ust_catch(p->c, NULL))
			pretty_put_hex(p, addr);
		return;
	}
	pretty_put(p, "\"");
	for (i = 0; i < max && ch && !p->c->failed && !pretty_is_full(p);) {
		i += put_character(p, addr + i, (unsigned char)ch, max - i);
		if (i < max && !p->c->failed)
			ch = pretty_load(p, addr + i, 1);
	}
	if (p->c->failed && !ust_catch(p->c, NULL))
		return;
	pretty_put(p, "\"");
}

/* ------------------------------------------------------------------ scalars */

static void print_scalar(const struct printer *p, const struct ust_shape *s, u64 v, u32 bits)
{
	char digits[24];

	v <<= 64 - bits;
	v = s->sign ? (u64)((s64)v >> (64 - bits)) : v >> (64 - bits);
	if (s->sign)
		ust_put_d(p->o, (ust_long)v);
	else
		ust_put(p->o, digits, fmt_decimal(digits, v));
}

static void put_float(const struct printer *p, u64 bits, bool single)
{
	char digits[32];

	ust_put(p->o, digits, fmt_float(digits, bits, single));
}

static void put_enum(const struct printer *p, const struct ust_shape *s, u64 v, u32 bits)
{
	ust_long i;

	for (i = 0; i < s->count; i++)
		if (!(((u64)s->names[i].value ^ v) << (64 - bits))) {
			pretty_put(p, s->names[i].name);
			return;
		}
	print_scalar(p, s, v, bits);
}

static void put_value(const struct printer *p, const struct ust_shape *s, u64 v, u32 bits)
{
	switch (s->kind) {
	case UST_SHAPE_FLOAT:
		put_float(p, v, s->size == 4);
		break;
	case UST_SHAPE_ENUM:
		put_enum(p, s, v, bits ? bits : s->size * 8u);
		break;
	case UST_SHAPE_NUMBER:
		print_scalar(p, s, v, bits ? bits : s->size * 8u);
		break;
	case UST_SHAPE_CHAR:
		if (s->size > 1) {
			pretty_put_wide_char(p, (u32)(v & (~0ull >> (64 - s->size * 8u))));
			break;
		}
		pretty_put(p, "'");
		pretty_put_char(p, (unsigned char)v, '\'');
		pretty_put(p, "'");
		break;
	case UST_SHAPE_POINTER:
		pretty_put_hex(p, v);
		break;
	case UST_SHAPE_STRING:
		if (s->count)
			pretty_put_wide(p, v, (u32)s->count, ~0ull);
		else
			put_string(p, v, ~0ull);
		break;
	default:
		pretty_put(p, "?");
	}
}

/* Load only the bytes that contain BITS bits from bit OFF of the object at ADDR. */
static u64 load_bits(const struct printer *p, u64 addr, u32 off, u32 bits)
{
	u32 first = off / 8, n = (off % 8 + bits + 7) / 8, i;
	u64 v = 0;

	for (i = 0; i < n && i < 8; i++)
		v |= pretty_load(p, addr + first + i, 1) << (8 * i);
	v >>= off % 8;
	if (n > 8)
		v |= pretty_load(p, addr + first + 8, 1) << (64 - off % 8);
	return v;
}

/* --------------------------------------------------------------- aggregates */

static void put_member(const struct printer *p, const struct ust_member *m, u64 addr, u32 level,
		       bool tuple)
{
	if (!tuple) {
		pretty_put(p, ".");
		pretty_put(p, m->name);
		pretty_put(p, "=");
	}
	if (m->bits)
		put_value(p, m->shape, load_bits(p, addr, m->bit_off, m->bits), m->bits);
	else
		pretty_put_at(p, m->shape, addr + m->bit_off / 8, level);
}

void pretty_put_members(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level,
			bool tuple)
{
	ust_long i;

	for (i = 0; i < s->count && !p->c->failed && !pretty_is_full(p); i++) {
		pretty_put(p, i ? ", " : "");
		put_member(p, &s->members[i], addr, level, tuple);
	}
}

static void put_struct(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level)
{
	bool tuple;

	if (s->cut || level > MAX_LEVEL) {
		pretty_put(p, "{...}");
		return;
	}
	tuple = pretty_is_tuple(s);
	pretty_put(p, tuple ? "(" : "{");
	pretty_put_members(p, s, addr, level + 1, tuple);
	pretty_put(p, tuple ? ")" : "}");
}

static void put_array(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level)
{
	if (!s->count) {
		pretty_put(p, "[]");
	} else if (s->cut || s->count < 0 || level > MAX_LEVEL) {
		pretty_put(p, "[...]");
	} else {
		pretty_put(p, "[");
		pretty_put_at(p, s->elem, addr, level + 1);
		pretty_put(p, s->count > 1 ? ", ...]" : "]");
	}
}

/* Print a long double as a double. */
static void put_extended(const struct printer *p, u64 addr)
{
	u64 mantissa = pretty_load(p, addr, 8);

	put_float(p, fmt_extended(mantissa, (u32)pretty_load(p, addr + 8, 2)), false);
}

void pretty_put_at(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level)
{
	switch (s->kind) {
	case UST_SHAPE_STRUCT:
		put_struct(p, s, addr, level);
		break;
	case UST_SHAPE_ARRAY:
		put_array(p, s, addr, level);
		break;
	case UST_SHAPE_CHARS:
		if (s->size)
			pretty_put_wide(p, addr, s->size, s->count < 0 ? ~0ull : (u64)s->count);
		else
			put_string(p, addr, s->count < 0 ? ~0ull : (u64)s->count);
		break;
	case UST_SHAPE_UNKNOWN:
		pretty_put(p, "?");
		break;
	case UST_SHAPE_WORD:
		pretty_put_hex(p, addr);
		break;
	case UST_SHAPE_FLOAT:
		if (s->size > 8)
			put_extended(p, addr);
		else
			put_value(p, s, pretty_load(p, addr, s->size), 0);
		break;
	default:
		if (s->kind >= UST_SHAPE_TEXT)
			summary_put_at(p, s, addr, level);
		else
			put_value(p, s, pretty_load(p, addr, s->size), 0);
	}
}

static void finish(const struct printer *p, const struct ust_shape *s, char *start)
{
	static const char cut[] = {'.', '.', '.'};

	if (unlikely(p->c->failed) && ust_catch(p->c, NULL)) {
		p->o->p = start;
		pretty_put(p, "ERROR");
	} else if (pretty_is_full(p) && s->kind != UST_SHAPE_BARE_TEXT &&
		   p->o->p - start >= (long)sizeof cut) {
		memcpy(p->o->p - sizeof cut, cut, sizeof cut);
		out_cut(p->o);
	}
}

void ust_pretty(struct ust_ctx *c, struct ust_out *o, const struct ust_shape *s, ust_u64 value,
		int how)
{
	const struct printer p = {c, o, NULL, 0, how & 2};
	char *start = o->p;

	target_begin(c);
	if (how & 1)
		pretty_put_at(&p, s, value, 0);
	else
		put_value(&p, s, value, 0);
	finish(&p, s, start);
}

void ust_pretty_here(struct ust_ctx *c, struct ust_out *o, const struct ust_shape *s,
		     const ust_u64 *words, ust_u32 nwords)
{
	const struct printer p = {c, o, (const unsigned char *)words, nwords * 8, false};
	char *start = o->p;

	target_begin(c);
	pretty_put_at(&p, s, HERE_BASE, 0);
	finish(&p, s, start);
}
