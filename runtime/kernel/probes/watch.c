/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.data(): accesses to data of programs, watched by debug registers of their threads.
 *
 * The debug exception comes after the access, with interrupts disabled. The handler runs as task
 * work, before the thread executes its next instruction: it may sleep, as that of a uprobe.
 * Accesses by the kernel, in system calls, are not counted, as in a debugger: the thread may stay
 * in the call for any time.
 */
#include <linux/hw_breakpoint.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "error_text.h"
#include "probes/probes.h"
#include "probes/task_events.h"
#include "process/process_filter.h"
#include "process/target_file.h"
#include "rt.h"
#include "wire_records.h"

/* Bytes that one or more sites watch, which share a register. */
struct watch {
	const struct ust_site *first;
	bool seen;       /* it was watched in some thread */
	bool told;       /* a refusal was reported */
	atomic_t denied; /* threads in which it could not be watched */
};

static struct watch *watches;
static u32 nwatches;
static struct task_events watch_threads; /* by watch */

/* ------------------------------------------------------------------- hits */

static void run_watch(const struct watch *w, u64 base, int mode)
{
	struct ust_hit hit = {.regs = (struct ust_regs *)task_pt_regs(current),
			      .addr = base + w->first->addr,
			      .mode = mode};
	const struct ust_site *s = w->first, *end = ust_program.sites + ust_program.nsites;

	for (; s < end && READ_ONCE(rt.armed); s++)
		if (site_same_watch(s, w->first)) {
			hit.site = s;
			s->handler(&hit);
		}
}

/* Task work. The thread may have been killed since, and has no memory map then. */
static void run_hits(struct callback_head *head)
{
	struct task_event *e = container_of(head, struct task_event, head);
	int hits = atomic_xchg(&e->hits, 0),
	    mode = current->mm && !(current->flags & PF_EXITING) ? RT_PROBE : RT_ATOMIC;

	if (!filter_on || filter_wants_current())
		for (; hits > 0; hits--)
			run_watch(&watches[e->number], e->data, mode);
	task_event_done(e);
}

static void on_watched(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	if (READ_ONCE(rt.armed))
		task_event_defer(event->overflow_handler_context, run_hits);
}

/* ---------------------------------------------------------- where the data is */

/* A process may hold the lock of its memory map for long: the loader does not wait for it. */
static bool lock_map(struct mm_struct *mm)
{
	enum { TRIES = 100 };
	int i;

	for (i = 0; i < TRIES && !mmap_read_trylock(mm); i++)
		schedule_timeout_killable(1);
	return i < TRIES;
}

static bool holds_code(const struct vm_area_struct *vma, const struct ust_site *s)
{
	u64 first = (u64)vma->vm_pgoff << PAGE_SHIFT;

	return vma->vm_file && vma->vm_flags & VM_EXEC && s->sem_offset >= first &&
	       s->sem_offset - first < vma->vm_end - vma->vm_start &&
	       target_file_is(s->module, file_inode(vma->vm_file));
}

/* *BASE: the distance of run-time addresses from those of the file of S in MM. */
static int load_base(struct mm_struct *mm, const struct ust_site *s, u64 *base)
{
	enum { MOST_AREAS = 32768 };
	const struct vm_area_struct *vma;
	u64 at = 0;
	u32 i;

	if (!lock_map(mm))
		return -EBUSY;
	for (i = 0; i < MOST_AREAS && (vma = find_vma(mm, at)); i++) {
		if (holds_code(vma, s))
			break;
		at = vma->vm_end;
	}
	if (i < MOST_AREAS && vma)
		*base = vma->vm_start + s->sem_offset - ((u64)vma->vm_pgoff << PAGE_SHIFT) -
			s->semaphore;
	mmap_read_unlock(mm);
	return i < MOST_AREAS && vma ? 0 : -ESRCH;
}

static int base_in_task(struct task_struct *task, const struct ust_site *s, u64 *base)
{
	struct mm_struct *mm = get_task_mm(task);
	int err = mm ? load_base(mm, s, base) : -ESRCH;

	if (mm)
		mmput(mm);
	return err;
}

