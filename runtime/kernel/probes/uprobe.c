/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uprobes and uretprobes.
 *
 * Sites at one offset of one file share a consumer, which runs their handlers in script order;
 * kernels do not promise an order among consumers. Entry and return have separate consumers. A
 * return consumer also sees the entry: it counts returns that the kernel is about to refuse, and
 * removes processes that must not be hit.
 */
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "error_text.h"
#include "probes/callers.h"
#include "probes/probes.h"
#include "process/process_filter.h"
#include "process/target_file.h"
#include "process/taskwork.h"
#include "rt.h"
#include "wire_records.h"

/* An offset of a file with one or more sites. */
struct point {
	struct uprobe_consumer uc;
	const struct ust_site *first;  /* sites[0] */
	const struct ust_site **sites; /* N sites, in script order */
	u32 n;
	bool registered;
	bool refused;                   /* it cannot be armed, and that was reported */
	bool keeps;                     /* some site saves entry values for the return */
	bool mapped, entered, unwanted; /* UST_COUNT_... flags observed so far */
	compat_uprobe uprobe;
	struct inode *inode;
};

static const struct ust_site **sorted;
static struct point *points;
static u32 npoints;
static u32 nrefused; /* sites matched by wildcards whose instructions the kernel refuses */

/* ------------------------------------------------------------------- hits */

static noinline void run_others(const struct point *p, struct ust_hit *hit)
{
	u32 i;

	for (i = 1; i < p->n && READ_ONCE(rt.armed); i++) {
		hit->site = p->sites[i];
		hit->site->handler(hit);
	}
}

/* Set what is read of a hit of a site: neither its subject, which probes without a site have, nor
 * its saved words. */
static __always_inline void begin_hit(struct ust_hit *hit, struct pt_regs *regs, unsigned long addr)
{
	hit->regs = (struct ust_regs *)regs;
	hit->addr = addr;
	hit->probe = NULL;
	hit->mode = RT_PROBE;
}

static __always_inline void run_first(const struct point *p, struct ust_hit *hit,
				      struct pt_regs *regs, unsigned long addr)
{
	begin_hit(hit, regs, addr);
	hit->site = p->first;
	hit->site->handler(hit);
}

static __always_inline void run_handlers(const struct point *p, struct pt_regs *regs,
					 unsigned long addr)
{
	struct ust_hit hit port_uncleared;

	run_first(p, &hit, regs, addr);
	if (unlikely(p->n > 1))
		run_others(p, &hit);
}

/* run_handlers() for a point with one site. */
static __always_inline void run_handler(const struct point *p, struct pt_regs *regs,
					unsigned long addr)
{
	struct ust_hit hit port_uncleared;

	run_first(p, &hit, regs, addr);
}

/* ------------------------------------- what is kept from entry to return */

static noinline void run_savers(const struct point *p, struct pt_regs *regs)
{
	struct entry_values *s = entry_values_alloc(p, user_stack_pointer(regs));
	struct ust_hit hit port_uncleared;
	u32 i;

	if (!s)
		return;
	begin_hit(&hit, regs, instruction_pointer(regs));
	for (i = 0; i < p->n && READ_ONCE(rt.armed); i++) {
		hit.site = p->sites[i];
		hit.saved = s->words + hit.site->saved;
		if (hit.site->entry)
			hit.site->entry(&hit);
	}
	entry_values_push(s);
}

/* Calls that were entered before the script was armed have no entry values: their returns are
 * skipped. */
static noinline void run_returns(const struct point *p, struct pt_regs *regs, unsigned long addr)
{
	struct entry_values *s = entry_values_pop(p, user_stack_pointer(regs) - sizeof(long));
	struct ust_hit hit port_uncleared;
	u32 i;

	if (!s)
		return;
	begin_hit(&hit, regs, addr);
	for (i = 0; i < p->n && READ_ONCE(rt.armed); i++) {
		hit.site = p->sites[i];
		hit.saved = s->words + hit.site->saved;
		hit.site->handler(&hit);
	}
	entry_values_free(s);
}

/* ---------------------------------------------------------------- consumers */

static __always_inline void saw(bool *what)
{
	if (unlikely(!*what))
		WRITE_ONCE(*what, true);
}

/* Return value of a consumer for a process that must not be hit. UPROBE_HANDLER_REMOVE takes the
 * breakpoint out of the memory map, which a vfork child shares with its parent. */
static noinline int unwanted(struct point *p)
{
	if (current->tgid != rt.loader) /* the loader itself, which verify.c made one of them */
		saw(&p->unwanted);
	untraced_hit();
	return filter_wants_mm(current->mm) ? COMPAT_IGNORE_RETURN : UPROBE_HANDLER_REMOVE;
}

