/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the kernel on each CPU, also on those that come online later. */
#ifndef USTAP_CPUS_H
#define USTAP_CPUS_H

#include <linux/list.h>
#include <linux/perf_event.h>

struct cpu_events {
	struct list_head list;
	struct perf_event *(*make)(struct cpu_events *e, int cpu); /* NULL: there is none; sleeps */
	struct perf_event **on; /* by CPU, to be read under RCU */
};

/* Make those of E, whose `make' is set. */
int cpu_events_start(struct cpu_events *e);
/* Give them back, if they were made; handlers may be running until the next grace period of RCU,
 * then E->on is to be freed. */
void cpu_events_stop(struct cpu_events *e);

#endif
