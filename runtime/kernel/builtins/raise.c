/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The builtin raise(). Sending a signal takes locks of the task and the scheduler, which a handler
 * in the kernel may have interrupted. Such a handler stores the signal in a per-CPU slot, and an
 * irq_work sends it as soon as interrupts are enabled.
 */
#include <linux/irq_work.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "rt.h"

enum { SLOTS = 32 };

static struct slot {
	struct irq_work work;
	bool taken;
	struct pid *pid;
	int signal;
} slots[SLOTS];

static void send_later(struct irq_work *work)
{
	struct slot *s = container_of(work, struct slot, work);
	struct task_struct *t;

	rcu_read_lock();
	t = pid_task(s->pid, PIDTYPE_PID);
	if (t)
		send_sig(s->signal, t, 0);
	rcu_read_unlock();
	put_pid(s->pid);
	smp_store_release(&s->taken, false);
}

static bool later(int signal)
{
	u32 i;

	for (i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];

		if (READ_ONCE(s->taken) || xchg(&s->taken, true))
			continue;
		s->pid = get_pid(task_pid(current));
		s->signal = signal;
		return irq_work_queue(&s->work);
	}
	return false;
}

void ust_raise(struct ust_ctx *c, ust_long signal)
{
	bool sent = signal >= 1 && signal <= _NSIG;

	if (sent && c->hit->mode == RT_KERNEL)
		sent = later(signal);
	else if (sent)
		sent = !send_sig(signal, current, 0);
	if (!sent)
		ctx_fail_number(c, "cannot raise signal ", signal, "");
}

int raise_init(void)
{
	u32 i;

	for (i = 0; i < SLOTS; i++)
		init_irq_work(&slots[i].work, send_later);
	return 0;
}

void raise_exit(void)
{
	u32 i;

	for (i = 0; i < SLOTS; i++)
		irq_work_sync(&slots[i].work);
}
