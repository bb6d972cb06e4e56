/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: bucket of a sample, and the printed chart.
 *
 * A logarithmic histogram has a bucket for 0 in the middle, one for each power of 2 after it and
 * one for each negative power before it. A linear one has a bucket for samples below its range, one
 * for each step from `low` on, and one for samples above.
 */
#include "arrays/arrays.h"
#include "common.h"

#define LOG_ZERO 64u

u32 hist_bucket(const struct ust_gvar *g, ust_long v)
{
	u64 at;
	u32 bits;

	if (g->hist == UST_HIST_LINEAR) {
		if (v < g->low)
			return 0;
		at = ((u64)v - (u64)g->low) / (u64)g->step;
		return at < g->buckets - 2 ? (u32)at + 1 : g->buckets - 1;
	}
	if (!v)
		return LOG_ZERO;
	bits = 64 - __builtin_clzll(v < 0 ? 0 - (u64)v : (u64)v);
	return v < 0 ? LOG_ZERO - bits : LOG_ZERO + bits;
}

/* The label of bucket I: its value of smallest magnitude; for the outer buckets of a linear
 * histogram the bound of the range. */
static ust_long bucket_label(const struct ust_gvar *g, u32 i)
{
	u32 steps = i == 0 ? 0 : i == g->buckets - 1 ? i - 2 : i - 1;

	if (g->hist == UST_HIST_LINEAR)
		return (ust_long)((u64)g->low + steps * (u64)g->step);
	if (i == LOG_ZERO)
		return 0;
	return i < LOG_ZERO ? (ust_long)(0 - (1ull << (LOG_ZERO - 1 - i)))
			    : (ust_long)(1ull << (i - LOG_ZERO - 1));
}

/* ----------------------------------------------------------- printing */

/* The printed part of a histogram, and its width. */
struct picture {
	const struct ust_gvar *g;
	const ust_long *n;
	u32 first, last;
	u32 label, count; /* columns */
	ust_long scale;   /* samples per character of a bar */
	u32 width;        /* longest bar, in characters */
	int around;       /* empty buckets printed beside non-empty ones; -1: all */
};

static u32 columns(ust_long v)
{
	char text[24];

	return fmt_decimal(text, v < 0 ? 0 - (u64)v : (u64)v) + (v < 0);
}

static u32 larger(u32 a, u32 b) { return a > b ? a : b; }

/* Print two empty buckets on either side, but no negative ones for that reason, and nothing outside
 * the range of a linear histogram. */
static void widen(struct picture *p)
{
	bool linear = p->g->hist == UST_HIST_LINEAR;
	u32 i, end = p->g->buckets - 1;

	for (i = 0; i < 2; i++) {
		if (p->first > 0 && (linear || p->first != LOG_ZERO))
			p->first--;
		if (p->last < end)
			p->last++;
	}
	if (linear && p->first == 0 && !p->n[0])
		p->first = 1;
	if (linear && p->last == end && !p->n[end])
		p->last--;
}

/* The width of SystemTap: for a linear histogram it includes the bound after the last printed
 * bucket. */
static u32 label_columns(const struct picture *p)
{
	const struct ust_gvar *g = p->g;
	ust_long behind = (ust_long)((u64)g->low + (u64)g->step * p->last);
	u32 n;

	if (g->hist == UST_HIST_LINEAR)
		n = larger(columns(g->low) + (p->first == 0),
			   columns(behind) + (p->last == g->buckets - 1));
	else
		n = larger(columns(bucket_label(g, p->first)), columns(bucket_label(g, p->last)));
	return larger(n, 5); /* "value" */
}

static void frame_picture(struct picture *p)
{
	ust_long max = 0;
	u32 i;

	p->first = p->g->buckets;
	for (i = 0; i < p->g->buckets; i++) {
		if (!p->n[i])
			continue;
		if (p->first == p->g->buckets)
			p->first = i;
		p->last = i;
		if (p->n[i] > max)
			max = p->n[i];
	}
	widen(p);
	p->scale = max <= p->width ? 1 : max / p->width + (max % p->width != 0);
	p->label = label_columns(p);
	p->count = columns(max);
}

static void put_right(struct ust_out *o, u32 width, const char *before, ust_long v)
{
	u32 n = strlen(before) + columns(v);

	fmt_repeat(o, ' ', width > n ? width - n : 0);
	ust_put_s(o, before);
	ust_put_d(o, v);
}

