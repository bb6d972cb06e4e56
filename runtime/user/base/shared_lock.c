/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks in memory that several processes share. The lock word is the owner's id. A long waiter
 * checks whether the owner is alive, and takes the lock from a dead one, marked as broken: the new
 * owner repairs data that the old one left half changed.
 *
 * An owner may also be stopped for good. After a wait that a program can tolerate the script ends,
 * and its lock is taken all the same. The owner may continue later: data under locks then remains
 * safe to access (map.c), though no longer correct.
 */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/time_types.h>

#include "user.h"
#include "wire_records.h"

/* Counted in turns: first spins, then yields, then sleeps, the first of which are short. */
enum { SPINS = 100, YIELDS = 20, SHORT = 100, SHORT_NS = 50000, LONG_NS = 1000000 };
/* Longest wait for an owner that seems to be alive. A process without system calls spins. */
#define PATIENCE_NS 5000000000ull
enum { PATIENCE_SPINNING = 2000000 };
/* The same when the script has failed, in turns. */
enum { PATIENCE_FAILED = 150 };
/* Number of turns between checks that the owner is alive. */
enum { ASK = 8 };

enum { NEW_SPACE = 512, SPACES = 1024 };

void lock_forked(void)
{
	if (process.flags & UST_PROCESS_NO_SYSCALLS || system_call(__NR_getppid, 0, 0, 0, 0, 0, 0))
		return;
	process.outside = 1;
	process.pid_space = NEW_SPACE + arch_ticks() % (SPACES - NEW_SPACE);
}

u32 lock_self_slow(void) { return lock_self(); }

bool owner_is_unique(void) { return process.pid_space < NEW_SPACE; }

static inline bool may_call(void) { return !(process.flags & UST_PROCESS_NO_SYSCALLS); }

