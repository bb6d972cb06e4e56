/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subsystems of the module, in one order: each row may rely on the rows above it.
 *
 * The hooks of a phase run in this order, those that undo it in reverse. If a hook fails, its own
 * row and the rows above it are undone, so stop() and exit() handle a part that failed halfway.
 */
#include <linux/module.h>

#include "memory/areas.h"
#include "probes/probes.h"
#include "process/process_filter.h"
#include "rt.h"

struct subsystem {
	const char *name;
	int (*init)(void);  /* module load: memory and files */
	int (*start)(void); /* START, before begin probes */
	int (*begin)(void); /* after begin probes, unless one called exit() */
	void (*stop)(void); /* waits for running handlers */
	void (*exit)(void);
};

/* ---------------------------------------------------------------- adapters */

static int init_globals(void) { return globals_init(&ust_program) ? 0 : -ENOMEM; }

static void exit_globals(void) { globals_free(&ust_program); }

static int init_counts(void) { return counts_init() ? 0 : -ENOMEM; }

static int init_overhead(void)
{
	return !ust_program.overhead || ust_program.overhead->init() ? 0 : -ENOMEM;
}

static int start_namespaces(void)
{
	namespaces_hold();
	return 0;
}

static int start_filter(void)
{
	if (!(rt.flags & UST_START_FILTER))
		return 0;
	return filter_start(rt.target, rt.flags & UST_START_CHILDREN, rt.flags & UST_START_OWN);
}

static int start_process_events(void)
{
	return ust_program.process_events
		       ? ust_program.process_events->start(rt.flags & UST_START_COMMAND)
		       : 0;
}

/* TABLE_HOOK(): the hook of a table in ust_program, which a module is linked without if its script
 * does not need it. */
#define OPTIONAL_INT(table, hook)                                         \
	static int table##_##hook(void)                                   \
	{                                                                 \
		return ust_program.table ? ust_program.table->hook() : 0; \
	}
#define OPTIONAL_VOID(table, hook)                 \
	static void table##_##hook(void)           \
	{                                          \
		if (ust_program.table)             \
			ust_program.table->hook(); \
	}
OPTIONAL_VOID(overhead, release)
OPTIONAL_INT(process_events, report_existing)
OPTIONAL_VOID(process_events, stop)
OPTIONAL_VOID(procfs, stop)
OPTIONAL_INT(kernel_probes, perf_start)
OPTIONAL_VOID(kernel_probes, perf_stop)
OPTIONAL_INT(kernel_probes, data_init)
OPTIONAL_INT(kernel_probes, data_start)
OPTIONAL_VOID(kernel_probes, data_stop)
OPTIONAL_VOID(kernel_probes, data_exit)
OPTIONAL_INT(kernel_probes, netfilter_start)
OPTIONAL_VOID(kernel_probes, netfilter_stop)

static int begin_handlers(void)
{
	filter_arm(true);
	return 0;
}

static void stop_handlers(void) { filter_arm(false); }

/* --------------------------------------------------------------- the table */

static const struct subsystem subsystems[] = {
	{.name = "globals", .init = init_globals, .exit = exit_globals},
	{.name = "counts", .init = init_counts, .exit = counts_free},
	{.name = "overhead", .init = init_overhead, .exit = overhead_release},
	{.name = "contexts", .init = context_init, .exit = context_exit},
	{.name = "entry values", .init = entry_values_init, .exit = entry_values_exit},
	{.name = "namespaces", .start = start_namespaces, .exit = namespaces_drop},
	{.name = "raised signals", .init = raise_init, .exit = raise_exit},
	{.name = "memory maps", .init = mm_lock_init, .exit = mm_lock_exit},
	{.name = "areas of memory maps", .init = areas_init},
	{.name = "process filter", .start = start_filter, .stop = filter_stop},
	{.name = "conditions", .start = gates_begin, .exit = gates_exit},
	{.name = "probes", .start = uprobes_register, .stop = uprobes_unregister},
	{.name = "untraced processes", .start = untraced_start, .stop = untraced_stop},
	{.name = "process events", .start = start_process_events, .stop = process_events_stop},
	{.name = "perf", .start = kernel_probes_perf_start, .stop = kernel_probes_perf_stop},
	{.name = "data",
	 .init = kernel_probes_data_init,
	 .start = kernel_probes_data_start,
	 .stop = kernel_probes_data_stop,
	 .exit = kernel_probes_data_exit},
	{.name = "netfilter",
	 .start = kernel_probes_netfilter_start,
	 .stop = kernel_probes_netfilter_stop},
	{.name = "procfs", .stop = procfs_stop},
	{.name = "timers", .begin = timer_start_all, .stop = timer_stop_all},
	{.name = "gates", .begin = gates_start, .stop = gates_stop},
	{.name = "handlers", .begin = begin_handlers, .stop = stop_handlers},
	{.name = "running processes", .begin = process_events_report_existing},
	/* last, because it accepts START at once */
	{.name = "control", .init = control_init, .exit = control_exit},
};

static u32 ninit, nstart; /* number of rows that exit() and stop() have to undo */

/* For tests: index of the hook that returns an error, counted from 1; 0: none. */
static uint fail_at;
module_param(fail_at, uint, 0);
MODULE_PARM_DESC(fail_at, "for tests: number of the start-up step that fails");

static int call(const struct subsystem *s, int (*hook)(void))
{
	static u32 calls;
	int err = hook ? hook() : 0;

	if (hook && ++calls == fail_at && !err)
		err = -ECANCELED;
	if (err)
		pr_debug(RT_PREFIX "%s: error %d\n", s->name, err);
	return err;
}

int subsystems_init(void)
{
	int err = 0;

	while (!err && ninit < ARRAY_SIZE(subsystems)) {
		const struct subsystem *s = &subsystems[ninit++];

		err = call(s, s->init);
	}
	if (err)
		subsystems_exit();
	return err;
}

int subsystems_start(void)
{
	int err = 0;

	while (!err && nstart < ARRAY_SIZE(subsystems)) {
		const struct subsystem *s = &subsystems[nstart++];

		err = call(s, s->start);
	}
	return err;
}

int subsystems_begin(void)
{
	int err = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(subsystems) && !err; i++)
		err = call(&subsystems[i], subsystems[i].begin);
	return err;
}

void subsystems_stop(void)
{
	while (nstart) {
		const struct subsystem *s = &subsystems[--nstart];

		if (s->stop)
			s->stop();
	}
}

void subsystems_exit(void)
{
	subsystems_stop();
	while (ninit) {
		const struct subsystem *s = &subsystems[--ninit];

		if (s->exit)
			s->exit();
	}
}