/* --------------------------------------------------------------- registers */

static const char *refusal(int err)
{
	switch (err) {
	case -ENOSPC:
		return "all debug registers are in use, also by debuggers, perf or other scripts";
	case -EINVAL:
		return "the address is not aligned to the length, or not one of a program";
	case -EBUSY:
		return "its memory map is locked";
	default:
		return error_text(err);
	}
}

/* Each refusal is counted, and the first is reported at once. -ESRCH: the thread has exited. */
static void deny(struct watch *w, const struct task_struct *task, int err)
{
	if (err == -ESRCH)
		return;
	atomic_inc(&w->denied);
	if (!xchg(&w->told, true))
		relay_message(UST_REC_WARN,
			      "probe %s cannot be armed in process %d (%*pE): %s (%d)",
			      w->first->pp, task->tgid, (int)strnlen(task->comm, TASK_COMM_LEN),
			      task->comm, refusal(err), err);
}

static struct perf_event *watch_thread(struct task_event *e, struct task_struct *task)
{
	struct watch *w = &watches[e->number];
	struct perf_event_attr attr;
	struct perf_event *event;
	int err;

	if (filter_on && !filter_wants_pid(task_tgid(task)))
		return NULL;
	err = base_in_task(task, w->first, &e->data);
	if (err) {
		deny(w, task, err);
		return NULL;
	}
	hw_breakpoint_init(&attr);
	attr.bp_addr = w->first->addr + (w->first->flags & UST_SITE_ABSOLUTE ? 0 : e->data);
	attr.bp_len = w->first->length;
	attr.bp_type = w->first->flags & UST_SITE_WATCH_READS ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	attr.exclude_kernel = true;
	event = perf_event_create_kernel_counter(&attr, -1, task, on_watched, e);
	if (IS_ERR(event)) {
		deny(w, task, PTR_ERR(event));
		return NULL;
	}
	WRITE_ONCE(w->seen, true);
	return event;
}

/* -------------------------------------------------------------- start, stop */

static bool watch_fits(u32 i, const struct inode *exe)
{
	return target_file_is(watches[i].first->module, exe);
}

static void add_watch(const struct ust_site *s)
{
	u32 i = 0;

	while (i < nwatches && !site_same_watch(watches[i].first, s))
		i++;
	if (i == nwatches)
		watches[nwatches++].first = s;
}

static bool watch_is_used(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites; i++)
		if (site_is_watch(&ust_program.sites[i]))
			return true;
	return false;
}

int watch_start(void)
{
	u32 i;

	if (!watch_is_used())
		return 0;
	watches = kcalloc(ust_program.nsites, sizeof *watches, GFP_KERNEL);
	if (!watches)
		return -ENOMEM;
	for (i = 0; i < ust_program.nsites; i++) {
		const struct ust_site *s = &ust_program.sites[i];

		if (!site_is_watch(s))
			continue;
		if (target_file_inode(s->module)) {
			add_watch(s);
			rt.sites++;
		} else {
			rt.unplaced++;
		}
	}
	watch_threads.n = nwatches;
	watch_threads.fits = watch_fits;
	watch_threads.make = watch_thread;
	return nwatches ? task_events_start(&watch_threads) : 0;
}

static void note_watch(const struct watch *w)
{
	u32 flags = w->seen ? UST_COUNT_PLACED | UST_COUNT_MAPPED
			    : (w->told ? UST_COUNT_FAILED | UST_COUNT_MAPPED : UST_COUNT_PLACED),
	    i;

	for (i = 0; i < ust_program.nsites; i++)
		if (site_same_watch(&ust_program.sites[i], w->first))
			counts_note(i, flags);
}

void watch_stop(void)
{
	u32 i;

	task_events_stop(&watch_threads);
	for (i = 0; i < nwatches; i++) {
		const struct watch *w = &watches[i];

		if (counts_on())
			note_watch(w);
		if (atomic_read(&w->denied) > 1)
			relay_message(UST_REC_WARN, "probe %s was not armed in %d threads",
				      w->first->pp, atomic_read(&w->denied));
	}
	kfree(watches);
	watches = NULL;
	nwatches = 0;
}
