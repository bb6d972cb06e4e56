/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters, inlined into each hit: cells of threads, behind them cells of CPUs.
 *
 * An atomic addition takes longer than the rest of a hit. So a thread adds to a cell that only it
 * and handlers of its signals write, by one instruction that is not atomic. The thread's id as an
 * owner determines the cell. Threads whose cell another one owns, and those whose id is not known
 * without a system call, use the cells of CPUs.
 */
#ifndef USTAP_USER_COUNTER_H
#define USTAP_USER_COUNTER_H

/* Cells of threads in a counter, a power of 2. */
enum { COUNTER_THREADS = 64 };

struct counter_cell {
	u64 value;
	u32 owner; /* as of locks; 0: none. Always 0 in cells of CPUs */
	u32 misses;
} __attribute__((aligned(PORT_CELL)));

/* Allocate a counter, which is 0; NULL: out of memory. Only while the agent starts. */
void *counter_alloc(void);
/* The value of the cell of the counter BASE with number *I, which becomes the next number; NULL:
 * all have been returned. */
void *counter_next(void *base, u32 *i);
/* counter_add() for a thread that does not own its cell; SELF: the thread, 0: not known. */
void counter_add_slowly(struct counter_cell *cells, u32 self, u64 v);

/* The owner that this thread is; 0: not known without a call. */
static inline u32 counter_self(void)
{
	u32 tid = likely(!local.vforks) ? identity_tid_quick() : 0;

	return likely(tid) ? lock_owner(tid) : 0;
}

/* Add V to the counter BASE. */
static inline void counter_add(void *base, u64 v)
{
	u32 self = counter_self();
	struct counter_cell *cells = base, *c = &cells[self & (COUNTER_THREADS - 1)];

	if (likely(self) && likely(READ_ONCE(c->owner) == self))
		arch_add(&c->value, v);
	else
		counter_add_slowly(cells, self, v);
}

#endif
