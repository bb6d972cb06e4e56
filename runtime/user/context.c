/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts: the state of one running handler each, in memory that all processes share.
 *
 * A thread's id determines its home context; if that is in use the thread takes any other one, and
 * the home counts such strays. So a thread always finds a context that it has already: that of a
 * handler that a signal interrupted, whose lock or ring a second handler would wait for in vain.
 * The inner hit is skipped and counted, unless the outer handler was left by siglongjmp(): then its
 * locks are released. Contexts of killed threads are reclaimed when they are needed.
 */
#include <asm/unistd.h>

#include "user.h"
#include "wire_records.h"
#include "arrays/arrays.h"

#define SPARE_CONTEXTS 64
/* Longest wait of a hit for a context before it is skipped. */
#define PATIENCE_NS 2000000000ull
enum { PATIENCE_SPINNING = 200000 };
/* Longest wait at the end for handlers that are still running. */
#define SETTLE_NS 1000000000ull
enum { SETTLE_SPINNING = 1100 };
/* With --lossless: until those that wait for staprun have given up. */
#define SETTLE_LOSSLESS_NS 6000000000ull
/* Number of failed attempts at the home context before its owner is checked with the kernel. */
enum { ASK = 64 };
/* Frames that are farther apart are not considered to be on one stack. */
#define SAME_STACK (8u << 20)

/* Neighbours share no cache line. */
struct place {
	struct ctx x;
} __attribute__((aligned(64)));

static struct place *contexts;
static u32 ncontexts; /* a power of 2 */
static u32 max_actions[MODES], first_check[MODES];

static inline struct ctx *home_of(u32 self) { return &contexts[self & (ncontexts - 1)].x; }

/* ----------------------------------------------------------------- taking */

static inline u32 owner_of(const struct ctx *x) { return (u32)READ_ONCE(x->port.busy); }

/* Where HIT is on the stack of its thread, for which its handler may not run: below the probed
 * code, which may call setjmp() itself. */
static inline u64 position_of(const struct ust_hit *hit)
{
	enum { BELOW = 256 };

	return hit->mode == MODE_PROBE && likely(hit->regs) ? *regs_sp(hit->regs) - BELOW
							    : (u64)hit;
}

/* Value of `busy' in a context that SELF uses for HIT: its owner and its position are set from the
 * first moment. */
static inline u64 claim_of(u32 self, const struct ust_hit *hit)
{
	return self | position_of(hit) >> 3 << 32;
}

