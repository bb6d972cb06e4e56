/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks in memory that several processes share.  The word is the owner's id.  Who waits long asks
 * the kernel whether the owner lives, and takes the lock of one that does not, marked as broken: what such an
 * owner left half changed is mended by who takes it.
 *
 * An owner may also be stopped for good.  It is waited for as long as a program can bear; then the script
 * ends, and its lock is taken all the same.  It may go on later: what locks guard stays safe to use (map.c),
 * though no more right.
 */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/time_types.h>

#include "user.h"

/* Of turns: spins, then yields, then sleeps, of which the first are short. */
enum { SPINS = 100, YIELDS = 20, SHORT = 100, SHORT_NS = 50000, LONG_NS = 1000000 };
/* Turns until an owner that seems to live is waited for no more: five seconds.  Who may not sleep spins. */
enum { PATIENCE = 5000, PATIENCE_SPINNING = 2000000 };
/* The same when the script has failed. */
enum { PATIENCE_FAILED = 150 };
/* Every how many turns the kernel is asked about the owner. */
enum { ASK = 8 };

enum { NEW_SPACE = 512, SPACES = 1024 };

void lock_forked(void)
{
	if (process.flags & UST_PROCESS_NO_SYSCALLS || system_call(__NR_getppid, 0, 0, 0, 0, 0, 0))
		return;
	process.pid_space = NEW_SPACE + arch_ticks() % (SPACES - NEW_SPACE);
}

u32 lock_self_slow(void)
{
	return lock_self();
}

static inline bool may_call(void)
{
	return !(process.flags & UST_PROCESS_NO_SYSCALLS);
}

static inline bool swap(u32 *lock, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(lock, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ owners */

static bool can_ask(u32 owner)
{
	return may_call() && owner >> OWNER_TID_BITS == process.pid_space;
}

/* A killed process that nobody has waited for yet still has its id, but no memory. */
bool owner_died(u32 owner)
{
	struct { const void *at; u64 size; } one = {&agent.magic, 1}, to;
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
	static const char text[] = "a lock was not free for five seconds: whoever has it was stopped";

	if (READ_ONCE(shared.status.failed))
		return;
	ring_write(UST_REC_ERROR, text, sizeof text - 1, false);
	request_exit(FAILURE_SCRIPT);   /* what it protects may be half changed: no end probes */
}

/* Waits of this process in vain.  Where memory was overwritten every lock may have an owner that
 * does not exist: each such wait quarters the next one, so that all of them together take seven
 * seconds and not five each. */
static PRIVATE u32 vain_waits;

u32 lock_patience(u32 sleeping, u32 spinning)
{
	enum { MOST_VAIN = 4 };
	u32 vain = vain_waits < MOST_VAIN ? vain_waits : MOST_VAIN;

	return (may_call() ? sleeping : spinning) >> 2 * vain;
}

void lock_wait_was_vain(void) { vain_waits++; }

/* A turn takes longer than its sleep where processors are busy, so that the clock counts, too;
 * SINCE is 0 where there is none. */
static bool is_hopeless(u32 turn, u64 since)
{
	u32 most = lock_patience(PATIENCE, PATIENCE_SPINNING);

	if (may_call() && READ_ONCE(shared.status.failed) && turn >= PATIENCE_FAILED)
		return true;
	return turn >= most ||
	       (may_call() && since && clock_monotonic() - since >= most * 1000000ull);
}

/* Spin for the time that a handler takes. */
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

/* Have the lock; true: it was taken from OWNER. */
static bool wait_for(u32 *lock, u32 self)
{
	u32 turn, owner = 0, now;
	u64 since = 0;

	for (turn = 0; !spin(lock, self); turn++) {
		now = READ_ONCE(*lock);
		if (now != owner)
			turn = 0;
		if (!turn)
			since = clock_monotonic();
		owner = now;
		if (turn % ASK == ASK - 1 && owner_steal(lock, self))
			return true;
		if (is_hopeless(turn, since) && owner && swap(lock, owner, self)) {
			lock_wait_was_vain();
			if (can_ask(owner))
				give_up();
			return true;
		}
		lock_rest(turn);
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

/* It may have been taken from us. */
void lock_give(struct owned *l, u32 self)
{
	if (likely(READ_ONCE(l->owner) == self))
		smp_store_release(&l->owner, 0);
}

/* ------------------------------------------------------------------- cells */

void *lock_cell(void *cells, unsigned long *flags)
{
	u32 self = lock_self(), here = arch_cpu(), n = port_ncpus(), i;
	struct owned *l = port_percpu(cells, here);

	*flags = self;
	if (likely(owner_try(&l->owner, self)))
		return l;
	for (i = 1; i < n; i++) {
		l = port_percpu(cells, (here + i) % n);
		if (owner_try(&l->owner, self))
			return l;
	}
	*flags = take_slowly(l, self);
	return l;
}

/* --------------------------------------------------------------- abandoned */

static void abandon(struct owned *l, u32 self)
{
	if (READ_ONCE(l->owner) != self)
		return;
	WRITE_ONCE(l->broken, 1);
	smp_store_release(&l->owner, 0);
}

static void abandon_cells(void *cells, u32 self)
{
	u32 i;

	for (i = 0; i < port_ncpus(); i++)
		abandon(port_percpu(cells, i), self);
}

void lock_abandon(u32 self)
{
	u32 i;

	for (i = 0; i < ust_program.ngvars; i++) {
		struct ust_gvar *g = ust_program.gvars[i];

		if (g->storage == UST_COUNTER)
			continue;
		if (g->storage == UST_AGG) {
			abandon_cells(g->impl, self);
			continue;
		}
		abandon(&((struct port_glock *)g->impl)->lock, self);
		if (g->storage != UST_AGG_ARRAY)
			continue;
		abandon(&((struct map *)g->impl)->lock, self);
		abandon_cells(((struct map *)g->impl)->cells, self);
	}
}