/* Every instruction of a consumer is a part of each hit. So each has a first test for the usual
 * processes, a slow function for all others, and a variant for the usual point, which has one site
 * and saves nothing. */

static __always_inline bool wanted_at_once(void)
{
	return likely(rt.armed_all) || likely(task_tgid(current) == READ_ONCE(rt.armed_for));
}

static noinline int on_entry_slowly(struct point *p, struct pt_regs *regs)
{
	if (filter_on && !filter_wants_current())
		return unwanted(p);
	if (likely(READ_ONCE(rt.armed)))
		run_handlers(p, regs, instruction_pointer(regs));
	return 0;
}

static int on_entry(struct uprobe_consumer *uc, struct pt_regs *regs COMPAT_COOKIE)
{
	return on_entry_slowly(container_of(uc, struct point, uc), regs);
}

static int on_entry_of_one(struct uprobe_consumer *uc, struct pt_regs *regs COMPAT_COOKIE)
{
	struct point *p = container_of(uc, struct point, uc);

	if (unlikely(!wanted_at_once()))
		return on_entry_slowly(p, regs);
	run_handler(p, regs, instruction_pointer(regs));
	return 0;
}

/* Older kernels count the pending return probes of a task. The count is put right before the task
 * returns to its program. */
static DEFINE_WORKS(refusals);

static void refuse_no_more(struct callback_head *head)
{
	compat_returns_fill(false);
	kfree(head);
	works_done(&refusals);
}

/* Keep the kernel from probing the return of the call that begins. */
static noinline int refuse_return(void)
{
	struct callback_head *head;

	if (COMPAT_IGNORE_RETURN || compat_returns_full())
		return COMPAT_IGNORE_RETURN;
	head = kmalloc(sizeof *head, GFP_ATOMIC | __GFP_NOWARN);
	if (!head)
		return 0;
	init_task_work(head, refuse_no_more);
	compat_returns_fill(true);
	if (works_add(&refusals, current, head)) {
		compat_returns_fill(false);
		kfree(head);
	}
	return 0;
}

/* False: its caller is code that the program has made at run time. */
static __always_inline bool allows_return(struct pt_regs *regs)
{
	return likely(caller_known(regs)) || caller_allows(regs);
}

static __always_inline int note_call(struct point *p, struct pt_regs *regs, bool keeps)
{
	if (!allows_return(regs))
		return refuse_return();
	if (unlikely(compat_returns_full()))
		atomic64_inc(&rt.missed_returns);
	else if (keeps)
		run_savers(p, regs);
	return 0;
}

static noinline int before_return_slowly(struct point *p, struct pt_regs *regs)
{
	if (filter_on && !filter_wants_current())
		return unwanted(p);
	if (!READ_ONCE(rt.armed))
		return allows_return(regs) ? 0 : refuse_return();
	saw(&p->entered);
	return note_call(p, regs, p->keeps);
}

static int before_return(struct uprobe_consumer *uc, struct pt_regs *regs COMPAT_COOKIE)
{
	struct point *p = container_of(uc, struct point, uc);

	return likely(wanted_at_once()) ? note_call(p, regs, false) : before_return_slowly(p, regs);
}

/* With --explain or --counts, or if the point keeps values. */
static int before_return_keeping(struct uprobe_consumer *uc, struct pt_regs *regs COMPAT_COOKIE)
{
	struct point *p = container_of(uc, struct point, uc);

	if (unlikely(!wanted_at_once()))
		return before_return_slowly(p, regs);
	saw(&p->entered);
	return note_call(p, regs, p->keeps);
}

static noinline int on_return_slowly(const struct point *p, struct pt_regs *regs,
				     unsigned long func)
{
	if (filter_on && !filter_wants_current())
		return 0;
	if (unlikely(!READ_ONCE(rt.armed)))
		return 0;
	if (p->keeps)
		run_returns(p, regs, func);
	else
		run_handlers(p, regs, func);
	return 0;
}

static int on_return(struct uprobe_consumer *uc, unsigned long func,
		     struct pt_regs *regs COMPAT_COOKIE)
{
	return on_return_slowly(container_of(uc, struct point, uc), regs, func);
}

static int on_return_of_one(struct uprobe_consumer *uc, unsigned long func,
			    struct pt_regs *regs COMPAT_COOKIE)
{
	const struct point *p = container_of(uc, struct point, uc);

	if (unlikely(!wanted_at_once()))
		return on_return_slowly(p, regs, func);
	run_handler(p, regs, func);
	return 0;
}

/* Called when a process maps the file. */
static bool wants(struct uprobe_consumer *uc COMPAT_FILTER_CTX, struct mm_struct *mm)
{
	if (verify_uses(mm))
		return true;
	if (filter_on && !filter_wants_mm(mm))
		return false;
	saw(&container_of(uc, struct point, uc)->mapped);
	return true;
}

