/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters: see counter.h. */
#include "user.h"

static u32 ncells(void) { return THREAD_CELLS + port_ncpus(); }

void *counter_alloc(void) { return heap_alloc(ncells() * sizeof(struct counter_cell)); }

void *counter_next(void *base, u32 *i)
{
	struct counter_cell *cells = base;

	return *i < ncells() ? &cells[(*i)++].value : NULL;
}

noinline void counter_add_slowly(struct counter_cell *cells, u32 self, u64 v)
{
	struct counter_cell *c;

	self = thread_self_slowly(self);
	c = &cells[thread_cell(self)];
	if (self && thread_cell_take(&c->of, self))
		arch_add(&c->value, v);
	else
		__atomic_fetch_add(&cells[THREAD_CELLS + arch_cpu()].value, v, __ATOMIC_RELAXED);
}
