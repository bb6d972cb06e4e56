/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that calls probed functions (callers.c). */
#ifndef USTAP_KERNEL_PROBES_CALLERS_H
#define USTAP_KERNEL_PROBES_CALLERS_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "rt.h"

enum { CALLER_PAGES = 1024 };
/* Tags of pages of code that were looked up; ~TAG: not of a file. */
extern unsigned long caller_pages[CALLER_PAGES];

/* The page of the code at ADDR in the current task's map. */
static __always_inline unsigned long caller_tag(unsigned long addr)
{
	return addr >> PAGE_SHIFT ^ (unsigned long)current->mm;
}

/* Where a tag is in the table. */
static __always_inline unsigned long *caller_page(unsigned long tag)
{
	return &caller_pages[tag % CALLER_PAGES];
}

/* The stack of a task, as it was looked up. */
struct own_stack {
	const struct task_struct *task;
	unsigned long lo, size;
};
enum { OWN_STACKS = 1024 };
extern struct own_stack own_stacks[OWN_STACKS];

/* The entry for the current task's stack. */
static __always_inline struct own_stack *own_stack(void)
{
	return &own_stacks[(unsigned long)current / 64 % OWN_STACKS];
}

/* True if a function is about to begin whose stack is known to be the task's own, and whose return
 * address to be in the code of a file. */
static __always_inline bool caller_known(struct pt_regs *regs)
{
	unsigned long sp = user_stack_pointer(regs), addr, tag;
	const struct own_stack *s = own_stack();
	int err;

	pagefault_disable();
	err = get_user(addr, (const unsigned long __user *)sp);
	pagefault_enable();
	tag = caller_tag(addr);
	return !err && READ_ONCE(*caller_page(tag)) == tag && READ_ONCE(s->task) == current &&
	       sp - READ_ONCE(s->lo) < READ_ONCE(s->size);
}

/* False, which is counted, if the return must not be probed: the stack is another one, or the
 * address is in code that the program has made at run time. May sleep for two seconds. */
bool caller_allows(struct pt_regs *regs);
/* Notice new mappings, before any return probe is armed; a failure is a warning. May sleep. */
void callers_start(void);
/* No longer, when handlers run no more. May sleep. */
void callers_stop(void);

#endif
