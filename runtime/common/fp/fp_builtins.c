/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: floating-point numbers, represented by the bits of an IEEE 754 double in an integer.
 * Neither the kernel nor an interrupted program permits the use of floating-point registers, so
 * integer arithmetic is used. Results are exact or rounded to nearest, ties to even.
 */
#include "common.h"

#define SIGN         (1ull << 63)
#define FRACTION     ((1ull << 52) - 1)
#define INFINITE     (0x7ffull << 52)
#define NOT_A_NUMBER (0x7ff8ull << 48)

struct wide {
	u64 hi, lo;
};

/* A finite number that is not 0: frac * 2^exp, with the highest bit of frac set. */
struct num {
	u64 sign, frac;
	int exp;
};

static bool is_nan(u64 a) { return (a & ~SIGN) > INFINITE; }
static bool is_infinite(u64 a) { return (a & ~SIGN) == INFINITE; }
static bool is_zero(u64 a) { return !(a & ~SIGN); }

static struct num unpack(u64 bits)
{
	struct num n = {.sign = bits & SIGN, .frac = bits & FRACTION};
	int exponent = (int)(bits >> 52 & 0x7ff), up;

	if (exponent)
		n.frac |= 1ull << 52;
	else
		exponent = 1;
	up = __builtin_clzll(n.frac);
	n.frac <<= up;
	n.exp = exponent - 1075 - up;
	return n;
}

/* V >> N, with the lowest bit of the result set if any lost bit was set. */
static u64 shift_sticky(u64 v, int n)
{
	if (n >= 64)
		return v != 0;
	return n ? v >> n | ((v << (64 - n)) != 0) : v;
}

/* The double frac * 2^exp, with the highest bit of FRAC set; its lowest bit may stand for smaller
 * ones. */
static u64 pack(u64 sign, u64 frac, int exp)
{
	int biased = exp + 63 + 1023;
	u64 rest;

	if (biased >= 2047)
		return sign | INFINITE;
	if (biased < 1)
		frac = shift_sticky(frac, 1 - biased);
	rest = frac & 0x7ff;
	frac >>= 11;
	if (rest > 0x400 || (rest == 0x400 && frac & 1))
		frac++;
	/* the bit before the point adds one to the exponent, and so does a carry */
	return sign | (((biased < 1 ? 0 : (u64)biased - 1) << 52) + frac);
}

/* pack() for 128 bits that are not 0. */
static u64 pack_wide(u64 sign, struct wide v, int exp)
{
	int up;

	if (!v.hi)
		return up = __builtin_clzll(v.lo), pack(sign, v.lo << up, exp - up);
	up = __builtin_clzll(v.hi);
	if (up) {
		v.hi = v.hi << up | v.lo >> (64 - up);
		v.lo <<= up;
	}
	return pack(sign, v.hi | (v.lo != 0), exp + 64 - up);
}

/* ------------------------------------------------------------- arithmetic */

/* Requires A and B finite and not 0, |A| >= |B|. */
static u64 add_numbers(struct num a, struct num b)
{
	int down = a.exp - b.exp;
	struct wide x = {a.frac >> 2, a.frac << 62}, y = {b.frac >> 2, b.frac << 62};

	if (down >= 64)
		y = (struct wide){0, shift_sticky(y.hi, down - 64) | (y.lo != 0)};
	else if (down)
		y = (struct wide){y.hi >> down, (y.hi << (64 - down)) | shift_sticky(y.lo, down)};
	if (a.sign == b.sign) {
		x.lo += y.lo;
		x.hi += y.hi + (x.lo < y.lo);
	} else {
		x.hi -= y.hi + (x.lo < y.lo);
		x.lo -= y.lo;
	}
	return x.hi | x.lo ? pack_wide(a.sign, x, a.exp - 62) : 0;
}

static u64 add(u64 a, u64 b)
{
	if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b) && a != b))
		return NOT_A_NUMBER;
	if ((a & ~SIGN) < (b & ~SIGN)) {
		u64 swap = a;

		a = b;
		b = swap;
	}
	if (is_infinite(a))
		return a;
	if (is_zero(b))
		return is_zero(a) ? a & b : a;
	return add_numbers(unpack(a), unpack(b));
}

