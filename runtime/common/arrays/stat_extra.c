/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variance and buckets of histograms, read from the cells of a statistic or of an array element. */
#include "arrays/arrays.h"
#include "common.h"

void stat_extra_read(struct ust_gvar *g, const union ust_key *key, stat_extra_fn fn, u64 *to,
		     u32 first, u32 n)
{
	struct stat_cell *a;
	unsigned long flags;
	u32 cpu = 0;

	if (key) {
		map_extra_read(g, key, fn, to, first, n);
		return;
	}
	while ((a = stat_next_cell(g, &cpu))) {
		port_lock(&a->lock, flags);
		fn(to, a->more + first, n);
		port_unlock(&a->lock, flags);
	}
}

ust_long ust_stat_variance(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key)
{
	u64 m[VARIANCE_WORDS] = {0};

	stat_extra_read(g, key, variance_merge, m, 0, VARIANCE_WORDS);
	if (likely(m[VARIANCE_COUNT]))
		return variance_value(m);
	ctx_fail(c, "empty aggregate");
	return 0;
}

static void add_words(u64 *to, const u64 *from, u32 n)
{
	while (n--)
		to[n] += from[n];
}

ust_long ust_hist_count(struct ust_gvar *g, const union ust_key *key, ust_long i)
{
	u64 n = 0;

	if (i >= 0 && i < g->buckets)
		stat_extra_read(g, key, add_words, &n, stat_extra_words(g) - g->buckets + (u32)i,
				1);
	return (ust_long)n;
}

static bool is_empty_hist(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key)
{
	struct ust_stat st;

	if (key)
		ust_map_stat_read(g, key, &st);
	else
		ust_stat_read(g, &st);
	if (!st.count)
		ctx_fail(c, "empty aggregate");
	return !st.count;
}

ust_long ust_hist_bucket(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			 ust_long i)
{
	if (is_empty_hist(c, g, key))
		return 0;
	if (i < 0 || i >= g->buckets)
		ctx_fail(c, "histogram index out of range");
	return ust_hist_count(g, key, i);
}

void ust_hist_read(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
		   ust_long *counts)
{
	memset(counts, 0, g->buckets * sizeof *counts);
	if (!ctx_work(c, g->buckets))
		return;
	if (!is_empty_hist(c, g, key))
		stat_extra_read(g, key, add_words, (u64 *)counts, stat_extra_words(g) - g->buckets,
				g->buckets);
}
