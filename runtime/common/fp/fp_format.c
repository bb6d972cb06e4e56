/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Floating-point numbers as text, by integer arithmetic, because the kernel has no other. Prints
 * the fewest digits that identify the number, by Steele and White ("How to print floating-point
 * numbers accurately", 1990): R / S is the rest of the number, M / S half the distance to its
 * neighbours.
 */
#include "common.h"

/* 2^1076, and some room. */
enum { WORDS = 36, MAX_DIGITS = 17 };

struct big {
	u32 n, w[WORDS];
};

static void big_set(struct big *b, u64 v, u32 shift)
{
	u32 word = shift / 32, bit = shift % 32, i;

	for (i = 0; i < word; i++)
		b->w[i] = 0;
	b->w[word] = (u32)(v << bit);
	b->w[word + 1] = (u32)(bit ? v >> (32 - bit) : v >> 32);
	b->w[word + 2] = (u32)(bit ? v >> 32 >> (32 - bit) : 0);
	for (b->n = word + 3; b->n && !b->w[b->n - 1];)
		b->n--;
}

static void big_times_ten(struct big *b)
{
	u64 carry = 0;
	u32 i;

	for (i = 0; i < b->n; i++) {
		carry += (u64)b->w[i] * 10;
		b->w[i] = (u32)carry;
		carry >>= 32;
	}
	if (carry && b->n < WORDS)
		b->w[b->n++] = (u32)carry;
}

static u32 word_of(const struct big *b, u32 i) { return i < b->n ? b->w[i] : 0; }

/* The sign of N * A + K * B - C. */
static int big_compare(const struct big *a, u32 n, const struct big *b, u32 k, const struct big *c)
{
	s64 carry = 0;
	bool more = false;
	u32 i;

	for (i = 0; i < WORDS; i++) {
		carry += (s64)((u64)word_of(a, i) * n + (u64)word_of(b, i) * k) - word_of(c, i);
		more |= (u32)carry != 0;
		carry >>= 32;
	}
	return carry < 0 ? -1 : carry || more;
}

static void big_subtract(struct big *a, const struct big *b)
{
	s64 carry = 0;
	u32 i;

	for (i = 0; i < a->n; i++) {
		carry += (s64)a->w[i] - word_of(b, i);
		a->w[i] = (u32)carry;
		carry >>= 32;
	}
	while (a->n && !a->w[a->n - 1])
		a->n--;
}

/* ------------------------------------------------------------------- digits */

struct fp_number {
	struct big r, s, m;
	u32 above; /* M to the next larger number, 2 where that is twice as far */
	bool even; /* a number half-way to a neighbour is rounded to this one */
	char digits[MAX_DIGITS + 1];
	int ndigits, point; /* 0.DIGITS * 10^point */
};

/* Start with FRACTION * 2^EXPONENT; BORDER: the next smaller number is half as far away as the next
 * larger one. */
static void begin(struct fp_number *x, u64 fraction, int exponent, bool border)
{
	u32 up = exponent > 0 ? (u32)exponent : 0, down = exponent < 0 ? (u32)-exponent : 0;

	big_set(&x->r, fraction, up + 1 + border);
	big_set(&x->s, 1, down + 1 + border);
	big_set(&x->m, 1, up);
	x->above = 1u + border;
	x->even = !(fraction & 1);
}

/* Find the power of ten above the number. */
static void scale(struct fp_number *x)
{
	for (x->point = 0; big_compare(&x->r, 1, &x->m, x->above, &x->s) + x->even > 0; x->point++)
		big_times_ten(&x->s);
	while (big_compare(&x->r, 10, &x->m, 10 * x->above, &x->s) + x->even <= 0) {
		big_times_ten(&x->r);
		big_times_ten(&x->m);
		x->point--;
	}
}

static void generate(struct fp_number *x)
{
	bool low, high;
	u32 d;

	scale(x);
	x->ndigits = 0;
	do {
		big_times_ten(&x->r);
		big_times_ten(&x->m);
		for (d = 0; big_compare(&x->r, 1, &x->r, 0, &x->s) >= 0; d++)
			big_subtract(&x->r, &x->s);
		low = big_compare(&x->r, 1, &x->r, 0, &x->m) - x->even < 0;
		high = big_compare(&x->r, 1, &x->m, x->above, &x->s) + x->even > 0;
		if (high && (!low || big_compare(&x->r, 2, &x->r, 0, &x->s) > 0))
			d++;
		x->digits[x->ndigits++] = (char)('0' + d);
	} while (!low && !high && x->ndigits < MAX_DIGITS);
}

/* --------------------------------------------------------------------- text */

static char *put_zeros(char *p, int n)
{
	for (; n > 0; n--)
		*p++ = '0';
	return p;
}

/* Write the digits with a point after the first FRONT of them, which may be none or more than there
 * are. */
static char *put_digits(char *p, const struct fp_number *x, int front)
{
	int i;

	if (front <= 0) {
		*p++ = '0';
		*p++ = '.';
		p = put_zeros(p, -front);
	}
	for (i = 0; i < x->ndigits; i++) {
		if (i && i == front)
			*p++ = '.';
		*p++ = x->digits[i];
	}
	return put_zeros(p, front - x->ndigits);
}

static char *put_exponent(char *p, int e)
{
	u32 n = (u32)(e < 0 ? -e : e);

	*p++ = 'e';
	*p++ = e < 0 ? '-' : '+';
	if (n < 10)
		*p++ = '0';
	return p + fmt_decimal(p, n);
}

static char *put_chars(char *p, const char *text)
{
	while (*text)
		*p++ = *text++;
	return p;
}

/* Exponents beyond the type's digits are printed in scientific notation, as by %g. */
static char *format_number(char *p, const struct fp_number *x, int precision)
{
	if (x->point > -4 && x->point <= precision)
		return put_digits(p, x, x->point);
	return put_exponent(put_digits(p, x, 1), x->point - 1);
}

u32 fmt_float(char *dst, u64 bits, bool single)
{
	u32 width = single ? 23 : 52, top = single ? 255 : 2047;
	u64 fraction = bits & ((1ull << width) - 1);
	u32 e = (u32)(bits >> width) & top;
	struct fp_number x;
	char *p = dst;

	if (bits >> (single ? 31 : 63) & 1)
		*p++ = '-';
	if (e == top)
		return (u32)(put_chars(p, fraction ? "nan" : "inf") - dst);
	if (!e && !fraction)
		return (u32)(put_chars(p, "0") - dst);
	begin(&x, e ? fraction | 1ull << width : fraction,
	      (int)(e ? e : 1) - (int)(top / 2) - (int)width, !fraction && e > 1);
	generate(&x);
	return (u32)(format_number(p, &x, single ? 9 : 17) - dst);
}

/* ------------------------------------------------------------ long doubles */

/* The double nearest to the x87 number MANTISSA * 2^(exponent - 16446). */
u64 fmt_extended(u64 mantissa, u32 top)
{
	u64 sign = (u64)(top >> 15 & 1) << 63;
	int e = (int)(top & 0x7fff) - 16383 + 1023, lost = 11;
	u64 half, rest;

	if ((top & 0x7fff) == 0x7fff)
		return sign | 0x7ffull << 52 | (mantissa << 1 ? 1ull << 51 : 0);
	if (!mantissa || e < -53)
		return sign;
	if (e >= 2047)
		return sign | 0x7ffull << 52;
	if (e <= 0) {
		lost += 1 - e;
		e = 0;
	}
	half = lost < 65 ? 1ull << (lost - 1) : 0;
	rest = lost < 64 ? mantissa & ((1ull << lost) - 1) : mantissa;
	mantissa = lost < 64 ? mantissa >> lost : 0;
	if (half && (rest > half || (rest == half && mantissa & 1)))
		mantissa++;
	/* a carry adds to the exponent */
	return sign | (e ? ((u64)(e - 1) << 52) + mantissa : mantissa);
}
