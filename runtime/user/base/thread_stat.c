/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of threads: see thread_stat.h. */
#include "user.h"
#include "arrays/arrays.h"

/* Attempts to read a cell between rests; rests between checks that its owner is alive. */
enum { ATTEMPTS = 100, ASK = 8 };
/* Longest wait for an owner that seems to be alive, and for a process without system calls. An
 * owner that has left its handler by longjmp() does not continue. */
#define PATIENCE_NS 500000000ull
enum { PATIENCE_SPINNING = 200000 };

_Static_assert(THREAD_CELLS <= 64, "bits of thread_stats.used");
_Static_assert(sizeof(struct thread_stat) == PORT_CELL, "threads share no cache line");

bool thread_stats_init(struct thread_stats **to)
{
	*to = heap_alloc(sizeof **to);
	return *to;
}

/* ---------------------------------------------------------------- adding */

/* The version is odd if an owner was killed during an addition. */
static bool take(struct thread_stats *s, struct thread_stat *c, u32 self)
{
	if (!thread_cell_take(&c->of, self))
		return false;
	__atomic_fetch_or(&s->used, 1ull << (c - s->cells), __ATOMIC_SEQ_CST);
	if (READ_ONCE(c->version) & 1)
		arch_add(&c->version, 1);
	return true;
}

noinline struct ust_stat *thread_stat_begin_slowly(struct thread_stats *s, u32 self)
{
	struct thread_stat *c;
	u64 era;

	self = thread_self_slowly(self);
	c = &s->cells[thread_cell(self)];
	if (!self || (READ_ONCE(c->of.owner) != self && !take(s, c, self)) ||
	    READ_ONCE(c->version) & 1)
		return NULL;
	arch_add(&c->version, 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	era = READ_ONCE(s->era);
	if (c->era != era) {
		c->st = (struct ust_stat){0};
		WRITE_ONCE(c->era, era);
	}
	return &c->st;
}

void thread_stats_abandon(struct thread_stats *s, u32 self)
{
	struct thread_stat *c = &s->cells[thread_cell(self)];

	if (READ_ONCE(c->of.owner) == self && READ_ONCE(c->version) & 1)
		arch_add(&c->version, 1);
}

/* --------------------------------------------------------------- reading */

static PRIVATE struct patience for_additions;

/* Copy C; false: it changed meanwhile. */
static bool copy(const struct thread_stat *c, struct thread_stat *to)
{
	to->version = smp_load_acquire(&c->version);
	to->era = READ_ONCE(c->era);
	to->st.count = READ_ONCE(c->st.count);
	to->st.sum = READ_ONCE(c->st.sum);
	to->st.min = READ_ONCE(c->st.min);
	to->st.max = READ_ONCE(c->st.max);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(to->version & 1) && READ_ONCE(c->version) == to->version;
}

static bool copy_repeatedly(const struct thread_stat *c, struct thread_stat *to)
{
	u32 i;

	for (i = 0; i < ATTEMPTS; i++) {
		if (copy(c, to))
			return true;
		arch_pause();
	}
	return false;
}

/* An addition by a thread that was killed or does not continue is read as far as it went. */
static noinline void copy_slowly(const struct thread_stat *c, struct thread_stat *to)
{
	u32 owner = READ_ONCE(c->of.owner);
	struct bounded_wait w;

	if (owner == lock_self())
		return;
	wait_begin(&w, &for_additions, PATIENCE_NS, PATIENCE_SPINNING);
	while (!copy_repeatedly(c, to)) {
		if (w.turn % ASK == ASK - 1 && owner_died(owner))
			return;
		if (wait_over(&w)) {
			wait_was_vain(&w);
			return;
		}
		wait_rest(&w);
	}
}

void thread_stats_read(struct thread_stats *s, struct ust_stat *to)
{
	u64 era = READ_ONCE(s->era), left = READ_ONCE(s->used);
	struct thread_stat c;

	for (; left; left &= left - 1) {
		const struct thread_stat *from = &s->cells[__builtin_ctzll(left)];

		if (unlikely(!copy(from, &c)))
			copy_slowly(from, &c);
		if (c.era == era)
			stat_merge(to, &c.st);
	}
}

void thread_stats_clear(struct thread_stats *s)
{
	__atomic_fetch_add(&s->era, 1, __ATOMIC_SEQ_CST);
}
