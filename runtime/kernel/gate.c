/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gates: conditions of probes.  While one does not hold, what is behind it is not registered.  A
 * gate that has been off for a while is closed by a work item.  Whoever turns a closed one on opens
 * it before the probed task goes on: not in the handler, which uprobes call under locks of theirs,
 * but on the task's way back to user mode.  A gate that turns often is given more time before it is
 * closed.
 */
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "rt.h"

#define DELAY_MIN (20 * NSEC_PER_MSEC)
#define DELAY_MAX (5 * NSEC_PER_SEC)
/* A gate is closed in vain that is opened again before so many times its delay. */
#define OFTEN 10

/* CLOSED is what is, or is about to be; that of struct ust_gate what others may rely on. */
struct gate {
	bool closed;
	u64 off_since, closed_at, delay;
}; /* ns; 0: it is on */

static struct gate *gates;
static struct workqueue_struct *queue;
static DEFINE_MUTEX(lock);                /* what is registered changes under it */
static bool running;                      /* set under it: gates are obeyed */
static atomic_t openers = ATOMIC_INIT(0); /* tasks that are to open gates on their way back */
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

/* Marked closed before it is: who turns it on now sees that, or is seen here. */
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

/* True: something is to be changed.  *WAIT: ns until the next gate is to be closed. */
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

/* Under the lock. */
static void obey(void)
{
	u64 wait = U64_MAX;
	u32 i;

	if (see_all(ktime_get_ns(), &wait)) {
		probe_refresh();
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

/* Handlers of probes in the kernel may be inside of its work queues. */
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

/* The last instructions of whoever has opened a gate are in this module. */
void gates_exit(void)
{
	wait_event(no_openers, !atomic_read(&openers));
	if (had_openers)
		synchronize_rcu_tasks();
	if (queue)
		destroy_workqueue(queue);
	kvfree(gates);
}
