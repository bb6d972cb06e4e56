/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes in the kernel: kprobes, kretprobes and tracepoints.
 *
 * Their handlers run in any kernel context: with interrupts disabled, under any lock, in
 * interrupts, in an NMI. So they never sleep and never wait for anything that the interrupted code
 * may hold: a hit inside a critical section of the runtime, or inside a handler at the same level
 * of interruption, is skipped and counted (reentry_guard.h).
 *
 * Sites of one symbol share a probe, which runs their handlers in script order.
 */
#include <linux/bsearch.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "error_text.h"
#include "probes/kprobe.h"
#include "wire_records.h"
#include "probes/probes.h"

static const struct ust_site **sorted;
static struct kprobe_point *points;
static u32 npoints, ndropped;     /* ndropped: functions matched by wildcards that cannot be
				   * probed */
static DEFINE_MUTEX(points_lock); /* held while probes are registered: by the loader, gates,
				   * module notifiers */

/* ------------------------------------------------------------------- hits */

noinline void kprobe_point_run_others(const struct kprobe_point *p, struct ust_hit *h)
{
	u32 i;

	for (i = 1; i < p->n && READ_ONCE(rt.armed); i++) {
		h->site = p->sites[i];
		h->site->handler(h);
	}
}

static int on_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	kprobe_point_hit(container_of(kp, struct kprobe_point, kp), regs);
	return 0;
}
NOKPROBE_SYMBOL(on_kprobe);

/* Run the code that saves entry values of P's sites, or the code that uses them at the return. */
static void run_with_kept(const struct kprobe_point *p, ust_long *kept, struct pt_regs *regs,
			  bool at_entry)
{
	struct ust_hit h port_uncleared;
	u32 i;

	kprobe_point_init_hit(p, &h, regs);
	for (i = 0; i < p->n && READ_ONCE(rt.armed); i++) {
		ust_handler run = at_entry ? p->sites[i]->entry : p->sites[i]->handler;

		h.site = p->sites[i];
		h.saved = kept + h.site->saved;
		if (run)
			run(&h);
	}
}

static noinline bool guard_with_kept(const struct kprobe_point *p, ust_long *kept,
				     struct pt_regs *regs, bool at_entry)
{
	int level = guard_try();

	if (level < 0)
		return false;
	run_with_kept(p, kept, regs, at_entry);
	guard_leave(level);
	return true;
}

int kprobe_point_entered(struct kprobe_point *p, ust_long *kept, struct pt_regs *regs, bool guarded)
{
	if (unlikely(!READ_ONCE(rt.armed)))
		return 1;
	if (unlikely(!READ_ONCE(p->entered)))
		WRITE_ONCE(p->entered, true);
	if (!p->keeps)
		return 0;
	memset(kept, 0, ust_program.saved_words * sizeof *kept);
	if (!guarded)
		return !guard_with_kept(p, kept, regs, true);
	run_with_kept(p, kept, regs, true);
	return 0;
}
NOKPROBE_SYMBOL(kprobe_point_entered);

void kprobe_point_returned(const struct kprobe_point *p, ust_long *kept, struct pt_regs *regs)
{
	if (p->keeps && READ_ONCE(rt.armed))
		guard_with_kept(p, kept, regs, false);
	else
		kprobe_point_hit(p, regs);
}
NOKPROBE_SYMBOL(kprobe_point_returned);

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return kprobe_point_enter(container_of(compat_kretprobe(ri), struct kprobe_point, rp),
				  (ust_long *)ri->data, regs, false);
}
NOKPROBE_SYMBOL(on_entry);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	compat_returned_to(ri, regs);
	kprobe_point_returned(container_of(compat_kretprobe(ri), struct kprobe_point, rp),
			      (ust_long *)ri->data, regs);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

/* Tracepoints have at most twelve arguments, as many as the kernel's BPF supports: five in
 * registers, after the data word, the others on the stack. No more may be read there than exist,
 * because an interrupt's stack ends right above. The handler finds the arguments where those of a
 * function would be. */
enum { TRACE_REGS = 5, TRACE_MOST = 12 };

