/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes in the kernel: kprobes, kretprobes and tracepoints.
 *
 * Their handlers run wherever the kernel is: with interrupts off, under any of its locks, in interrupts, in an NMI.  So they
 * never sleep and never wait for what the interrupted code may hold: a hit inside of a critical section of ours, or of a
 * handler at the same level of interruption, is skipped and counted (guard.h).
 *
 * Sites of one symbol share a probe, which runs their handlers in order of the script.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/tracepoint.h>

#include "rt.h"
#include "guard.h"

struct kpoint {
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct tracepoint *tp;
	};
	const struct ust_site **sites;          /* N of them, in order of the script */
	u32 n;
	bool registered, refused, keeps, entered;
};

static const struct ust_site **sorted;
static struct kpoint *points;
static u32 npoints, ndropped;            /* dropped: what wildcards mean and cannot be probed */
static DEFINE_MUTEX(points_lock);        /* who registers: the loader, gates, modules that come and go */

/* ------------------------------------------------------------------- hits */

static __always_inline void run_handlers(const struct kpoint *p, struct ust_hit *hit)
{
	u32 i;

	for (i = 0; i < p->n && READ_ONCE(rt.armed); i++) {
		hit->site = p->sites[i];
		hit->site->handler(hit);
	}
}

static __always_inline void hit(const struct kpoint *p, struct pt_regs *regs, unsigned long addr)
{
	struct ust_hit h = {.regs = (struct ust_regs *)regs, .addr = addr, .mode = RT_KERNEL};
	int level;

	if (unlikely(!READ_ONCE(rt.armed)))
		return;
	level = guard_enter();
	if (unlikely(level < 0)) {
		atomic64_inc(&rt.skipped_nested);
		return;
	}
	run_handlers(p, &h);
	guard_leave(level);
}

static int on_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	hit(container_of(kp, struct kpoint, kp), regs, (unsigned long)kp->addr);
	return 0;
}
NOKPROBE_SYMBOL(on_kprobe);

/* What the sites of P keep from the entry, in the instance: run what sets it, or what finds it at the return.  False: it
 * was skipped. */
static noinline bool run_with_kept(const struct kpoint *p, struct kretprobe_instance *ri, struct pt_regs *regs, bool at_entry)
{
	struct ust_hit h = {.regs = (struct ust_regs *)regs, .addr = (unsigned long)p->rp.kp.addr, .mode = RT_KERNEL};
	int level = guard_enter();
	u32 i;

	if (level < 0) {
		atomic64_inc(&rt.skipped_nested);
		return false;
	}
	for (i = 0; i < p->n && READ_ONCE(rt.armed); i++) {
		ust_handler run = at_entry ? p->sites[i]->entry : p->sites[i]->handler;

		h.site = p->sites[i];
		h.saved = (ust_long *)ri->data + h.site->saved;
		if (run)
			run(&h);
	}
	guard_leave(level);
	return true;
}

/* Calls that are not to be hit get no return: non-zero. */
static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kpoint *p = container_of(compat_kretprobe(ri), struct kpoint, rp);

	if (unlikely(!READ_ONCE(rt.armed)))
		return 1;
	if (unlikely(!READ_ONCE(p->entered)))
		WRITE_ONCE(p->entered, true);
	if (!p->keeps)
		return 0;
	memset(ri->data, 0, p->rp.data_size);
	return !run_with_kept(p, ri, regs, true);
}
NOKPROBE_SYMBOL(on_entry);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kpoint *p = container_of(compat_kretprobe(ri), struct kpoint, rp);

	compat_returned_to(ri, regs);
	if (p->keeps && READ_ONCE(rt.armed))
		run_with_kept(p, ri, regs, false);
	else
		hit(p, regs, (unsigned long)p->rp.kp.addr);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

/* Tracepoints have up to twelve arguments, as many as the kernel's BPF takes.  The handler finds them where those of a
 * function would be; the others are read as from its stack, above a return address. */
