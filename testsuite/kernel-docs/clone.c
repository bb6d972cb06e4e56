/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples/kprobes/kprobe_example.c: process creation, with selected registers and the stack; and
 * the arguments that the former jprobe_example.c printed.
 */
#include <linux/sched/task.h>
#include <linux/stacktrace.h>
#include "docs.h"

/* The callers: return addresses on the stack below the probed function. */
static void print_callers(unsigned long probed)
{
	unsigned long frames[32];
	unsigned int n = stack_trace_save(frames, ARRAY_SIZE(frames), 0), i = 0;

	while (i < n && frames[i] - probed >= 16)
		i++;
	for (i++; i < n; i++)
		docs_print("called by %ps\n", (void *)frames[i]);
}

static int before(struct kprobe *p, struct pt_regs *regs)
{
	const struct kernel_clone_args *args = (void *)regs->di;

	if (!docs_wanted())
		return 0;
	docs_print("<%s> p->addr = 0x%lx, ip = %lx, flags = 0x%lx\n", p->symbol_name,
		   (unsigned long)p->addr, regs->ip, regs->flags);
	docs_print("clone_flags = 0x%llx, stack_start = 0x%lx, stack_size = 0x%lx\n", args->flags,
		   args->stack, args->stack_size);
	print_callers((unsigned long)p->addr);
	return 0;
}
NOKPROBE_SYMBOL(before);

static struct kprobe probe = {.symbol_name = "kernel_clone", .pre_handler = before};

static int start(void) { return register_kprobe(&probe); }

static void stop(void) { unregister_kprobe(&probe); }

DOCS_MODULE(start, stop);
