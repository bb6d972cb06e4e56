/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters: see counter.h. */
#include "user.h"

/* A thread whose cell is another one's asks once in ASK additions whether that has ended. */
enum { ASK = 1024 };

static u32 ncells(void) { return COUNTER_THREADS + port_ncpus(); }

void *counter_alloc(void) { return heap_alloc(ncells() * sizeof(struct counter_cell)); }

void *counter_next(void *base, u32 *i)
{
	struct counter_cell *cells = base;

	return *i < ncells() ? &cells[(*i)++].value : NULL;
}

/* True if the cell C belongs to SELF from now on: it was free, or its owner has ended. The sum
 * remains in it. */
static bool own(struct counter_cell *c, u32 self)
{
	u32 owner = READ_ONCE(c->owner);

	if (!owner_is_unique() || (owner && (++c->misses % ASK || !owner_died(owner))))
		return false;
	return __atomic_compare_exchange_n(&c->owner, &owner, self, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* The first hit of a process makes the location of its threads' ids known. */
noinline void counter_add_slowly(struct counter_cell *cells, u32 self, u64 v)
{
	struct counter_cell *c;

	if (!self && !local.tid_offset && !local.vforks)
		self = lock_self();
	c = &cells[self & (COUNTER_THREADS - 1)];
	if (self && own(c, self))
		arch_add(&c->value, v);
	else
		__atomic_fetch_add(&cells[COUNTER_THREADS + arch_cpu()].value, v, __ATOMIC_RELAXED);
}
