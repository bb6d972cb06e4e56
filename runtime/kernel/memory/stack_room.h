/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is there room left on the kernel's stack?  Only architectures with interrupt stacks of their own:
 * x86-64. */
#ifndef USTAP_STACK_H
#define USTAP_STACK_H

#include <linux/sched/task_stack.h>

/* What the runtime takes below a handler or a function of the script, whose own frame is there
 * already, and an interrupt besides.  With UST_SITE_DEEP, backtraces too, for which the kernel's
 * unwinder and kallsyms need theirs. */
enum { STACK_NEED = 2048, STACK_NEED_DEEP = 4096 };

/* The same on another stack than the task's: that of interrupts, or of exceptions. */
bool stack_has_slowly(unsigned long sp, unsigned long need);

static inline bool stack_has(unsigned long need)
{
	unsigned long sp = (unsigned long)__builtin_frame_address(0),
		      left = sp - (unsigned long)task_stack_page(current);

	return likely(left < THREAD_SIZE) ? left >= need + sizeof(unsigned long)
					  : stack_has_slowly(sp, need);
}

#endif
