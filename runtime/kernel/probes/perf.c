/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events: one for each CPU, or for each thread of a program (task_events.c).
 *
 * Handlers run when a counter overflows: in an interrupt, in an NMI, or inside the counted code
 * with scheduler locks held. Counters that are only read have no handler; they are read by the
 * counted thread or on the counted CPU, so that neither locks nor other CPUs are involved.
 */
#include <linux/irqflags.h>
#include <linux/slab.h>

#include "probes/cpus.h"
#include "probes/sample.h"
#include "probes/task_events.h"
#include "process/target_file.h"
#include "wire_records.h"
#include "probes/probes.h"

/* The events of one probe: for each CPU, or for each thread of its program. */
static struct counter {
	const struct ust_probe *probe;
	struct cpu_events cpus; /* unused for threads */
	bool told;              /* a refusal by the machine was reported */
} * counters;
static struct task_events of_threads; /* by counter */
static u32 ncounters;

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	sample_run(event->overflow_handler_context, regs);
}

static const char *reason(int err)
{
	switch (err) {
	case -ENOENT:
	case -EOPNOTSUPP:
		return "the machine does not support this event";
	case -EINVAL:
		return "the kernel does not know this event";
	case -ENOSPC:
	case -EBUSY:
		return "all counters of the machine are in use";
	default:
		return "an error";
	}
}

/* Create the event of C on CPU, or of TASK if CPU is -1; NULL on failure, which is reported once.
 * May sleep. */
static struct perf_event *make(struct counter *c, int cpu, struct task_struct *task)
{
	const struct ust_probe *p = c->probe;
	struct perf_event_attr attr = {.type = p->perf.type,
				       .size = sizeof attr,
				       .config = p->perf.config,
				       .freq = p->perf.by_rate};
	struct perf_event *event;

	if (attr.freq)
		attr.sample_freq = p->perf.count;
	else
		attr.sample_period = p->perf.count;
	event = perf_event_create_kernel_counter(&attr, cpu, task,
						 p->perf.counter ? NULL : on_overflow, (void *)p);
	if (!IS_ERR(event))
		return event;
	/* the thread has exited or the CPU has gone offline */
	if (PTR_ERR(event) != -ESRCH && PTR_ERR(event) != -ENODEV && !xchg(&c->told, true))
		relay_message(UST_REC_WARN, "probe %s counts nothing: %s (%ld)", p->pp,
			      reason(PTR_ERR(event)), PTR_ERR(event));
	return NULL;
}

/* ----------------------------------------------------------------- reading */

/* Read a counter like perf_event_read_local(), which is not exported to modules. */
static u64 read_event(struct perf_event *event)
{
	unsigned long flags;
	u64 value;

	local_irq_save(flags);
	if (event->oncpu == smp_processor_id())
		event->pmu->read(event);
	value = local64_read(&event->count);
	local_irq_restore(flags);
	return value;
}

static struct counter *named(const char *name)
{
	u32 i;

	for (i = 0; i < ncounters; i++)
		if (counters[i].probe->perf.counter &&
		    !strcmp(counters[i].probe->perf.counter, name))
			return &counters[i];
	return NULL;
}

ust_long ust_perf(struct ust_ctx *c, const char *name)
{
	struct counter *k = named(name);
	struct perf_event *event = NULL;
	u64 value = 0;

	rcu_read_lock();
	if (k)
		event = k->cpus.on ? READ_ONCE(k->cpus.on[raw_smp_processor_id()])
				   : task_events_current(&of_threads, k - counters);
	if (event)
		value = read_event(event);
	rcu_read_unlock();
	if (!event)
		ctx_fail_text(c,
			      k && k->cpus.on
				      ? "the machine does not support the events of the counter "
				      : "this thread is not counted by the counter ",
			      name);
	return value;
}

/* -------------------------------------------------------------- start, stop */

static bool is_counter(const struct ust_probe *p) { return p->kind == UST_PROBE_PERF; }

static struct perf_event *make_on_cpu(struct cpu_events *e, int cpu)
{
	struct counter *c = container_of(e, struct counter, cpus);

	return c->told ? NULL : make(c, cpu, NULL);
}

static int start_cpus(struct counter *c)
{
	c->cpus.make = make_on_cpu;
	return cpu_events_start(&c->cpus);
}

static bool fits(u32 i, const struct inode *exe)
{
	const struct ust_probe *p = counters[i].probe;

	return p->program && target_file_is(p->program - 1, exe);
}

static struct perf_event *make_of_thread(struct task_event *e, struct task_struct *task)
{
	return make(&counters[e->number], -1, task);
}

static void collect(void)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (is_counter(&ust_program.probes[i]))
			counters[ncounters++].probe = &ust_program.probes[i];
}

bool perf_is_used(void)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (is_counter(&ust_program.probes[i]))
			return true;
	return false;
}

int perf_start(void)
{
	bool of_tasks = false;
	int err = 0;
	u32 i;

	if (!perf_is_used())
		return 0;
	counters = kcalloc(ust_program.nprobes, sizeof *counters, GFP_KERNEL);
	if (!counters)
		return -ENOMEM;
	collect();
	for (i = 0; i < ncounters && !err; i++)
		if (counters[i].probe->program)
			of_tasks = true;
		else
			err = start_cpus(&counters[i]);
	of_threads.n = ncounters;
	of_threads.fits = fits;
	of_threads.make = make_of_thread;
	return err || !of_tasks ? err : task_events_start(&of_threads);
}

void perf_stop(void)
{
	u32 i;

	if (!counters)
		return;
	task_events_stop(&of_threads);
	for (i = 0; i < ncounters; i++)
		cpu_events_stop(&counters[i].cpus);
	synchronize_rcu(); /* wait for running handlers */
	for (i = 0; i < ncounters; i++)
		kfree(counters[i].cpus.on);
	kfree(counters);
	counters = NULL;
	ncounters = 0;
}
