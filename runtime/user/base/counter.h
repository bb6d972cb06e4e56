/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters, inlined into each hit: cells of threads, behind them cells of CPUs.
 *
 * An atomic addition takes longer than the rest of a hit. So a thread adds to its cell by one
 * instruction that is not atomic. Threads without a cell use the cells of CPUs.
 */
#ifndef USTAP_USER_COUNTER_H
#define USTAP_USER_COUNTER_H

#include "base/thread_cell.h"

/* In cells of CPUs, OF stays 0. */
struct counter_cell {
	u64 value;
	struct cell_owner of;
} __attribute__((aligned(PORT_CELL)));

/* Allocate a counter, which is 0; NULL: out of memory. Only while the agent starts. */
void *counter_alloc(void);
/* The value of the cell of the counter BASE with number *I, which becomes the next number; NULL:
 * all have been returned. */
void *counter_next(void *base, u32 *i);
/* counter_add() for a thread that does not own its cell; SELF: the thread, 0: not known. */
void counter_add_slowly(struct counter_cell *cells, u32 self, u64 v);

/* Add V to the counter BASE. */
static inline void counter_add(void *base, u64 v)
{
	u32 self = thread_self();
	struct counter_cell *cells = base, *c = &cells[thread_cell(self)];

	if (likely(self) && likely(READ_ONCE(c->of.owner) == self))
		arch_add(&c->value, v);
	else
		counter_add_slowly(cells, self, v);
}

#endif
