/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf events of each thread of programs, present and future. */
#ifndef USTAP_TASK_EVENTS_H
#define USTAP_TASK_EVENTS_H

#include <linux/fs.h>
#include <linux/llist.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "probes/tracepoint.h"
#include "process/taskwork.h"

enum { TASK_EVENTS_BITS = 8 };

/* One event of one thread. HEAD and HITS are for a handler that runs later, as task work. */
struct task_event {
	struct perf_event *perf; /* NULL if the thread does not have it */
	struct task_record *of;
	u64 data; /* for make() and the handler */
	u32 number;
	struct callback_head head;
	atomic_t hits;
};

struct task_events {
	/* set before the start: */
	u32 n;                                        /* events of a thread */
	bool (*fits)(u32 i, const struct inode *exe); /* number I is for programs of EXE */
	/* Create E, number E->number, for TASK; NULL on failure, which it reports. May sleep. */
	struct perf_event *(*make)(struct task_event *e, struct task_struct *task);
	/* private: */
	bool on;
	struct hlist_head threads[1 << TASK_EVENTS_BITS];
	spinlock_t lock;
	struct llist_head ended;
	struct work_struct releaser;
	struct works works;
	struct tracepoint_hook hooks[3];
};

/* Create the events of existing threads, and from now on those of new ones. Returns 0 or an error,
 * after which task_events_stop() undoes it; may sleep. */
int task_events_start(struct task_events *s);
/* Release all events, and wait for running handlers and for task work. Also if not started. */
void task_events_stop(struct task_events *s);
/* Event number N of the current thread, or NULL. Called under RCU. */
struct perf_event *task_events_current(struct task_events *s, u32 n);
/* Have the current thread, in which E has happened, call FN with E->head before it returns to its
 * program. FN takes the number of hits from E->hits and calls task_event_done(). Any context. */
void task_event_defer(struct task_event *e, task_work_func_t fn);
void task_event_done(struct task_event *e);

#endif
