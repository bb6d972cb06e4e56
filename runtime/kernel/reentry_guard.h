/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeps probes in the kernel from meeting themselves.
 *
 * They interrupt everything, also this runtime: a handler of a user-space probe that holds the
 * script's locks may call a function of the kernel that is probed.  So whoever takes a lock of ours
 * says so for his CPU (guard_hold), and a kernel probe that comes by is skipped.  The same where a
 * handler of a kernel probe runs already, at the same level of interruption; a level's handlers end
 * before those of the one below go on.
 *
 * Also, it must stay with its CPU meanwhile: interrupts are off where a lock is held, preemption in
 * handlers.
 */
#ifndef USTAP_GUARD_H
#define USTAP_GUARD_H

#include <linux/hardirq.h>
#include <linux/percpu.h>

struct guard {
	unsigned int held;        /* locks of ours */
	unsigned char running[4]; /* handlers, by level: task, softirq, hardirq, NMI */
};
DECLARE_PER_CPU(struct guard, rt_guard);

#define guard_hold()    this_cpu_inc(rt_guard.held)
#define guard_release() this_cpu_dec(rt_guard.held)

static __always_inline int guard_level(void)
{
	unsigned long count = preempt_count();

	if (likely(!(count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return 0;
	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : 1;
}

/* A level for guard_leave(); negative: no handler may run here now. */
static __always_inline int guard_enter(void)
{
	int level = guard_level();

	if (unlikely(this_cpu_read(rt_guard.held) || this_cpu_read(rt_guard.running[level])))
		return -1;
	this_cpu_write(rt_guard.running[level], 1);
	barrier();
	return level;
}

/* The same, for a hit, which counts as skipped if it is not to be. */
#define guard_try()                                       \
	({                                                \
		int guard_level_ = guard_enter();         \
		if (unlikely(guard_level_ < 0))           \
			atomic64_inc(&rt.skipped_nested); \
		guard_level_;                             \
	})

static __always_inline void guard_leave(int level)
{
	barrier();
	this_cpu_write(rt_guard.running[level], 0);
}

#endif