static void on_trace(void *data, unsigned long a0, unsigned long a1, unsigned long a2, unsigned long a3, unsigned long a4,
		     unsigned long a5, unsigned long a6, unsigned long a7, unsigned long a8, unsigned long a9,
		     unsigned long a10, unsigned long a11)
{
	unsigned long stack[] = {0, a6, a7, a8, a9, a10, a11};
	struct pt_regs regs = {.di = a0, .si = a1, .dx = a2, .cx = a3, .r8 = a4, .r9 = a5, .sp = (unsigned long)stack};

	preempt_disable_notrace();
	hit(data, &regs, 0);
	preempt_enable_notrace();
}

/* ----------------------------------------------------------------- points */

static bool in_kernel(const struct ust_site *s) { return s->flags & UST_SITE_KERNEL; }

/* Bytes behind the symbol; tracepoints have something else there. */
static u64 behind(const struct ust_site *s) { return s->flags & UST_SITE_TRACE ? 0 : s->offset; }

/* By what is probed, entry before return, order of the script. */
static int by_symbol(const void *a, const void *b)
{
	const u32 kinds = UST_SITE_RETURN | UST_SITE_TRACE;
	const struct ust_site *s = *(const struct ust_site *const *)a;
	const struct ust_site *t = *(const struct ust_site *const *)b;
	int order = strcmp(s->symbol, t->symbol);

	if (order)
		return order;
	if (behind(s) != behind(t))
		return behind(s) < behind(t) ? -1 : 1;
	if ((s->flags ^ t->flags) & kinds)
		return (s->flags & kinds) < (t->flags & kinds) ? -1 : 1;
	return s < t ? -1 : s > t;
}

static bool same_point(const struct ust_site *s, const struct ust_site *t)
{
	return !strcmp(s->symbol, t->symbol) && behind(s) == behind(t) && !((s->flags ^ t->flags) & (UST_SITE_RETURN | UST_SITE_TRACE));
}

static void make_points(void)
{
	u32 n = 0, i;

	for (i = 0; i < ust_program.nsites; i++)
		if (in_kernel(&ust_program.sites[i]))
			sorted[n++] = &ust_program.sites[i];
	sort(sorted, n, sizeof *sorted, by_symbol, NULL);
	for (i = 0; i < n; i++) {
		if (!npoints || !same_point(points[npoints - 1].sites[0], sorted[i]))
			points[npoints++].sites = &sorted[i];
		points[npoints - 1].n++;
		points[npoints - 1].keeps |= !!sorted[i]->entry;
	}
}

static bool is_open(const struct kpoint *p) { return gates_open_any(p->sites, p->n); }

/* Is it in a module, MODULE:SYMBOL, and not in the kernel itself? */
static bool in_module(const struct kpoint *p) { return strchr(p->sites[0]->symbol, ':'); }

bool kprobe_some_closed(void)
{
	u32 i;

	for (i = 0; i < npoints; i++)
		if (!is_open(&points[i]) || in_module(&points[i]) || points[i].sites[0]->flags & UST_SITE_ANY)
			return true;
	return false;
}

/* ------------------------------------------------------------ one of them */

struct search { const char *name; struct tracepoint *tp; };

static void match_tracepoint(struct tracepoint *tp, void *arg)
{
	struct search *s = arg;

	if (!strcmp(tp->name, s->name))
		s->tp = tp;
}

static int register_trace(struct kpoint *p)
{
	struct search s = {p->sites[0]->symbol};

	if (!in_module(p)) {             /* else kmodule.c says when it is there */
		for_each_kernel_tracepoint(match_tracepoint, &s);
		p->tp = s.tp;
	}
	return p->tp ? tracepoint_probe_register(p->tp, on_trace, p) : -ENOENT;
}

static int max_active(const struct kpoint *p)
{
	int most = 0;
	u32 i;

	for (i = 0; i < p->n; i++)
		most = max_t(int, most, p->sites[i]->maxactive);
	return most;
}