/* The nearest non-empty buckets on either side of a row, including the row itself: each is searched
 * for once. */
struct around {
	u32 before, behind;
	bool any; /* BEFORE is valid */
};

/* True if bucket I, the successor of the last one tested, is omitted: it and its neighbours are
 * empty. */
static bool is_elided(const struct picture *p, struct around *a, u32 i)
{
	u32 n = (u32)p->around;

	if (p->around < 0)
		return false;
	if (a->behind < i)
		a->behind = i;
	while (a->behind <= p->last && !p->n[a->behind])
		a->behind++;
	if (p->n[i]) {
		a->before = i;
		a->any = true;
	}
	return !(a->any && i - a->before <= n) && !(a->behind <= p->last && a->behind - i <= n);
}

static void put_row(struct ust_out *o, const struct picture *p, u32 i)
{
	u32 signs = (u32)(p->n[i] / p->scale), end = p->g->buckets - 1;
	bool linear = p->g->hist == UST_HIST_LINEAR;

	put_right(o, p->label,
		  !linear    ? ""
		  : i == 0   ? "<"
		  : i == end ? ">"
			     : "",
		  bucket_label(p->g, i));
	ust_put(o, " |", 2);
	fmt_repeat(o, '@', signs);
	put_right(o, p->width - signs + 1 + p->count, "", p->n[i]);
	ust_put(o, "\n", 1);
}

void ust_put_hist(struct ust_out *o, const struct ust_gvar *g, const ust_long *counts,
		  ust_u32 width, int around)
{
	struct picture p = {.g = g, .n = counts, .width = width, .around = around};
	struct around full = {0};
	bool gap = false;
	u32 i;

	frame_picture(&p);
	fmt_repeat(o, ' ', p.label - 5);
	ust_put_s(o, "value |");
	fmt_repeat(o, '-', p.width);
	ust_put_s(o, " count\n");
	for (i = p.first; i <= p.last; i++) {
		if (is_elided(&p, &full, i)) {
			gap = true;
			continue;
		}
		if (gap) {
			fmt_repeat(o, ' ', p.label);
			ust_put_s(o, " ~\n");
		}
		gap = false;
		put_row(o, &p, i);
	}
	ust_put(o, "\n", 1);
}

/* ----------------------------------------------------------------- one line */

enum { BARS = 40, BAR_HEIGHTS = 8 };

static ust_long share_of_bar(const struct picture *p, u32 bar, u32 each)
{
	u32 i = p->first + bar * each, end = i + each;
	ust_long sum = 0;

	for (; i < end && i <= p->last; i++)
		sum = ust_add(sum, p->n[i]);
	return sum;
}

/* U+2581 to U+2588; a blank for none. */
static void put_bar(struct ust_out *o, ust_long n, ust_long max)
{
	char bar[] = "\xe2\x96\x81";

	if (!n) {
		ust_put(o, " ", 1);
		return;
	}
	/* the highest bar is full, and the lowest one can be seen */
	bar[2] = (char)(0x81 + (u64)n * (BAR_HEIGHTS - 1) / (u64)max);
	ust_put(o, bar, 3);
}

void ust_put_bars(struct ust_out *o, const struct ust_gvar *g, const ust_long *counts)
{
	struct picture p = {.g = g, .n = counts, .first = g->buckets};
	ust_long max = 0;
	u32 i, each, bars;

	for (i = 0; i < g->buckets; i++)
		if (counts[i]) {
			p.last = i;
			if (p.first == g->buckets)
				p.first = i;
		}
	if (p.first == g->buckets)
		return;
	each = (p.last - p.first) / BARS + 1;
	bars = (p.last - p.first) / each + 1;
	for (i = 0; i < bars; i++)
		if (share_of_bar(&p, i, each) > max)
			max = share_of_bar(&p, i, each);
	ust_put(o, "  ", 2);
	ust_put_d(o, bucket_label(g, p.first));
	ust_put(o, " ", 1);
	for (i = 0; i < bars; i++)
		put_bar(o, share_of_bar(&p, i, each), max);
	ust_put(o, " ", 1);
	ust_put_d(o, bucket_label(g, p.last));
	ust_put(o, "\n", 1);
}
