/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait in the kernel where no signal reaches them: for a device, a network file
 * system, a lock of the kernel, or the child of a vfork().
 */
#include "inject/arch/regs.h"
#include "inject/ptrace/ptrace.h"
#include "base/proc_stat.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>

bool thread_awaits_child(pid_t pid, pid_t tid)
{
	uint64_t nr = proc_task_number(pid, tid, "syscall");

	return proc_stat_state(tid) == 'D' &&
	       (nr == CALL_VFORK || nr == SYS_clone || nr == SYS_clone3);
}

/* Read where a thread that does not run entered the kernel: the last two numbers of the file
 * (Documentation/filesystems/proc.rst). */
static bool read_position(pid_t pid, pid_t tid, uint64_t *sp, uint64_t *pc)
{
	char text[256], *last, *before;

	if (!proc_task_text(pid, tid, "syscall", text, sizeof text))
		return false;
	last = strrchr(text, ' ');
	if (!last)
		return false; /* "running" */
	*last = 0;
	before = strrchr(text, ' ');
	if (!before)
		return false;
	*sp = strtoull(before + 1, NULL, 16);
	*pc = strtoull(last + 1, NULL, 16);
	return true;
}

bool thread_is_asleep(pid_t pid, struct tracee_thread *th)
{
	uint64_t sp, pc;

	if (proc_stat_state(th->tid) != 'D' || thread_awaits_child(pid, th->tid) ||
	    !read_position(pid, th->tid, &sp, &pc))
		return false;
	memset(&th->regs, 0, sizeof th->regs);
	regs_set_sp(&th->regs, sp);
	regs_set_pc(&th->regs, pc);
	return true;
}
