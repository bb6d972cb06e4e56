/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Works that tasks do for us before they are back in their programs, and the wait for their end. */
#ifndef USTAP_TASKWORK_H
#define USTAP_TASKWORK_H

#include <linux/rcupdate.h>
#include <linux/task_work.h>
#include <linux/wait.h>

struct works {
	atomic_t n; /* that are not done */
	bool any;   /* there was one */
	wait_queue_head_t none;
};

#define DEFINE_WORKS(name) \
	struct works name = {.n = ATOMIC_INIT(0), .none = __WAIT_QUEUE_HEAD_INITIALIZER(name.none)}

/* One is done: what its function calls last. */
static inline void works_done(struct works *w)
{
	if (atomic_dec_and_test(&w->n))
		wake_up(&w->none);
}

/* Have TASK run HEAD's function, which calls works_done(); an error if the task is about to end. */
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

/* Nobody adds any more: wait for all.  Their last instructions are run by somebody who may be
 * preempted. */
static inline void works_wait(struct works *w)
{
	wait_event(w->none, !atomic_read(&w->n));
	if (w->any)
		synchronize_rcu_tasks();
}

#endif
