/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints in a process (wire.h, "Breakpoints"; trap.c of runtime/user): SIGTRAP is taken over
 * when the first one is needed, and given back when all are removed. Before that, all calls that
 * block or handle it are hooked (signal_hooks.c); if one cannot be hooked there are no breakpoints,
 * because one could kill the process.
 */
#define _GNU_SOURCE
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patch.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/signals.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum { NSIGNALS = 64, USED = 1 };
enum { EPOLL_PWAIT2 = 441 };
static const uint64_t trap_bit = 1ull << (SIGTRAP - 1);

/* -------------------------------------------------------------- the table */

static uint64_t entry_at(const struct ust_layout *a, uint64_t i)
{
	return a->traps + (i & a->traps_mask) * sizeof(struct ust_trap);
}

/* Address of the entry for ADDR or, if ADDR is 0, of the first free one from HASH on; 0 if none. */
static uint64_t entry_of(const struct injector *in, const struct tracee *t, uint64_t addr,
			 uint64_t hash)
{
	const struct ust_layout *a = &in->blob->made;
	struct ust_trap e;

	for (uint64_t i = hash; i < hash + UST_TRAP_PROBES; i++) {
		if (!tracee_read(t, entry_at(a, i), &e, sizeof e))
			return 0;
		if (addr ? e.addr == addr : e.addr <= USED)
			return entry_at(a, i);
		if (!e.addr)
			return 0;
	}
	return 0;
}

static uint64_t hash_of(uint64_t addr) { return (addr * UST_TRAP_HASH) >> 32; }

bool trap_add(const struct injector *in, const struct tracee *t, const struct patch *p)
{
	uint64_t at = entry_of(in, t, 0, hash_of(p->addr));

	return at && tracee_write(t, at + sizeof p->addr, &p->stub, sizeof p->stub) &&
	       tracee_write(t, at, &p->addr, sizeof p->addr);
}

void traps_forget(const struct injector *in, const struct tracee *t, const struct patches *v)
{
	const uint64_t used = USED;

	for (size_t i = 0; i < v->n; i++) {
		uint64_t at = v->v[i].way == PATCH_TRAP
				      ? entry_of(in, t, v->v[i].addr, hash_of(v->v[i].addr))
				      : 0;

		if (at)
			tracee_write(t, at, &used, sizeof used);
	}
}

bool trap_pending(const struct patches *v, const struct tracee_thread *th)
{
	uint64_t at = regs_pc(&th->regs) - TRAP_PC_OFFSET;
	const struct patch *p = patches_at(v, at);

	return p && p->way == PATCH_TRAP && p->addr == at &&
	       proc_status(th->tid, "SigPnd", 16) & (long long)trap_bit;
}

/* ------------------------------------------------------------ dispositions */

/* Change the masks of handlers: those of V lose SIGTRAP or get it back. */
static uint64_t change_masks(struct tracee *t, uint64_t v, bool blocked)
{
	uint64_t changed = 0;
	struct ust_disposition d;

	for (int sig = 1; sig <= NSIGNALS; sig++) {
		if (!(v >> (sig - 1) & 1) || sig == SIGKILL || sig == SIGSTOP || sig == SIGTRAP ||
		    !disposition_get(t, sig, &d) || d.handler <= (uint64_t)SIG_IGN ||
		    !(d.mask & trap_bit) != blocked)
			continue;
		d.mask ^= trap_bit;
		if (disposition_set(t, sig, &d))
			changed |= 1ull << (sig - 1);
	}
	return changed;
}

/* ---------------------------------------------------------------- threads */

static uint64_t key_of(const struct tracee_thread *th)
{
	return regs_thread(&th->regs) ? regs_thread(&th->regs) : 1;
}

/* Copy the entry of TH to TO; returns its address, with MAKE that of a new one; 0 if none. */
static uint64_t find_thread(const struct injector *in, const struct tracee *t,
			    const struct tracee_thread *th, bool make, struct ust_trap_thread *to)
{
	uint64_t key = key_of(th), first = hash_of(key), at, room = 0;

	for (uint64_t i = first; i < first + UST_TRAP_NEAR; i++) {
		at = in->blob->made.trap_threads + i % UST_TRAP_THREADS * sizeof *to;
		if (!tracee_read(t, at, to, sizeof *to))
			return 0;
		if (to->thread == key)
			return at;
		if (!to->thread && !room)
			room = at;
	}
	*to = (struct ust_trap_thread){.thread = key};
	return make ? room : 0;
}

static bool get_mask(const struct tracee *t, const struct tracee_thread *th, uint64_t *mask)
{
	if (th == t->caller)
		*mask = t->caller_mask;
	return th == t->caller || !ptrace(PTRACE_GETSIGMASK, th->tid, sizeof *mask, mask);
}

static void set_mask(struct tracee *t, const struct tracee_thread *th, uint64_t mask)
{
	if (th == t->caller)
		t->caller_mask = mask;
	else
		ptrace(PTRACE_SETSIGMASK, th->tid, sizeof mask, &mask);
}

static void open_thread(const struct injector *in, struct tracee *t, const struct tracee_thread *th)
{
	struct ust_trap_thread e;
	uint64_t mask, at;

	if (!get_mask(t, th, &mask) || !(mask & trap_bit))
		return;
	set_mask(t, th, mask & ~trap_bit);
	at = find_thread(in, t, th, true, &e);
	e.blocked = 1;
	if (at)
		tracee_write(t, at, &e, sizeof e);
}

static void clear_bit(const struct tracee *t, uint64_t at)
{
	uint64_t mask;

	if (!at || !tracee_read(t, at, &mask, sizeof mask) || !(mask & trap_bit))
		return;
	mask &= ~trap_bit;
	tracee_write(t, at, &mask, sizeof mask);
}

