/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events of each thread of the probed programs: counters of perf.*.process() and hardware
 * breakpoints of process.data().
 *
 * Creating an event sleeps, which tracepoints must not: the thread creates it itself before it
 * returns to user mode (task work), so all that the program does is counted. When a thread exits, a
 * work item releases its events.
 */
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "probes/probes.h"
#include "probes/task_events.h"
#include "process/process_filter.h"

struct task_record {
	struct hlist_node node;
	struct llist_node ended;
	struct task_events *set;
	const struct task_struct *task; /* only compared */
	refcount_t users;               /* the table, and each deferred handler */
	struct rcu_head rcu;
	struct task_event events[];
};

/* ------------------------------------------------------------- the records */

/* Called under RCU or with the lock held. */
static struct task_record *find(struct task_events *s, const struct task_struct *task)
{
	struct task_record *t;

	hlist_for_each_entry_rcu(t, &s->threads[hash_ptr(task, TASK_EVENTS_BITS)], node,
				 lockdep_is_held(&s->lock)) if (t->task == task) return t;
	return NULL;
}

struct perf_event *task_events_current(struct task_events *s, u32 n)
{
	struct task_record *t = find(s, current);

	return t ? t->events[n].perf : NULL;
}

static void drop_record(struct task_record *t)
{
	if (refcount_dec_and_test(&t->users))
		kfree_rcu(t, rcu);
}

static void release(struct task_record *t)
{
	u32 i;

	for (i = 0; i < t->set->n; i++)
		if (t->events[i].perf)
			perf_event_release_kernel(t->events[i].perf);
	drop_record(t);
}

static struct task_record *take_out(struct task_events *s, const struct task_struct *task)
{
	struct task_record *t;

	spin_lock(&s->lock);
	t = find(s, task);
	if (t)
		hlist_del_rcu(&t->node);
	spin_unlock(&s->lock);
	return t;
}

static void release_ended(struct work_struct *work)
{
	struct task_events *s = container_of(work, struct task_events, releaser);
	struct task_record *t, *next;

	llist_for_each_entry_safe(t, next, llist_del_all(&s->ended), ended) release(t);
}

/* -------------------------------------------------------- deferred handlers */

void task_event_defer(struct task_event *e, task_work_func_t fn)
{
	struct task_record *t = e->of;

	if (atomic_inc_return(&e->hits) > 1)
		return;
	refcount_inc(&t->users);
	init_task_work(&e->head, fn);
	if (!works_add(&t->set->works, current, &e->head))
		return;
	atomic_set(&e->hits, 0); /* the thread is exiting */
	drop_record(t);
}

void task_event_done(struct task_event *e)
{
	struct works *works = &e->of->set->works;

	drop_record(e->of);
	works_done(works);
}

/* ------------------------------------------------------------ what is counted */

static bool matters(const struct task_events *s, const struct inode *exe)
{
	u32 i;

	for (i = 0; i < s->n; i++)
		if (s->fits(i, exe))
			return true;
	return false;
}

/* Create the events of TASK, which runs EXE. */
static void count(struct task_events *s, struct task_struct *task, const struct inode *exe)
{
	struct task_record *t = kzalloc(struct_size(t, events, s->n), GFP_KERNEL);
	bool first;
	u32 i;

	if (!t)
		return;
	t->set = s;
	t->task = task;
	refcount_set(&t->users, 1);
	for (i = 0; i < s->n; i++) {
		t->events[i].of = t;
		t->events[i].number = i;
		if (s->fits(i, exe))
			t->events[i].perf = s->make(&t->events[i], task);
	}
	spin_lock(&s->lock);
	first = !find(s, task);
	if (first)
		hlist_add_head_rcu(&t->node, &s->threads[hash_ptr(task, TASK_EVENTS_BITS)]);
	spin_unlock(&s->lock);
	if (!first)
		release(t);
}

static void uncount(struct task_events *s, const struct task_struct *task)
{
	struct task_record *t = take_out(s, task);

	if (t)
		release(t);
}

/* --------------------------------------------------- on the way to the program */

struct creation {
	struct callback_head head;
	struct task_events *set;
};

static void on_work(struct callback_head *head)
{
	struct creation *work = container_of(head, struct creation, head);
	const struct inode *exe = process_executable(current->mm);
	struct task_events *s = work->set;

	kfree(work);
	uncount(s, current);
	if (!(current->flags & PF_EXITING) && matters(s, exe))
		count(s, current, exe);
	works_done(&s->works);
}

