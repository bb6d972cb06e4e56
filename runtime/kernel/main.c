/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module of one script. Loading it only allocates its memory and creates its files in /proc;
 * commands through ctl do the rest:
 *
 *   loaded -START-> starting: probes are registered, begin probes run
 *          -> running: handlers run
 *          -STOP-> stopping: probes are unregistered, end (or error) probes run
 *          -> stopped
 *
 * begin, end and error probes run in the task that sends the command, one at a time.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "arrays/merge.h"
#include "probes/probes.h"
#include "process/process_filter.h"
#include "rt.h"
#include "wire_records.h"

/* ----------------------------------------------------- probes without sites */

static void run_probe(const struct ust_probe *p)
{
	struct ust_hit hit = {.probe = p, .mode = RT_ALONE};

	p->handler(&hit);
}

static int by_priority(const void *a, const void *b)
{
	const struct ust_probe *p = *(const struct ust_probe *const *)a;
	const struct ust_probe *q = *(const struct ust_probe *const *)b;

	if (p->life.priority != q->life.priority)
		return p->life.priority < q->life.priority ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* Run the probes of KIND, or only those flagged AFTER_ERROR, by priority, then in script order. */
static int run_all(u32 kind, bool after_error, bool until_exit)
{
	const struct ust_probe **list;
	u32 n = 0, i;

	if (!ust_program.nprobes)
		return 0;
	list = kvmalloc_array(ust_program.nprobes, sizeof *list, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	for (i = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].kind == kind &&
		    (!after_error || ust_program.probes[i].life.after_error))
			list[n++] = &ust_program.probes[i];
	sort(list, n, sizeof *list, by_priority, NULL);
	for (i = 0; i < n && !(until_exit && READ_ONCE(rt.exit_requested)); i++)
		run_probe(list[i]);
	kvfree(list);
	return 0;
}

/* Run the end probes; after a script error the error probes instead, and after a runtime error also
 * the end probes that are marked for it. */
static void run_last(void)
{
	u8 failed = READ_ONCE(rt.failed);

	run_all(failed ? UST_PROBE_ERROR : UST_PROBE_END, false, false);
	if (failed == FAILURE_RUNTIME)
		run_all(UST_PROBE_END, true, false);
}

/* In place of the end probes, which run where the globals are merged. */
static void send_globals(void)
{
	if (READ_ONCE(rt.failed))
		run_all(UST_PROBE_ERROR, false, false);
	ust_program.merge->send();
}

/* ----------------------------------------------------------------- orders */

static void set_state(u32 state)
{
	WRITE_ONCE(rt.state, state);
	control_notify();
}

void port_exit(enum failure failed)
{
	bool first;

	if (failed > READ_ONCE(rt.failed))
		WRITE_ONCE(rt.failed, failed);
	first = !xchg(&rt.exit_requested, true);
	/* after the state change, in the order in which rt_pause() reads */
	filter_arm(false);
	if (first || failed)
		control_notify();
}

static int arm(const struct ust_cmd *cmd)
{
	int err;

	rt.target = cmd->target;
	rt.flags = cmd->flags;
	rt.loader = current->tgid;
	err = subsystems_start();
	if (!err)
		err = run_all(UST_PROBE_BEGIN, false, true);
	if (!err && !READ_ONCE(rt.exit_requested))
		err = subsystems_begin();
	return err;
}

int rt_start(const struct ust_cmd *cmd)
{
	int err;

	if (rt.state != UST_LOADED)
		return -EBUSY;
	set_state(UST_STARTING);
	err = arm(cmd);
	if (err) {
		subsystems_stop();
		set_state(UST_STOPPED);
		return err;
	}
	set_state(UST_RUNNING);
	return 0;
}

void rt_pause(bool pause)
{
	if (rt.state != UST_RUNNING)
		return;
	WRITE_ONCE(rt.paused, pause);
	WRITE_ONCE(rt.pauses, rt.pauses + pause);
	filter_arm(!pause);
	smp_mb();
	if (READ_ONCE(rt.exit_requested))
		filter_arm(false);
}

static void run_requested(enum ust_probe_kind kind)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++) {
		struct ust_hit hit = {.probe = &ust_program.probes[i], .mode = RT_THREAD};

		if (hit.probe->kind == kind)
			hit.probe->handler(&hit);
	}
}