static inline bool swap(struct ctx *x, u64 from, u64 to)
{
	return __atomic_compare_exchange_n(&x->port.busy, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static inline bool take(struct ctx *x, u64 claim)
{
	return !READ_ONCE(x->port.busy) && swap(x, 0, claim);
}

static inline void give(struct ctx *x) { smp_store_release(&x->port.busy, 0); }

/* If a jump leaves the handler here, the home only seems to have a stray. */
static void come_home(struct ctx *x)
{
	struct ctx *home = x->port.home;

	if (!home)
		return;
	WRITE_ONCE(x->port.home, NULL);
	__atomic_fetch_sub(&home->port.strays, 1, __ATOMIC_RELAXED);
}

/* Reclaim the context of a killed thread. */
static bool take_back(struct ctx *x, u64 claim)
{
	u64 busy = READ_ONCE(x->port.busy);

	if (!busy || (u32)busy == (u32)claim || !owner_died((u32)busy) || !swap(x, busy, claim))
		return false;
	come_home(x);
	return true;
}

static struct ctx *take_any(u64 claim, bool ask)
{
	u32 i;

	for (i = 0; i < ncontexts; i++) {
		struct ctx *x = home_of((u32)claim + i);

		if (take(x, claim) || (ask && take_back(x, claim)))
			return x;
	}
	return NULL;
}

static noinline struct ctx *wait_for_one(u64 claim)
{
	static PRIVATE struct patience for_contexts;
	struct bounded_wait w;
	struct ctx *x = take_any(claim, false);

	if (x)
		return x;
	wait_begin(&w, &for_contexts, PATIENCE_NS, PATIENCE_SPINNING);
	while (!x && !wait_over(&w)) {
		x = take_any(claim, w.turn % 64 == 0);
		wait_extend(&w);
		if (!x)
			wait_rest(&w);
	}
	if (!x)
		wait_was_vain(&w);
	return x;
}

/* Take a context other than the home, which counts it before anything can interrupt the use of the
 * context. */
static struct ctx *stray(struct ctx *home, u64 claim)
{
	struct ctx *x;

	if (++home->port.turned_away % ASK == 0 && take_back(home, claim))
		return home;
	__atomic_fetch_add(&home->port.strays, 1, __ATOMIC_RELAXED);
	x = wait_for_one(claim);
	if (!x || x == home)
		__atomic_fetch_sub(&home->port.strays, 1, __ATOMIC_RELAXED);
	else
		x->port.home = home;
	return x;
}

/* ------------------------------------------------------------------ nested */

/* A context that this thread owns, other than EXCEPT. */
static struct ctx *find_own(u32 self, const struct ctx *except)
{
	u32 i;

	for (i = 0; i < ncontexts; i++) {
		struct ctx *x = home_of(self + i);

		if (owner_of(x) == self && x != except)
			return x;
	}
	return NULL;
}

struct stack {
	void *sp;
	int flags;
	size_t size;
}; /* stack_t */
enum { SS_ONSTACK = 1, SS_DISABLE = 2 };

bool on_signal_stack(void)
{
	struct stack s = {.flags = SS_ONSTACK};

	if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		system_call(__NR_sigaltstack, 0, (long)&s, 0, 0, 0, 0);
	return s.flags & SS_ONSTACK;
}

bool is_signal_stack(u64 sp)
{
	struct stack s = {.flags = SS_DISABLE};

	if (process.flags & UST_PROCESS_NO_SYSCALLS)
		return true;
	system_call(__NR_sigaltstack, 0, (long)&s, 0, 0, 0, 0);
	return !(s.flags & SS_DISABLE) && sp - (u64)s.sp <= s.size;
}

/* True if the handler of X was left: a hit that interrupts it is deeper on the stack, or on the
 * signal stack. */
static bool was_left(const struct ctx *x, u64 claim, const struct ust_hit *hit)
{
	u32 above = (u32)(claim >> 32) - (u32)(READ_ONCE(x->port.busy) >> 32);

	return hit->mode != MODE_PROBE ||
	       (above < SAME_STACK >> 3 && !is_signal_stack(position_of(hit)));
}

/* True if a signal's handler jumps out of the hit that X serves, which will not continue. */
static bool is_left_for(const struct ctx *x, u64 sp)
{
	u32 above = (u32)(sp >> 3) - (u32)(READ_ONCE(x->port.busy) >> 32);

	return above - 1 < SAME_STACK >> 3;
}

void context_jump(u64 env)
{
	u32 self = lock_self();
	struct ctx *home = home_of(self), *x = owner_of(home) == self ? home : NULL;
	u64 sp;

	if (unlikely(!x && READ_ONCE(home->port.strays)))
		x = find_own(self, NULL);
	if (likely(!x) || !umem_read(&sp, env + ARCH_ENV_SP, sizeof sp) ||
	    !(is_left_for(x, sp) || is_left_for(x, arch_demangle(sp))))
		return;
	lock_abandon(self);
	come_home(x);
	give(x);
}

/* ---------------------------------------------------------------- entering */

static noinline void count_skipped(void)
{
	static const char before[] = "too many skipped probes; MAXSKIPPED allows ";
	u64 n = __atomic_add_fetch(&shared.status.skipped_context, 1, __ATOMIC_RELAXED);
	u32 len = sizeof before - 1;
	char text[80];

	if (n != (u64)ust_program.maxskipped + 1)
		return;
	memcpy(text, before, len);
	len += fmt_decimal(text + len, ust_program.maxskipped);
	port_write(UST_REC_ERROR, text, len, false);
	port_exit(FAILURE_RUNTIME);
}

/* A view may show arrays of many elements. */
u32 port_max_actions(const struct ust_ctx *c)
{
	const struct ust_probe *p = c->hit->probe;

	return max_actions[p && p->kind == UST_PROBE_MONITOR ? MODE_ALONE : c->hit->mode];
}

/* begin, end and error probes wait for the reader. */
u64 port_time_budget(const struct ust_ctx *c)
{
	return c->hit->mode == MODE_ALONE ? 0 : ust_program.overload_threshold;
}

static inline struct ust_ctx *use(struct ctx *x, struct ust_hit *hit)
{
	ctx_reset(x, hit);
	x->port.locks = NULL;
	x->port.stamp = 0;
	x->port.ticks = 0;
	x->checkpoint = first_check[hit->mode];
	/* The script may have ended since this hit began: see contexts_settle(). */
	if (likely(hit->mode != MODE_PROBE || is_armed()))
		return &x->pub;
	come_home(x);
	give(x);
	return NULL;
}

/* The home is in use, by this thread if AT_HOME; it may own another context. */
static noinline struct ust_ctx *enter_slowly(struct ust_hit *hit, u64 claim, bool at_home)
{
	struct ctx *home = home_of((u32)claim), *x = find_own((u32)claim, at_home ? home : NULL);

	if (!x) {
		x = at_home ? home : stray(home, claim);
		if (x)
			return use(x, hit);
		count_skipped();
		return NULL;
	}
	if (at_home)
		give(home);
	if (!was_left(x, claim, hit)) {
		__atomic_fetch_add(&shared.status.skipped_nested, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	WRITE_ONCE(x->port.busy, claim);
	lock_abandon((u32)claim);
	return use(x, hit);
}

struct ust_ctx *ust_enter(struct ust_hit *hit)
{
	u64 claim = claim_of(lock_self(), hit);
	struct ctx *x = home_of((u32)claim);
	bool at_home = take(x, claim);

	if (unlikely(!at_home || READ_ONCE(x->port.strays)))
		return enter_slowly(hit, claim, at_home);
	return use(x, hit);
}

/* ------------------------------------------------------------------ locks */

static inline struct owned *lock_of(const struct ust_lockref *r)
{
	return &((struct port_glock *)r->g->impl)->lock;
}

/* Repair G, whose lock a thread held that was killed, or left the handler by siglongjmp(). */
static noinline void mend(struct ust_gvar *g, struct owned *l)
{
	if (g->storage == UST_ARRAY)
		map_repair(g);
	port_lock_mended(l);
}

void ust_lock(struct ust_ctx *c, const struct ust_lockset *ls)
{
	const struct ust_lockref *r = ls->v, *end = r + ls->n;
	struct ctx *x = ctx_of(c);
	u32 self = owner_of(x);

	x->port.locks = ls;
	for (; r < end; r++) {
		struct owned *l = lock_of(r);

		if (unlikely(!owner_try(&l->owner, self)))
			lock_take(l);
		if (unlikely(l->broken))
			mend(r->g, l);
	}
}

static void unlock(struct ctx *x)
{
	const struct ust_lockset *ls = x->port.locks;
	u32 i;

	for (i = ls->n; i-- > 0;)
		lock_give(lock_of(&ls->v[i]), owner_of(x));
	x->port.locks = NULL;
}

/* ------------------------------------------------------------------- the end */

/* A thread that takes a context from now on finds the script disarmed. */
static void settle(struct ctx *x, u32 self, struct bounded_wait *w)
{
	while (owner_of(x) && owner_of(x) != self) {
		if (take_back(x, self))
			give(x);
		else if (!wait_over(w))
			wait_rest(w);
		else
			return;
	}
}

/* end and error probes take no locks. */
static void settle_lock(struct ust_gvar *g, u32 self)
{
	struct owned *l = &((struct port_glock *)g->impl)->lock;

	if (owner_steal(&l->owner, self))
		l->broken = 1;
	else if (!owner_try(&l->owner, self))
		return;
	if (l->broken)
		mend(g, l);
	lock_give(l, self);
}

void contexts_settle(void)
{
	static PRIVATE struct patience for_end;
	u32 self = lock_self(), i;
	struct bounded_wait w;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	wait_begin(&w, &for_end,
		   ust_program.flags & UST_PROG_LOSSLESS ? SETTLE_LOSSLESS_NS : SETTLE_NS,
		   SETTLE_SPINNING);
	for (i = 0; i < ncontexts; i++)
		settle(&contexts[i].x, self, &w);
	for (i = 0; i < ust_program.ngvars; i++)
		if (ust_program.gvars[i]->storage == UST_VAR ||
		    ust_program.gvars[i]->storage == UST_ARRAY)
			settle_lock(ust_program.gvars[i], self);
}

void contexts_pass(u64 until)
{
	u32 self = lock_self(), i;
	u64 busy;

	for (i = 0; i < ncontexts; i++) {
		const struct ctx *x = &contexts[i].x;

		busy = READ_ONCE(x->port.busy);
		while (busy && (u32)busy != self && READ_ONCE(x->port.busy) == busy &&
		       clock_monotonic() < until)
			lock_rest(0);
	}
}

/* ---------------------------------------------------------------- leaving */

u64 port_name_key(void) { return layout.name_key; }

void port_string_cut(void) { __atomic_fetch_add(&shared.status.cut_strings, 1, __ATOMIC_RELAXED); }

void ust_leave(struct ust_ctx *c)
{
	struct ctx *x = ctx_of(c);

	if (unlikely(c->failed) && !x->now.aborted)
		ctx_report(x);
	if (ctx_printed(x) || unlikely(x->now.continued))
		ctx_flush(c, true);
	if (x->port.locks)
		unlock(x);
	if (unlikely(x->port.home))
		come_home(x);
	give(x);
}

u64 port_count_error(void)
{
	return __atomic_add_fetch(&shared.status.errors, 1, __ATOMIC_RELAXED);
}

/* ----------------------------------------------------------------- making */

static u32 enough(u32 n)
{
	u32 power = 1;

	while (power < n)
		power <<= 1;
	return power;
}

/* Milliseconds of processor time in which one handler of each probe has certainly reached its
 * action limit; 0: no limit. An action takes at most a microsecond, somewhat more on an emulated
 * machine. */
u64 contexts_time(void)
{
	enum { START_MS = 1000, ACTIONS_PER_MS = 250 };

	u64 most = ust_program.maxaction_interruptible > ust_program.maxaction
			   ? ust_program.maxaction_interruptible
			   : ust_program.maxaction;

	if (ust_program.maxaction == UST_NO_MAXACTION)
		return 0;
	return START_MS + most * (ust_program.nprobes + 1) / ACTIONS_PER_MS;
}

bool contexts_init(void)
{
	u32 i;

	for (i = 0; i < MODES; i++)
		max_actions[i] = ust_program.maxaction;
	max_actions[MODE_ALONE] = ust_program.maxaction_interruptible;
	for (i = 0; i < MODES; i++)
		first_check[i] = ctx_first_checkpoint(max_actions[i]);
	ncontexts = enough(layout.ncpu + SPARE_CONTEXTS);
	contexts = heap_alloc(ncontexts * sizeof *contexts);
	for (i = 0; contexts && i < ncontexts; i++)
		if (!ctx_make(&contexts[i].x))
			return false;
	return contexts;
}
