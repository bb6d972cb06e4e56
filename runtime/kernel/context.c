/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts: the state of one running handler each. They are allocated in advance; a handler first
 * tries the context of its CPU, then any other. Handlers in task context can sleep (to read a page
 * in), so there are more contexts than CPUs.
 */
#include <linux/math64.h>
#include <linux/sched/signal.h>

#include "rt.h"
#include "memory/stack_room.h"
#include "wire_records.h"

#define SPARE_CONTEXTS 64
/* Jiffies that a handler waits for a context before the hit is skipped. */
#define LOCK_PATIENCE (2 * HZ)

static struct ctx *contexts;
static u32 ncontexts;
static u32 max_actions[RT_MODES];
static u32 first_check;

/* --------------------------------------------------------------- overload */

/*
 * Overload protection: like SystemTap, the script ends when its handlers take more than
 * overload_threshold cycles of overload_interval on a CPU. One of SAMPLED hits is measured and
 * stands for all of them; port_cycles_spent() adds the cycles of long handlers exactly. The account
 * is kept in contexts, which belong to CPUs except for a few spare ones.
 */
enum { SAMPLED = 16, MOST_OF_A_SAMPLE = 512, ATOMIC_SHARE = 10 };

/* begin, end and error probes wait for the reader and are not measured. */
static inline bool is_timed(const struct ust_ctx *c)
{
	return ust_program.overload_threshold && c->hit->mode != RT_ALONE;
}

/* True in contexts where nothing else can run: interrupts or preemption are disabled. */
static inline bool is_atomic(const struct ust_ctx *c)
{
	return c->hit->mode == RT_KERNEL || c->hit->mode == RT_ATOMIC ||
	       ctx_of((struct ust_ctx *)c)->port.locks;
}

/* A view may show arrays of many elements. */
u32 port_max_actions(const struct ust_ctx *c)
{
	const struct ust_probe *p = c->hit->probe;

	return max_actions[p && p->kind == UST_PROBE_MONITOR ? RT_ALONE : c->hit->mode];
}

u64 port_time_budget(const struct ust_ctx *c)
{
	if (!is_timed(c))
		return 0;
	return is_atomic(c) ? div_u64(ust_program.overload_threshold, ATOMIC_SHARE)
			    : ust_program.overload_threshold;
}

bool port_cycles_spent(struct ust_ctx *c, u64 now, u64 cycles)
{
	struct port_ctx *p = &ctx_of(c)->port;

	if (now - p->interval > ust_program.overload_interval) {
		p->interval = now;
		p->used = 0;
	}
	p->used += cycles;
	return p->used <= ust_program.overload_threshold;
}

/* A hit that was interrupted or slept counts at most MOST_OF_A_SAMPLE; a long one is counted by its
 * actions. */
static noinline void add_sample(struct ctx *x)
{
	u64 now = port_cycles(), took = now - x->port.began;
	u64 most = ust_program.overload_threshold / MOST_OF_A_SAMPLE;

	if (is_timed(&x->pub) && x->port.began &&
	    !port_cycles_spent(&x->pub, now, min(took, most) * SAMPLED))
		ctx_overload(&x->pub);
}

static inline bool is_sampled(const struct ctx *x) { return unlikely(!(x->port.hits % SAMPLED)); }

static noinline struct ust_ctx *start_sample(struct ctx *x)
{
	x->port.began = port_cycles();
	return &x->pub;
}

static inline struct ust_ctx *use(struct ctx *x, struct ust_hit *hit)
{
	ctx_reset(x, hit);
	x->checkpoint = first_check;
	x->port.hits++;
	return is_sampled(x) ? start_sample(x) : &x->pub;
}

/* Estimates, for --max-overhead: a uprobe traps, a kretprobe and a uretprobe twice as much; most
 * functions of the kernel are probed by ftrace; tracepoints are calls. */
u32 port_hit_cycles(const struct ust_hit *hit)
{
	enum {
		UPROBE = 3000,
		URETPROBE = 5000,
		KPROBE = 300,
		KRETPROBE = 900,
		TRACEPOINT = 60,
		WATCH = 5000
	};
	u32 flags = hit->site->flags;

	if (flags & (UST_SITE_TRACE | UST_SITE_SYSCALL))
		return TRACEPOINT;
	if (flags & UST_SITE_WATCH)
		return WATCH;
	if (flags & UST_SITE_KERNEL)
		return flags & UST_SITE_RETURN ? KRETPROBE : KPROBE;
	return flags & UST_SITE_RETURN ? URETPROBE : UPROBE;
}

/* ----------------------------------------------------------------- taking */

static inline bool take(struct ctx *x)
{
	return !READ_ONCE(x->port.busy) && !xchg(&x->port.busy, 1);
}

static struct ctx *take_any(void)
{
	u32 i;

	for (i = ncontexts; i-- > 0;)
		if (take(&contexts[i]))
			return &contexts[i];
	return NULL;
}

static noinline struct ctx *wait_for_one(const struct ust_hit *hit)
{
	unsigned long end = jiffies + LOCK_PATIENCE;
	struct ctx *x = take_any();

	while (!x && hit->mode != RT_ATOMIC && hit->mode != RT_KERNEL &&
	       !fatal_signal_pending(current) && (time_before(jiffies, end) || relay_stalled())) {
		schedule_timeout_killable(1);
		x = take_any();
	}
	return x;
}

static noinline void count_skipped(atomic64_t *count)
{
	atomic64_inc(count);
	if (atomic64_inc_return(&rt.skipped) != (u64)ust_program.maxskipped + 1)
		return;
	relay_message(UST_REC_ERROR, "too many skipped probes; MAXSKIPPED allows %u",
		      ust_program.maxskipped);
	port_exit(FAILURE_RUNTIME);
}

