/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process events: begin, end and system calls, from the kernel's tracepoints.
 *
 * An exiting process no longer has a memory map that would identify its program, and two threads
 * that exit at the same time both look like the last one. So each process that some probe can match
 * has a record, keyed by its struct pid; the thread that removes the record runs the end probes.
 *
 * Tracepoints must not sleep: handlers at them read only resident memory. begin probes of new
 * processes, threads and programs run when the task is about to return to user mode (task work);
 * those of processes that exist when the script starts run in the loader's task, with the process
 * as subject.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "probes/probes.h"
#include "process/process_filter.h"
#include "process/target_file.h"
#include "rt.h"
#include "process/taskwork.h"
#include "probes/tracepoint.h"

#define TASK_HASH_BITS 8

struct life {
	struct hlist_node node;
	struct pid *pid;         /* of the thread group */
	const struct inode *exe; /* executable of the process; only compared */
	bool begun;              /* its begin probes have run or are queued */
	bool waits;              /* they are queued */
	atomic_t threads;        /* threads that have not passed on_exit() */
	struct rcu_head rcu;
};

static struct hlist_head lives[1 << TASK_HASH_BITS];
static DEFINE_SPINLOCK(tasks_lock);
static struct pid *unborn; /* the command before its exec */
static bool snapped;
static u64 armed_at;
static DEFINE_WORKS(works);

/* -------------------------------------------------------------- the probes */

static bool wanted(u32 kind)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].kind == kind)
			return true;
	return false;
}

static bool fits(const struct ust_probe *p, const struct inode *exe, pid_t pid)
{
	return p->program ? target_file_is(p->program - 1, exe)
			  : !p->process.pid || p->process.pid == pid;
}

/* True if some probe can match a process that runs EXE, now or after another exec. */
static bool matters(const struct inode *exe, pid_t pid)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (is_process_event(&ust_program.probes[i]) &&
		    fits(&ust_program.probes[i], exe, pid))
			return true;
	return false;
}

/* SUBJECT: TASK, or for thread.end the thread's id. */
static void run_probes_about(u32 kind, const struct inode *exe, struct task_struct *task, int mode,
			     struct pt_regs *regs, const void *subject)
{
	struct ust_hit hit = {.regs = (struct ust_regs *)regs, .mode = mode, .subject = subject};
	u32 i;

	if (unlikely(filter_own) && !filter_owns(task))
		return;
	hit.addr = regs ? instruction_pointer(regs) : 0;
	for (i = 0; i < ust_program.nprobes && READ_ONCE(rt.armed); i++) {
		hit.probe = &ust_program.probes[i];
		if (hit.probe->kind == kind && fits(hit.probe, exe, task_tgid_nr(task)))
			hit.probe->handler(&hit);
	}
}

static void run_process_probes(u32 kind, const struct inode *exe, struct task_struct *task,
			       int mode, struct pt_regs *regs)
{
	run_probes_about(kind, exe, task, mode, regs, task);
}

/* TID: the id that the thread had while it ran the program EXE. */
static void run_thread_end(const struct inode *exe, struct task_struct *task, pid_t tid)
{
	run_probes_about(UST_PROBE_THREAD_END, exe, task, RT_ATOMIC, NULL, &tid);
}

/* ------------------------------------------------------------- the records */

/* Called under RCU or with the lock held. */
static struct life *find(const struct pid *pid)
{
	struct life *l;

	hlist_for_each_entry_rcu(l, &lives[hash_ptr(pid, TASK_HASH_BITS)], node,
				 lockdep_is_held(&tasks_lock)) if (l->pid == pid) return l;
	return NULL;
}

static void free_life(struct rcu_head *head)
{
	struct life *l = container_of(head, struct life, rcu);

	put_pid(l->pid);
	kfree(l);
}