static __always_inline void trace_hit(const struct kprobe_point *p, struct pt_regs *regs)
{
	preempt_disable_notrace();
	kprobe_point_hit(p, regs);
	preempt_enable_notrace();
}

static void on_trace(void *data, unsigned long a0, unsigned long a1, unsigned long a2,
		     unsigned long a3, unsigned long a4)
{
	const unsigned long a[ARCH_ARGS] = {a0, a1, a2, a3, a4};
	struct pt_regs regs = {};

	arch_set_args(&regs, a);
	trace_hit(data, &regs);
}

/* The sixth argument is in the slot of the return address, where a function's stack begins. */
static void on_long_trace(void *data, ...)
{
	const struct kprobe_point *p = data;
	unsigned long a[TRACE_MOST] = {0};
	struct pt_regs regs = {.sp = (unsigned long)&a[TRACE_REGS]};
	va_list ap;
	u32 i;

	va_start(ap, data);
	for (i = 0; i < p->sites[0]->offset && i < TRACE_MOST; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	arch_set_args(&regs, a);
	trace_hit(p, &regs);
}

static void *trace_probe(const struct kprobe_point *p)
{
	return p->sites[0]->offset > TRACE_REGS ? (void *)on_long_trace : (void *)on_trace;
}

/* ----------------------------------------------------------------- points */

static bool in_kernel(const struct ust_site *s) { return s->flags & UST_SITE_KERNEL; }

/* Offset from the symbol in bytes; tracepoints store the number of their arguments there. */
static u64 behind(const struct ust_site *s) { return s->flags & UST_SITE_TRACE ? 0 : s->offset; }

/* Order: symbol, entry before return, script order. */
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
	return !strcmp(s->symbol, t->symbol) && behind(s) == behind(t) &&
	       !((s->flags ^ t->flags) & (UST_SITE_RETURN | UST_SITE_TRACE));
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
		if (!strncmp(sorted[i]->symbol, "0x", 2)) /* the symbol is an address */
			points[npoints - 1].addr = simple_strtoull(sorted[i]->symbol, NULL, 16);
		points[npoints - 1].keeps |= !!sorted[i]->entry;
	}
}

static bool is_open(const struct kprobe_point *p) { return gates_open_any(p->sites, p->n); }

/* True for MODULE:SYMBOL, a symbol of a module and not of the kernel proper. */
static bool in_module(const struct kprobe_point *p) { return strchr(p->sites[0]->symbol, ':'); }

bool kprobe_some_closed(void)
{
	u32 i;

	for (i = 0; i < npoints; i++)
		if (!is_open(&points[i]) || in_module(&points[i]) ||
		    points[i].sites[0]->flags & UST_SITE_ANY)
			return true;
	return false;
}

/* ------------------------------------------------------------ one of them */

struct search {
	const char *name;
	struct tracepoint *tp;
};

static void match_tracepoint(struct tracepoint *tp, void *arg)
{
	struct search *s = arg;

	if (!strcmp(tp->name, s->name))
		s->tp = tp;
}

static int register_trace(struct kprobe_point *p)
{
	struct search s = {p->sites[0]->symbol};

	if (!in_module(p)) { /* if the module is missing, module_probes.c reports when it is
			      * loaded */
		for_each_kernel_tracepoint(match_tracepoint, &s);
		p->tp = s.tp;
	}
	return p->tp ? tracepoint_probe_register(p->tp, trace_probe(p), p) : -ENOENT;
}

static int max_active(const struct kprobe_point *p)
{
	int most = 0;
	u32 i;

	for (i = 0; i < p->n; i++)
		most = max_t(int, most, p->sites[i]->maxactive);
	return most ? most : kprobe_point_maxactive(npoints);
}

/* Set the address if it is known, so that the kernel need not look it up; symbols of modules are
 * looked up. */
static void set_place(const struct kprobe_point *p, struct kprobe *kp)
{
	const char *symbol = p->sites[0]->symbol;

	if (p->addr && !strchr(symbol, ':')) {
		kp->addr = (void *)p->addr;
	} else {
		kp->symbol_name = p->clone ?: symbol;
		kp->offset = p->sites[0]->offset;
	}
	kp->flags = KPROBE_FLAG_DISABLED;
}

