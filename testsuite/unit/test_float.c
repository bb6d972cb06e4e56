/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Floating-point numbers as text, compared with the C library. The text must read back as the same
 * number, with the fewest digits possible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "rt_check.h"

PROGRAM(NULL, 0);

static const char *text_of(u64 bits, bool single)
{
	static char buf[64];

	buf[fmt_float(buf, bits, single)] = 0;
	return buf;
}

static u64 bits_of(double d)
{
	u64 v;

	memcpy(&v, &d, 8);
	return v;
}

static u64 bits_of_float(float f)
{
	u32 v;

	memcpy(&v, &f, 4);
	return v;
}

static int digits_in(const char *s)
{
	int n = 0, zeros = 0;

	for (; *s && *s != 'e'; s++) {
		if (*s == '0')
			zeros += n > 0;
		else if (*s >= '1' && *s <= '9')
			n += zeros + 1, zeros = 0;
	}
	return n;
}

static bool same(const char *text, u64 bits, bool single)
{
	return single ? bits_of_float(strtof(text, NULL)) == bits
		      : bits_of(strtod(text, NULL)) == bits;
}

/* The fewest digits with which printf() gives a number that reads back the same. */
static int fewest(double d, u64 bits, bool single)
{
	char buf[64];
	int p;

	for (p = 0; p < 17; p++) {
		snprintf(buf, sizeof buf, "%.*e", p, d);
		if (same(buf, bits, single))
			break;
	}
	return digits_in(buf);
}

static bool right(u64 bits, bool single)
{
	const char *text = text_of(bits, single);
	float f;
	double d;

	if (single) {
		u32 v = (u32)bits;

		memcpy(&f, &v, 4);
		d = (double)f;
	} else {
		memcpy(&d, &bits, 8);
	}
	if (isnan(d))
		return strstr(text, "nan");
	if (isinf(d))
		return strstr(text, "inf");
	if (same(text, bits, single) && digits_in(text) <= fewest(d, bits, single))
		return true;
	printf("# %.17g is \"%s\"\n", d, text);
	return false;
}

static u64 random_bits(void)
{
	static u64 x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void texts(void)
{
	static const struct {
		double d;
		const char *text;
	} table[] = {
		{0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{-2.25, "-2.25"},
		{0.1, "0.1"},
		{100, "100"},
		{1e16, "10000000000000000"},
		{1e17, "1e+17"},
		{123456789.125, "123456789.125"},
		{0.0001, "0.0001"},
		{0.00001, "1e-05"},
		{1e100, "1e+100"},
		{1.5e-7, "1.5e-07"},
		{5e-324, "5e-324"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{2.2250738585072014e-308, "2.2250738585072014e-308"},
		{9007199254740993.0, "9007199254740992"},
		{1 / 0.0, "inf"},
		{-1 / 0.0, "-inf"},
		{9.5367431640625e-07, "9.5367431640625e-07"},
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		check_text(table[i].text, text_of(bits_of(table[i].d), false), table[i].text);
	check_text("float 0.1", text_of(bits_of_float(0.1f), true), "0.1");
	check_text("float 2^24", text_of(bits_of_float(16777216), true), "16777216");
	check_text("float 1e10", text_of(bits_of_float(1e10f), true), "1e+10");
}

static void every_power(void)
{
	bool ok = true;

	for (u64 e = 0; e < 2047; e++)
		ok &= right(e << 52, false) && right((e << 52) + 1, false) &&
		      right((e << 52) + (1ull << 52) - 1, false);
	for (u64 e = 0; e < 255; e++)
		ok &= right(e << 23, true) && right((e << 23) + 1, true) &&
		      right((e << 23) + (1u << 23) - 1, true);
	check("powers of two and their neighbours", ok);
}

static void many(void)
{
	bool ok = true;

	for (int i = 0; i < 30000; i++)
		ok &= right(random_bits(), false) && right((u32)random_bits(), true);
	check("random numbers", ok);
}

static bool extended(long double x)
{
	u64 mantissa;
	unsigned short top;

	memcpy(&mantissa, &x, 8);
	memcpy(&top, (char *)&x + 8, 2);
	if (fmt_extended(mantissa, top) == bits_of((double)x))
		return true;
	printf("# %.20Lg: %llx, not %llx\n", x, (unsigned long long)fmt_extended(mantissa, top),
	       (unsigned long long)bits_of((double)x));
	return false;
}

static void long_doubles(void)
{
	bool ok = extended(0) && extended(-0.0L) && extended(1) && extended(-0.1L) &&
		  extended(1e300L) && extended(1e310L) && extended(1e-310L) &&
		  extended(4.9e-324L) && extended(2e-324L) && extended(1e-4000L) &&
		  extended(1 / 0.0L) && extended(0x1.fffffffffffff8p0L) &&
		  extended(0x1.fffffffffffff8p1023L) && extended(0x0.fffffffffffff8p-1022L);

	for (int i = 0; i < 30000; i++)
		ok &= extended(ldexpl((long double)(random_bits() | 1ull << 63),
				      (int)(random_bits() % 2300) - 1200));
	check("long doubles", ok);
}

static void checks(struct ust_ctx *c)
{
	(void)c;
	texts();
	every_power();
	many();
	long_doubles();
}
