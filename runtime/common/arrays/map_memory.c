/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of arrays: all of it is allocated before probes run, and released after the last. */
#include "arrays/arrays.h"
#include "common.h"

static bool init_cells(struct map *m, bool sketches)
{
	struct cells *cells;
	u32 cpu = 0;

	m->cells = port_percpu_alloc(sizeof(struct cells));
	if (!m->cells)
		return false;
	while ((cells = map_next_cells(m, &cpu))) {
		port_lock_init(&cells->lock);
		cells->v = port_alloc(m->max * sizeof(struct ust_stat));
		if (m->more)
			cells->more = port_alloc((size_t)m->max * m->more * sizeof *cells->more);
		if (sketches)
			cells->sketches = sketch_alloc_array(m->max);
		if (!cells->v || (m->more && !cells->more) || (sketches && !cells->sketches))
			return false;
	}
	return true;
}

static void free_cells(struct map *m)
{
	struct cells *cells;
	u32 cpu = 0;

	if (!m->cells)
		return;
	while ((cells = map_next_cells(m, &cpu))) {
		port_free(cells->v);
		port_free(cells->more);
		sketch_free(cells->sketches);
	}
	port_percpu_free(m->cells);
}

static bool init_orders(struct map *m, u32 n)
{
	u32 i;

	if (!n)
		return true;
	m->orders = port_alloc(n * sizeof *m->orders);
	if (!m->orders)
		return false;
	m->norders = n;
	for (i = 0; i < n; i++) {
		m->orders[i].v = port_alloc(m->max * sizeof(struct ref));
		if (!m->orders[i].v)
			return false;
	}
	return true;
}

static bool init_table(struct map *m)
{
	u32 bits = 4, i;

	while (bits < 30 && 1u << bits < m->max)
		bits++;
	m->shift = 64 - bits;
	m->buckets = port_alloc(sizeof(u32) << bits);
	m->elems = port_alloc((size_t)m->max * m->stride);
	if (!m->buckets || !m->elems)
		return false;
	for (i = 0; i < 1u << bits; i++)
		m->buckets[i] = MAP_NONE;
	return true;
}

static u32 stride(const struct ust_gvar *g)
{
	u32 strings = g->type == UST_STRING, i;

	for (i = 0; i < g->nkeys; i++)
		strings += g->keys[i] == UST_STRING;
	return (sizeof(struct elem) + g->nkeys * sizeof(union ust_key) + strings * string_size +
		7) &
	       ~7u;
}

bool map_init(struct ust_gvar *g)
{
	struct map *m = port_alloc(sizeof *m);

	g->impl = m;
	if (!m)
		return false;
	port_glock_init(&m->glock);
	port_lock_init(&m->lock);
	m->first = m->last = m->free = MAP_NONE;
	m->max = g->max ? g->max : 1;
	m->wrap = g->wrap;
	m->nkeys = g->nkeys;
	m->more = stat_extra_words(g);
	memcpy(m->keys, g->keys, sizeof m->keys);
	m->stride = stride(g);
	return init_table(m) && init_orders(m, g->norders) &&
	       (g->storage != UST_AGG_ARRAY || init_cells(m, g->percentiles));
}

void map_free(struct ust_gvar *g)
{
	struct map *m = g->impl;
	u32 i;

	free_cells(m);
	for (i = 0; i < m->norders; i++)
		port_free(m->orders[i].v);
	port_free(m->orders);
	port_free(m->elems);
	port_free(m->buckets);
	port_free(m);
	g->impl = NULL;
}
