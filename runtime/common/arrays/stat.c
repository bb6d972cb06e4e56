/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics that are not array elements. Each CPU adds to a cell of its own, whose lock only
 * readers contend for; they sum the cells (percpu_cells.c).
 */
#include "arrays/arrays.h"
#include "common.h"

static inline void add_locked(struct ust_gvar *g, ust_long v)
{
	struct stat_cell *a;
	unsigned long flags;

	a = port_percpu_lock(g->impl, flags);
	stat_put(&a->st, v);
	port_unlock(&a->lock, flags);
}

void ust_stat_add(struct ust_gvar *g, ust_long v)
{
	struct ust_stat *st = port_stat_begin(g->threads);

	if (!st) {
		add_locked(g, v);
		return;
	}
	stat_put(st, v);
	port_stat_end(st);
}

void ust_stat_add_more(struct ust_gvar *g, ust_long v)
{
	struct stat_cell *a;
	unsigned long flags;

	a = port_percpu_lock(g->impl, flags);
	stat_put(&a->st, v);
	stat_extra_put(g, a->more, v, 1);
	if (a->sketches)
		sketch_put(a->sketches, v, 1);
	port_unlock(&a->lock, flags);
}

void ust_stat_add_sketch(struct ust_gvar *g, ust_long v)
{
	struct stat_cell *a;
	unsigned long flags;

	a = port_percpu_lock(g->impl, flags);
	stat_put(&a->st, v);
	sketch_put(a->sketches, v, 1);
	port_unlock(&a->lock, flags);
}

void ust_stat_add_weighted(struct ust_gvar *g, ust_long v, ust_u32 weight)
{
	struct stat_cell *a;
	unsigned long flags;

	if (weight > 1)
		g->estimated = true;
	a = port_percpu_lock(g->impl, flags);
	stat_put_many(&a->st, v, weight);
	if (a->more)
		stat_extra_put(g, a->more, v, weight);
	if (a->sketches)
		sketch_put(a->sketches, v, weight);
	port_unlock(&a->lock, flags);
}

void stat_merge(struct ust_stat *to, const struct ust_stat *from)
{
	if (!from->count)
		return;
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (!to->count || from->max > to->max)
		to->max = from->max;
	to->count += from->count;
	to->sum = ust_add(to->sum, from->sum);
}

void ust_stat_read(struct ust_gvar *g, struct ust_stat *st)
{
	struct stat_cell *a;
	unsigned long flags;
	u32 cpu = 0;

	memset(st, 0, sizeof *st);
	while ((a = stat_next_cell(g, &cpu))) {
		port_lock(&a->lock, flags);
		stat_merge(st, &a->st);
		port_unlock(&a->lock, flags);
	}
	if (!stat_has_more(g))
		port_stat_read(g->threads, st);
}

void ust_stat_clear(struct ust_gvar *g)
{
	struct stat_cell *a;
	unsigned long flags;
	u32 cpu = 0;

	while ((a = stat_next_cell(g, &cpu))) {
		port_lock(&a->lock, flags);
		memset(&a->st, 0, sizeof a->st);
		if (a->more)
			memset(a->more, 0, stat_extra_words(g) * sizeof *a->more);
		if (a->sketches)
			sketch_reset(a->sketches);
		port_unlock(&a->lock, flags);
	}
	if (!stat_has_more(g))
		port_stat_clear(g->threads);
}

static bool is_empty_stat(struct ust_ctx *c, const struct ust_stat *st)
{
	if (likely(st->count))
		return false;
	ctx_fail(c, "empty aggregate");
	return true;
}

ust_long ust_stat_min(struct ust_ctx *c, const struct ust_stat *st)
{
	return is_empty_stat(c, st) ? 0 : st->min;
}
ust_long ust_stat_max(struct ust_ctx *c, const struct ust_stat *st)
{
	return is_empty_stat(c, st) ? 0 : st->max;
}
ust_long ust_stat_sum(struct ust_ctx *c, const struct ust_stat *st)
{
	return is_empty_stat(c, st) ? 0 : st->sum;
}
ust_long ust_stat_avg(struct ust_ctx *c, const struct ust_stat *st)
{
	return is_empty_stat(c, st) ? 0 : st->sum / st->count;
}

ust_long stat_value(const struct ust_stat *st, int op)
{
	switch (op) {
	case UST_BY_SUM:
		return st->sum;
	case UST_BY_MIN:
		return st->min;
	case UST_BY_MAX:
		return st->max;
	case UST_BY_AVG:
		return st->count ? st->sum / st->count : 0;
	default:
		return st->count;
	}
}
