/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Floating-point arithmetic of runtime/common, implemented by integers, compared with the processor
 * and the C library: all pairs of special numbers, and many random ones.
 */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include "rt_check.h"

static struct ust_gvar *const gvars[] = {0};
PROGRAM(gvars, 0);

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static uint64_t bits_of(double d)
{
	uint64_t v;

	memcpy(&v, &d, sizeof v);
	return v;
}

static double number(uint64_t v)
{
	double d;

	memcpy(&d, &v, sizeof d);
	return d;
}

static const uint64_t peculiar[] = {
	0,
	1,
	2,
	0xfffffffffffff,
	0x10000000000000,
	0x10000000000001,
	0x1fffffffffffff,
	0x3cb0000000000000,
	0x3fdfffffffffffff,
	0x3fe0000000000000,
	0x3fefffffffffffff,
	0x3ff0000000000000,
	0x3ff0000000000001,
	0x3ff8000000000000,
	0x4000000000000000,
	0x4008000000000000,
	0x400921fb54442d18,
	0x432fffffffffffff,
	0x4330000000000000,
	0x4340000000000000,
	0x43dfffffffffffff,
	0x43e0000000000000,
	0x7fe0000000000000,
	0x7fefffffffffffff,
	0x7ff0000000000000,
	0x7ff8000000000000,
	0x7ff0000000000001,
};

/* Numbers far apart have no interesting sum: half of them are near 1. */
static uint64_t any(unsigned i)
{
	uint64_t v = rnd();

	if (i % 4 == 0)
		return peculiar[v % (sizeof peculiar / sizeof *peculiar)] | (rnd() & 1) << 63;
	if (i % 2)
		return v;
	return (v & ~(0x7ffull << 52)) | (1023 - 20 + rnd() % 40) << 52;
}

static unsigned long wrong;

static void same(const char *what, uint64_t a, uint64_t b, uint64_t got, double want)
{
	if (got == bits_of(want) || (isnan(want) && isnan(number(got))))
		return;
	if (wrong++ < 10)
		printf("  %s(%016" PRIx64 ", %016" PRIx64 "): got %016" PRIx64
		       ", wanted %016" PRIx64 "\n",
		       what, a, b, got, bits_of(want));
}

static void pair(uint64_t a, uint64_t b)
{
	volatile double x = number(a), y = number(b);
	ust_long u = (ust_long)a, v = (ust_long)b;

	same("add", a, b, (uint64_t)ust_fp_add(0, u, v), x + y);
	same("sub", a, b, (uint64_t)ust_fp_sub(0, u, v), x - y);
	same("mul", a, b, (uint64_t)ust_fp_mul(0, u, v), x * y);
	same("div", a, b, (uint64_t)ust_fp_div(0, u, v), x / y);
	/* a remainder of 0 has the sign of the dividend; some versions of the C library have it
	 * wrong */
	same("rem", a, b, (uint64_t)ust_fp_rem(0, u, v),
	     remainder(x, y) == 0 ? copysign(0, x) : remainder(x, y));
	same("sqrt", a, b, (uint64_t)ust_fp_sqrt(0, u), sqrt(x));
	same("eq", a, b, bits_of((double)ust_fp_eq(0, u, v)), x == y);
	same("lt", a, b, bits_of((double)ust_fp_lt(0, u, v)), x < y);
}

static void to_long(uint64_t a)
{
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	double x = number(a);

	for (int mode = 0; mode < 4; mode++) {
		ust_long want;

		fesetround(modes[mode]);
		want = fabs(x) < 0x1p63 ? llrint(x) : -0x7fffffffffffffffll - 1;
		fesetround(FE_TONEAREST);
		same("to_long", a, (uint64_t)mode, (uint64_t)ust_fp_to_long(0, (ust_long)a, mode),
		     number((uint64_t)want));
	}
	if (fabs(x) < 0x1p62)
		same("to_long", a, 4, (uint64_t)ust_fp_to_long(0, (ust_long)a, 4),
		     number((uint64_t)llround(x)));
	same("from_long", a, 0, (uint64_t)ust_fp_from_long(0, (ust_long)a), (double)(int64_t)a);
}

static void text(uint64_t a, int digits)
{
	char want[1000], got[UST_MAXSTRINGLEN];
	double x = number(a), back;

	snprintf(want, sizeof want, "%.*f", digits, x);
	ust_fp_to_string(0, got, (ust_long)a, digits);
	if (strncmp(want, isnan(x) && want[0] == '-' ? "-nan" : got, sizeof got - 1) &&
	    wrong++ < 10)
		printf("  text of %016" PRIx64 ", %d digits: got %s, wanted %s\n", a, digits, got,
		       want);
	if (isnan(x) || isinf(x))
		return;
	snprintf(want, 200, "%.*e", digits % 25, x);
	back = strtod(want, NULL);
	same(want, a, 0, (uint64_t)ust_fp_from_string(0, want), back);
	snprintf(want, 500, "%.*f", digits, x);
	want[499] = 0;
	same(want, a, 0, (uint64_t)ust_fp_from_string(0, want), strtod(want, NULL));
}

