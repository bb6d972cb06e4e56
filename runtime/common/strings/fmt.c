/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatted text: to a context's print buffer, which is flushed when it is full, or to a string,
 * which is cut. Conversions are C's, with the differences of the language: %p is %#x except that 0
 * prints as 0x0, %c of 0 writes a NUL, %#c escapes, %b writes bytes.
 */
#include "common.h"
#include "text_copy.h"

void ust_out_string(struct ust_out *o, char *dst)
{
	o->base = o->p = dst;
	o->end = dst + string_size - 1;
	o->c = NULL;
}

void ust_out_finish(struct ust_out *o) { *o->p = 0; }

void out_cut(struct ust_out *o)
{
	if (o->c || !o->base)
		return;
	o->base = NULL;
	port_string_cut();
}

/* Make room for MARK in DST after the last complete piece, which SEPARATOR ends; returns the
 * address for it. */
static char *room_for(const struct ust_out *o, char *dst, const char *mark, char separator)
{
	char *last = o->end - strlen(mark), *p = last;

	while (p > dst && p[-1] != separator)
		p--;
	return p > dst ? p : NULL;
}

void out_finish_lines(struct ust_out *o, char *dst)
{
	static const char mark[] = ADDRESSES_CUT "\n";
	char *at;

	ust_out_finish(o);
	if (likely(o->base))
		return;
	at = room_for(o, dst, mark, '\n');
	/* not even one line fits */
	memcpy(at ? at : o->end - strlen(mark), mark, sizeof mark);
}

void out_finish_addresses(struct ust_out *o, char *dst)
{
	static const char mark[] = ADDRESSES_CUT;
	char *at;

	ust_out_finish(o);
	if (likely(o->base))
		return;
	at = room_for(o, dst, mark, ' ');
	memcpy(at ? at : dst, mark, sizeof mark);
}

void ust_print_flush(struct ust_ctx *c)
{
	ctx_flush(c, false);
	ctx_work(c, OUT_SIZE / 4);
}

static void put_slowly(struct ust_out *o, const char *text, u32 len)
{
	while (len) {
		u32 room = o->end - o->p, n = len < room ? len : room;

		memcpy(o->p, text, n);
		o->p += n;
		text += n;
		len -= n;
		if (!len)
			break;
		if (!o->c) {
			out_cut(o);
			return;
		}
		ctx_flush(o->c, false);
		if (!ctx_work(o->c, OUT_SIZE / 4))
			return;
	}
}

void ust_put(struct ust_out *o, const char *text, ust_u32 len)
{
	char *p = o->p;

	if (unlikely((size_t)(o->end - p) < len)) {
		put_slowly(o, text, len);
		return;
	}
	o->p = p + len;
	text_copy(p, text, len);
}

void fmt_repeat(struct ust_out *o, char ch, ust_long n)
{
	for (; n > 0 && (o->p < o->end || (o->c && !o->c->failed)); n--)
		ust_put(o, &ch, 1);
	if (unlikely(n > 0))
		out_cut(o);
}

/* Copy up to FEW bytes of S, and its NUL if it is among them. Returns the number before the NUL. */
enum { FEW = 8 };
static inline u32 copy_part(char *to, const char *s)
{
#pragma GCC unroll 8
	for (u32 i = 0; i < FEW; i++)
		if (!(to[i] = s[i]))
			return i;
	return FEW;
}

void ust_put_s(struct ust_out *o, const char *s)
{
	char *p = o->p;
	u32 n = FEW;

	for (; n == FEW && o->end - p >= FEW; p += n, s += n)
		n = copy_part(p, s);
	o->p = p;
	if (unlikely(n == FEW && *s))
		put_slowly(o, s, strlen(s));
}

/* ---------------------------------------------------------------- digits */

/* Write the digits of V before END; returns their start. */
static char *digits_before(char *end, u64 v, u32 shift, const char *digit)
{
	u64 mask = (1u << shift) - 1;

	do {
		*--end = digit[v & mask];
		v >>= shift;
	} while (v);
	return end;
}

