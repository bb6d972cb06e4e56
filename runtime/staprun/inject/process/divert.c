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
#include "inject/process/divert.h"
#include "inject/ptrace/ptrace.h"
#include "wire_agent.h"

#include <sys/ptrace.h>
#include <sys/uio.h>

/* Words of the stack that are searched: more than functions of the vDSO use. */
enum { CLOCK_WORDS = 64, PAGE = 4096 };

/* Does thread TID run a function of the vDSO that the agent has called? */
static bool reads_clock(const struct injector *in, pid_t tid, const struct user_regs_struct *r)
{
	uint64_t words[CLOCK_WORDS], sp = regs_sp(r), page_end = (sp | (PAGE - 1)) + 1;
	size_t first = page_end - sp < sizeof words ? page_end - sp : sizeof words;
	const struct iovec to = {words, sizeof words};
	const struct iovec from[] = {{(void *)sp, first}, {(void *)page_end, sizeof words - first}};
	ssize_t n = process_vm_readv(tid, &to, 1, from, 2, 0);

	for (ssize_t i = 0; i < n / (ssize_t)sizeof words[0]; i++)
		if (words[i] == in->blob->made.clock_return)
			return true;
	return false;
}

static bool in_agent(const struct injector *in, pid_t tid, const struct user_regs_struct *r)
{
	return regs_pc(r) - in->blob->text < in->blob->text_size || reads_clock(in, tid, r);
}

enum divert_result divert(const struct injector *in, pid_t tid, struct user_regs_struct *r,
			  struct ust_diversion *d)
{
	uint64_t at = regs_sp(r) - UST_DIVERT_RED_ZONE - sizeof *d;
	const struct iovec here = {d, sizeof *d}, there = {(void *)at, sizeof *d};

	if (in_agent(in, tid, r))
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