/* A signal frame holds the mask to restore, twice: words of the kernel's struct sigcontext and
 * ucontext, counted from the program counter. */
static void open_frame(void *arg, uint64_t at, uint64_t pc)
{
	enum { OLD_MASK = 5, MASK = 16 };
	const struct tracee *t = arg;
	uint64_t v[MASK + 1];

	(void)pc;
	if (tracee_read(t, at, v, sizeof v) && v[OLD_MASK] == v[MASK])
		clear_bit(t, at + MASK * sizeof *v);
}

/* The thread waits in a system call with a mask argument, which will be restarted. */
static void open_wait(const struct tracee *t, const struct user_regs_struct *r)
{
	uint64_t at = 0;

	switch (regs_restarts(r) ? (long)regs_call(r) : -1) {
	case SYS_rt_sigsuspend:
		at = regs_arg(r, 0);
		break;
	case SYS_ppoll:
		at = regs_arg(r, 3);
		break;
	case SYS_epoll_pwait:
	case EPOLL_PWAIT2:
		at = regs_arg(r, 4);
		break;
	case SYS_pselect6:
		if (!regs_arg(r, 5) || !tracee_read(t, regs_arg(r, 5), &at, sizeof at))
			at = 0;
	}
	clear_bit(t, at);
}

static void open_threads(const struct injector *in, struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct tracee_thread *th = &t->v[i];

		if (th->stopped) {
			open_thread(in, t, th);
			open_wait(t, &th->regs);
		}
		if (thread_is_held(th))
			frames_visit(t, i, open_frame, t);
	}
}

static void close_threads(const struct injector *in, struct tracee *t)
{
	struct ust_trap_thread e;
	uint64_t mask;

	for (size_t i = 0; i < t->n; i++) {
		const struct tracee_thread *th = &t->v[i];

		if (!th->stopped || !find_thread(in, t, th, false, &e))
			continue;
		if (e.held)
			syscall(SYS_tgkill, t->pid, th->tid, SIGTRAP);
		if (e.blocked && get_mask(t, th, &mask))
			set_mask(t, th, mask | trap_bit);
	}
}

/* ------------------------------------------------------------- taking over */

struct state {
	struct ust_disposition trap;
	uint64_t masks;
	uint32_t on, pad;
};
_Static_assert(offsetof(struct ust_process, trapping) - offsetof(struct ust_process, trap) ==
		       offsetof(struct state, on),
	       "wire.h");

static uint64_t state_at(const struct injector *in)
{
	return in->blob->base + offsetof(struct ust_process, trap);
}

/* True if a thread sleeps that blocks SIGTRAP, which cannot be changed then. */
static bool sleeper_blocks(const struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].asleep && proc_status(t->v[i].tid, "SigBlk", 16) & (long long)trap_bit)
			return true;
	return false;
}

static bool take_over(const struct injector *in, struct tracee *t)
{
	const struct ust_layout *a = &in->blob->made;
	struct ust_disposition ours = {a->trap_handler,
				       SA_SIGINFO | SA_ONSTACK | SA_RESTART | DISPOSITION_RESTORER,
				       a->trap_restorer, ~0ull};
	const uint64_t theirs = SA_ONSTACK | SA_RESTART;
	struct state s = {.on = 1};

	if (sleeper_blocks(t) || !disposition_get(t, SIGTRAP, &s.trap) ||
	    s.trap.handler == a->trap_handler)
		return false;
	if (s.trap.handler > (uint64_t)SIG_IGN)
		ours.flags = (ours.flags & ~theirs) | (s.trap.flags & theirs);
	s.masks = change_masks(t, ~0ull, true);
	if (!tracee_write(t, state_at(in), &s, sizeof s) || !disposition_set(t, SIGTRAP, &ours))
		return false;
	open_threads(in, t);
	return true;
}

bool traps_watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps)
{
	bool actions = signal_hooks_add(in, p, t, maps, CALLS_ACTION);

	return signal_hooks_add(in, p, t, maps, CALLS_MASK) && actions;
}

/* The hooks may be breakpoints themselves. */
bool traps_ready(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		 const char **why)
{
	if (!p->trapping && !p->no_traps) {
		p->trapping = true;
		p->no_traps = !traps_watch(in, p, t, maps) || !take_over(in, t);
		p->trapping = !p->no_traps;
		if (p->no_traps)
			signal_hooks_remove(in, p, t, CALLS_MASK);
	}
	*why = "a breakpoint fits, but not all calls that block signals can be hooked";
	return p->trapping && !p->unwatched;
}

/* True if the thread whose mask is to be given back may be one that sleeps. */
static bool sleeper_waits_for_mask(const struct injector *in, const struct tracee *t)
{
	struct ust_trap_thread e;
	uint64_t at = in->blob->made.trap_threads;

	if (!tracee_has_sleepers(t))
		return false;
	for (unsigned i = 0; i < UST_TRAP_THREADS; i++, at += sizeof e)
		if (!tracee_read(t, at, &e, sizeof e) || e.blocked || e.held)
			return true;
	return false;
}

bool traps_release(const struct injector *in, struct process *p, struct tracee *t)
{
	struct ust_disposition now;
	struct state s;

	if (!p->trapping)
		return true;
	if (sleeper_waits_for_mask(in, t) || !tracee_read(t, state_at(in), &s, sizeof s) ||
	    !disposition_get(t, SIGTRAP, &now) || now.handler != in->blob->made.trap_handler)
		return false;
	disposition_set(t, SIGTRAP, &s.trap);
	change_masks(t, s.masks, false);
	close_threads(in, t);
	s.on = 0;
	tracee_write(t, state_at(in), &s, sizeof s);
	p->trapping = false;
	return true;
}
