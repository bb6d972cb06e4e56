/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks for handlers that need more than a few hundred bytes (UST_SITE_DEEP): script functions
 * that call each other, unwinding, pretty-printing. The probed thread may run on a signal stack of
 * 2 KB, or on a coroutine's stack.
 *
 * While a thread runs here its signals are blocked. Otherwise a signal's handler would run on this
 * stack, which is smaller than it expects, or, if the hit occurred on the thread's signal stack,
 * from the top of that one again, over frames that are in use. Blocking takes two system calls, so
 * handlers that need little stay on the thread's own stack, unless even that may be nearly full
 * (UST_SITE_NO_ROOM): then common code has switched before anything else. There signals have a
 * stack of their own in any case, and no code of that kind runs on it unless they are blocked, as
 * Go's runtime does.
 */
#include <asm/unistd.h>

#include "user.h"
#include "probes/handler_stack.h"

/* A handler and its functions take at most 16 KB (translator/backend/user.c), the runtime below
 * them 4 KB; the kernel's frame for SIGSEGV holds up to 12 KB of registers. */
enum { STACKS = HANDLER_STACKS, STACK_SIZE = HANDLER_STACK_SIZE };
/* From this one on the stacks of threads that were killed are looked for, in one of so many hits.
 */
enum { CROWDED = STACKS / 2, LOOK = 256 };
/* Longest wait of a handler for a stack before it runs on the thread's own. */
#define PATIENCE_NS 1000000000ull
enum { SIGTRAP = 5, SIGBUS = 7, SIGSEGV = 11, SETMASK = 2, MASK_SIZE = 8 };
#define BIT(signal) (1ull << ((signal)-1))

_Static_assert(offsetof(struct ust_shared, status.skipped_context) == SHARED_SKIPPED_CONTEXT,
	       "common code counts hits without a stack");

PRIVATE char handler_stacks[STACKS][STACK_SIZE] __attribute__((aligned(64)));
/* 1: in use. Claimed first, also by common code that has no other stack to do more; the owner is
 * set next, for claims of threads that end. A forked child has only one of its parent's threads. */
WIPED u8 handler_claims[STACKS];
static WIPED u32 owners[STACKS];
/* OPEN: signals are not blocked, and the signal stack may be in use; the others: they are blocked,
 * and it is not, or is. */
enum use { OPEN, BLOCKED, CLOSED };
static WIPED u8 uses[STACKS];
/* Signal masks of the threads before; OPEN: their stack pointers. */
static WIPED u64 masks[STACKS];

static bool claim(u32 i)
{
	return !READ_ONCE(handler_claims[i]) &&
	       !__atomic_exchange_n(&handler_claims[i], 1, __ATOMIC_ACQUIRE);
}

static void give(u32 i)
{
	uses[i] = OPEN;
	WRITE_ONCE(owners[i], 0);
	smp_store_release(&handler_claims[i], 0);
}

static u32 take(u32 self)
{
	u32 i;

	for (i = 0; i < STACKS; i++)
		if (claim(i)) {
			WRITE_ONCE(owners[i], self);
			return i;
		}
	for (i = 0; i < STACKS; i++)
		if (owner_steal(&owners[i], self))
			return i;
	return STACKS;
}

/* Common code does not look for the stacks of killed threads. */
static noinline void give_others(u32 self)
{
	u32 i;

	for (i = 0; i < STACKS; i++)
		if (owner_steal(&owners[i], self))
			give(i);
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
	u64 at = (u64)__builtin_frame_address(0) - (u64)handler_stacks;

	return at < sizeof handler_stacks ? at / STACK_SIZE : STACKS;
}

bool handler_stack_closed(void)
{
	u32 i = stack_here();

	if (i == STACKS)
		return false;
	return uses[i] == OPEN ? is_signal_stack(masks[i]) : uses[i] == CLOSED;
}

bool handler_stack_mask(u64 *mask)
{
	u32 i = stack_here();

	if (i == STACKS || uses[i] == OPEN)
		return false;
	*mask = masks[i];
	return true;
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

/* The signal mask of a thread before its handler, and whether its signal stack is in use. */
struct blocked {
	u64 mask;
	bool busy;
};

static struct blocked block(bool busy)
{
	struct blocked b = {0, busy};
	u64 mask = mask_for(busy);

	system_call(__NR_rt_sigprocmask, SETMASK, (long)&mask, (long)&b.mask, MASK_SIZE, 0, 0);
	return b;
}

static void unblock(const struct blocked *b)
{
	system_call(__NR_rt_sigprocmask, SETMASK, (long)&b->mask, 0, MASK_SIZE, 0, 0);
}

/* Stack I is used by a thread whose signals are blocked. */
static void describe(u32 i, const struct blocked *b)
{
	uses[i] = b->busy ? CLOSED : BLOCKED;
	masks[i] = b->mask;
}

/* False: the process may not make system calls. */
static bool may_block(void)
{
	__atomic_fetch_add(&users, 1, __ATOMIC_SEQ_CST);
	if (likely(!(process.flags & UST_PROCESS_NO_SYSCALLS)))
		return true;
	__atomic_fetch_sub(&users, 1, __ATOMIC_SEQ_CST);
	return false;
}

static void call(void (*fn)(void *arg), void *arg)
{
	struct blocked b;
	u32 i;

	if (stack_here() < STACKS || !may_block()) {
		fn(arg);
		return;
	}
	b = block(on_signal_stack());
	i = wait_for_one(lock_self());
	if (likely(i < STACKS)) {
		describe(i, &b);
		arch_call_on(handler_stacks[i] + STACK_SIZE, fn, arg);
		give(i);
	} else {
		fn(arg);
	}
	unblock(&b);
	__atomic_fetch_sub(&users, 1, __ATOMIC_SEQ_CST);
}

/* The stack that this code runs on. Its owner is set only if many are in use, as that may take a
 * system call. */
static u32 own_here(void)
{
	static PRIVATE u32 crowded;
	u32 i = stack_here(), self;

	if (likely(i < CROWDED))
		return i;
	self = lock_self();
	WRITE_ONCE(owners[i], self);
	if (__atomic_fetch_add(&crowded, 1, __ATOMIC_RELAXED) % LOOK == 0)
		give_others(self);
	return i;
}

void handler_stack_open(u64 sp, void (*fn)(void *arg), void *arg)
{
	u32 i = own_here();

	masks[i] = sp;
	fn(arg);
	WRITE_ONCE(owners[i], 0);
}

void handler_stack_here(u64 sp, void (*fn)(void *arg), void *arg)
{
	/* bytes of the stack that common code has used, with the red zone */
	enum { USED = 256, ALIGNED = 16 };

	struct blocked b;
	u32 i;

	if (!may_block()) {
		arch_call_on((void *)((sp - USED) & -(u64)ALIGNED), fn, arg);
		return;
	}
	b = block(is_signal_stack(sp));
	i = own_here();
	describe(i, &b);
	fn(arg);
	uses[i] = OPEN;
	WRITE_ONCE(owners[i], 0);
	unblock(&b);
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
