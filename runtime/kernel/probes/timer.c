/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers. timer.* handlers run in one kernel thread of the script, which sleeps until the next one
 * is due (timer_queue.c). timer.profile and its aliases run in a timer interrupt on each CPU, once
 * per kernel tick or with a period of their own.
 */
#include <asm/irq_regs.h>
#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "probes/probes.h"
#include "rt.h"
#include "probes/sample.h"
#include "wire_records.h"

/* ------------------------------------------------------------- the thread */

static struct timer_queue timers;
static struct task_struct *thread;
static bool kicked; /* the thread must check the gates again */

static void run_timer(const struct ust_probe *p)
{
	struct ust_hit hit = {.probe = p, .mode = RT_THREAD};

	if (READ_ONCE(rt.armed))
		p->handler(&hit);
}

static void sleep_until(u64 due)
{
	ktime_t t = ns_to_ktime(due);

	set_current_state(TASK_INTERRUPTIBLE);
	if (kthread_should_stop() || READ_ONCE(kicked) || due <= ktime_get_ns()) {
		__set_current_state(TASK_RUNNING);
		cond_resched();
		return;
	}
	schedule_hrtimeout(due == TIMER_QUEUE_NEVER ? NULL : &t, HRTIMER_MODE_ABS);
}

static int timer_main(void *arg)
{
	while (!kthread_should_stop()) {
		struct queued_timer *t;

		WRITE_ONCE(kicked, false);
		smp_mb();
		t = timer_queue_next(&timers, ktime_get_ns());
		sleep_until(t->due);
		if (kthread_should_stop() || t->due == TIMER_QUEUE_NEVER || ktime_get_ns() < t->due)
			continue;
		run_timer(t->probe);
		timer_queue_advance(t, ktime_get_ns());
	}
	return 0;
}

static int start_timers(void)
{
	struct task_struct *t;

	if (!timer_queue_init(&timers))
		return -ENOMEM;
	if (!timers.n)
		return 0;
	timer_queue_start(&timers, ktime_get_ns());
	t = kthread_run(timer_main, NULL, "ustap_timer");
	if (IS_ERR(t))
		return PTR_ERR(t);
	thread = t;
	return 0;
}

static void stop_timers(void)
{
	if (thread)
		kthread_stop(thread);
	thread = NULL;
	timer_queue_free(&timers);
}

/* ---------------------------------------------------------------- profile */

/* Per-CPU array, one timer for each probe. */
struct tick {
	struct hrtimer timer;
	const struct ust_probe *probe;
	bool started;
};

static struct tick __percpu *ticks;
static u32 nticks;
static int hotplug; /* state number of the hotplug callbacks; negative if none was free */

static bool is_profile(const struct ust_probe *p) { return p->kind == UST_PROBE_PROFILE; }

static ktime_t tick_period(const struct ust_probe *p)
{
	return ns_to_ktime(p->timer.period ? timer_queue_ns(p->timer.period, 1) : TICK_NSEC);
}

static enum hrtimer_restart on_tick(struct hrtimer *timer)
{
	struct tick *t = container_of(timer, struct tick, timer);

	sample_run(t->probe, get_irq_regs());
	hrtimer_forward_now(timer, tick_period(t->probe));
	return HRTIMER_RESTART;
}

static void start_ticks_here(void *unused)
{
	struct tick *t = this_cpu_ptr(ticks);
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++) {
		const struct ust_probe *p = &ust_program.probes[i];

		if (!is_profile(p))
			continue;
		if (!t->started) {
			t->probe = p;
			t->started = true;
			compat_hrtimer_setup(&t->timer, on_tick, HRTIMER_MODE_REL_PINNED_HARD);
			hrtimer_start(&t->timer, tick_period(p), HRTIMER_MODE_REL_PINNED_HARD);
		}
		t++;
	}
}

/* Hotplug callbacks, which run on the CPU itself. Without the second one its timers would
 * migrate. */
static int cpu_comes(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	start_ticks_here(NULL);
	local_irq_restore(flags);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < nticks; i++) {
		struct tick *t = per_cpu_ptr(ticks, cpu) + i;

		if (t->started)
			hrtimer_cancel(&t->timer);
		t->started = false;
	}
	return 0;
}

/* True while the condition of some probe is true: all timers run then, and the handlers check their
 * own conditions. */
static bool wants_profile(void)
{
	const struct ust_probe *p = ust_program.probes;

	for (; p < ust_program.probes + ust_program.nprobes; p++)
		if (is_profile(p) && gate_is_open(p->gate))
			return true;
	return false;
}

static int start_profile(void)
{
	u32 i;

	if (!wants_profile())
		return 0;
	for (i = 0, nticks = 0; i < ust_program.nprobes; i++)
		nticks += is_profile(&ust_program.probes[i]);
	ticks = __alloc_percpu(nticks * sizeof *ticks, __alignof__(*ticks));
	if (!ticks)
		return -ENOMEM;
	hotplug = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ustap/profile", cpu_comes,
					    cpu_goes);
	on_each_cpu(start_ticks_here, NULL, 1);
	return 0;
}

static void stop_profile(void)
{
	u32 cpu;

	if (!ticks)
		return;
	if (hotplug >= 0)
		cpuhp_remove_state_nocalls(hotplug);
	for_each_possible_cpu(cpu) cpu_goes(cpu);
	free_percpu(ticks);
	ticks = NULL;
}

/* ------------------------------------------------------------------- both */

int timer_start_all(void)
{
	int err;

	if (!ust_program.nprobes)
		return 0;
	err = start_timers();
	return err ? err : start_profile();
}

void timer_refresh(void)
{
	if (thread) {
		WRITE_ONCE(kicked, true);
		smp_mb();
		wake_up_process(thread);
	}
	if (ticks && !wants_profile())
		stop_profile();
	else if (!ticks && start_profile())
		relay_message(UST_REC_WARN, "timer.profile stops: not enough memory");
}

void timer_stop_all(void)
{
	stop_timers();
	stop_profile();
}
