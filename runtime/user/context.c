/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts: one for each handler that runs at the same time, in memory that all processes
 * share.  A handler first tries the one of its CPU, then any, and takes back those of threads
 * that have died.  A thread has at most one: a handler that is interrupted by a signal whose own
 * handler is probed would otherwise wait for itself; the inner hit is skipped and counted.
 */
#include <asm/unistd.h>
#include <linux/time_types.h>

#include "user.h"

#define SPARE_CONTEXTS 64
/* How often a handler that finds no context sleeps a millisecond before its hit is skipped. */
#define PATIENCE 2000
/* Handlers in the loader hold nobody up and may run longer. */
#define LONG_ACTIONS 10
/* What can be counted with room to spare. */
#define MOST_ACTIONS (UINT32_MAX / 2)

/* Threads that are in a handler, by their id; each note has a cache line of its own. */
enum { NOTES = 256, NOTE_TRIES = 4 };
struct note { u32 tid; u32 pad[15]; };

static struct ctx *contexts;
static struct note *notes;
static u32 ncontexts;
static u32 max_actions[MODES];

/* ----------------------------------------------------------------- taking */

static inline bool take(struct ctx *x, u32 tid)
{
	u32 none = 0;

	return !READ_ONCE(x->port.busy) && __atomic_compare_exchange_n(&x->port.busy, &none, tid, false,
								       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static struct ctx *take_any(u32 tid)
{
	u32 i;

	for (i = ncontexts; i-- > 0;)
		if (take(&contexts[i], tid))
			return &contexts[i];
	return NULL;
}

/* Of a thread that was killed in a handler. */
static struct ctx *take_back(u32 tid)
{
	u32 i;

	for (i = 0; i < ncontexts; i++)
		if (owner_steal(&contexts[i].port.busy, tid)) {
			contexts[i].port.locks = NULL;
			return &contexts[i];
		}
	return NULL;
}

static noinline struct ctx *wait_for_one(u32 tid)
{
	const struct __kernel_timespec t = {0, 1000000};
	struct ctx *x = take_any(tid);
	u32 i;

	if (!x)
		x = take_back(tid);
	for (i = 0; !x && i < PATIENCE && !(process.flags & UST_PROCESS_NO_SYSCALLS); i++) {
		system_call(__NR_nanosleep, (long)&t, 0, 0, 0, 0, 0);
		x = take_any(tid);
	}
	return x;
}

/* ------------------------------------------------------------------ notes */

static inline bool note(u32 *at, u32 tid)
{
	u32 none = 0;

	return __atomic_compare_exchange_n(at, &none, tid, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Where it is noted now that this thread is in a handler; NULL: it was already. */
static u32 *enter_note(u32 tid)
{
	static u32 unnoted;
	u32 i, *at;

	for (i = 0; i < NOTE_TRIES; i++) {
		at = &notes[(tid + i) % NOTES].tid;
		if (READ_ONCE(*at) == tid)
			return NULL;
	}
	for (i = 0; i < NOTE_TRIES; i++) {
		at = &notes[(tid + i) % NOTES].tid;
		if (note(at, tid) || owner_steal(at, tid))
			return at;
	}
	return &unnoted;
}

/* ---------------------------------------------------------------- entering */

static noinline void count_skipped(u64 *which)
{
	static const char before[] = "too many skipped probes; MAXSKIPPED allows ";
	char text[80];
	u64 n = __atomic_add_fetch(which, 1, __ATOMIC_RELAXED);
	u32 len = sizeof before - 1;

	if (which != (u64 *)&agent.status.skipped_context || n != (u64)ust_program.maxskipped + 1)
		return;
	memcpy(text, before, len);
	len += fmt_decimal(text + len, ust_program.maxskipped);
	ring_write(UST_REC_ERROR, text, len, false);
	request_exit(true);
}

struct ust_ctx *ust_enter(struct ust_hit *hit)
{
	u32 tid = identity_tid(), *inside = enter_note(tid);
	struct ctx *x;

	if (unlikely(!inside)) {
		count_skipped((u64 *)&agent.status.skipped_nested);
		return NULL;
	}
	x = &contexts[arch_cpu()];
	if (unlikely(!take(x, tid)))
		x = wait_for_one(tid);
	if (unlikely(!x)) {
		WRITE_ONCE(*inside, 0);
		count_skipped((u64 *)&agent.status.skipped_context);
		return NULL;
	}
	ctx_reset(x, hit);
	x->port.inside = inside;
	x->max_actions = max_actions[hit->mode];
	return &x->pub;
}

/* ------------------------------------------------------------------ locks */

void ust_lock(struct ust_ctx *c, const struct ust_lockset *ls)
{
	const struct ust_lockref *r = ls->v, *end = r + ls->n;
	struct ctx *x = ctx_of(c);

	for (; r < end; r++)
		owner_lock(&((struct port_glock *)r->g->impl)->owner, x->port.busy);
	x->port.locks = ls;
}

static void unlock(struct ctx *x)
{
	const struct ust_lockset *ls = x->port.locks;
	u32 i;

	for (i = ls->n; i-- > 0;)
		owner_unlock(&((struct port_glock *)ls->v[i].g->impl)->owner);
	x->port.locks = NULL;
}

/* ---------------------------------------------------------------- leaving */

void port_flush(struct ust_ctx *c)
{
	ring_write(UST_REC_OUT, c->out.base, c->out.p - c->out.base, c->hit->mode == MODE_ALONE);
	c->out.p = c->out.base;
}

/* The message takes the place of the output in its buffer. */
static noinline void report_error(struct ctx *x)
{
	struct ust_out *o = &x->pub.out;
	u64 n;
	u32 len;

	if (o->p != o->base)
		port_flush(&x->pub);
	len = ctx_message(x, o->base, o->end - o->base);
	ring_write(UST_REC_ERROR, o->base, len, x->pub.hit->mode == MODE_ALONE);
	n = __atomic_add_fetch(&agent.status.errors, 1, __ATOMIC_RELAXED);
	if (n > ust_program.maxerrors || x->fatal)
		request_exit(true);
}

void ust_leave(struct ust_ctx *c)
{
	struct ctx *x = ctx_of(c);
	u32 *inside = x->port.inside;

	if (unlikely(c->failed))
		report_error(x);
	if (c->out.p != c->out.base)
		port_flush(c);
	if (x->port.locks)
		unlock(x);
	smp_store_release(&x->port.busy, 0);
	WRITE_ONCE(*inside, 0);
}

void ust_warn(struct ust_ctx *c, const char *text)
{
	if (c->out.p != c->out.base)
		port_flush(c);
	ring_write(UST_REC_WARN, text, strlen(text), c->hit->mode == MODE_ALONE);
}

void ust_exit(struct ust_ctx *c)
{
	(void)c;
	request_exit(false);
}

/* ----------------------------------------------------------------- making */

static bool make_one(struct ctx *x)
{
	struct ust_ctx *c = &x->pub;

	c->out.c = c;
	c->out.base = heap_alloc(OUT_SIZE);
	x->error = heap_alloc(string_size);
	x->frames = heap_alloc(ust_program.frame_size + 1);
	if (!c->out.base || !x->error || !x->frames)
		return false;
	c->out.end = c->out.base + OUT_SIZE;
	c->frame_end = x->frames + ust_program.frame_size;
	return true;
}

bool contexts_init(void)
{
	u64 most = (u64)ust_program.maxaction * LONG_ACTIONS;
	u32 i;

	for (i = 0; i < MODES; i++)
		max_actions[i] = ust_program.maxaction;
	max_actions[MODE_ALONE] = most < MOST_ACTIONS ? most : MOST_ACTIONS;
	ncontexts = agent.ncpu + SPARE_CONTEXTS;
	contexts = heap_alloc(ncontexts * sizeof *contexts);
	notes = heap_alloc(NOTES * sizeof *notes);
	for (i = 0; contexts && notes && i < ncontexts; i++)
		if (!make_one(&contexts[i]))
			return false;
	return contexts && notes;
}