static void later(struct task_events *s, struct task_struct *task)
{
	struct creation *work = kmalloc(sizeof *work, GFP_ATOMIC);

	if (!work)
		return;
	work->set = s;
	init_task_work(&work->head, on_work);
	if (works_add(&s->works, task, &work->head))
		kfree(work);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (process_runs_program(child) && matters(data, process_executable(current->mm)))
		later(data, child);
}

static void on_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	bool counted;

	rcu_read_lock();
	counted = find(data, p);
	rcu_read_unlock();
	if (counted || matters(data, process_executable(p->mm)))
		later(data, p);
}

static void on_exit(void *data, struct task_struct *p)
{
	struct task_events *s = data;
	struct task_record *t = take_out(s, p);

	if (t && llist_add(&t->ended, &s->ended))
		schedule_work(&s->releaser);
}

/* -------------------------------------------------------------- start, stop */

static u32 snapshot(struct task_events *s, struct pid **v, u32 max)
{
	struct task_struct *p, *t;
	u32 n = 0;

	rcu_read_lock();
	for_each_process_thread(p, t)
	{
		task_lock(t);
		if (process_runs_program(t) && n < max && matters(s, process_executable(t->mm)))
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

static void count_pid(struct task_events *s, struct pid *pid)
{
	struct task_struct *t = get_pid_task(pid, PIDTYPE_PID);
	const struct inode *exe;

	put_pid(pid);
	if (!t)
		return;
	exe = exe_now(t);
	if (exe && matters(s, exe)) {
		count(s, t, exe);
		/* The task executed another program or exited in between, and the hook did not find
		 * this record. Since Linux 6.16 an exit has its tracepoint before the task loses
		 * its memory map. */
		if (exe_now(t) != exe || READ_ONCE(t->flags) & PF_EXITING)
			uncount(s, t);
	}
	put_task_struct(t);
}

/* Create the events of the threads that exist already. */
static int count_all(struct task_events *s)
{
	enum { MOST = 1 << 16 };
	struct pid **v = kvmalloc_array(MOST, sizeof *v, GFP_KERNEL);
	u32 n, i;

	if (!v)
		return -ENOMEM;
	n = snapshot(s, v, MOST);
	for (i = 0; i < n; i++)
		count_pid(s, v[i]);
	kvfree(v);
	return 0;
}

static void init(struct task_events *s)
{
	static const struct tracepoint_hook hooks[] = {
		{"sched_process_fork", on_fork},
		{"sched_process_exec", on_exec},
		{"sched_process_exit", on_exit},
	};
	u32 i;

	BUILD_BUG_ON(sizeof hooks != sizeof s->hooks);
	memcpy(s->hooks, hooks, sizeof hooks);
	for (i = 0; i < ARRAY_SIZE(s->hooks); i++)
		s->hooks[i].data = s;
	for (i = 0; i < ARRAY_SIZE(s->threads); i++)
		INIT_HLIST_HEAD(&s->threads[i]);
	spin_lock_init(&s->lock);
	init_llist_head(&s->ended);
	INIT_WORK(&s->releaser, release_ended);
	atomic_set(&s->works.n, 0);
	s->works.any = false;
	init_waitqueue_head(&s->works.none);
}

int task_events_start(struct task_events *s)
{
	int err = 0;
	u32 i;

	init(s);
	s->on = true;
	for (i = 0; i < ARRAY_SIZE(s->hooks) && !err; i++)
		err = tracepoint_hook_add(&s->hooks[i]);
	return err ? err : count_all(s);
}

void task_events_stop(struct task_events *s)
{
	struct hlist_node *next;
	struct task_record *t;
	u32 i;

	if (!s->on)
		return;
	tracepoint_hooks_remove(s->hooks, ARRAY_SIZE(s->hooks));
	works_wait(&s->works);
	flush_work(&s->releaser);
	for (i = 0; i < ARRAY_SIZE(s->threads); i++)
		hlist_for_each_entry_safe(t, next, &s->threads[i], node)
		{
			hlist_del_rcu(&t->node);
			release(t);
		}
	works_wait(&s->works); /* hits that were deferred until the events were released */
	rcu_barrier();
	s->on = false;
}