/* Register disabled: the kernel's kprobe optimizer, which keeps others waiting, starts once all are
 * registered. */
static int register_disabled(struct kprobe_point *p)
{
	int err;

	if (kprobe_point_is_return(p)) {
		p->rp = (struct kretprobe){
			.handler = on_return,
			.maxactive = max_active(p),
			.entry_handler = p->keeps || counts_on() ? on_entry : NULL,
			.data_size = p->keeps ? ust_program.saved_words * sizeof(ust_long) : 0};
		set_place(p, &p->rp.kp);
		err = register_kretprobe(&p->rp);
		if (!err)
			p->addr = (unsigned long)p->rp.kp.addr;
		return err;
	}
	p->kp = (struct kprobe){.pre_handler = on_kprobe};
	set_place(p, &p->kp);
	err = register_kprobe(&p->kp);
	if (!err)
		p->addr = (unsigned long)p->kp.addr;
	return err;
}

static int enable(struct kprobe_point *p)
{
	return kprobe_point_is_return(p) ? enable_kretprobe(&p->rp) : enable_kprobe(&p->kp);
}

static const char *kprobe_error(int err)
{
	return err == -ENOENT ? "the kernel has no symbol of that name"
	       : err == -EINVAL || err == -EILSEQ
		       ? "the kernel protects it; see /sys/kernel/debug/kprobes/blacklist"
		       : error_text(err);
}

/* Report ERR for the sites of P from FIRST on, which share it; a required site is reported by
 * name. */
static void refuse_from(struct kprobe_point *p, u32 first, int err)
{
	u32 i = first;

	rt.unplaced += p->n - first;
	while (i < p->n && p->sites[i]->flags & UST_SITE_ANY)
		i++;
	if (i == p->n)
		ndropped++;
	else if (p->clone)
		relay_message(UST_REC_WARN,
			      "probe %s cannot be armed: only the optimised clone %s exists; its "
			      "parameters may differ",
			      p->sites[i]->pp, p->clone);
	else
		relay_message(UST_REC_WARN, "probe %s cannot be armed: %s (%d)", p->sites[i]->pp,
			      kprobe_error(err), err);
}

static void refuse(struct kprobe_point *p, int err)
{
	p->refused = true;
	refuse_from(p, 0, err);
}

/* Add the missed hits of P, which the kernel counts. */
static void unregistered(struct kprobe_point *p)
{
	if (p->many || kprobe_point_is_tracepoint(p)) {
		;
	} else if (kprobe_point_is_return(p)) {
		atomic64_add(p->rp.nmissed, &rt.missed_returns);
		atomic64_add(p->rp.kp.nmissed, &rt.skipped_nested);
	} else {
		atomic64_add(p->kp.nmissed, &rt.skipped_nested);
	}
	p->registered = false;
	rt.sites -= p->n;
}

