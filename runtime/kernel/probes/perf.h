/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between perf.c and perf_task.c. */
#ifndef USTAP_PERF_H
#define USTAP_PERF_H

#include <linux/perf_event.h>

#include "probes/cpus.h"
#include "rt.h"

/* The events of one probe: for each CPU, or for each thread of its program. */
struct counter {
	const struct ust_probe *probe;
	struct cpu_events cpus; /* unused for threads */
	bool told;              /* a refusal by the machine was reported */
};

extern struct counter *perf_counters;
extern u32 perf_ncounters;

/* Create the event of C on CPU, or of TASK if CPU is -1; NULL on failure, which is reported once.
 * May sleep. */
struct perf_event *perf_event_make(struct counter *c, int cpu, struct task_struct *task);

/* Begin to count in the tasks of the probed programs, present and future. Returns 0 or an error,
 * after which perf_stop() undoes it; may sleep. */
int perf_tasks_start(void);
void perf_tasks_stop(void); /* and wait for running handlers */
/* The event of the current thread for counter number N, or NULL. Called under RCU. */
struct perf_event *perf_tasks_event(u32 n);

#endif