/* The digits of 0 to 99, two each. */
static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

static inline void put_pair(char *to, u32 v) { __builtin_memcpy(to, pairs + 2 * v, 2); }

static char *decimal_before(char *end, u64 v)
{
	for (; v >= 100; v /= 100)
		put_pair(end -= 2, v % 100);
	if (v < 10)
		*--end = (char)('0' + v);
	else
		put_pair(end -= 2, (u32)v);
	return end;
}

static u32 move_digits(char *dst, const char *from, const char *end)
{
	u32 n = end - from;

	memcpy(dst, from, n);
	return n;
}

u32 fmt_decimal(char *dst, u64 v)
{
	char buf[24];

	return move_digits(dst, decimal_before(buf + sizeof buf, v), buf + sizeof buf);
}

u32 fmt_hex(char *dst, u64 v)
{
	char buf[24];

	return move_digits(dst, digits_before(buf + sizeof buf, v, 4, "0123456789abcdef"),
			   buf + sizeof buf);
}

static noinline void put_long(struct ust_out *o, ust_long v)
{
	char buf[24], *end = buf + sizeof buf, *p;

	p = decimal_before(end, v < 0 ? 0 - (u64)v : (u64)v);
	if (v < 0)
		*--p = '-';
	ust_put(o, p, end - p);
}

/* Numbers of up to two digits are written where they belong. */
void ust_put_d(struct ust_out *o, ust_long v)
{
	char *p = o->p;

	if (unlikely((u64)v >= 100 || o->end - p < 2)) {
		put_long(o, v);
	} else if (v < 10) {
		*p = (char)('0' + v);
		o->p = p + 1;
	} else {
		put_pair(p, (u32)v);
		o->p = p + 2;
	}
}

/* --------------------------------------------------------------- padding */

/* A number: sign or 0x, digits; each may need padding. */
struct number {
	const char *prefix;
	u32 nprefix;
	const char *digits;
	u32 ndigits;
};

/* Maximum width for `*`, equal to the maximum of a literal one: padding must not keep a handler
 * busy for minutes. */
#define MAX_WIDTH 4096

static ust_long at_most(ust_long v, ust_long max) { return v < max ? v : max; }

static void put_number(struct ust_out *o, const struct ust_spec *spec, const struct number *n)
{
	ust_long prec = at_most(spec->prec, MAX_WIDTH);
	ust_long zeros = prec > n->ndigits ? prec - n->ndigits : 0;
	/* a negative width for `*` means left-aligned */
	bool left = (spec->flags & UST_F_MINUS) || spec->width < -1;
	ust_long width = at_most(spec->width < -1 ? -(ust_long)spec->width : spec->width,
				 MAX_WIDTH);
	ust_long pad = width - (ust_long)(n->nprefix + n->ndigits) - zeros;

	if ((spec->flags & UST_F_ZERO) && !left && spec->prec < 0 && pad > 0) {
		zeros += pad;
		pad = 0;
	}
	if (!left)
		fmt_repeat(o, ' ', pad);
	ust_put(o, n->prefix, n->nprefix);
	fmt_repeat(o, '0', zeros);
	ust_put(o, n->digits, n->ndigits);
	if (left)
		fmt_repeat(o, ' ', pad);
}

static void put_text(struct ust_out *o, const struct ust_spec *spec, const char *text, u32 len)
{
	struct ust_spec plain = *spec;
	struct number n = {"", 0, text, len};

	plain.prec = -1;
	plain.flags &= UST_F_MINUS;
	put_number(o, &plain, &n);
}

void ust_put_str(struct ust_out *o, const struct ust_spec *spec, const char *s)
{
	u32 n = 0, max = spec->prec < 0 ? string_size : (u32)spec->prec;

	while (n < max && s[n])
		n++;
	put_text(o, spec, s, n);
}

/* ----------------------------------------------------------- conversions */