static int register_one(struct kpoint *p)
{
	const struct ust_site *s = p->sites[0];

	if (s->flags & UST_SITE_TRACE)
		return register_trace(p);
	if (s->flags & UST_SITE_RETURN) {
		p->rp = (struct kretprobe){.kp.symbol_name = s->symbol, .kp.offset = s->offset, .handler = on_return, .entry_handler = on_entry,
					   .maxactive = max_active(p),
					   .data_size = p->keeps ? ust_program.saved_words * sizeof(ust_long) : 0};
		return register_kretprobe(&p->rp);
	}
	p->kp = (struct kprobe){.symbol_name = s->symbol, .offset = s->offset, .pre_handler = on_kprobe};
	return register_kprobe(&p->kp);
}

static const char *reason(int err)
{
	return err == -ENOENT ? "this kernel has no such symbol"
	       : err == -EINVAL ? "the kernel protects it; see /sys/kernel/debug/kprobes/blacklist" : "an error";
}

static void refused(struct kpoint *p, int err)
{
	p->refused = true;
	rt.unplaced += p->n;
	if (p->sites[0]->flags & UST_SITE_ANY)
		ndropped++;
	else
		relay_message(UST_REC_WARN, "probe %s cannot be placed: %s (%d)", p->sites[0]->pp, reason(err), err);
}

/* ABSENT: its module may not be there. */
static void register_point(struct kpoint *p, bool absent)
{
	int err = register_one(p);

	if (!err) {
		p->registered = true;
		rt.sites += p->n;
	} else if (!absent || err != -ENOENT) {
		refused(p, err);
	}
}

/* What P has missed, which the kernel counts. */
static void unregistered(struct kpoint *p)
{
	u32 flags = p->sites[0]->flags;

	if (flags & UST_SITE_RETURN) {
		atomic64_add(p->rp.nmissed, &rt.missed_returns);
		atomic64_add(p->rp.kp.nmissed, &rt.skipped_nested);
	} else if (!(flags & UST_SITE_TRACE)) {
		atomic64_add(p->kp.nmissed, &rt.skipped_nested);
	}
	p->registered = false;
	rt.sites -= p->n;
}

/* The kernel waits for all of its processors once, however many there are. */
static void unregister_points(struct kpoint **v, u32 n)
{
	void **all = kvmalloc_array(2 * n, sizeof *all, GFP_KERNEL);
	u32 calls = 0, returns = 0, i;

	for (i = 0; i < n; i++) {
		struct kpoint *p = v[i];
		u32 flags = p->sites[0]->flags;

		if (flags & UST_SITE_TRACE)
			tracepoint_probe_unregister(p->tp, on_trace, p);
		else if (!all && flags & UST_SITE_RETURN)
			unregister_kretprobe(&p->rp);
		else if (!all)
			unregister_kprobe(&p->kp);
		else if (flags & UST_SITE_RETURN)
			all[n + returns++] = &p->rp;
		else
			all[calls++] = &p->kp;
	}
	if (calls)
		unregister_kprobes((struct kprobe **)all, calls);
	if (returns)
		unregister_kretprobes((struct kretprobe **)all + n, returns);
	kvfree(all);
	for (i = 0; i < n; i++)
		unregistered(v[i]);
}

/* ------------------------------------------------------------ all of them */

static bool wanted(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites; i++)
		if (in_kernel(&ust_program.sites[i]))
			return true;
	return false;
}

static int make_all(void)
{
	sorted = kvcalloc(ust_program.nsites, sizeof *sorted, GFP_KERNEL);
	points = kvcalloc(ust_program.nsites, sizeof *points, GFP_KERNEL);
	if (!sorted || !points)
		return -ENOMEM;
	make_points();
	return 0;
}

static int register_points(void)
{
	u32 i;

	for (i = 0; i < npoints; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (is_open(&points[i]) && !points[i].registered)
			register_point(&points[i], in_module(&points[i]));
		cond_resched();
	}
	if (ndropped)
		relay_message(UST_REC_WARN, "%u of %u functions that wildcards or points with ? name cannot be probed: the kernel protects them, or lacks them",
			      ndropped, npoints);
	return 0;
}

