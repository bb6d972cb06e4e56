/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diversions, for probes without a site in the program's code: accesses of watched data (watch.c),
 * samples (profile.c). The tracer puts a struct ust_diversion below the red zone of the thread's
 * stack.
 */
#define _GNU_SOURCE
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/process/agent_code.h"
#include "inject/process/divert.h"
#include "inject/ptrace/ptrace.h"
#include "wire_agent.h"

#include <sys/ptrace.h>
#include <sys/uio.h>

enum divert_result divert(const struct injector *in, pid_t tid, struct user_regs_struct *r,
			  struct ust_diversion *d)
{
	uint64_t at = regs_sp(r) - UST_DIVERT_RED_ZONE - sizeof *d;
	const struct iovec here = {d, sizeof *d}, there = {(void *)at, sizeof *d};

	if (agent_runs(in->blob, tid, regs_pc(r), regs_sp(r)))
		return DIVERT_IN_AGENT;
	if (!regs_is_wide(r))
		return DIVERT_IMPOSSIBLE;
	rseq_abort(tid, r);
	d->ret = regs_pc(r);
	if (process_vm_writev(tid, &here, 1, &there, 1, 0) != (ssize_t)sizeof *d)
		return DIVERT_IMPOSSIBLE;
	regs_set_sp(r, at);
	regs_set_pc(r, in->blob->made.divert_entry);
	return ptrace(PTRACE_SETREGS, tid, 0, r) ? DIVERT_IMPOSSIBLE : DIVERT_DONE;
}