static void add(struct pid *pid, const struct inode *exe, int threads)
{
	struct life *l = kmalloc(sizeof *l, GFP_ATOMIC);

	if (!l)
		return;
	*l = (struct life){.pid = get_pid(pid), .exe = exe, .threads = ATOMIC_INIT(threads)};
	spin_lock(&tasks_lock);
	if (find(pid)) {
		spin_unlock(&tasks_lock);
		put_pid(pid);
		kfree(l);
		return;
	}
	hlist_add_head_rcu(&l->node, &lives[hash_ptr(pid, TASK_HASH_BITS)]);
	spin_unlock(&tasks_lock);
}

/* Remove a record; returns true to exactly one caller. */
static bool take_out(struct life *l)
{
	bool first;

	spin_lock(&tasks_lock);
	first = !hlist_unhashed(&l->node);
	if (first)
		hlist_del_init_rcu(&l->node);
	spin_unlock(&tasks_lock);
	if (first)
		call_rcu(&l->rcu, free_life);
	return first;
}

static bool ours(struct pid *pid)
{
	return (!filter_on || filter_wants_pid(pid)) && pid != READ_ONCE(unborn);
}

/* ------------------------------------------------ on the way to the program */

struct work {
	struct callback_head head;
	u32 kind;
};

static void begin(struct life *l, int mode, struct pt_regs *regs)
{
	if (xchg(&l->waits, false))
		run_process_probes(UST_PROBE_PROCESS_BEGIN, l->exe, current, mode, regs);
}

/* Task work. The task may be killed before it returns to user mode, and has no memory map then. */
static void on_work(struct callback_head *head)
{
	struct work *w = container_of(head, struct work, head);
	int mode = current->mm && !(current->flags & PF_EXITING) ? RT_PROBE : RT_ATOMIC;
	const struct inode *exe = NULL;
	struct life *l;
	bool alone = false;

	rcu_read_lock();
	l = find(task_tgid(current));
	if (l) {
		exe = l->exe;
		alone = w->kind == UST_PROBE_THREAD_BEGIN || xchg(&l->waits, false);
	}
	rcu_read_unlock();
	if (alone)
		run_process_probes(w->kind, exe, current, mode, task_pt_regs(current));
	kfree(w);
	works_done(&works);
}

static bool post_begin(struct task_struct *task, u32 kind)
{
	struct work *w = kmalloc(sizeof *w, GFP_ATOMIC);

	if (!w)
		return false;
	w->kind = kind;
	init_task_work(&w->head, on_work);
	if (!works_add(&works, task, &w->head))
		return true;
	kfree(w);
	return false;
}

static void begin_later(struct life *l, struct task_struct *task)
{
	WRITE_ONCE(l->begun, true);
	if (!READ_ONCE(rt.armed) || !wanted(UST_PROBE_PROCESS_BEGIN))
		return;
	WRITE_ONCE(l->waits, true);
	if (!post_begin(task, UST_PROBE_PROCESS_BEGIN))
		WRITE_ONCE(l->waits, false);
}

/* ------------------------------------------------------------- tracepoints */

/* Processes that exist before the script starts are reported by report_existing(). */
static void on_thread(struct task_struct *child)
{
	bool new = READ_ONCE(snapped) || (armed_at && child->start_time >= armed_at);

	if (READ_ONCE(rt.armed) && new &&wanted(UST_PROBE_THREAD_BEGIN) && find(task_tgid(child)))
		post_begin(child, UST_PROBE_THREAD_BEGIN);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct pid *pid = task_tgid(child);
	const struct inode *exe;
	struct life *l;

	if (!process_runs_program(child))
		return;
	rcu_read_lock();
	if (pid == task_tgid(parent)) {
		l = find(pid);
		if (l)
			atomic_inc(&l->threads);
		on_thread(child);
	} else if (ours(pid)) {
		exe = process_executable(parent->mm);
		if (matters(exe, pid_nr(pid)))
			add(pid, exe, 1);
		l = find(pid);
		if (l && READ_ONCE(rt.armed))
			begin_later(l, child);
	}
	rcu_read_unlock();
}