static u64 mul(u64 a, u64 b)
{
	u64 sign = (a ^ b) & SIGN;
	struct num x, y;
	unsigned __int128 product;

	if (is_nan(a) || is_nan(b))
		return NOT_A_NUMBER;
	if (is_infinite(a) || is_infinite(b))
		return is_zero(a) || is_zero(b) ? NOT_A_NUMBER : sign | INFINITE;
	if (is_zero(a) || is_zero(b))
		return sign;
	x = unpack(a);
	y = unpack(b);
	product = (unsigned __int128)x.frac * y.frac;
	return pack_wide(sign, (struct wide){(u64)(product >> 64), (u64)product}, x.exp + y.exp);
}

/* *REST / BY, where *REST < 2 * BY: 64 bits, the first of them before the point; the remainder,
 * doubled, is stored in *REST. */
static u64 fp_divide(u64 *rest, bool *carry, u64 by)
{
	u64 quotient = 0;
	int i;

	for (i = 0; i < 64; i++) {
		quotient <<= 1;
		if (*carry || *rest >= by) {
			*rest -= by;
			quotient |= 1;
		}
		*carry = *rest >> 63;
		*rest <<= 1;
	}
	return quotient;
}

static u64 quotient_of(u64 a, u64 b)
{
	u64 sign = (a ^ b) & SIGN;
	struct num x, y;
	struct wide q;
	bool carry = false;

	if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b)) ||
	    (is_zero(a) && is_zero(b)))
		return NOT_A_NUMBER;
	if (is_infinite(a) || is_zero(b))
		return sign | INFINITE;
	if (is_zero(a) || is_infinite(b))
		return sign;
	x = unpack(a);
	y = unpack(b);
	q.hi = fp_divide(&x.frac, &carry, y.frac);
	q.lo = x.frac || carry;
	return pack_wide(sign, q, x.exp - y.exp - 127);
}

/* IEEE 754 remainder: A minus the multiple of B that is nearest to it. */
static u64 rem(u64 a, u64 b)
{
	struct num x, y;
	bool odd = false;
	u64 left;

	if (is_nan(a) || is_nan(b) || is_infinite(a) || is_zero(b))
		return NOT_A_NUMBER;
	if (is_zero(a) || is_infinite(b))
		return a;
	x = unpack(a);
	y = unpack(b);
	if (x.exp < y.exp - 1)
		return a;
	y.frac >>= 11; /* 53 bits: there is room to double */
	left = x.frac >> 11;
	for (; x.exp >= y.exp; x.exp--) {
		odd = left >= y.frac;
		if (odd)
			left -= y.frac;
		left <<= 1;
	}
	/* in halves of the last bit of y.frac */
	if (left > y.frac || (left == y.frac && odd)) {
		left = 2 * y.frac - left;
		x.sign ^= SIGN;
	}
	return left ? pack_wide(x.sign, (struct wide){0, left}, y.exp + 10) : a & SIGN;
}

/* The square root of FRAC (with CARRY as its bit 64), times 2^29; *INEXACT: there is a
 * remainder. */
static u64 integer_root(u64 carry, u64 frac, bool *inexact)
{
	u64 r = 0, left = carry;
	int i;

	/* two bits of FRAC for each of the root */
	for (i = 0; i < 62; i++) {
		u64 test = r << 2 | 1;

		r <<= 1;
		if (left >= test) {
			left -= test;
			r |= 1;
		}
		if (i < 61) {
			left = left << 2 | frac >> 62;
			frac <<= 2;
		}
	}
	*inexact = left != 0;
	return r;
}

static u64 root(u64 a)
{
	bool odd, inexact;
	struct num x;
	u64 r;

	if (is_nan(a) || (a & SIGN && !is_zero(a)))
		return NOT_A_NUMBER;
	if (is_zero(a) || is_infinite(a))
		return a;
	x = unpack(a);
	odd = x.exp & 1;
	r = integer_root(odd ? x.frac >> 63 : 0, x.frac << odd, &inexact);
	return pack_wide(0, (struct wide){r, inexact}, (x.exp - odd) / 2 - 29 - 64);
}

