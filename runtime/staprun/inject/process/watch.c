/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hardware watchpoints: process.data(). The processes are followed (follow.c), and each thread gets
 * the addresses in its debug registers. An access stops the thread behind the instruction; the
 * tracer has it continue in the agent, which runs the handlers and returns to the program.
 *
 * Debug registers outlive a tracer that is killed. So the agent has SIGTRAP (trap.c), and drops
 * those that an access raises then.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/watched.h"
#include "inject/process/divert.h"
#include "inject/process/follow.h"
#include "inject/process/process.h"
#include "inject/process/watch.h"
#include "inject/ptrace/debug_register.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "report/report.h"
#include "wire_agent.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>

/* ------------------------------------------------------------- the programs */

static bool runs(const struct injector *in, const struct watched *w, const struct stat *exe)
{
	const struct file *f = in->files[w->module];

	return f->elf && f->dev == exe->st_dev && f->ino == exe->st_ino;
}

static bool program_of(pid_t pid, struct stat *exe)
{
	char name[40];

	snprintf(name, sizeof name, "/proc/%d/exe", (int)proc_live_thread(pid));
	return !stat(name, exe);
}

bool watch_wants(const struct injector *in, pid_t pid)
{
	struct stat exe;
	bool any = false;

	if (!in->nwatches || !program_of(pid, &exe))
		return false;
	for (size_t i = 0; i < in->nwatches && !any; i++)
		any = runs(in, &in->watches[i], &exe);
	return any;
}

/* ------------------------------------------------------------ the registers */

/* The first failure is reported at once, the number at the end. */
static void refuse(struct watched *w, pid_t pid, const char *why)
{
	char name[PROCESS_NAME] = "?";

	w->refused++;
	if (w->told)
		return;
	w->told = true;
	process_name(pid, name);
	warning("probe %s cannot be armed in process %d (%s): %s", w->pp, (int)pid, name, why);
}

static const char *reason(int err)
{
	switch (err) {
	case ENOSPC:
	case EBUSY:
		return "all debug registers are in use, also by debuggers, perf or other scripts";
	case EINVAL:
		return "the kernel refuses to watch this address";
	default:
		return strerror(err);
	}
}

static void add_register(struct injector *in, struct watch_registers *r, size_t i, pid_t pid)
{
	struct watched *w = &in->watches[i];

	r->base = auxv_value(pid, AT_ENTRY) - elffile_entry(in->files[w->module]->elf);
	if (r->n == DEBUG_REGISTERS) {
		refuse(w, pid, "the processor has no further debug register");
		return;
	}
	r->addr[r->n] = w->addr + (w->absolute ? 0 : r->base);
	r->watch[r->n] = (uint32_t)i;
	r->control |= debug_control(r->n, w->length, w->reads);
	r->n++;
}

void watch_begin(struct injector *in, struct followed *w)
{
	const struct process *p = in->nwatches ? process_find(in, w->pid) : NULL;
	struct stat exe;

	if (!p || !p->injected || p->launching || w->watches.n || !program_of(w->pid, &exe))
		return;
	for (size_t i = 0; i < in->nwatches; i++) {
		if (!runs(in, &in->watches[i], &exe))
			continue;
		if (!debug_registers_work())
			refuse(&in->watches[i], w->pid,
			       "this machine ignores debug registers, as some virtual machines do; "
			       "run the script on another one");
		else if (p->trapping)
			add_register(in, &w->watches, i, w->pid);
		else
			refuse(&in->watches[i], w->pid,
			       "not all of its calls that block signals can be hooked");
	}
}

static void mark_seen(struct injector *in, struct watched *w)
{
	in->sites += w->seen ? 0 : (unsigned)w->nsites;
	w->seen = true;
}

void watch_thread(struct injector *in, struct thread *th)
{
	const struct watch_registers *r = &th->of->watches;
	int err = 0;

	if (!r->n || th->watched)
		return;
	th->watched = true;
	for (unsigned i = 0; i < r->n && !err; i++)
		err = debug_register_set(th->tid, i, r->addr[i]) ? 0 : errno;
	if (!err && !debug_register_set(th->tid, DEBUG_CONTROL, r->control))
		err = errno;
	for (unsigned i = 0; i < r->n && err != ESRCH; i++)
		if (err)
			refuse(&in->watches[r->watch[i]], th->of->pid, reason(err));
		else
			mark_seen(in, &in->watches[r->watch[i]]);
}

void watch_clear(const struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].stopped)
			debug_register_set(t->v[i].tid, DEBUG_CONTROL, 0);
}

bool watch_pending(pid_t tid) { return proc_status(tid, "SigPnd", 16) & 1ll << (SIGTRAP - 1); }

/* ------------------------------------------------------------------ accesses */

static bool is_access(pid_t tid)
{
	siginfo_t si;

	return !ptrace(PTRACE_GETSIGINFO, tid, 0, &si) && si.si_signo == SIGTRAP &&
	       si.si_code == TRAP_HWBKPT;
}

/* Which of the registers have fired, as the first site of each, plus 1. */
static void fired(const struct injector *in, const struct thread *th, struct ust_diversion *d)
{
	const struct watch_registers *r = &th->of->watches;
	uint64_t status = debug_register_get(th->tid, DEBUG_STATUS);

	debug_register_set(th->tid, DEBUG_STATUS, 0);
	for (unsigned i = 0; i < r->n; i++)
		if (status >> i & 1)
			d->sites[i] = in->watches[r->watch[i]].sites[0] + 1;
}

bool watch_hit(struct injector *in, const struct thread *th)
{
	struct ust_diversion d = {.base = th->of->watches.base};
	struct user_regs_struct r;

	if (!in->nwatches || !is_access(th->tid))
		return false;
	if (!blob_is_armed(in->blob) || !th->of->watches.n ||
	    ptrace(PTRACE_GETREGS, th->tid, 0, &r) < 0)
		return true;
	fired(in, th, &d);
	/* accesses by the runtime itself do not count */
	in->watches_missed += divert(in, th->tid, &r, &d) == DIVERT_IMPOSSIBLE;
	return true;
}