/* A thread other than the first that calls exec takes over the id of the first, and does not pass
 * on_exit(): it ends here. OLD_PID: its own id. */
static void on_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	struct pid *pid = task_tgid(p);
	const struct inode *exe = process_executable(p->mm);
	struct life *l;

	if (pid == READ_ONCE(unborn))
		WRITE_ONCE(unborn, NULL);
	if (!ours(pid))
		return;
	rcu_read_lock();
	l = find(pid);
	if (l && l->begun) {
		begin(l, RT_ATOMIC, NULL);
		if (old_pid != p->pid)
			run_thread_end(l->exe, p, old_pid);
		run_process_probes(UST_PROBE_PROCESS_END, l->exe, p, RT_ATOMIC, NULL);
	}
	if (l)
		l->exe = exe;
	else if (matters(exe, pid_nr(pid)))
		add(pid, exe, 1);
	l = find(pid);
	if (l)
		begin_later(l, p);
	rcu_read_unlock();
}

/* True for the last of the threads to get here, which of threads that exit at the same time is not
 * the last one that the kernel counted. Threads created while the script started may have been
 * counted twice. */
static bool is_last(struct life *l, struct task_struct *p)
{
	int left = atomic_dec_return(&l->threads);

	return !atomic_read(&p->signal->live) && (left <= 0 || thread_group_empty(p));
}

static void on_exit(void *data, struct task_struct *p)
{
	struct life *l;

	rcu_read_lock();
	l = find(task_tgid(p));
	if (l && task_pid(p) != task_tgid(p))
		run_thread_end(l->exe, p, p->pid);
	if (l && is_last(l, p) && take_out(l)) {
		begin(l, RT_ATOMIC, NULL);
		run_process_probes(UST_PROBE_PROCESS_END, l->exe, p, RT_ATOMIC, NULL);
	}
	rcu_read_unlock();
}

/* ------------------------------------------------------------- system calls */

/* Registers with the arguments of a system call; 32-bit calls use other registers. */
static struct pt_regs *call_regs(struct pt_regs *regs, struct pt_regs *copy)
{
	if (likely(!arch_is_compat_call()))
		return regs;
	arch_compat_call_regs(copy, regs);
	return copy;
}

static void on_call(u32 kind, struct pt_regs *regs)
{
	const struct inode *exe = NULL;
	struct pt_regs copy;
	struct life *l;
	bool found;

	if (!READ_ONCE(rt.armed) || (filter_on && !filter_wants_current()))
		return;
	rcu_read_lock();
	l = find(task_tgid(current));
	found = l;
	if (l)
		exe = l->exe;
	rcu_read_unlock();
	if (found && task_tgid(current) != READ_ONCE(unborn))
		run_process_probes(kind, exe, current, COMPAT_SYSCALL_MODE, call_regs(regs, &copy));
}

static void on_enter(void *data, struct pt_regs *regs, long id)
{
	on_call(UST_PROBE_SYSCALL, regs);
}

/* True for the child's side of a fork or clone, which does not return from a call that it made. */
static bool is_birth(const struct pt_regs *regs, long ret)
{
	return !ret && arch_is_birth(arch_call_number(regs), false);
}

static void on_leave(void *data, struct pt_regs *regs, long ret)
{
	if (!is_birth(regs, ret))
		on_call(UST_PROBE_SYSCALL_RETURN, regs);
}

/* -------------------------------------------------------------- start, stop */

static struct tracepoint_hook watches[] = {
	{"sched_process_fork", on_fork}, {"sched_process_exec", on_exec},
	{"sched_process_exit", on_exit}, {"sys_enter", on_enter},
	{"sys_exit", on_leave},
};
/* Probe type that a tracepoint is for; 0: all. */
static const u32 watched_for[ARRAY_SIZE(watches)] = {0, 0, 0, UST_PROBE_SYSCALL,
						     UST_PROBE_SYSCALL_RETURN};