/* ----------------------------------------------------------------- points */

static bool is_uprobe(const struct ust_site *s)
{
	return site_in_file(s) && !(s->flags & UST_SITE_WATCH);
}

static struct inode *inode_of(const struct ust_site *s)
{
	return site_in_file(s) ? target_file_inode(s->module) : NULL;
}

/* Order: file, offset, entry before return, script order. */
static int by_place(const void *a, const void *b)
{
	const struct ust_site *s = *(const struct ust_site *const *)a;
	const struct ust_site *t = *(const struct ust_site *const *)b;
	u32 sr = s->flags & UST_SITE_RETURN, tr = t->flags & UST_SITE_RETURN;

	if (inode_of(s) != inode_of(t))
		return inode_of(s) < inode_of(t) ? -1 : 1;
	if (s->offset != t->offset)
		return s->offset < t->offset ? -1 : 1;
	if (sr != tr)
		return sr < tr ? -1 : 1;
	return s < t ? -1 : s > t;
}

static bool same_place(const struct ust_site *s, const struct ust_site *t)
{
	return inode_of(s) == inode_of(t) && s->offset == t->offset &&
	       !((s->flags ^ t->flags) & UST_SITE_RETURN);
}

static bool same_spot(const struct point *p, const struct point *q)
{
	return p->inode == q->inode && p->sites[0]->offset == q->sites[0]->offset;
}

static void make_points(void)
{
	u32 n = 0, i;

	for (i = 0; i < ust_program.nsites; i++)
		if (!is_uprobe(&ust_program.sites[i]))
			continue;
		else if (inode_of(&ust_program.sites[i]))
			sorted[n++] = &ust_program.sites[i];
		else
			rt.unplaced++;
	sort(sorted, n, sizeof *sorted, by_place, NULL);
	for (i = 0; i < n; i++) {
		if (!npoints || !same_place(points[npoints - 1].sites[0], sorted[i])) {
			points[npoints].sites = &sorted[i];
			points[npoints].first = sorted[i];
			points[npoints].inode = inode_of(sorted[i]);
			npoints++;
		}
		points[npoints - 1].n++;
		points[npoints - 1].keeps |= !!sorted[i]->entry;
	}
}

/* All probes at one offset must name the same semaphore, also those that are not SDT markers. */
static loff_t semaphore_of(const struct point *p)
{
	const struct point *q = p > points && same_spot(p, p - 1) ? p - 1 : p;
	u32 i;

	for (; q < points + npoints && same_spot(p, q); q++)
		for (i = 0; i < q->n; i++)
			if (q->sites[i]->sem_offset)
				return q->sites[i]->sem_offset;
	return 0;
}

/* True for errors by which kernels refuse an instruction: ENOTSUPP, which has no name in user
 * space, and the error for opcodes that they cannot decode. */
static bool is_refusal(int err)
{
	return err == -ENOTSUPP || err == -ENOEXEC || err == -EOPNOTSUPP;
}

static bool only_wildcards(const struct point *p)
{
	u32 i;

	for (i = 0; i < p->n; i++)
		if (!(p->sites[i]->flags & UST_SITE_ANY))
			return false;
	return true;
}

/* Refused sites of wildcards are reported together by register_points(). */
static void report_failure(const struct point *p, int err)
{
	const struct ust_site *s = p->sites[0];

	if (!is_refusal(err))
		relay_message(UST_REC_WARN, "probe %s cannot be armed at offset 0x%llx: %s (%d)",
			      s->pp, s->offset, error_text(err), err);
	else if (only_wildcards(p))
		nrefused += p->n;
	else
		relay_message(UST_REC_WARN,
			      "probe %s cannot be armed: the kernel refuses uprobes on the "
			      "instruction at offset 0x%llx (%d)",
			      s->pp, s->offset, err);
}

static int register_point(struct point *p)
{
	int err;

	if (p->sites[0]->flags & UST_SITE_RETURN) {
		p->uc.handler = p->keeps || counts_on() ? before_return_keeping : before_return;
		p->uc.ret_handler = p->n > 1 || p->keeps ? on_return : on_return_of_one;
	} else {
		p->uc.handler = p->n > 1 ? on_entry : on_entry_of_one;
	}
	if (filter_on || counts_on())
		p->uc.filter = wants;
	err = compat_register(&p->uprobe, p->inode, p->sites[0]->offset, semaphore_of(p), &p->uc);
	if (err) {
		p->refused = true;
		rt.unplaced += p->n;
		report_failure(p, err);
		return err;
	}
	p->registered = true;
	rt.sites += p->n;
	return 0;
}

static bool is_open(const struct point *p) { return gates_open_any(p->sites, p->n); }

static bool some_closed(void)
{
	u32 i;

	for (i = 0; i < npoints; i++)
		if (!is_open(&points[i]))
			return true;
	return false;
}