static const char *sign(const struct ust_spec *spec, ust_long v)
{
	if (v < 0)
		return "-";
	return spec->flags & UST_F_PLUS ? "+" : spec->flags & UST_F_SPACE ? " " : "";
}

static void put_decimal(struct ust_out *o, const struct ust_spec *spec, ust_long v)
{
	bool is_signed = spec->conv != 'u';
	char buf[24], *end = buf + sizeof buf, *p;
	struct number n = {"", 0, NULL, 0};

	p = decimal_before(end, is_signed && v < 0 ? 0 - (u64)v : (u64)v);
	if (spec->prec == 0 && v == 0)
		p = end;
	if (is_signed)
		n.prefix = sign(spec, v);
	n.nprefix = *n.prefix != 0;
	n.digits = p;
	n.ndigits = end - p;
	put_number(o, spec, &n);
}

static void put_octal(struct ust_out *o, const struct ust_spec *spec, u64 v)
{
	char buf[32], *end = buf + sizeof buf, *p = digits_before(end, v, 3, "01234567");
	struct number n = {"", 0, NULL, 0};

	if (v == 0 && spec->prec == 0 && !(spec->flags & UST_F_ALT))
		p = end;
	else if (v != 0 && (spec->flags & UST_F_ALT) && spec->prec <= (int)(end - p))
		*--p = '0';
	n.digits = p;
	n.ndigits = end - p;
	put_number(o, spec, &n);
}

static void put_spec_hex(struct ust_out *o, const struct ust_spec *spec, u64 v)
{
	bool upper = spec->conv == 'X';
	char buf[24], *end = buf + sizeof buf;
	char *p = digits_before(end, v, 4, upper ? "0123456789ABCDEF" : "0123456789abcdef");
	struct number n = {upper ? "0X" : "0x", 0, NULL, 0};

	/* unlike in C, zero has a prefix, too: addresses line up */
	if (spec->conv == 'p' || (spec->flags & UST_F_ALT))
		n.nprefix = 2;
	if (spec->prec == 0 && v == 0 && spec->conv != 'p')
		p = end;
	n.digits = p;
	n.ndigits = end - p;
	put_number(o, spec, &n);
}

/* Write CH for %#c, at most 4 bytes; returns their number. */
static u32 escape(char *dst, unsigned char ch)
{
	static const char names[] = "\aa\bb\tt\nn\vv\ff\rr''\\\\";
	u32 i;

	dst[0] = '\\';
	for (i = 0; names[i]; i += 2)
		if ((unsigned char)names[i] == ch) {
			dst[1] = names[i + 1];
			return 2;
		}
	if (ch >= ' ' && ch < 127) {
		dst[0] = (char)ch;
		return 1;
	}
	dst[1] = (char)('0' + (ch >> 6));
	dst[2] = (char)('0' + (ch >> 3 & 7));
	dst[3] = (char)('0' + (ch & 7));
	return 4;
}

static void put_char(struct ust_out *o, const struct ust_spec *spec, ust_long v)
{
	char text[4];
	u32 n = 1;

	text[0] = (char)v;
	if (spec->flags & UST_F_ALT)
		n = escape(text, (unsigned char)v);
	put_text(o, spec, text, n);
}

/* The width gives the number of bytes of V, in little-endian order. */
static void put_binary(struct ust_out *o, const struct ust_spec *spec, ust_long v)
{
	u32 n = spec->width == 1 || spec->width == 2 || spec->width == 4 ? (u32)spec->width : 8;
	const char *from = (const char *)&v;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	from += 8 - n;
#endif
	ust_put(o, from, n);
}

void ust_put_l(struct ust_out *o, const struct ust_spec *spec, ust_long v)
{
	switch (spec->conv) {
	case 'o':
		put_octal(o, spec, (u64)v);
		break;
	case 'x':
	case 'X':
	case 'p':
		put_spec_hex(o, spec, (u64)v);
		break;
	case 'c':
		put_char(o, spec, v);
		break;
	case 'b':
		put_binary(o, spec, v);
		break;
	default:
		put_decimal(o, spec, v);
	}
}
