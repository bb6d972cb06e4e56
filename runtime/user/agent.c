/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent: functions that the loader and the script process call (struct ust_agent). begin, end
 * and error probes run in the script process, in the same order as in runtime/kernel/main.c. The
 * loader sets the states.
 */
#include <linux/errno.h>

#include "arrays/merge.h"
#include "user.h"
#include "wire_records.h"

/* ----------------------------------------------------- probes without sites */

/* The probe of KIND, or of those flagged AFTER_ERROR, that runs after LAST (NULL: the first): by
 * priority, then in script order. */
static const struct ust_probe *next_probe(u32 kind, bool after_error, const struct ust_probe *last)
{
	const struct ust_probe *p = ust_program.probes, *end = p + ust_program.nprobes,
			       *best = NULL;

	for (; p < end; p++)
		if (p->kind == kind && (!after_error || p->life.after_error) &&
		    (!best || p->life.priority < best->life.priority) &&
		    (!last || p->life.priority > last->life.priority ||
		     (p->life.priority == last->life.priority && p > last)))
			best = p;
	return best;
}

static void run_all(u32 kind, bool after_error, bool until_exit)
{
	const struct ust_probe *p = NULL;

	while (!(until_exit && READ_ONCE(shared.status.exit_requested)) &&
	       (p = next_probe(kind, after_error, p))) {
		struct ust_hit hit = {.probe = p, .mode = MODE_ALONE};

		p->handler(&hit);
	}
}

/* Run the end or error probes, by the rules of the kernel runtime. */
static void run_last(void)
{
	u32 failed = READ_ONCE(shared.status.failed);

	run_all(failed ? UST_PROBE_ERROR : UST_PROBE_END, false, false);
	if (failed == FAILURE_RUNTIME)
		run_all(UST_PROBE_END, true, false);
}

/* In place of the end probes, which run where the globals are merged. */
static void send_globals(void)
{
	if (READ_ONCE(shared.status.failed))
		run_all(UST_PROBE_ERROR, false, false);
	ust_program.merge->send();
}

/* ----------------------------------------------------------------- orders */

static void disarm(void) { __atomic_fetch_or(&shared.owner, UST_DISARMED, __ATOMIC_SEQ_CST); }

static const u64 common[UST_COMMON_COUNT] = {
	[UST_COMMON_ENTRY] = (u64)arch_common_entry,
	[UST_COMMON_RETURN] = (u64)arch_common_return,
	[UST_COMMON_AFTER] = (u64)arch_common_after,
	[UST_COMMON_ENTRY + UST_COMMON_FULL] = (u64)arch_common_entry_full,
	[UST_COMMON_RETURN + UST_COMMON_FULL] = (u64)arch_common_return_full,
	[UST_COMMON_AFTER + UST_COMMON_FULL] = (u64)arch_common_after_full,
	[UST_COMMON_CALL_RETURN] = (u64)arch_common_call_return,
	[UST_COMMON_CALL_AFTER] = (u64)arch_common_call_after,
	[UST_COMMON_ENTRY_SWITCHED] = (u64)arch_common_entry_switched,
};

static int check_program(void)
{
	return ust_program.abi == UST_ABI && ust_program.maxstringlen >= 16 && layout.ncpu
		       ? 0
		       : -ENOEXEC;
}

static bool probes_returns(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites; i++)
		if (ust_program.sites[i].flags & UST_SITE_RETURN)
			return true;
	return false;
}

static int make(void)
{
	layout.uses = (ust_program.flags & UST_PROG_SYSTEM ? UST_USES_SYSTEM : 0) |
		      (ust_program.flags & UST_PROG_SWITCH ? UST_USES_SWITCH : 0) |
		      (ust_program.flags & UST_PROG_GURU ? UST_USES_WRITE : 0);
	layout.nprobes = ust_program.nprobes;
	layout.order_ms = contexts_time();
	layout.nsites = ust_program.nsites;
	layout.nmodules = ust_program.nmodules;
	layout.events = events_probed();
	layout.walks = ust_program.nmodules &&
		       (ust_program.modules[0].map || ust_program.flags & UST_PROG_MAPPED ||
			probes_returns());
	layout.gates = (u64)ust_program.gates;
	layout.ngates = ust_program.ngates;
	layout.order = (u64)heap_alloc(sizeof(u32) * (layout.nsites + 1));
	return layout.order && globals_init(&ust_program) && counts_init() &&
			       (!ust_program.overhead || ust_program.overhead->init()) &&
			       contexts_init() && rings_init() && timers_init() && calls_init()
		       ? 0
		       : -ENOMEM;
}

static bool has_input(void)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].kind == UST_PROBE_INPUT)
			return true;
	return false;
}

static int init(struct ust_layout *to)
{
	int err;

	layout = *to;
	err = check_program();
	if (err)
		return err;
	memcpy(layout.common, common, sizeof common);
	arch_init();
	task_init();
	slots_init();
	callers_init();
	traps_init();
	divert_init();
	faults_init();
	heap_init((void *)layout.heap_end);
	err = make();
	shared.status.version = UST_WIRE_VERSION;
	shared.status.ncpu = layout.ncpu;
	shared.status.name_key = ust_program.flags & UST_PROG_NAMES ? layout.name_key : 0;
	shared.status.string_max = ust_program.maxstringlen - 1;
	shared.status.input = has_input();
	layout.heap_end = (u64)heap_limit();
	*to = layout;
	return err;
}