static inline bool swap(u32 *lock, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(lock, &from, to, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ owners */

static bool can_ask(u32 owner)
{
	return may_call() && owner >> OWNER_TID_BITS == process.pid_space;
}

/* A killed process that has not been reaped still has its id, but no memory map. */
bool owner_died(u32 owner)
{
	struct {
		const void *at;
		u64 size;
	} one = {&agent.magic, 1}, to;
	u32 tid = owner & ((1u << OWNER_TID_BITS) - 1);
	char byte;
	long r;

	if (!can_ask(owner))
		return false;
	to.at = &byte;
	to.size = 1;
	r = system_call(__NR_process_vm_readv, tid, (long)&to, 1, (long)&one, 1, 0);
	if (r == -EPERM || r == -ENOSYS)
		r = system_call(__NR_tkill, tid, 0, 0, 0, 0, 0);
	return r == -ESRCH;
}

bool owner_steal(u32 *lock, u32 self)
{
	u32 owner = READ_ONCE(*lock);

	return owner && owner != self && owner_died(owner) && swap(lock, owner, self);
}

/* ----------------------------------------------------------------- waiting */

void lock_rest(u32 turn)
{
	struct __kernel_timespec t = {0, turn < YIELDS + SHORT ? SHORT_NS : LONG_NS};
	u32 i;

	for (i = 0; !may_call() && i < SPINS; i++)
		arch_pause();
	if (!may_call())
		return;
	if (turn < YIELDS)
		system_call(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
	else
		system_call(__NR_nanosleep, (long)&t, 0, 0, 0, 0, 0);
}

static noinline void give_up(void)
{
	static const char text[] = "a lock was held for five seconds: its holder may be stopped";

	if (READ_ONCE(shared.status.failed))
		return;
	port_write(UST_REC_ERROR, text, sizeof text - 1, false);
	port_exit(FAILURE_SCRIPT); /* data under the lock may be half changed: no end probes */
}

/* -------------------------------------------------------------- bounded waits */

/* REST: the budget exceeds the longest wait by this fraction (a third). SHARE: fraction of the
 * budget that one wait leaves. REFILL: fraction of elapsed time that is returned to the budget. */
enum { REST = 3, SHARE = 4, REFILL = 10 };
/* Processes without system calls count instead: each vain wait quarters the next one. */
enum { MOST_VAIN = 4 };

/* Time that waits of this kind have spent recently. */
static u64 spent(const struct patience *p, u64 now)
{
	u64 since = READ_ONCE(p->at), was = READ_ONCE(p->spent), back;

	back = now > since ? (now - since) / REFILL : 0;
	return was > back ? was - back : 0;
}

void wait_begin(struct bounded_wait *w, struct patience *p, u64 longest, u32 spins)
{
	u32 vain = READ_ONCE(p->vain);
	u64 budget = longest + longest / REST, used;

	w->of = p;
	w->turn = w->first = 0;
	w->began = w->limit = 0;
	w->spins = spins >> 2 * (vain < MOST_VAIN ? vain : MOST_VAIN);
	if (!may_call())
		return;
	w->began = clock_monotonic();
	used = spent(p, w->began);
	w->limit = used < budget ? (budget - used) / SHARE * (SHARE - 1) : 0;
}

/* True when W has taken TIMES its limit. The turns count, too: the waiter, and the owner with it,
 * may have been stopped meanwhile, or their machine. */
static bool has_taken(const struct bounded_wait *w, u32 times)
{
	enum { TURN_NS = 10000000 };

	if (!may_call())
		return w->turn / times >= w->spins;
	return w->turn - w->first >= w->limit / TURN_NS &&
	       clock_since(w->began) >= times * w->limit;
}

bool wait_over(const struct bounded_wait *w) { return has_taken(w, 1); }

void wait_rest(struct bounded_wait *w) { lock_rest(w->turn++); }

bool tracer_died(bool ask)
{
	static PRIVATE bool died;

	if (!died && ask && may_call() && process.made.tracer && !process.pid_space)
		died = system_call(__NR_kill, process.made.tracer, 0, 0, 0, 0, 0) == -ESRCH;
	return died;
}

/* Time of the last wait_delay_others(), by any process; 0: never. */
static u64 delayed_at;
#define DELAY_NS 100000000ull

void wait_delay_others(void) { WRITE_ONCE(delayed_at, clock_monotonic()); }

void wait_extend(struct bounded_wait *w)
{
	u64 at = READ_ONCE(delayed_at), now;

	if (likely(!(ust_program.flags & UST_PROG_LOSSLESS)) || tracer_died(w->turn % ASK == 0))
		return;
	now = clock_monotonic();
	/* the clock of another process may be a little ahead */
	if (!at || now - at + DELAY_NS > 2 * DELAY_NS)
		return;
	if (may_call())
		w->began = now;
	else
		w->turn %= ASK;
	w->first = w->turn;
}

void wait_was_vain(const struct bounded_wait *w)
{
	struct patience *p = w->of;
	u64 now;

	WRITE_ONCE(p->vain, p->vain + 1);
	if (!may_call())
		return;
	now = clock_monotonic();
	WRITE_ONCE(p->spent, spent(p, now) + clock_since(w->began));
	WRITE_ONCE(p->at, now);
}

/* ---------------------------------------------------------- waiting for a lock */

static PRIVATE struct patience for_locks;

/* True when one owner has been waited for as long as a program can tolerate. */
static bool is_hopeless(const struct bounded_wait *w)
{
	return wait_over(w) ||
	       (may_call() && READ_ONCE(shared.status.failed) && w->turn >= PATIENCE_FAILED);
}

/* True when all owners together have been waited for twice as long: a traced process may forge ever
 * new owners. */
static bool is_endless(const struct bounded_wait *w) { return has_taken(w, 2); }

/* Spin for about the duration of a handler. */
static bool spin(u32 *lock, u32 self)
{
	u32 i;

	for (i = 0; i < SPINS; i++) {
		if (owner_try(lock, self))
			return true;
		arch_pause();
	}
	return false;
}

/* Acquire the lock; returns true if it was taken from an owner. */
static bool wait_for(u32 *lock, u32 self)
{
	struct bounded_wait one, all;
	u32 owner = 0, now;

	wait_begin(&all, &for_locks, PATIENCE_NS, PATIENCE_SPINNING);
	for (one = all; !spin(lock, self); wait_rest(&one), all.turn++) {
		now = READ_ONCE(*lock);
		wait_extend(&one);
		wait_extend(&all);
		if (now != owner)
			wait_begin(&one, &for_locks, PATIENCE_NS, PATIENCE_SPINNING);
		owner = now;
		if (one.turn % ASK == ASK - 1 && owner_steal(lock, self))
			return true;
		if (!is_endless(&all) && !(is_hopeless(&one) && owner && swap(lock, owner, self)))
			continue;
		WRITE_ONCE(*lock, self);
		wait_was_vain(&all);
		if (can_ask(owner))
			give_up();
		return true;
	}
	return false;
}

static noinline u32 take_slowly(struct owned *l, u32 self)
{
	if (READ_ONCE(l->owner) == self)
		return 0;
	if (wait_for(&l->owner, self))
		WRITE_ONCE(l->broken, 1);
	return self;
}

u32 lock_take(struct owned *l)
{
	u32 self = lock_self();

	return likely(owner_try(&l->owner, self)) ? self : take_slowly(l, self);
}

/* ------------------------------------------------------------------- cells */

/* Different threads begin with different spare cells. */
noinline void *lock_cell_slowly(void *cells, u32 self, unsigned long *flags)
{
	u32 n = port_ncpus(), at = layout.ncpu + self % PORT_SPARE_CELLS, i;
	struct owned *l = NULL;

	for (i = 0; i < n; i++, at = at + 1 < n ? at + 1 : 0) {
		l = port_percpu(cells, at);
		if (owner_try(&l->owner, self))
			return l;
	}
	*flags = take_slowly(l, self);
	return l;
}
