/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks for handlers that need more than a few hundred bytes (UST_SITE_DEEP): script functions
 * that call each other, unwinding, pretty-printing. The probed thread may run on a signal stack of
 * 2 KB, or on a coroutine's stack.
 *
 * While a thread runs here its signals are blocked. Otherwise a signal's handler would run on this
 * stack, which is smaller than it expects, or, if the hit occurred on the thread's signal stack,
 * from the top of that one again, over frames that are in use. Blocking takes two system calls, so
 * handlers that need little stay on the thread's own stack.
 */
#include <asm/unistd.h>

#include "user.h"

/* A handler and its functions take at most 16 KB (translator/backend/user.c), the runtime below
 * them 4 KB; the kernel's frame for SIGSEGV holds up to 12 KB of registers. */
enum { STACKS = 32, STACK_SIZE = 40 << 10 };
/* Longest wait of a handler for a stack before it runs on the thread's own. */
#define PATIENCE_NS 1000000000ull
enum { SIGTRAP = 5, SIGBUS = 7, SIGSEGV = 11, SETMASK = 2, MASK_SIZE = 8 };
#define BIT(signal) (1ull << ((signal)-1))

static PRIVATE char stacks[STACKS][STACK_SIZE] __attribute__((aligned(64)));
/* A forked child has only one of its parent's threads. */
static WIPED u32 owners[STACKS];
static WIPED bool closed[STACKS];
/* Signal masks of the threads before. */
static WIPED u64 masks[STACKS];

static u32 take(u32 self)
{
	u32 i;

	for (i = 0; i < STACKS; i++)
		if (owner_try(&owners[i], self))
			return i;
	for (i = 0; i < STACKS; i++)
		if (owner_steal(&owners[i], self))
			return i;
	return STACKS;
}

static u32 wait_for_one(u32 self)
{
	static PRIVATE struct patience for_stacks;
	struct bounded_wait w;
	u32 i = take(self);

	if (likely(i < STACKS))
		return i;
	wait_begin(&w, &for_stacks, PATIENCE_NS, 0);
	while (i == STACKS && !wait_over(&w)) {
		wait_rest(&w);
		i = take(self);
	}
	if (i == STACKS)
		wait_was_vain(&w);
	return i;
}

/* Index of the stack that this code runs on; STACKS for another stack. */
static inline u32 stack_here(void)
{
	u64 at = (u64)__builtin_frame_address(0) - (u64)stacks;

	return at < sizeof stacks ? at / STACK_SIZE : STACKS;
}

bool handler_stack_closed(void)
{
	u32 i = stack_here();

	return i < STACKS && closed[i];
}

bool handler_stack_mask(u64 *mask)
{
	u32 i = stack_here();

	if (i < STACKS)
		*mask = masks[i];
	return i < STACKS;
}

/* Faults of the runtime's reads are handled on the thread's signal stack, unless that is in use. */
static u64 mask_for(bool on_signal_stack)
{
	return ~(BIT(SIGTRAP) | (on_signal_stack ? 0 : BIT(SIGSEGV) | BIT(SIGBUS)));
}

/* Threads between the two changes of their masks; more in a child of fork(), and after longjmp()
 * out of a handler. */
static PRIVATE u32 users;

void handler_stacks_pass(u64 until)
{
	while (READ_ONCE(users) && clock_monotonic() < until)
		lock_rest(0);
}

static void call(void (*fn)(void *arg), void *arg)
{
	u64 mask, was = 0;
	bool busy;
	u32 i;

	__atomic_fetch_add(&users, 1, __ATOMIC_SEQ_CST);
	if (process.flags & UST_PROCESS_NO_SYSCALLS) {
		__atomic_fetch_sub(&users, 1, __ATOMIC_SEQ_CST);
		fn(arg);
		return;
	}
	busy = on_signal_stack();
	mask = mask_for(busy);
	system_call(__NR_rt_sigprocmask, SETMASK, (long)&mask, (long)&was, MASK_SIZE, 0, 0);
	i = wait_for_one(lock_self());
	if (likely(i < STACKS)) {
		closed[i] = busy;
		masks[i] = was;
		arch_call_on(stacks[i] + STACK_SIZE, fn, arg);
		smp_store_release(&owners[i], 0);
	} else {
		fn(arg);
	}
	system_call(__NR_rt_sigprocmask, SETMASK, (long)&was, 0, MASK_SIZE, 0, 0);
	__atomic_fetch_sub(&users, 1, __ATOMIC_SEQ_CST);
}

struct run {
	struct ust_hit *hit;
	ust_handler handler;
};

static void run(void *arg)
{
	const struct run *r = arg;

	r->handler(r->hit);
}

void handler_stack_run(struct ust_hit *hit, ust_handler handler)
{
	struct run r = {hit, handler};

	call(run, &r);
}

static u32 wanted;

bool handler_stack_wanted(void) { return READ_ONCE(wanted); }

/* Which direct reads are possible depends on the stack: see stamp_now(). */
void handler_stack_call(struct ust_ctx *c, void (*fn)(void *arg), void *arg)
{
	struct port_ctx *x = &ctx_of(c)->port;

	if (c->hit->mode != MODE_PROBE || stack_here() < STACKS) {
		fn(arg);
		return;
	}
	WRITE_ONCE(wanted, 1);
	x->stamp = 0;
	call(fn, arg);
	x->stamp = 0;
}