static void strings(void)
{
	static const char *const given[] = {
		"0",
		"-0",
		"1",
		"+1.5",
		".5",
		"5.",
		"1e3",
		"1E-3",
		"-1.25e+2",
		"0.1",
		"1e308",
		"1.8e308",
		"1e400",
		"-1e99999",
		"1e-400",
		"4.9e-324",
		"2.4e-324",
		"2.5e-324",
		"2.2250738585072011e-308",
		"2.2250738585072014e-308",
		"9007199254740993",
		"9007199254740992.999999999999999999999999",
		"1e23",
		"123456789012345678901234567890",
		"0.000000000000000000000000000000000000000000001",
		"1.7976931348623158e308",
		"1797693134862315807937289714053034150799341327100378269361737789804449682927647509"
		"4664901797758720709633028641669288791094655554785194040263065748867150582068190890"
		"2000708383676273854845817711531764475730270069855571366959622842914819860834936475"
		"292719074168444365510704342711559699508093042880"};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		same(given[i], 0, 0, (uint64_t)ust_fp_from_string(0, given[i]),
		     strtod(given[i], NULL));
	check("no number", ust_fp_from_string(0, "") == 0 && ust_fp_from_string(0, "abc") == 0);
	check("what follows is left alone",
	      (uint64_t)ust_fp_from_string(0, "2.5 times") == bits_of(2.5));
}

static void odd(void)
{
	check("to odd", ust_fp_to_long(0, (ust_long)bits_of(2.25), 6) == 3 &&
				ust_fp_to_long(0, (ust_long)bits_of(3.75), 6) == 3 &&
				ust_fp_to_long(0, (ust_long)bits_of(-2.5), 5) == -3 &&
				ust_fp_to_long(0, (ust_long)bits_of(4), 5) == 4);
}

/* Numbers of 80 bits, as the processor makes a double of them. */
static void extended(uint64_t fraction, uint64_t top)
{
	long double l = 0;
	uint64_t ours = ust_extended(fraction, top);
	double d;

	memcpy(&l, &fraction, 8);
	memcpy((char *)&l + 8, &top, 2);
	d = (double)l;
	if (d != d ? (ours & ~(1ull << 63)) <= 0x7ffull << 52 : ours != bits_of(d)) {
		if (!wrong++)
			printf("%#llx %#llx: %#llx, not %#llx\n", (unsigned long long)top,
			       (unsigned long long)fraction, (unsigned long long)ours,
			       (unsigned long long)bits_of(d));
	}
}

static void all_extended(void)
{
	static const unsigned exponents[] = {0,     1,     15300, 15308, 15309, 15310, 15311,
					     15340, 15359, 15360, 15361, 15362, 16383, 16384,
					     17405, 17406, 17407, 32766, 32767};

	for (unsigned i = 0; i < 40000; i++) {
		uint64_t fraction = i % 4 ? rnd() << 32 ^ rnd()
					  : (1ull << 63) | (rnd() % 5) << (rnd() % 62);
		unsigned exponent =
			i % 2 ? 15300 + (unsigned)(rnd() % 2200)
			      : exponents[rnd() % (sizeof exponents / sizeof *exponents)];

		extended(fraction | (exponent ? 1ull << 63 : 0), exponent | (unsigned)(i & 1)
										    << 15);
	}
	extended(0, 0);
	extended(0, 0x8000);
	extended(1ull << 63, 0x7fff);
}

static void checks(struct ust_ctx *c)
{
	size_t n = sizeof peculiar / sizeof *peculiar;

	(void)c;
	for (size_t i = 0; i < 4 * n * n; i++)
		pair(peculiar[i / 4 / n] | (i & 1) << 63, peculiar[i / 4 % n] | (i >> 1 & 1) << 63);
	check("peculiar numbers", !wrong);
	for (unsigned i = 0; i < 400000; i++)
		pair(any(i), any(i + 1 + (i >> 3)));
	check("numbers at random", !wrong);
	for (unsigned i = 0; i < 100000; i++)
		to_long(any(i));
	check("integers", !wrong);
	all_extended();
	check("numbers of 80 bits", !wrong);
	for (unsigned i = 0; i < 20000; i++)
		text(any(i), (int)(rnd() % (i % 10 ? 20 : 341)));
	check("text", !wrong);
	strings();
	check("strings", !wrong);
	odd();
}
