/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU events that follow CPU hotplug.
 *
 * The kernel removes the events of a CPU that goes offline and does not restore them. They cannot
 * be created in the hotplug callback, because some take the lock that is held there: a work item
 * creates them.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "probes/cpus.h"

static LIST_HEAD(all);
static DEFINE_MUTEX(cpu_events_lock); /* held while events are created or released */
static struct cpumask changed;        /* CPUs that went offline or came online, whose events do not
				       * count */
static int state; /* state number of the hotplug callbacks; negative if none was free */

static void release_on_cpu(struct cpu_events *e, int cpu)
{
	struct perf_event *event = e->on[cpu];

	if (!event)
		return;
	WRITE_ONCE(e->on[cpu], NULL);
	synchronize_rcu();
	perf_event_release_kernel(event);
}

static void fill(struct cpu_events *e)
{
	int cpu;

	for_each_online_cpu(cpu) if (!e->on[cpu]) WRITE_ONCE(e->on[cpu], e->make(e, cpu));
}

static void follow(struct work_struct *work)
{
	struct cpu_events *e;
	int cpu;

	mutex_lock(&cpu_events_lock);
	for_each_possible_cpu(cpu) if (cpumask_test_and_clear_cpu(cpu, &changed))
		list_for_each_entry(e, &all, list) release_on_cpu(e, cpu);
	list_for_each_entry(e, &all, list) fill(e);
	mutex_unlock(&cpu_events_lock);
}

static DECLARE_WORK(follower, follow);

static int on_change(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &changed);
	schedule_work(&follower);
	return 0;
}

int cpu_events_start(struct cpu_events *e)
{
	e->on = kcalloc(nr_cpu_ids, sizeof *e->on, GFP_KERNEL);
	if (!e->on)
		return -ENOMEM;
	mutex_lock(&cpu_events_lock);
	if (list_empty(&all))
		state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ustap/events", on_change,
						  on_change);
	list_add(&e->list, &all);
	fill(e);
	mutex_unlock(&cpu_events_lock);
	return 0;
}

void cpu_events_stop(struct cpu_events *e)
{
	bool last;
	int cpu;

	if (!e->on)
		return;
	mutex_lock(&cpu_events_lock);
	list_del(&e->list);
	last = list_empty(&all);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (e->on[cpu])
			perf_event_release_kernel(e->on[cpu]);
	mutex_unlock(&cpu_events_lock);
	if (!last)
		return;
	if (state >= 0)
		cpuhp_remove_state_nocalls(state);
	cancel_work_sync(&follower);
}