int rt_view(u32 flags, s64 target)
{
	if (rt.state != UST_RUNNING)
		return 0;
	if (flags & UST_VIEW_SEND) {
		if (ust_program.merge)
			ust_program.merge->send_running(run_requested);
		return 0;
	}
	if (flags & UST_VIEW_RESET)
		run_requested(UST_PROBE_RESET);
	if (flags & (UST_VIEW_OFF | UST_VIEW_ON))
		counts_switch(target, flags & UST_VIEW_ON);
	run_requested(UST_PROBE_MONITOR);
	counts_write(UST_COUNT_VIEW);
	port_write(UST_REC_VIEW, "", 0, true);
	return 0;
}

bool rt_has_input(void)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].kind == UST_PROBE_INPUT)
			return true;
	return false;
}

static void run_input(unsigned char character)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes && READ_ONCE(rt.armed); i++) {
		struct ust_hit hit = {
			.probe = &ust_program.probes[i], .addr = character, .mode = RT_THREAD};

		if (hit.probe->kind == UST_PROBE_INPUT)
			hit.probe->handler(&hit);
	}
}

int rt_namespaces(pid_t nr) { return rt.state == UST_LOADED ? namespaces_of(nr) : -EBUSY; }

int rt_input(u64 chars, u32 n)
{
	u32 i;

	if (n > UST_INPUT_CHARS || !rt_has_input())
		return -EINVAL;
	for (i = 0; i < n && rt.state == UST_RUNNING; i++)
		run_input(chars >> 8 * i);
	return 0;
}

int rt_stop(u32 flags)
{
	if (rt.state == UST_STOPPED)
		return 0;
	if (rt.state != UST_RUNNING && rt.state != UST_LOADED)
		return -EBUSY;
	if (rt.state == UST_RUNNING) {
		set_state(UST_STOPPING);
		subsystems_stop();
		if (flags & UST_STOP_SEND && ust_program.merge)
			send_globals();
		else
			run_last();
		counts_write(0);
	}
	set_state(UST_STOPPED);
	return 0;
}

/* ----------------------------------------------------------------- module */

/* True if the module is linked with what the probe P needs. */
static bool is_supported(const struct ust_probe *p)
{
	switch (p->kind) {
	case UST_PROBE_PERF:
	case UST_PROBE_DATA:
	case UST_PROBE_NETFILTER:
		return ust_program.kernel_probes;
	case UST_PROBE_PROCFS_READ:
	case UST_PROBE_PROCFS_WRITE:
		return ust_program.procfs;
	default:
		return !is_process_event(p) || ust_program.process_events;
	}
}

static bool is_complete(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites; i++)
		if (ust_program.sites[i].flags & (UST_SITE_KERNEL | UST_SITE_TRACE |
						  UST_SITE_SYSCALL | UST_SITE_WATCH) &&
		    !ust_program.kernel_probes)
			return false;
	for (i = 0; i < ust_program.nprobes; i++)
		if (!is_supported(&ust_program.probes[i]))
			return false;
	return true;
}

static int check_program(void)
{
	if (ust_program.abi == UST_ABI && ust_program.maxstringlen >= 16 && is_complete())
		return 0;
	pr_err(RT_PREFIX "the script was built for another version of the runtime\n");
	return -ENOEXEC;
}

static int __init ustap_init(void)
{
	int err = check_program();

	if (err)
		return err;
	rt.irq = ust_program.flags & UST_PROG_IRQ;
	rt_in_kernel = rt.irq;
	random_seed();
	get_random_bytes(&rt.name_key, sizeof rt.name_key);
	rt.name_key |= 1ull << 63;
	return subsystems_init();
}

static void __exit ustap_exit(void) { subsystems_exit(); }

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

module_init(ustap_init);
module_exit(ustap_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ustap script");
MODULE_INFO(ustap, TEXT(UST_WIRE_VERSION));
