/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits of a timer or counter interrupt. REGS are those of the interrupted code, in user mode or in
 * the kernel; NULL if unknown.
 */
#ifndef USTAP_SAMPLE_H
#define USTAP_SAMPLE_H

#include <linux/ptrace.h>

#include "rt.h"
#include "reentry_guard.h"

/* Run the handler of P for a sample with REGS, which may be NULL. Any context; skipped and counted
 * as kprobe_point_hit(). */
static inline void sample_run(const struct ust_probe *p, struct pt_regs *regs)
{
	struct ust_hit hit = {.probe = p,
			      .regs = (struct ust_regs *)regs,
			      .addr = regs ? instruction_pointer(regs) : 0,
			      .mode = RT_KERNEL};
	int level;

	if (unlikely(!READ_ONCE(rt.armed)))
		return;
	level = guard_try();
	if (unlikely(level < 0))
		return;
	p->handler(&hit);
	guard_leave(level);
}

#endif