static void unregister(struct point *p)
{
	compat_unregister(p->uprobe, p->inode, p->sites[0]->offset, &p->uc);
	p->registered = false;
	rt.sites -= p->n;
}

/* Points behind a closed gate are registered briefly, so that the kernel examines their
 * instructions as well. */
static bool register_once(struct point *p)
{
	verify_at(target_file_path(p->sites[0]->module), p->sites[0]->offset);
	if (register_point(p) || is_open(p))
		return false;
	unregister(p);
	return true;
}

static int register_points(void)
{
	bool any = false;
	int err = 0;
	u32 i;

	for (i = 0; i < npoints && !err; i++) {
		if (fatal_signal_pending(current))
			err = -EINTR;
		else
			any |= register_once(&points[i]);
		cond_resched();
	}
	verify_end();
	if (any)
		compat_unregister_done();
	if (nrefused)
		relay_message(UST_REC_WARN,
			      "%u of the sites matched by wildcards cannot be probed: the kernel "
			      "refuses uprobes on their instructions",
			      nrefused);
	return err;
}

/* ------------------------------------------------------------ all of them */

static int allocate(void)
{
	sorted = kvcalloc(ust_program.nsites, sizeof *sorted, GFP_KERNEL);
	points = kvcalloc(ust_program.nsites, sizeof *points, GFP_KERNEL);
	return sorted && points ? target_files_open() : -ENOMEM;
}

static bool probes_returns(void)
{
	u32 i;

	for (i = 0; i < npoints; i++)
		if (points[i].first->flags & UST_SITE_RETURN)
			return true;
	return false;
}

int uprobes_register(void)
{
	const struct ust_kernel_probes *kernel = ust_program.kernel_probes;
	int err;

	if (!ust_program.nsites && !ust_program.nmodules && !ust_program.process_events)
		return 0;
	err = allocate();
	if (err)
		return err;
	make_points();
	if (probes_returns())
		callers_start();
	err = unwinders_register();
	if (!err)
		err = register_points();
	if (!err && kernel)
		err = kernel->register_all();
	if (err || rt.sites || some_closed() || !ust_program.nsites)
		return err;
	return kernel && kernel->some_closed() ? 0 : -ENOENT;
}

void uprobes_refresh(void)
{
	bool any = false;
	u32 i;

	if (ust_program.kernel_probes)
		ust_program.kernel_probes->refresh();
	for (i = 0; i < npoints; i++) {
		struct point *p = &points[i];

		if (p->registered && !is_open(p)) {
			unregister(p);
			any = true;
		}
		cond_resched();
	}
	if (any)
		compat_unregister_done();
	for (i = 0; i < npoints; i++) {
		if (!points[i].registered && !points[i].refused && is_open(&points[i]))
			register_point(&points[i]);
		cond_resched();
	}
}

/* --------------------------------------------------- what is known at the end */

static void note_point(const struct point *p, bool mapped)
{
	u32 flags = (p->registered ? UST_COUNT_PLACED : 0) | (p->refused ? UST_COUNT_FAILED : 0) |
		    (mapped ? UST_COUNT_MAPPED : 0) | (p->entered ? UST_COUNT_ENTERED : 0) |
		    (p->unwanted ? UST_COUNT_UNWANTED : 0);
	u32 i;

	for (i = 0; i < p->n; i++)
		counts_note(p->sites[i] - ust_program.sites, flags);
}

/* Kernels ask only one of the consumers at an offset; what one consumer of a file has observed
 * applies to all. */
static void note_sites(void)
{
	struct point *p = points, *q, *end = points + npoints;
	bool mapped;
	u32 i;

	for (; p < end; p = q) {
		mapped = false;
		for (q = p; q < end && q->inode == p->inode; q++)
			mapped |= q->mapped;
		for (q = p; q < end && q->inode == p->inode; q++)
			note_point(q, mapped);
	}
	for (i = 0; points && i < ust_program.nsites; i++)
		if (site_in_file(&ust_program.sites[i]) && !inode_of(&ust_program.sites[i]))
			counts_note(i, UST_COUNT_NO_FILE);
}

void uprobes_unregister(void)
{
	bool any = false;
	u32 i;

	if (ust_program.kernel_probes)
		ust_program.kernel_probes->unregister_all();
	if (counts_on())
		note_sites();
	for (i = 0; i < npoints; i++) {
		struct point *p = &points[i];

		if (!p->registered)
			continue;
		unregister(p);
		any = true;
		cond_resched();
	}
	if (any)
		compat_unregister_done();
	works_wait(&refusals);
	callers_stop();
	unwinders_unregister();
	npoints = 0;
	rt.sites = 0;
	kvfree(points);
	kvfree(sorted);
	points = NULL;
	sorted = NULL;
	target_files_close();
}