/* True if process P has a program in user space, whose executable is *EXE: that of any thread,
 * since a main thread that has ended has lost it. Called under RCU. */
static bool has_program(struct task_struct *p, const struct inode **exe)
{
	struct task_struct *t;
	bool user = false;

	for_each_thread(p, t)
	{
		task_lock(t);
		user = process_runs_program(t);
		if (user)
			*exe = process_executable(t->mm);
		task_unlock(t);
		if (user)
			break;
	}
	return user;
}

/* Add records for the processes that exist already. */
static void add_all(void)
{
	struct task_struct *p;

	rcu_read_lock();
	for_each_process(p)
	{
		const struct inode *exe = NULL;

		if (has_program(p, &exe) && ours(task_tgid(p)) && matters(exe, task_tgid_nr(p)))
			add(task_tgid(p), exe, atomic_read(&p->signal->live));
	}
	rcu_read_unlock();
}

static int start_events(bool command)
{
	int err = 0;
	u32 i;

	unborn = command ? filter_target : NULL;
	for (i = 0; i < ARRAY_SIZE(watches) && !err; i++)
		if (!watched_for[i] || wanted(watched_for[i]))
			err = tracepoint_hook_add(&watches[i]);
	if (!err)
		add_all();
	return err;
}

/* Collect at most MAX threads of processes with records, each process before its other threads;
 * returns their number. */
static u32 snapshot(struct pid **v, u32 max)
{
	struct task_struct *p, *t;
	u32 n = 0;

	rcu_read_lock();
	for_each_process(p)
	{
		struct life *l = find(task_tgid(p));

		if (!l)
			continue;
		if (!xchg(&l->begun, true) && n < max)
			v[n++] = get_pid(task_pid(p));
		for_each_thread(p, t) if (t != p && n < max && t->start_time < armed_at &&
					  process_runs_program(t)) v[n++] = get_pid(task_pid(t));
	}
	rcu_read_unlock();
	WRITE_ONCE(snapped, true);
	return n;
}

static void tell(struct pid *pid)
{
	struct task_struct *t = get_pid_task(pid, PIDTYPE_PID);
	const struct inode *exe = NULL;
	struct life *l;

	if (!t)
		return;
	rcu_read_lock();
	l = find(task_tgid(t));
	if (l)
		exe = l->exe;
	rcu_read_unlock();
	if (l)
		run_process_probes(task_pid(t) == task_tgid(t) ? UST_PROBE_PROCESS_BEGIN
							       : UST_PROBE_THREAD_BEGIN,
				   exe, t, RT_ABOUT, NULL);
	put_task_struct(t);
}

/* The script runs: report the begin of the processes that exist already. */
static int report_existing(void)
{
	enum { MOST = 1 << 16 };
	struct pid **v;
	u32 n, i;

	armed_at = ktime_get_ns();
	v = kvmalloc_array(MOST, sizeof *v, GFP_KERNEL);
	if (!v)
		return 0; /* only their begin events are lost */
	n = snapshot(v, MOST);
	for (i = 0; i < n; i++) {
		tell(v[i]);
		put_pid(v[i]);
		cond_resched();
	}
	kvfree(v);
	return 0;
}

static void stop_events(void)
{
	struct hlist_node *next;
	struct life *l;
	u32 i;

	tracepoint_hooks_remove(watches, ARRAY_SIZE(watches));
	works_wait(&works); /* new tasks return to user mode soon */
	for (i = 0; i < ARRAY_SIZE(lives); i++)
		hlist_for_each_entry_safe(l, next, &lives[i], node) take_out(l);
	rcu_barrier();
}

const struct ust_process_events ust_process_events = {
	.start = start_events, .report_existing = report_existing, .stop = stop_events};
