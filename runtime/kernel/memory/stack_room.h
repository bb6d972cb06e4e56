/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Check for free kernel stack, on architectures with separate interrupt stacks: x86-64. */
#ifndef USTAP_STACK_H
#define USTAP_STACK_H

#include <linux/sched/task_stack.h>

/* Bytes that the runtime needs below the frame of a handler or script function, plus an interrupt.
 * DEEP is for UST_SITE_DEEP: backtraces need room for the kernel's unwinder and kallsyms. */
enum { STACK_NEED = 2048, STACK_NEED_DEEP = 4096 };

/* The same check for a stack other than the task's: an interrupt or exception stack. */
bool stack_room_slow(unsigned long sp, unsigned long need);

/* True if NEED bytes of the current kernel stack are left. Any context. */
static inline bool stack_has(unsigned long need)
{
	unsigned long sp = (unsigned long)__builtin_frame_address(0),
		      left = sp - (unsigned long)task_stack_page(current);

	return likely(left < THREAD_SIZE) ? left >= need + sizeof(unsigned long)
					  : stack_room_slow(sp, need);
}

#endif