/* ------------------------------------------------- integers, comparisons */

static u64 from_long(ust_long v)
{
	u64 sign = v < 0 ? SIGN : 0;

	return v ? pack_wide(sign, (struct wide){0, sign ? 0 - (u64)v : (u64)v}, 0) : 0;
}

/* True if a magnitude with integer part WHOLE and fraction REST, where SIGN is a half, is rounded
 * up. */
static bool rounds_up(ust_long mode, bool minus, u64 whole, u64 rest)
{
	switch (mode) {
	case 0:
		return rest > SIGN || (rest == SIGN && whole & 1); /* nearest, ties to even */
	case 2:
		return rest && minus; /* down */
	case 3:
		return rest && !minus; /* up */
	case 4:
		return rest >= SIGN; /* nearest, ties away from 0 */
	case 5:
	case 6:
		return rest && !(whole & 1); /* to odd */
	default:
		return false; /* towards 0 */
	}
}

/* Values out of range become the smallest integer, as in the processor. */
static ust_long to_long(u64 a, ust_long mode)
{
	const ust_long none = (ust_long)SIGN;
	struct num x;
	u64 whole, rest;

	if (is_zero(a))
		return 0;
	if (is_nan(a) || is_infinite(a))
		return none;
	x = unpack(a);
	if (x.exp > 0)
		return none;
	whole = x.exp > -64 ? x.frac >> -x.exp : 0;
	rest = x.exp > -64 ? (x.exp ? x.frac << (64 + x.exp) : 0)
			   : shift_sticky(x.frac, -x.exp - 64);
	if (rounds_up(mode, x.sign, whole, rest))
		whole++;
	if (whole > SIGN || (whole == SIGN && !x.sign))
		return none;
	return x.sign ? (ust_long)(0 - whole) : (ust_long)whole;
}

static bool equal(u64 a, u64 b)
{
	return !is_nan(a) && !is_nan(b) && (a == b || !((a | b) & ~SIGN));
}

static bool less(u64 a, u64 b)
{
	if (is_nan(a) || is_nan(b) || equal(a, b))
		return false;
	if ((a ^ b) & SIGN)
		return a & SIGN;
	return a & SIGN ? a > b : a < b;
}

/* ------------------------------------------------------------------- text */

/* A large integer, the lowest word first. */
#define LARGE_WORDS 96
struct large {
	u32 w[LARGE_WORDS], n;
};

static void large_trim(struct large *v)
{
	while (v->n && !v->w[v->n - 1])
		v->n--;
}

static void large_mul(struct large *v, u32 by, u32 plus)
{
	u64 carry = plus;
	u32 i;

	for (i = 0; i < v->n; i++) {
		carry += (u64)v->w[i] * by;
		v->w[i] = (u32)carry;
		carry >>= 32;
	}
	if (carry && v->n < LARGE_WORDS)
		v->w[v->n++] = (u32)carry;
}

/* Divide V by BY; returns the remainder. */
static u32 large_div(struct large *v, u32 by)
{
	u64 rest = 0;
	u32 i;

	for (i = v->n; i-- > 0;) {
		rest = rest << 32 | v->w[i];
		v->w[i] = (u32)(rest / by);
		rest %= by;
	}
	large_trim(v);
	return (u32)rest;
}

static void large_shl(struct large *v, u32 up)
{
	u32 words = up / 32, bits = up % 32, i;

	for (i = v->n; i-- > 0;)
		v->w[i + words] = v->w[i];
	for (i = 0; i < words; i++)
		v->w[i] = 0;
	if (v->n)
		v->n += words;
	large_mul(v, 1u << bits, 0);
}

static u64 large_word(const struct large *v, u32 i) { return i < v->n ? v->w[i] : 0; }