/* Unregister N points; the kernel waits for an RCU grace period once for all of them. */
static void unregister_points(struct kprobe_point **v, u32 n)
{
	void **all = kvmalloc_array(2 * n, sizeof *all, GFP_KERNEL);
	u32 calls = 0, returns = 0, i;

	for (i = 0; i < n; i++) {
		struct kprobe_point *p = v[i];

		if (p->many)
			continue;
		if (kprobe_point_is_tracepoint(p))
			tracepoint_probe_unregister(p->tp, trace_probe(p), p);
		else if (!all && kprobe_point_is_return(p))
			unregister_kretprobe(&p->rp);
		else if (!all)
			unregister_kprobe(&p->kp);
		else if (kprobe_point_is_return(p))
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

static bool has_kernel_sites(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites; i++)
		if (in_kernel(&ust_program.sites[i]))
			return true;
	return false;
}

/* Number of kernel symbols if they are worth looking up in bulk from /proc/kallsyms; see
 * ftrace_bulk.c. */
u32 kprobe_symbols(void)
{
	u32 n = 0, i;

	for (i = 0; i < ust_program.nsites; i++)
		n += in_kernel(&ust_program.sites[i]) &&
		     !(ust_program.sites[i].flags & UST_SITE_TRACE);
	return n < FTRACE_BULK_MIN ? 0 : n;
}

static void drop_all(void)
{
	while (npoints)
		symbol_variant_forget(&points[--npoints]);
	kvfree(points);
	kvfree(sorted);
	points = NULL;
	sorted = NULL;
}

static int make_all(void)
{
	if (points || !has_kernel_sites())
		return 0;
	sorted = kvcalloc(ust_program.nsites, sizeof *sorted, GFP_KERNEL);
	points = kvcalloc(ust_program.nsites, sizeof *points, GFP_KERNEL);
	if (!sorted || !points) {
		drop_all();
		return -ENOMEM;
	}
	make_points();
	return 0;
}

int kprobe_read_symbols(char *text)
{
	int err = make_all();
	char *line;

	while (!err && (line = strsep(&text, "\n")))
		ftrace_bulk_symbol(line);
	return err;
}

static int symbol_order(const void *key, const void *elem)
{
	return strcmp(key, ((const struct kprobe_point *)elem)->sites[0]->symbol);
}

struct kprobe_point *kprobe_point_by_symbol(const char *symbol, struct kprobe_point **end)
{
	struct kprobe_point *p = bsearch(symbol, points, npoints, sizeof *points, symbol_order);

	if (!p)
		return NULL;
	for (*end = p + 1; *end < points + npoints && !symbol_order(symbol, *end); ++*end)
		;
	while (p > points && !symbol_order(symbol, p - 1))
		p--;
	return p;
}

/* P is at a clone of its function: drop the sites that need the function itself. */
static void keep_takers(struct kprobe_point *p)
{
	u32 n = symbol_variant_count(p), i;

	if (!n) {
		unregister_points(&p, 1);
		refuse(p, 0);
		return;
	}
	refuse_from(p, n, 0);
	rt.sites -= p->n - n;
	for (i = n; i < p->n; i++)
		counts_note(p->sites[i] - ust_program.sites, UST_COUNT_FAILED);
	p->n = n;
}

static int register_function(struct kprobe_point *p)
{
	int err;

	if (in_module(p))
		symbol_variant_forget(p); /* the clone may be a different one this time */
	err = register_disabled(p);
	return err == -ENOENT ? symbol_variant_register(p, register_disabled) : err;
}

/* ABSENT: the module of the point may not be loaded. */
static void register_point(struct kprobe_point *p, bool absent)
{
	int err = p->many                         ? 0
		  : kprobe_point_is_tracepoint(p) ? register_trace(p)
						  : register_function(p);

	if (!err) {
		p->registered = true;
		rt.sites += p->n;
		if (p->clone && !symbol_variant_fits(p))
			keep_takers(p);
	} else if (!absent || err != -ENOENT) {
		refuse(p, err);
	}
}

static void enable_point(struct kprobe_point *p)
{
	int err;

	if (!p->registered || p->many || kprobe_point_is_tracepoint(p) ||
	    !kprobe_disabled(kprobe_point_is_return(p) ? &p->rp.kp : &p->kp))
		return;
	err = enable(p);
	if (err) {
		unregister_points(&p, 1);
		refuse(p, err);
	}
}

/* Register one by one the points that could not be armed in bulk. */
static void part_many(void)
{
	u32 i;

	ftrace_bulk_exit();
	for (i = 0; i < npoints; i++)
		if (points[i].many) {
			points[i].many = false;
			if (points[i].registered) {
				points[i].registered = false;
				rt.sites -= points[i].n;
				register_point(&points[i], false);
			}
		}
}

/* Register all points behind open gates that are not registered yet. */
static int register_some(void)
{
	u32 i;

	for (i = 0; i < npoints; i++) {
		struct kprobe_point *p = &points[i];

		if (fatal_signal_pending(current))
			return -EINTR;
		if (!p->registered && !p->refused && is_open(p))
			register_point(p, in_module(p));
		cond_resched();
	}
	if (ftrace_bulk_arm())
		part_many();
	for (i = 0; i < npoints; i++)
		enable_point(&points[i]);
	return 0;
}

int kprobe_register_all(void)
{
	bool modules = false;
	int err = make_all();
	u32 i;

	for (i = 0; i < npoints; i++)
		modules |= in_module(&points[i]);
	if (!err && modules)
		err = module_probes_watch();
	if (err)
		return err;
	mutex_lock(&points_lock);
	ftrace_bulk_select(points, npoints);
	err = register_some();
	mutex_unlock(&points_lock);
	if (ndropped)
		relay_message(UST_REC_WARN,
			      "%u of %u functions matched by wildcards or optional probe points "
			      "cannot be probed: the kernel protects or lacks them",
			      ndropped, npoints);
	return err;
}

/* Unregister all points, or only those behind closed gates. */
static void unregister_some(bool closed_only)
{
	struct kprobe_point **v = kvmalloc_array(npoints, sizeof *v, GFP_KERNEL);
	u32 n = 0, i;

	for (i = 0; i < npoints; i++) {
		struct kprobe_point *p = &points[i];

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
	if (!npoints)
		return;
	mutex_lock(&points_lock);
	unregister_some(true);
	register_some();
	mutex_unlock(&points_lock);
}

/* ---------------------------------------------------------------- modules */

static bool is_of(const struct kprobe_point *p, const char *module)
{
	const char *colon = strchr(p->sites[0]->symbol, ':');
	size_t n = colon - p->sites[0]->symbol;

	return colon && strlen(module) == n && !memcmp(module, p->sites[0]->symbol, n);
}

void kprobe_module_loaded(const char *name)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++)
		if (is_of(&points[i], name) && !kprobe_point_is_tracepoint(&points[i]) &&
		    !points[i].registered && !points[i].refused && is_open(&points[i])) {
			register_point(&points[i], false);
			enable_point(&points[i]);
		}
	mutex_unlock(&points_lock);
}

