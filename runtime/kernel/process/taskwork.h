/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task work: callbacks that tasks run before they return to user mode, and the wait for their
 * end. */
#ifndef USTAP_TASKWORK_H
#define USTAP_TASKWORK_H

#include <linux/rcupdate.h>
#include <linux/task_work.h>
#include <linux/wait.h>

struct works {
	atomic_t n; /* number of callbacks that are not done */
	bool any;   /* at least one was added */
	wait_queue_head_t none;
};

#define DEFINE_WORKS(name) \
	struct works name = {.n = ATOMIC_INIT(0), .none = __WAIT_QUEUE_HEAD_INITIALIZER(name.none)}

/* End of a callback: the last call of its function. */
static inline void works_done(struct works *w)
{
	if (atomic_dec_and_test(&w->n))
		wake_up(&w->none);
}

/* Queue HEAD on TASK; its function calls works_done(). Returns an error if the task is about to
 * exit. */
static inline int works_add(struct works *w, struct task_struct *task, struct callback_head *head)
{
	int err;

	atomic_inc(&w->n);
	WRITE_ONCE(w->any, true);
	err = task_work_add(task, head, TWA_RESUME);
	if (err)
		works_done(w);
	return err;
}

/* Wait for all callbacks, when no more are added. The last instructions of a callback may still be
 * executed by a preempted task. */
static inline void works_wait(struct works *w)
{
	wait_event(w->none, !atomic_read(&w->n));
	if (w->any)
		synchronize_rcu_tasks();
}

#endif
