/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells: of counters, each one number that one instruction increments and that readers sum, and of
 * each CPU for statistics. Each script with a global refers to this file.
 */
#include "arrays/arrays.h"
#include "common.h"

void ust_counter_add(struct ust_gvar *g, ust_long v) { port_counter_add(g->impl, v); }

ust_long ust_counter_read(struct ust_gvar *g)
{
	ust_long sum = g->l, *cell;
	u32 i = 0;

	while ((cell = port_counter_next(g->impl, &i)))
		sum = ust_add(sum, READ_ONCE(*cell));
	return sum;
}

void ust_global_reset(struct ust_gvar *g)
{
	if (g->storage == UST_COUNTER)
		/* the cells do not change */
		WRITE_ONCE(g->l, ust_add(g->first_l, ust_sub(g->l, ust_counter_read(g))));
	else if (g->type == UST_STRING)
		ust_strcpy(g->s, g->first_s);
	else
		g->l = g->first_l;
}

static bool cell_init(struct ust_gvar *g, struct stat_cell *a)
{
	port_lock_init(&a->lock);
	if (g->percentiles) {
		a->sketches = sketch_alloc();
		if (!a->sketches)
			return false;
	}
	if (!stat_extra_words(g))
		return true;
	a->more = port_alloc(stat_extra_words(g) * sizeof *a->more);
	return a->more;
}

bool stat_init(struct ust_gvar *g)
{
	struct stat_cell *a;
	u32 cpu = 0;

	g->impl = port_percpu_alloc(sizeof(struct stat_cell));
	if (!g->impl)
		return false;
	while ((a = stat_next_cell(g, &cpu)))
		if (!cell_init(g, a))
			return false;
	return stat_has_more(g) || port_stat_init(&g->threads);
}

struct stat_cell *stat_next_cell(const struct ust_gvar *g, u32 *cpu)
{
	return percpu_next(g->impl, cpu);
}

void stat_free(struct ust_gvar *g)
{
	struct stat_cell *a;
	u32 cpu = 0;

	while ((a = stat_next_cell(g, &cpu))) {
		port_free(a->more);
		sketch_free(a->sketches);
	}
	port_percpu_free(g->impl);
	g->impl = NULL;
}