void kprobe_module_unloaded(const char *name)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++) {
		struct kprobe_point *p = &points[i];

		if (p->registered && is_of(p, name) && !kprobe_point_is_tracepoint(p))
			unregister_points(&p, 1);
	}
	mutex_unlock(&points_lock);
}

void kprobe_tracepoint_added(const char *module, struct tracepoint *tp)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++) {
		struct kprobe_point *p = &points[i];

		if (!kprobe_point_is_tracepoint(p) || !is_of(p, module) ||
		    strcmp(strchr(p->sites[0]->symbol, ':') + 1, tp->name))
			continue;
		p->tp = tp;
		if (!p->registered && !p->refused && is_open(p))
			register_point(p, false);
	}
	mutex_unlock(&points_lock);
}

void kprobe_tracepoint_removed(const struct tracepoint *tp)
{
	u32 i;

	mutex_lock(&points_lock);
	for (i = 0; i < npoints; i++) {
		struct kprobe_point *p = &points[i];

		if (!kprobe_point_is_tracepoint(p) || p->tp != tp)
			continue;
		if (p->registered)
			unregister_points(&p, 1);
		p->tp = NULL;
	}
	mutex_unlock(&points_lock);
}

/* ------------------------------------------------------------- at the end */

static void note_point(const struct kprobe_point *p)
{
	u32 flags = (p->registered ? UST_COUNT_PLACED | UST_COUNT_MAPPED : 0) |
		    (p->refused ? UST_COUNT_FAILED : 0) | (p->entered ? UST_COUNT_ENTERED : 0);
	u32 i;

	for (i = 0; i < p->n; i++)
		counts_note(p->sites[i] - ust_program.sites, flags);
}

void kprobe_unregister_all(void)
{
	u32 i;

	module_probes_unwatch();
	if (!points)
		return;
	for (i = 0; i < npoints && counts_on(); i++)
		note_point(&points[i]);
	if (npoints)
		unregister_some(false);
	ftrace_bulk_exit();
	tracepoint_synchronize_unregister();
	drop_all();
}