int kprobe_register_all(void)
{
	bool modules = false;
	int err;
	u32 i;

	if (!wanted())
		return 0;
	err = make_all();
	for (i = 0; i < npoints; i++)
		modules |= in_module(&points[i]);
	if (!err && modules)
		err = kmodule_watch();
	if (err)
		return err;
	mutex_lock(&points_lock);
	err = register_points();
	mutex_unlock(&points_lock);
	return err;
}

/* All that are registered, or only those that are behind closed gates. */
static void unregister_some(bool closed_only)
{
	struct kpoint **v = kvmalloc_array(npoints, sizeof *v, GFP_KERNEL);
	u32 n = 0, i;

	for (i = 0; i < npoints; i++) {
		struct kpoint *p = &points[i];

		if (!p->registered || (closed_only && is_open(p)))
			continue;
		if (v)
			v[n++] = p;
		else
			unregister_points(&p, 1);
	}
	if (n)
		unregister_points(v, n);
	kvfree(v);
}

void kprobe_refresh(void)
{
	u32 i;

	if (!npoints)
		return;
	mutex_lock(&points_lock);
	unregister_some(true);
	for (i = 0; i < npoints; i++)
		if (!points[i].registered && !points[i].refused && is_open(&points[i])) {
			register_point(&points[i], in_module(&points[i]));
			cond_resched();
		}
	mutex_unlock(&points_lock);
}

/* ---------------------------------------------------------------- modules */

static bool is_of(const struct kpoint *p, const char *module)
{
	const char *colon = strchr(p->sites[0]->symbol, ':');
	size_t n = colon - p->sites[0]->symbol;

	return colon && strlen(module) == n && !memcmp(module, p->sites[0]->symbol, n);
}

static bool is_trace(const struct kpoint *p) { return p->sites[0]->flags & UST_SITE_TRACE; }

void kprobe_module_comes(const char *name)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++)
		if (is_of(&points[i], name) && !is_trace(&points[i]) && !points[i].registered && !points[i].refused &&
		    is_open(&points[i]))
			register_point(&points[i], false);
	mutex_unlock(&points_lock);
}

void kprobe_module_goes(const char *name)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++) {
		struct kpoint *p = &points[i];

		if (p->registered && is_of(p, name) && !is_trace(p))
			unregister_points(&p, 1);
	}
	mutex_unlock(&points_lock);
}

void kprobe_tracepoint_comes(const char *module, struct tracepoint *tp)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++) {
		struct kpoint *p = &points[i];

		if (!is_trace(p) || !is_of(p, module) || strcmp(strchr(p->sites[0]->symbol, ':') + 1, tp->name))
			continue;
		p->tp = tp;
		if (!p->registered && !p->refused && is_open(p))
			register_point(p, false);
	}
	mutex_unlock(&points_lock);
}

void kprobe_tracepoint_goes(const struct tracepoint *tp)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++) {
		struct kpoint *p = &points[i];

		if (!is_trace(p) || p->tp != tp)
			continue;
		if (p->registered)
			unregister_points(&p, 1);
		p->tp = NULL;
	}
	mutex_unlock(&points_lock);
}

/* ------------------------------------------------------------- at the end */

static void note_point(const struct kpoint *p)
{
	u32 flags = (p->registered ? UST_COUNT_PLACED | UST_COUNT_MAPPED : 0) | (p->refused ? UST_COUNT_FAILED : 0) |
		    (p->entered ? UST_COUNT_ENTERED : 0);
	u32 i;

	for (i = 0; i < p->n; i++)
		counts_note(p->sites[i] - ust_program.sites, flags);
}

void kprobe_unregister_all(void)
{
	u32 i;

	kmodule_unwatch();
	if (!points)
		return;
	for (i = 0; i < npoints && counts_on(); i++)
		note_point(&points[i]);
	if (npoints)
		unregister_some(false);
	tracepoint_synchronize_unregister();
	npoints = 0;
	kvfree(points);
	kvfree(sorted);
	points = NULL;
	sorted = NULL;
}
