/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: conditions of probes, whose probes are unregistered while the condition is false. A work
 * item closes a gate that has been false for a while. A handler that makes the condition of a
 * closed gate true does not open it itself, because uprobes call handlers with locks held: the gate
 * is opened on the task's way back to user mode, before the probed task continues. A gate that
 * changes often is closed after a longer delay.
 */
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "probes/probes.h"
#include "rt.h"

#define DELAY_MIN (20 * NSEC_PER_MSEC)
#define DELAY_MAX (5 * NSEC_PER_SEC)
/* A gate that reopens before OFTEN times its delay was closed in vain. */
#define OFTEN 10

/* CLOSED is the state that is or will be in effect; the one in struct ust_gate is what others may
 * rely on. */
struct gate {
	bool closed;
	u64 off_since, closed_at, delay;
}; /* time in ns when it became false; 0: it is true */

static struct gate *gates;
static struct workqueue_struct *queue;
static DEFINE_MUTEX(lock);                /* protects the set of registered probes */
static bool running;                      /* set under the lock: gates take effect */
static atomic_t openers = ATOMIC_INIT(0); /* tasks that will open gates on their return to user
					   * mode */
static bool had_openers;
static DECLARE_WAIT_QUEUE_HEAD(no_openers);

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(looker, look);

static struct ust_gate *gate_at(u32 i) { return &ust_program.gates[i]; }

bool gate_is_open(const struct ust_gate *g) { return !g || !gates[g - ust_program.gates].closed; }

bool gates_open_any(const struct ust_site *const *v, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (gate_is_open(v[i]->gate))
			return true;
	return false;
}

/* ------------------------------------------------------------------ turning */

static void see_on(struct gate *g, u64 now)
{
	if (now - g->closed_at < OFTEN * g->delay)
		g->delay = min_t(u64, 2 * g->delay, DELAY_MAX);
	else
		g->delay = DELAY_MIN;
	g->closed = false;
}

/* The gate is marked closed first: a handler that makes it true either sees the mark or is seen
 * here. */
static bool close_gate(u32 i, u64 now)
{
	WRITE_ONCE(gate_at(i)->closed, 1);
	smp_mb();
	if (READ_ONCE(gate_at(i)->on)) {
		WRITE_ONCE(gate_at(i)->closed, 0);
		return false;
	}
	gates[i].closed = true;
	gates[i].closed_at = now;
	return true;
}

/* Check all gates. Returns true if probes have to be registered or unregistered. *WAIT: ns until
 * the next gate is due to close. */
static bool see_all(u64 now, u64 *wait)
{
	bool changed = false;
	u32 i;

	for (i = 0; i < ust_program.ngates; i++) {
		struct gate *g = &gates[i];

		if (READ_ONCE(gate_at(i)->on)) {
			g->off_since = 0;
			if (g->closed) {
				see_on(g, now);
				changed = true;
			}
		} else if (!g->closed) {
			g->off_since = g->off_since ?: now;
			if (now - g->off_since >= g->delay)
				changed |= close_gate(i, now);
			else
				*wait = min(*wait, g->off_since + g->delay - now);
		}
	}
	return changed;
}

/* Register and unregister probes by the state of the gates. Called with the lock held. */
static void obey(void)
{
	u64 wait = U64_MAX;
	u32 i;

	if (see_all(ktime_get_ns(), &wait)) {
		uprobes_refresh();
		for (i = 0; i < ust_program.ngates; i++)
			WRITE_ONCE(gate_at(i)->closed, gates[i].closed);
		timer_refresh();
		control_notify();
	}
	if (wait != U64_MAX)
		queue_delayed_work(queue, &looker, nsecs_to_jiffies(wait) + 1);
}

static void obey_now(void)
{
	mutex_lock(&lock);
	if (running)
		obey();
	mutex_unlock(&lock);
}

static void look(struct work_struct *work) { obey_now(); }

static bool some_wait(void);

/* An irq_work, because handlers of kernel probes may have interrupted the work queues' code. */
static void on_kick(struct irq_work *work)
{
	if (!READ_ONCE(running))
		return;
	if (some_wait())
		mod_delayed_work(queue, &looker, 0);
	else
		queue_delayed_work(queue, &looker, nsecs_to_jiffies(DELAY_MIN) + 1);
}

static struct irq_work kick;

void ust_gate_turn(struct ust_gate *g, _Bool on)
{
	WRITE_ONCE(g->on, on);
	smp_mb();
	if (!on && READ_ONCE(running))
		irq_work_queue(&kick);
}

/* ------------------------------------------------------------------ opening */

static void open_on_the_way(struct callback_head *head)
{
	kfree(head);
	obey_now();
	if (atomic_dec_and_test(&openers))
		wake_up(&no_openers);
}

static bool open_later(void)
{
	struct callback_head *head = kmalloc(sizeof *head, GFP_ATOMIC | __GFP_NOWARN);

	if (!head)
		return false;
	atomic_inc(&openers);
	WRITE_ONCE(had_openers, true);
	init_task_work(head, open_on_the_way);
	if (!task_work_add(current, head, TWA_RESUME))
		return true;
	kfree(head);
	if (atomic_dec_and_test(&openers))
		wake_up(&no_openers);
	return false;
}

static bool some_wait(void)
{
	u32 i;

	for (i = 0; i < ust_program.ngates; i++)
		if (READ_ONCE(gate_at(i)->on) && READ_ONCE(gate_at(i)->closed))
			return true;
	return false;
}

void ust_gates_open(struct ust_hit *hit)
{
	if (likely(!some_wait()) || !READ_ONCE(running))
		return;
	if (hit->mode == RT_THREAD)
		obey_now();
	else if (hit->mode != RT_PROBE || !open_later())
		irq_work_queue(&kick);
}

/* ------------------------------------------------------------ all of them */

int gates_begin(void)
{
	struct ust_hit hit = {.mode = RT_ALONE};
	u32 i;

	if (!ust_program.ngates)
		return 0;
	gates = kvcalloc(ust_program.ngates, sizeof *gates, GFP_KERNEL);
	queue = alloc_workqueue("ustap", WQ_UNBOUND, 0);
	if (!gates || !queue)
		return -ENOMEM;
	init_irq_work(&kick, on_kick);
	if (ust_program.gates_evaluate)
		ust_program.gates_evaluate(&hit);
	for (i = 0; i < ust_program.ngates; i++) {
		gates[i].delay = DELAY_MIN;
		gates[i].closed = gate_at(i)->closed = !gate_at(i)->on;
	}
	return 0;
}

int gates_start(void)
{
	if (!ust_program.ngates)
		return 0;
	mutex_lock(&lock);
	running = true;
	obey();
	mutex_unlock(&lock);
	return 0;
}

void gates_stop(void)
{
	mutex_lock(&lock);
	running = false;
	mutex_unlock(&lock);
	if (!queue)
		return;
	irq_work_sync(&kick);
	cancel_delayed_work_sync(&looker);
}

/* Waits for tasks that open gates: their last instructions are in this module. */
void gates_exit(void)
{
	wait_event(no_openers, !atomic_read(&openers));
	if (had_openers)
		synchronize_rcu_tasks();
	if (queue)
		destroy_workqueue(queue);
	kvfree(gates);
}