static void site(u32 i, struct ust_site_info *to)
{
	const struct ust_site *s = &ust_program.sites[i];

	to->offset = s->offset;
	to->addr = s->addr;
	to->module = s->module;
	to->flags = (s->flags & UST_SITE_RETURN ? UST_SITE_INFO_RETURN : 0) |
		    (s->flags & UST_SITE_ALL_REGS ? UST_SITE_INFO_ALL_REGS : 0) |
		    (s->flags & UST_SITE_WATCH ? UST_SITE_INFO_WATCH : 0) |
		    (s->flags & UST_SITE_WATCH_READS ? UST_SITE_INFO_WATCH_READS : 0) |
		    (s->flags & UST_SITE_ABSOLUTE ? UST_SITE_INFO_ABSOLUTE : 0) |
		    (s->flags & UST_SITE_CALLS ? UST_SITE_INFO_CALLS : 0) |
		    (s->flags & UST_SITE_NO_ROOM ? UST_SITE_INFO_NO_ROOM : 0);
	to->length = s->length;
	to->pp = s->pp;
	to->semaphore = s->semaphore;
	to->sem_offset = s->sem_offset;
	to->gate = s->gate ? s->gate - ust_program.gates + 1 : 0;
}

static const char *module(u32 i, const char **identity)
{
	*identity = ust_program.modules[i].identity;
	return ust_program.modules[i].path;
}

/* Set by the loader: only end probes run, on merged globals. */
static bool merged;

static int merge(u32 op, char *line, const char **why)
{
	if (!ust_program.merge)
		return -EOPNOTSUPP;
	if (op == UST_MERGE_SEND)
		return 0;
	merged |= op == UST_MERGE_OPEN;
	return ust_program.merge->take(op, line, why);
}

static int begin(void)
{
	gates_begin();
	if (!merged)
		run_all(UST_PROBE_BEGIN, false, true);
	return 0;
}

static int set(const char *name, const char *value, __s64 number, int is_number)
{
	return global_set(name, value, number, is_number);
}

/* exit() may be called by a timer's handler at any time. */
static void arm(void)
{
	if (READ_ONCE(shared.status.exit_requested) || merged)
		return;
	__atomic_fetch_and(&shared.owner, ~UST_DISARMED, __ATOMIC_SEQ_CST);
	timers_start(clock_monotonic());
	if (__atomic_load_n(&shared.status.exit_requested, __ATOMIC_SEQ_CST))
		disarm();
}

static void end(__u32 flags)
{
	contexts_settle();
	if (flags & UST_STOP_SEND && ust_program.merge)
		send_globals();
	else
		run_last();
	counts_write(0);
}

/* Globals can be read after exit(), too: the loader exports their last values. */
static bool may_run(enum ust_probe_kind kind)
{
	return kind == UST_PROBE_MONITOR || kind == UST_PROBE_SEND ? !is_orphaned() : is_armed();
}

static void run_requested(enum ust_probe_kind kind)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes && may_run(kind); i++) {
		struct ust_hit hit = {.probe = &ust_program.probes[i], .mode = MODE_THREAD};

		if (hit.probe->kind == kind)
			hit.probe->handler(&hit);
	}
}

static void view(__u32 flags, __s64 target)
{
	if (flags & UST_VIEW_SEND) {
		if (ust_program.merge)
			ust_program.merge->send_running(run_requested);
		return;
	}
	if (flags & UST_VIEW_RESET)
		run_requested(UST_PROBE_RESET);
	if (flags & (UST_VIEW_OFF | UST_VIEW_ON))
		counts_switch(target, flags & UST_VIEW_ON);
	run_requested(UST_PROBE_MONITOR);
	counts_write(UST_COUNT_VIEW);
	port_write(UST_REC_VIEW, "", 0, true);
}

static void input(u32 character)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes && is_armed(); i++) {
		struct ust_hit hit = {
			.probe = &ust_program.probes[i], .addr = character, .mode = MODE_THREAD};

		if (hit.probe->kind == UST_PROBE_INPUT)
			hit.probe->handler(&hit);
	}
}

void port_exit(enum failure failed)
{
	if (failed > READ_ONCE(shared.status.failed))
		WRITE_ONCE(shared.status.failed, failed);
	disarm();
	if (!__atomic_exchange_n(&shared.status.exit_requested, 1, __ATOMIC_SEQ_CST) || failed)
		ring_doorbell();
}

/* -------------------------------------------------------------- the agent */

const struct ust_agent agent __attribute__((section(".data.rel.ro.agent"))) = {
	.magic = UST_AGENT_MAGIC,
	.version = UST_WIRE_VERSION,
	.size = sizeof agent,
	.shared = &shared,
	.process = &process,
	.init = init,
	.site = site,
	.merge = merge,
	.note = counts_note,
	.module = module,
	.probe = event_probe,
	.begin = begin,
	.arm = arm,
	.timers = timers_run,
	.end = end,
	.view = view,
	.input = input,
	.set = set,
	.event = event_run,
};
