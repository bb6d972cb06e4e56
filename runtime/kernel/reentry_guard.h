/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recursion guard: keeps kernel probes from firing inside the runtime's own critical sections.
 *
 * Kernel probes interrupt any code, including this runtime: a handler of a user-space probe that
 * holds the script's locks may call a kernel function that is probed. Code that takes one of the
 * runtime's locks therefore marks its CPU with guard_hold(), and kernel probes on that CPU are
 * skipped. They are also skipped while a handler of a kernel probe runs at the same level of
 * interruption (task, softirq, hardirq, NMI); the handlers of one level end before the level below
 * resumes.
 *
 * The marks are per-CPU, so the code must not migrate: interrupts are disabled while a lock is
 * held, preemption in handlers.
 */
#ifndef USTAP_GUARD_H
#define USTAP_GUARD_H

#include <linux/hardirq.h>
#include <linux/percpu.h>

struct guard {
	unsigned int held;        /* locks of the runtime that this CPU holds */
	unsigned char running[4]; /* running handlers by level: task, softirq, hardirq, NMI */
};
DECLARE_PER_CPU(struct guard, rt_guard);

#define guard_hold()    this_cpu_inc(rt_guard.held)
#define guard_release() this_cpu_dec(rt_guard.held)

/* Level of the current context: 0 task, 1 softirq, 2 hardirq, 3 NMI. */
static __always_inline int guard_level(void)
{
	unsigned long count = preempt_count();

	if (likely(!(count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return 0;
	return count & NMI_MASK ? 3 : count & HARDIRQ_MASK ? 2 : 1;
}

/* Enter the current level; returns it for guard_leave(), or a negative value if no handler may
 * run. */
static __always_inline int guard_enter(void)
{
	int level = guard_level();

	if (unlikely(this_cpu_read(rt_guard.held) || this_cpu_read(rt_guard.running[level])))
		return -1;
	this_cpu_write(rt_guard.running[level], 1);
	barrier();
	return level;
}

/* guard_enter() for a hit, which counts as skipped on failure. */
#define guard_try()                                       \
	({                                                \
		int guard_level_ = guard_enter();         \
		if (unlikely(guard_level_ < 0))           \
			atomic64_inc(&rt.skipped_nested); \
		guard_level_;                             \
	})

/* Leave LEVEL, the result of guard_enter(), on the same CPU. */
static __always_inline void guard_leave(int level)
{
	barrier();
	this_cpu_write(rt_guard.running[level], 0);
}

#endif
