/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between perf.c and perf_task.c. */
#ifndef USTAP_PERF_H
#define USTAP_PERF_H

#include <linux/perf_event.h>

#include "probes/cpus.h"
#include "rt.h"

/* Of one probe: an event for each CPU, or for each thread of its program. */
struct counter {
	const struct ust_probe *probe;
	struct cpu_events cpus; /* none: of threads */
	bool told;              /* that the machine refuses it */
};

extern struct counter *perf_counters;
extern u32 perf_ncounters;

/* The event of C on CPU, or of TASK where CPU is -1; NULL: there is none, which is told once.
 * Sleeps. */
struct perf_event *perf_event_make(struct counter *c, int cpu, struct task_struct *task);

int perf_tasks_start(void);
void perf_tasks_stop(void); /* and wait for running handlers */
/* That of the current thread for counter number N, under RCU; NULL: it has none. */
struct perf_event *perf_tasks_event(u32 n);

#endif
