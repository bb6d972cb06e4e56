/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads of arrays of statistics: the cells of all CPUs together. */
#include "arrays/arrays.h"
#include "common.h"

void map_merge(struct map *m, u32 i, struct ust_stat *st)
{
	struct cells *cells;
	u32 cpu = 0;

	memset(st, 0, sizeof *st);
	while ((cells = map_next_cells(m, &cpu))) {
		port_lock_nested(&cells->lock);
		stat_merge(st, &cells->v[i]);
		port_unlock_nested(&cells->lock);
	}
}

void map_extra(struct ust_gvar *g, u32 i, stat_extra_fn fn, u64 *to, u32 first, u32 n)
{
	struct map *m = g->impl;
	struct cells *cells;
	u32 cpu = 0;

	while ((cells = map_next_cells(m, &cpu))) {
		port_lock_nested(&cells->lock);
		fn(to, cells->more + (size_t)i * m->more + first, n);
		port_unlock_nested(&cells->lock);
	}
}

void map_extra_read(struct ust_gvar *g, const union ust_key *key, stat_extra_fn fn, u64 *to,
		    u32 first, u32 n)
{
	struct map *m = g->impl;
	unsigned long flags;
	u32 i;

	map_lock(g, &flags);
	i = map_find(m, key);
	if (i != MAP_NONE)
		map_extra(g, i, fn, to, first, n);
	port_unlock(&m->lock, flags);
}

ust_long map_percentile(struct ust_gvar *g, const union ust_key *key, struct ust_stat *st,
			u64 percent, u64 *work)
{
	struct map *m = g->impl;
	unsigned long flags;
	ust_long v = 0;
	u32 i;

	memset(st, 0, sizeof *st);
	map_lock(g, &flags);
	i = map_find(m, key);
	if (i != MAP_NONE) {
		map_merge(m, i, st);
		if (st->count)
			v = sketch_percentile(g, i, st, percent, work);
	}
	port_unlock(&m->lock, flags);
	return v;
}

void ust_map_stat_read(struct ust_gvar *g, const union ust_key *key, struct ust_stat *st)
{
	struct map *m = g->impl;
	unsigned long flags;
	u32 i;

	memset(st, 0, sizeof *st);
	map_lock(g, &flags);
	i = map_find(m, key);
	if (i != MAP_NONE)
		map_merge(m, i, st);
	port_unlock(&m->lock, flags);
}
