/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics that are not array elements: cells of threads, in addition to those of CPUs.
 *
 * The lock of a CPU's cell takes longer than an addition to it, so a thread adds to its own cell.
 * The version of that cell is odd meanwhile: readers read again if it was odd or has changed, and
 * handlers of signals that interrupt the addition use a CPU's cell. To clear a statistic begins a
 * new era. A cell of an older one counts as empty, and its thread empties it.
 */
#ifndef USTAP_USER_THREAD_STAT_H
#define USTAP_USER_THREAD_STAT_H

#include "base/thread_cell.h"
#include "ustap_types.h"

struct thread_stat {
	struct cell_owner of;
	u64 version, era;
	struct ust_stat st;
} __attribute__((aligned(PORT_CELL)));

struct thread_stats {
	u64 era;
	u64 used; /* bit N: cell N has had an owner */
	struct thread_stat cells[THREAD_CELLS];
};

/* Allocate cells, which are empty, to *TO; false: out of memory. Only while the agent starts. */
bool thread_stats_init(struct thread_stats **to);
/* thread_stat_begin() for a thread that does not own its cell, or whose cell is in use or of an
 * older era; SELF: the thread, 0: not known. */
struct ust_stat *thread_stat_begin_slowly(struct thread_stats *s, u32 self);
/* Add what the cells hold to TO. Waits for additions, but not long for threads that are stopped. */
void thread_stats_read(struct thread_stats *s, struct ust_stat *to);
/* All cells are empty from now on. */
void thread_stats_clear(struct thread_stats *s);
/* The thread SELF will not continue an addition that it has begun. */
void thread_stats_abandon(struct thread_stats *s, u32 self);

/* This thread's cell, to add a sample to and then call thread_stat_end(); NULL: use a CPU's. */
static inline struct ust_stat *thread_stat_begin(struct thread_stats *s)
{
	u32 self = thread_self();
	struct thread_stat *c = &s->cells[thread_cell(self)];

	if (unlikely(!self) || unlikely(READ_ONCE(c->of.owner) != self) ||
	    unlikely(c->era != READ_ONCE(s->era)) || unlikely(READ_ONCE(c->version) & 1))
		return thread_stat_begin_slowly(s, self);
	arch_add(&c->version, 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return &c->st;
}

/* The sample has been added to ST, a thread_stat_begin(). */
static inline void thread_stat_end(struct ust_stat *st)
{
	struct thread_stat *c = (struct thread_stat *)((char *)st -
						       offsetof(struct thread_stat, st));

	__atomic_thread_fence(__ATOMIC_RELEASE);
	arch_add(&c->version, 1);
}

#endif