static bool large_bit(const struct large *v, u32 i)
{
	return large_word(v, i / 32) >> (i % 32) & 1;
}

/* True if any of the lowest N bits is set. */
static bool large_below(const struct large *v, u32 n)
{
	u32 i;

	for (i = 0; i < n / 32; i++)
		if (large_word(v, i))
			return true;
	return large_word(v, n / 32) & ((1ull << (n % 32)) - 1);
}

/* Shift right, rounded to nearest, ties to even. */
static void large_shr(struct large *v, u32 down)
{
	bool half = large_bit(v, down - 1),
	     up = half && (large_below(v, down - 1) || large_bit(v, down));
	u32 words = down / 32, bits = down % 32, i;

	for (i = 0; i + words < v->n; i++)
		v->w[i] = (u32)((large_word(v, i + words) | large_word(v, i + words + 1) << 32) >>
				bits);
	v->n = i;
	large_trim(v);
	for (i = 0; up; i++) {
		if (i == v->n)
			v->w[v->n++] = 0;
		up = !++v->w[i];
	}
}

/* Write its decimal digits, at least MIN, to the end of DIGITS of SIZE bytes; returns their
 * start. */
static char *large_digits(struct large *v, char *digits, u32 size, u32 min)
{
	char *p = digits + size;

	while (v->n || p > digits + size - min)
		*--p = (char)('0' + large_div(v, 10));
	return p;
}

/* Maximum number of digits after the point; a double has 309 before it, and 340 are all significant
 * ones. */
#define MAX_FRACTION_DIGITS 340

void fp_put(struct ust_out *o, u64 bits, u32 digits)
{
	char text[MAX_FRACTION_DIGITS + 24], *p;
	struct large v = {.n = 2};
	struct num x = {0};
	u32 i;

	if (bits & SIGN && !is_nan(bits))
		ust_put(o, "-", 1);
	if (is_nan(bits) || is_infinite(bits)) {
		ust_put(o, is_nan(bits) ? "nan" : "inf", 3);
		return;
	}
	if (digits > MAX_FRACTION_DIGITS)
		digits = MAX_FRACTION_DIGITS;
	if (!is_zero(bits))
		x = unpack(bits);
	v.w[0] = (u32)x.frac;
	v.w[1] = (u32)(x.frac >> 32);
	large_trim(&v);
	if (x.exp >= 0)
		large_shl(&v, (u32)x.exp);
	for (i = 0; i < digits && x.exp < 0; i++)
		large_mul(&v, 10, 0);
	if (x.exp < 0)
		large_shr(&v, (u32)-x.exp);
	p = large_digits(&v, text, sizeof text, x.exp < 0 ? digits + 1 : 1);
	i = (u32)(text + sizeof text - p);
	ust_put(o, p, x.exp < 0 ? i - digits : i);
	if (!digits)
		return;
	ust_put(o, ".", 1);
	if (x.exp < 0)
		ust_put(o, p + i - digits, digits);
	else
		for (; digits; digits--)
			ust_put(o, "0", 1);
}

/* V * 10^E, V not 0. */
static u64 from_decimal(u64 sign, struct large *v, int e)
{
	bool inexact = false;
	int exp = 0;
	u32 top;
	struct wide words;

	for (; e > 0 && v->n < LARGE_WORDS - 1; e--)
		large_mul(v, 10, 0);
	if (e < 0) {
		u32 up = 70 + (u32)-e * 10 / 3 + 1;

		/* 66 or more bits remain */
		up = up > v->n * 32 ? up - (v->n - 1) * 32 : 70;
		large_shl(v, up);
		exp = -(int)up;
	}
	for (; e < 0; e++)
		inexact |= large_div(v, 10) != 0;
	top = v->n > 4 ? v->n - 4 : 0;
	inexact |= large_below(v, top * 32);
	words.hi = large_word(v, top + 3) << 32 | large_word(v, top + 2);
	words.lo = large_word(v, top + 1) << 32 | large_word(v, top) | inexact;
	return pack_wide(sign, words, exp + (int)top * 32);
}

