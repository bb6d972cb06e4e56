/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGSEGV and SIGBUS of a process (runtime/user/memory/fault.c). Handlers read memory directly if
 * the runtime gets faults first, which needs hooks at all calls by which the program could change
 * that. If not all of them can be hooked, hooks in the C library still report when the program
 * installs handlers: until then the runtime handles faults.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/signals.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

static const int faults[] = {SIGSEGV, SIGBUS};
enum { NFAULTS = sizeof faults / sizeof *faults, READY = 2 };

static uint64_t member(const struct injector *in, size_t offset) { return in->blob->base + offset; }

/* ------------------------------------------------------------- entry points */

static uint64_t entry_point(const struct injector *in, uint32_t i)
{
	return in->blob->made.fault_handlers + i * UST_FAULT_BYTES;
}

static uint64_t own_at(const struct injector *in, uint64_t i)
{
	return member(in,
		      offsetof(struct ust_process, faults) + i * sizeof(struct ust_disposition));
}

static bool has_entry_point(const struct injector *in, const struct ust_disposition *d)
{
	return d->handler - in->blob->made.fault_handlers < UST_FAULTS * UST_FAULT_BYTES;
}

/* Make entry point I stand for D. */
static bool set_entry_point(const struct injector *in, const struct tracee *t, uint32_t i,
			    const struct ust_disposition *d)
{
	const uint32_t ready = READY;

	return tracee_write(t, own_at(in, i), d, sizeof *d) &&
	       tracee_write(
		       t, member(in, offsetof(struct ust_process, fault_states) + i * sizeof ready),
		       &ready, sizeof ready);
}

/* ----------------------------------------------------------------- the start */

/* True if the handler belongs to another run. */
static bool is_of_other_run(const struct maps *maps, uint64_t handler)
{
	const struct mapping *m = maps_at(maps, handler);

	return m && blob_is_mapped_as(m->path);
}

/* NULL, or why the handler cannot be replaced. */
static const char *why_not(const struct process *p, const struct maps *maps,
			   const struct ust_disposition *d)
{
	if (d->handler == (uint64_t)SIG_IGN)
		return "it ignores SIGSEGV or SIGBUS";
	if (is_of_other_run(maps, d->handler))
		return "another ustap run handles its faults";
	if (d->handler == (uint64_t)SIG_DFL)
		return NULL;
	if (p->faults_unseen)
		return "it handles SIGSEGV or SIGBUS, and not all calls that change signal "
		       "handlers can be hooked";
	return d->flags & DISPOSITION_RESTORER ? NULL
					       : "its SIGSEGV or SIGBUS handler has no restorer";
}

static void set_flags(const struct injector *in, const struct tracee *t, uint32_t on, uint32_t off)
{
	uint64_t at = member(in, offsetof(struct ust_process, flags));
	uint32_t flags;

	if (!tracee_read(t, at, &flags, sizeof flags))
		return;
	flags = (flags & ~off) | on;
	tracee_write(t, at, &flags, sizeof flags);
}

void faults_look_up(const struct injector *in, const struct tracee *t)
{
	set_flags(in, t, UST_PROCESS_LOOKS_UP, 0);
}

static const char *take(const struct injector *in, const struct process *p, struct tracee *t,
			const struct maps *maps)
{
	struct ust_disposition own[NFAULTS], ours;
	const char *why;

	for (uint32_t i = 0; i < NFAULTS; i++) {
		if (!disposition_get(t, faults[i], &own[i]))
			return "its signal handlers cannot be read";
		why = why_not(p, maps, &own[i]);
		if (why)
			return why;
	}
	for (uint32_t i = 0; i < NFAULTS; i++) {
		ust_fault_ours(&ours, &own[i], entry_point(in, i), in->blob->made.fault_restorer);
		if (!set_entry_point(in, t, i, &own[i]) || !disposition_set(t, faults[i], &ours))
			return "its signal handlers cannot be set";
	}
	return NULL;
}

/* Report the cost of a read, without which a user cannot see why the program is slow. */
static void tell_slow(const struct process *p, const char *why)
{
	void (*tell)(const char *, ...) = explain_mode ? say : note;

	tell("process %d: probe handlers read its memory through system calls (1 us or more each): "
	     "%s",
	     (int)p->pid, why);
}

void faults_catch(const struct injector *in, struct process *p, struct tracee *t,
		  const struct maps *maps)
{
	const char *why;

	if (p->catching)
		return;
	p->catching = true;
	why = p->faults_unseen && !p->sees_sigaction
		      ? "not all calls that change signal handlers can be hooked"
		      : take(in, p, t, maps);
	if (why) {
		tell_slow(p, why);
		return;
	}
	set_flags(in, t,
		  UST_PROCESS_CATCH_FAULTS | (p->faults_unseen ? 0 : UST_PROCESS_CHAIN_FAULTS), 0);
	p->faults_caught = true;
}

void faults_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps)
{
	if (p->faults_unseen || signal_hooks_add(in, p, t, maps, CALLS_ACTION))
		return;
	p->faults_unseen = true;
	if (!p->faults_caught)
		return;
	p->faults_caught = false;
	faults_release(in, t);
	tell_slow(p,
		  "not all calls that change signal handlers can be hooked in a newly mapped file");
}

/* ------------------------------------------------------------------- the end */

static void give_back(const struct injector *in, struct tracee *t, int signal)
{
	struct ust_disposition now, own;

	if (!disposition_get(t, signal, &now) || !has_entry_point(in, &now) ||
	    !tracee_read(
		    t, own_at(in, (now.handler - in->blob->made.fault_handlers) / UST_FAULT_BYTES),
		    &own, sizeof own))
		return;
	ust_fault_own(&now, &own);
	disposition_set(t, signal, &now);
}

void faults_release(const struct injector *in, struct tracee *t)
{
	set_flags(in, t, 0, UST_PROCESS_CATCH_FAULTS | UST_PROCESS_CHAIN_FAULTS);
	for (int i = 0; i < NFAULTS; i++)
		give_back(in, t, faults[i]);
}
