/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events of each thread of the programs that perf.*.process() names.
 *
 * Creating an event sleeps, which tracepoints must not: the thread creates it itself before it
 * returns to user mode (task work), so all that the program does is counted. When a thread exits, a
 * work item releases its events.
 */
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "probes/perf.h"
#include "process/target_file.h"
#include "process/taskwork.h"
#include "probes/tracepoint.h"
#include "probes/probes.h"

enum { BITS = 8 };

struct counted {
	struct hlist_node node;
	struct llist_node ended;
	const struct task_struct *task; /* only compared */
	struct rcu_head rcu;
	struct perf_event *events[]; /* by counter; NULL if the counter does not count this
				      * thread */
};

static struct hlist_head threads[1 << BITS];
static DEFINE_SPINLOCK(lock);
static LLIST_HEAD(ended);
static bool on;
static DEFINE_WORKS(works);

/* ------------------------------------------------------------- the records */

/* Called under RCU or with the lock held. */
static struct counted *find(const struct task_struct *task)
{
	struct counted *t;

	hlist_for_each_entry_rcu(t, &threads[hash_ptr(task, BITS)], node,
				 lockdep_is_held(&lock)) if (t->task == task) return t;
	return NULL;
}

struct perf_event *perf_tasks_event(u32 n)
{
	struct counted *t = find(current);

	return t ? t->events[n] : NULL;
}

static void release(struct counted *t)
{
	u32 i;

	for (i = 0; i < perf_ncounters; i++)
		if (t->events[i])
			perf_event_release_kernel(t->events[i]);
	kfree_rcu(t, rcu);
}

static struct counted *take_out(const struct task_struct *task)
{
	struct counted *t;

	spin_lock(&lock);
	t = find(task);
	if (t)
		hlist_del_rcu(&t->node);
	spin_unlock(&lock);
	return t;
}

static void release_ended(struct work_struct *work)
{
	struct counted *t, *next;

	llist_for_each_entry_safe(t, next, llist_del_all(&ended), ended) release(t);
}

static DECLARE_WORK(releaser, release_ended);

/* ------------------------------------------------------------ what is counted */

static bool fits(const struct counter *c, const struct inode *exe)
{
	return c->probe->program && target_file_is(c->probe->program - 1, exe);
}

static bool matters(const struct inode *exe)
{
	u32 i;

	for (i = 0; i < perf_ncounters; i++)
		if (fits(&perf_counters[i], exe))
			return true;
	return false;
}

/* Start counting TASK, which runs EXE. */
static void count(struct task_struct *task, const struct inode *exe)
{
	struct counted *t = kzalloc(struct_size(t, events, perf_ncounters), GFP_KERNEL);
	bool first;
	u32 i;

	if (!t)
		return;
	t->task = task;
	for (i = 0; i < perf_ncounters; i++)
		if (fits(&perf_counters[i], exe))
			t->events[i] = perf_event_make(&perf_counters[i], -1, task);
	spin_lock(&lock);
	first = !find(task);
	if (first)
		hlist_add_head_rcu(&t->node, &threads[hash_ptr(task, BITS)]);
	spin_unlock(&lock);
	if (!first)
		release(t);
}

static void uncount(const struct task_struct *task)
{
	struct counted *t = take_out(task);

	if (t)
		release(t);
}

/* --------------------------------------------------- on the way to the program */

static void on_work(struct callback_head *head)
{
	const struct inode *exe = process_executable(current->mm);

	kfree(head);
	uncount(current);
	if (!(current->flags & PF_EXITING) && matters(exe))
		count(current, exe);
	works_done(&works);
}

static void later(struct task_struct *task)
{
	struct callback_head *head = kmalloc(sizeof *head, GFP_ATOMIC);

	if (!head)
		return;
	init_task_work(head, on_work);
	if (works_add(&works, task, head))
		kfree(head);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (process_runs_program(child) && matters(process_executable(current->mm)))
		later(child);
}

static void on_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	bool counted;

	rcu_read_lock();
	counted = find(p);
	rcu_read_unlock();
	if (counted || matters(process_executable(p->mm)))
		later(p);
}

static void on_exit(void *data, struct task_struct *p)
{
	struct counted *t = take_out(p);

	if (t && llist_add(&t->ended, &ended))
		schedule_work(&releaser);
}

static struct tracepoint_hook watches[] = {
	{"sched_process_fork", on_fork},
	{"sched_process_exec", on_exec},
	{"sched_process_exit", on_exit},
};

/* -------------------------------------------------------------- start, stop */

static u32 snapshot(struct pid **v, u32 max)
{
	struct task_struct *p, *t;
	u32 n = 0;

	rcu_read_lock();
	for_each_process_thread(p, t)
	{
		task_lock(t);
		if (process_runs_program(t) && n < max && matters(process_executable(t->mm)))
			v[n++] = get_pid(task_pid(t));
		task_unlock(t);
	}
	rcu_read_unlock();
	return n;
}

static const struct inode *exe_now(struct task_struct *t)
{
	const struct inode *exe;

	task_lock(t);
	exe = process_executable(t->mm);
	task_unlock(t);
	return exe;
}

static void count_pid(struct pid *pid)
{
	struct task_struct *t = get_pid_task(pid, PIDTYPE_PID);
	const struct inode *exe;

	put_pid(pid);
	if (!t)
		return;
	exe = exe_now(t);
	if (exe && matters(exe)) {
		count(t, exe);
		if (exe_now(t) != exe) /* the task called exec in between, and its hook did not
					* see this record */
			uncount(t);
	}
	put_task_struct(t);
}

/* Start counting the threads that exist already. */
static int count_all(void)
{
	enum { MOST = 1 << 16 };
	struct pid **v = kvmalloc_array(MOST, sizeof *v, GFP_KERNEL);
	u32 n, i;

	if (!v)
		return -ENOMEM;
	n = snapshot(v, MOST);
	for (i = 0; i < n; i++)
		count_pid(v[i]);
	kvfree(v);
	return 0;
}

int perf_tasks_start(void)
{
	int err = 0;
	u32 i;

	on = true;
	for (i = 0; i < ARRAY_SIZE(watches) && !err; i++)
		err = tracepoint_hook_add(&watches[i]);
	return err ? err : count_all();
}

void perf_tasks_stop(void)
{
	struct hlist_node *next;
	struct counted *t;
	u32 i;

	if (!on)
		return;
	tracepoint_hooks_remove(watches, ARRAY_SIZE(watches));
	works_wait(&works);
	flush_work(&releaser);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		hlist_for_each_entry_safe(t, next, &threads[i], node)
		{
			hlist_del_rcu(&t->node);
			release(t);
		}
	rcu_barrier();
	on = false;
}