static int exponent_of(const char *s)
{
	bool minus = *s == '-';
	int e = 0;

	for (s += *s == '-' || *s == '+'; *s >= '0' && *s <= '9'; s++)
		e = e < 100000 ? e * 10 + *s - '0' : e;
	return minus ? -e : e;
}

/* Number of significant digits read; a string of the default length does not hold more. */
#define GIVEN_DIGITS 500

static u64 from_text(const char *s)
{
	u64 sign = *s == '-' ? SIGN : 0;
	struct large v = {.n = 0};
	bool point = false;
	int e = 0, n = 0;

	for (s += *s == '-' || *s == '+'; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (n < GIVEN_DIGITS) {
			large_mul(&v, 10, (u32)(*s - '0'));
			n += v.n != 0;
			e -= point;
		} else {
			e += !point;
		}
	}
	if (*s == 'e' || *s == 'E')
		e += exponent_of(s + 1);
	if (!v.n || n + e < -330)
		return sign;
	if (n + e > 310)
		return sign | INFINITE;
	return from_decimal(sign, &v, e);
}

/* --------------------------------------------------------------- builtins */

ust_long ust_fp_add(struct ust_ctx *c, ust_long a, ust_long b)
{
	return (void)c, (ust_long)add((u64)a, (u64)b);
}
ust_long ust_fp_mul(struct ust_ctx *c, ust_long a, ust_long b)
{
	return (void)c, (ust_long)mul((u64)a, (u64)b);
}
ust_long ust_fp_div(struct ust_ctx *c, ust_long a, ust_long b)
{
	return (void)c, (ust_long)quotient_of((u64)a, (u64)b);
}
ust_long ust_fp_rem(struct ust_ctx *c, ust_long a, ust_long b)
{
	return (void)c, (ust_long)rem((u64)a, (u64)b);
}
ust_long ust_fp_sqrt(struct ust_ctx *c, ust_long a) { return (void)c, (ust_long)root((u64)a); }
ust_long ust_fp_eq(struct ust_ctx *c, ust_long a, ust_long b)
{
	return (void)c, equal((u64)a, (u64)b);
}
ust_long ust_fp_lt(struct ust_ctx *c, ust_long a, ust_long b)
{
	return (void)c, less((u64)a, (u64)b);
}
ust_long ust_fp_from_long(struct ust_ctx *c, ust_long v) { return (void)c, (ust_long)from_long(v); }
ust_long ust_fp_to_long(struct ust_ctx *c, ust_long a, ust_long mode)
{
	return (void)c, to_long((u64)a, mode);
}
ust_long ust_fp_from_string(struct ust_ctx *c, const char *s)
{
	return (void)c, (ust_long)from_text(s);
}

ust_long ust_fp_sub(struct ust_ctx *c, ust_long a, ust_long b)
{
	return (void)c, (ust_long)add((u64)a, is_nan((u64)b) ? (u64)b : (u64)b ^ SIGN);
}

ust_u64 ust_extended(ust_u64 fraction, ust_u64 top)
{
	u64 sign = top & 0x8000 ? SIGN : 0;
	int exponent = (int)(top & 0x7fff);

	if (exponent == 0x7fff)
		return fraction << 1 ? NOT_A_NUMBER : sign | INFINITE;
	if (!(fraction >> 63)) /* too small for a double, or the result of no operation */
		return exponent ? NOT_A_NUMBER : sign;
	return pack(sign, fraction, exponent - 16383 - 63);
}

ust_long ust_fp_widen(struct ust_ctx *c, ust_long a)
{
	return (void)c, (ust_long)ust_widen((u32)a);
}

const char *ust_fp_to_string(struct ust_ctx *c, char *dst, ust_long a, ust_long digits)
{
	struct ust_out o;

	(void)c;
	ust_out_string(&o, dst);
	if (digits > MAX_FRACTION_DIGITS)
		digits = MAX_FRACTION_DIGITS;
	fp_put(&o, (u64)a, digits < 0 ? 0 : (u32)digits);
	ust_out_finish(&o);
	return dst;
}
