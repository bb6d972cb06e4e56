/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact @variance: a cell keeps the number of its samples, their sum in 128 bits and the sum of
 * their squares in 192, so that nothing overflows or is rounded before the end. Cells of several
 * CPUs are added.
 *
 *   variance = (n * squares - sum * sum) / (n * (n - 1)), rounded to 0
 *
 * The numerator has up to 256 bits; it is divided by n and by n - 1 bit by bit, because kernels
 * have no division of that width.
 */
#include "arrays/arrays.h"
#include "common.h"

typedef unsigned __int128 dword; /* kernels have their u128 only since 6.4 */

/* A number of four words, the lowest first. */
struct wide {
	u64 w[4];
};

/* TO += V << 64 * AT */
static void add_at(u64 *to, u32 n, u32 at, dword v)
{
	for (; v && at < n; at++) {
		dword sum = (dword)to[at] + (u64)v;

		to[at] = (u64)sum;
		v = (v >> 64) + (u64)(sum >> 64);
	}
}

static u64 magnitude(ust_long v) { return v < 0 ? 0 - (u64)v : (u64)v; }

void variance_put(u64 *m, ust_long v, u32 weight)
{
	u64 a = magnitude(v);
	dword square = (dword)a * a, all = (dword)a * weight;
	dword sum = ((dword)m[VARIANCE_SUM + 1] << 64 | m[VARIANCE_SUM]) + (v < 0 ? 0 - all : all);

	add_at(m + VARIANCE_SQUARES, 3, 0, (dword)(u64)square * weight);
	add_at(m + VARIANCE_SQUARES, 3, 1, (dword)(u64)(square >> 64) * weight);
	m[VARIANCE_SUM + 1] = (u64)(sum >> 64);
	m[VARIANCE_SUM] = (u64)sum;
	m[VARIANCE_COUNT] += weight;
}

void variance_merge(u64 *to, const u64 *from, u32 n)
{
	u64 sum = to[VARIANCE_SUM] + from[VARIANCE_SUM];
	u32 i;

	(void)n;
	for (i = 0; i < 3; i++)
		add_at(to + VARIANCE_SQUARES, 3, i, from[VARIANCE_SQUARES + i]);
	to[VARIANCE_SUM + 1] += from[VARIANCE_SUM + 1] + (sum < from[VARIANCE_SUM]);
	to[VARIANCE_SUM] = sum;
	to[VARIANCE_COUNT] += from[VARIANCE_COUNT];
}

/* |sum| squared */
static struct wide squared(const u64 *sum)
{
	dword v = (dword)sum[1] << 64 | sum[0];
	struct wide r = {{0}};
	u64 lo, hi;

	if ((ust_long)sum[1] < 0)
		v = 0 - v;
	lo = (u64)v;
	hi = (u64)(v >> 64);
	add_at(r.w, 4, 0, (dword)lo * lo);
	add_at(r.w, 4, 1, (dword)lo * hi);
	add_at(r.w, 4, 1, (dword)lo * hi);
	add_at(r.w, 4, 2, (dword)hi * hi);
	return r;
}

static void subtract(struct wide *from, const struct wide *v)
{
	u64 borrow = 0;
	u32 i;

	for (i = 0; i < 4; i++) {
		dword d = (dword)from->w[i] - v->w[i] - borrow;

		from->w[i] = (u64)d;
		borrow = (u64)(d >> 64) & 1;
	}
}

/* V /= D, which is below 2^63 */
static void divide(struct wide *v, u64 d)
{
	u64 rest = 0;
	u32 i;

	for (i = 256; i-- > 0;) {
		u64 *w = &v->w[i / 64], bit = 1ull << (i % 64);

		rest = rest << 1 | ((*w & bit) != 0);
		*w &= ~bit;
		if (rest >= d) {
			rest -= d;
			*w |= bit;
		}
	}
}

ust_long variance_value(const u64 *m)
{
	u64 n = m[VARIANCE_COUNT];
	struct wide num = {{0}}, square = squared(m + VARIANCE_SUM);
	u32 i;

	if (n < 2)
		return 0;
	for (i = 0; i < 3; i++)
		add_at(num.w, 4, i, (dword)m[VARIANCE_SQUARES + i] * n);
	subtract(&num, &square);
	divide(&num, n);
	divide(&num, n - 1);
	if (num.w[1] | num.w[2] | num.w[3] | num.w[0] >> 63)
		return 0x7fffffffffffffffll;
	return (ust_long)num.w[0];
}
