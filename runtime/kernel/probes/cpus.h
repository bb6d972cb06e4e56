/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel events on each CPU, also on CPUs that come online later. */
#ifndef USTAP_CPUS_H
#define USTAP_CPUS_H

#include <linux/list.h>
#include <linux/perf_event.h>

struct cpu_events {
	struct list_head list;
	struct perf_event *(*make)(struct cpu_events *e, int cpu); /* create the event of a CPU;
								    * NULL on failure; may sleep */
	struct perf_event **on;                                    /* by CPU; read under RCU */
};

/* Create the events of E with its `make' hook. Returns 0 or an error; may sleep. */
int cpu_events_start(struct cpu_events *e);
/* Release the events if they were created. Handlers may run until the next RCU grace period; the
 * caller frees E->on after it. */
void cpu_events_stop(struct cpu_events *e);

#endif