static noinline struct ust_ctx *enter_slowly(struct ust_hit *hit)
{
	struct ctx *x = wait_for_one(hit);

	if (!x) {
		count_skipped(&rt.skipped_context);
		return NULL;
	}
	return use(x, hit);
}

/* True for probes in the kernel, which may fire deep inside file systems or drivers; others start
 * on an empty kernel stack. */
static inline bool is_anywhere(const struct ust_hit *hit)
{
	return hit->mode == RT_KERNEL || hit->mode == RT_ATOMIC;
}

bool port_has_stack(const struct ust_ctx *c)
{
	return !is_anywhere(c->hit) || stack_has(STACK_NEED_DEEP);
}

static noinline struct ust_ctx *skip_for_stack(void)
{
	count_skipped(&rt.skipped_stack);
	return NULL;
}

static __always_inline struct ust_ctx *enter(struct ust_hit *hit)
{
	struct ctx *x = &contexts[raw_smp_processor_id()];

	return likely(take(x)) ? use(x, hit) : enter_slowly(hit);
}

static noinline struct ust_ctx *enter_anywhere(struct ust_hit *hit)
{
	bool deep = !hit->site || hit->site->flags & UST_SITE_DEEP;

	return likely(stack_has(deep ? STACK_NEED_DEEP : STACK_NEED)) ? enter(hit)
								      : skip_for_stack();
}

/* Prepare a hit and take a context. Only tail calls here: any other call would make every hit set
 * up a stack frame. */
struct ust_ctx *ust_enter(struct ust_hit *hit)
{
	return is_anywhere(hit) ? enter_anywhere(hit) : enter(hit);
}

/* ------------------------------------------------------------------ locks */

static inline arch_rwlock_t *lock_of(const struct ust_lockref *r)
{
	return &((struct port_glock *)r->g->impl)->lock;
}

void context_relock(struct ctx *x, const struct ust_lockset *ls)
{
	const struct ust_lockref *r = ls->v, *end = r + ls->n;

	if (unlikely(rt.irq)) {
		local_irq_save(x->port.irq_flags);
		guard_hold();
	} else {
		preempt_disable();
	}
	for (; r < end; r++)
		if (r->write)
			arch_write_lock(lock_of(r));
		else
			arch_read_lock(lock_of(r));
	x->port.locks = ls;
}

void context_unlock(struct ctx *x)
{
	const struct ust_lockset *ls = x->port.locks;
	u32 i;

	for (i = ls->n; i-- > 0;)
		if (ls->v[i].write)
			arch_write_unlock(lock_of(&ls->v[i]));
		else
			arch_read_unlock(lock_of(&ls->v[i]));
	x->port.locks = NULL;
	if (unlikely(rt.irq)) {
		guard_release();
		local_irq_restore(x->port.irq_flags);
	} else {
		preempt_enable();
	}
}

void ust_lock(struct ust_ctx *c, const struct ust_lockset *ls) { context_relock(ctx_of(c), ls); }

/* --------------------------------------------------------------- lossless */

/* A hit of staprun itself would wait for itself. */
static bool waits_for_reader(const struct ust_ctx *c)
{
	return c->hit->mode == RT_PROBE ? !relay_is_reader() : !is_anywhere(c->hit);
}

/* Locks on globals are spinning locks: they are released while this handler waits. */
bool port_write_lossless(struct ust_ctx *c, u32 type, const char *text, u32 len)
{
	struct ctx *x = ctx_of(c);
	const struct ust_lockset *held = x->port.locks;
	bool waits = waits_for_reader(c);

	if (likely(relay_try(type, text, len, !waits)) || !waits)
		return false;
	if (held)
		context_unlock(x);
	relay_wait(type, text, len);
	if (held)
		context_relock(x, held);
	return true;
}

/* ---------------------------------------------------------------- leaving */

u64 port_name_key(void) { return rt.name_key; }

void port_string_cut(void) { atomic64_inc(&rt.cut_strings); }

void ust_leave(struct ust_ctx *c)
{
	struct ctx *x = ctx_of(c);

	if (is_sampled(x))
		add_sample(x);
	if (unlikely(c->failed) && !x->now.aborted)
		ctx_report(x);
	if (ctx_printed(x) || unlikely(x->now.continued))
		ctx_flush(c, true);
	if (x->port.locks)
		context_unlock(x);
	if (unlikely(x->port.map))
		mm_unlock(x);
	smp_store_release(&x->port.busy, 0);
}

u64 port_count_error(void) { return atomic64_inc_return(&rt.errors); }

/* ----------------------------------------------------------------- making */

int context_init(void)
{
	u32 i;

	for (i = 0; i < RT_MODES; i++)
		max_actions[i] = ust_program.maxaction;
	max_actions[RT_ALONE] = ust_program.maxaction_interruptible;
	first_check = ctx_first_checkpoint(
		min(ust_program.maxaction, ust_program.maxaction_interruptible));
	ncontexts = nr_cpu_ids + SPARE_CONTEXTS;
	contexts = port_alloc(ncontexts * sizeof *contexts);
	if (!contexts)
		return -ENOMEM;
	for (i = 0; i < ncontexts; i++)
		if (!ctx_make(&contexts[i]))
			return -ENOMEM;
	return 0;
}

void context_exit(void)
{
	u32 i;

	for (i = 0; contexts && i < ncontexts; i++)
		ctx_free(&contexts[i]);
	port_free(contexts);
	contexts = NULL;
}
