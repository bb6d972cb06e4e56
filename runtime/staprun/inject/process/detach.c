/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removing the script from a process: the code is restored first, so that no thread enters any
 * more; threads inside run on until they have left; then the memory is unmapped. Memory that a
 * thread may still need stays mapped: its only effect is to return to the program.
 */
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/gate.h"
#include "inject/patch/patch.h"
#include "inject/patch/signals.h"
#include "inject/process/agent_code.h"
#include "inject/process/process.h"
#include "inject/process/watch.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 50, STEP_NS = 2000000 };

struct withdrawal {
	struct injector *in;
	struct process *p;
	struct tracee t;
	size_t others; /* number of sites where another tracer has overwritten the patch */
	struct overwritten overwritten; /* sites in LOADED, maybe also those in other files */
	const struct loaded *loaded;    /* the file of the first; NULL: none */
	struct returns returns;
	bool inside;            /* a thread is executing in the script's memory */
	bool stuck;             /* ... and is asleep */
	struct tracee *sharers; /* stopped processes that share its memory */
	size_t nsharers;
};

/* ------------------------------------------------------------------ threads */

static bool is_ours(const struct withdrawal *w, uint64_t addr)
{
	const struct blob *b = w->in->blob;

	return addr - b->text < b->text_size || areas_hold(w->p, addr);
}

/* False if another tracer, such as another run, has put a jump there. */
static bool is_restored(const struct withdrawal *w, const struct patch *p)
{
	uint8_t text[PATCH_BYTES];

	return tracee_read(&w->t, p->addr, text, p->len) && !memcmp(text, p->old_text, p->len);
}

/* Original address where a thread at PC in a trampoline can continue; 0: not yet possible. */
static uint64_t moved_back(const struct withdrawal *w, uint64_t pc)
{
	for (size_t i = 0; i < w->p->nloaded; i++) {
		const struct patches *v = w->p->loaded[i].patches;

		for (size_t k = 0; k < v->n; k++)
			if (pc - v->v[k].stub < STUB_BYTES || pc == v->v[k].pad) {
				uint64_t to = patch_move_back(&v->v[k], pc);

				if (to && is_restored(w, &v->v[k]))
					return to;
			}
	}
	return 0;
}

static void see_frame(void *arg, uint64_t at, uint64_t pc)
{
	struct withdrawal *w = arg;
	uint64_t to, sp;

	if (!is_ours(w, pc)) {
		w->inside |= tracee_read(&w->t, at + FRAME_SP, &sp, sizeof sp) &&
			     agent_runs(w->in->blob, w->t.pid, pc, sp);
		return;
	}
	to = moved_back(w, pc);
	if (!to || !tracee_write(&w->t, at, &to, sizeof to))
		w->inside = true;
}

static void see_thread(struct withdrawal *w, size_t i)
{
	uint64_t pc = tracee_pc(&w->t, i), back = regs_restarts(&w->t.v[i].regs) ? SYSCALL_SIZE : 0,
		 to;

	if (is_ours(w, pc)) {
		to = w->t.v[i].stopped ? moved_back(w, pc - back) : 0;
		if (to)
			tracee_set_pc(&w->t, i, to + back);
		else
			w->inside = true;
	} else if (agent_runs(w->in->blob, w->t.pid, pc, tracee_sp(&w->t, i))) {
		w->inside = true;
	}
	for (size_t k = 0; k < w->p->nloaded; k++)
		w->inside |= trap_pending(w->p->loaded[k].patches, &w->t.v[i]);
	if (w->in->blob->made.watches)
		w->inside |= watch_pending(w->t.v[i].tid);
	frames_visit(&w->t, i, see_frame, w);
}

/* Those that are asleep first: they do not leave. */
static void see_threads(struct withdrawal *w)
{
	w->inside = false;
	for (size_t i = 0; i < w->t.n; i++)
		if (w->t.v[i].asleep)
			see_thread(w, i);
	w->stuck = w->inside;
	for (size_t i = 0; i < w->t.n; i++)
		if (w->t.v[i].stopped)
			see_thread(w, i);
}

/* -------------------------------------------------- return addresses elsewhere */

/*
 * A record whose slot holds another value belongs to a function that was left by longjmp() or the
 * like, or to a stack that was copied away and will be copied back.
 */
enum { SEARCH_MAX = 256 << 20, SEARCH_STEP = 1 << 18 };

static bool has_stack(const struct withdrawal *w, const struct mapping *m)
{
	for (size_t i = 0; i < w->t.n; i++)
		if (thread_is_held(&w->t.v[i]) && tracee_sp(&w->t, i) >= m->start &&
		    tracee_sp(&w->t, i) < m->end)
			return true;
	return false;
}

static bool is_return(const struct withdrawal *w, uint64_t v)
{
	return (v - UST_STUB_BODY) % 16 == 0 && areas_hold(w->p, v);
}

static bool search(const struct withdrawal *w, const struct mapping *m, uint64_t *v)
{
	for (uint64_t at = m->start; at < m->end; at += SEARCH_STEP) {
		size_t n = m->end - at < SEARCH_STEP ? m->end - at : SEARCH_STEP;

		if (!tracee_read(&w->t, at, v, n))
			continue;
		for (size_t i = 0; i < n / sizeof *v; i++)
			if (is_return(w, v[i]))
				return true;
	}
	return false;
}

static bool is_data(const struct withdrawal *w, const struct mapping *m)
{
	const struct blob *b = w->in->blob;

	return m->write && !m->shared && m->start - b->base >= b->data + b->data_size - b->base &&
	       !has_stack(w, m);
}

static bool copied_elsewhere(const struct withdrawal *w)
{
	uint64_t *v = xrealloc(NULL, SEARCH_STEP), size = 0;
	bool found = false;
	struct maps m;

	if (!maps_read(&m, w->p->pid)) {
		free(v);
		return true;
	}
	for (size_t i = 0; i < m.n && !found; i++)
		if (is_data(w, &m.v[i])) {
			size += m.v[i].end - m.v[i].start;
			found = size > SEARCH_MAX || search(w, &m.v[i], v);
		}
	maps_free(&m);
	free(v);
	return found;
}

/* ------------------------------------------------------------------ in order */

static void restore_text(struct withdrawal *w)
{
	w->others = 0;
	/* patches made last may be based on earlier ones */
	for (size_t i = w->p->nloaded; i-- > 0;) {
		struct loaded *l = &w->p->loaded[i];
		size_t before = w->overwritten.n;

		w->others += text_restore(&w->t, l->patches, &w->overwritten);
		if (!before && w->overwritten.n)
			w->loaded = l;
		semaphores_drop(w->in, w->p, &w->t, l);
	}
}

/*
 * Let all threads run for a moment. They remain traced, so that no other run can intervene and
 * patch an address to which one of them will return.
 */
static int run_on(struct tracee *t)
{
	const struct timespec nap = {0, STEP_NS};
	pid_t pid = t->pid;

	remote_restore(t);
	for (size_t i = 0; i < t->n; i++) {
		struct tracee_thread *th = &t->v[i];

		if (!th->stopped || th->gone)
			continue;
		if (th->changed)
			ptrace(PTRACE_SETREGS, th->tid, 0, &th->regs);
		ptrace(PTRACE_CONT, th->tid, 0, th->signal);
	}
	close(t->mem);
	free(t->v);
	free(t->scratch_old);
	nanosleep(&nap, NULL);
	return tracee_hold(t, pid);
}

/* Returns 0: no thread is inside; EBUSY: a thread stays inside; other errors: the process is not
 * stopped any more. */
static int wait_outside(struct withdrawal *w)
{
	for (int i = 0; i < TRIES; i++) {
		int err;

		returns_give_back(&w->returns, w->in, w->p, &w->t);
		see_threads(w);
		if (!w->inside)
			return 0;
		if (w->stuck)
			return EBUSY;
		err = run_on(&w->t);
		if (err)
			return err;
	}
	return EBUSY;
}

/* False if the process does not run, and its memory stays mapped. */
static bool unmap(struct withdrawal *w)
{
	const struct blob *b = w->in->blob;

	for (size_t i = 0; i < w->p->nareas; i++)
		remote_syscall(&w->t, SYS_munmap, (long)w->p->areas[i].start,
			       (long)w->p->areas[i].size, 0, 0, 0, 0);
	if (remote_syscall(&w->t, SYS_munmap, (long)b->base,
			   (long)(b->data + b->data_size - b->base), 0, 0, 0, 0) == -ETIMEDOUT)
		return false;
	note("process %d: code restored, script memory unmapped", (int)w->p->pid);
	return true;
}

/* True if the memory of another run is mapped, too. */
static bool has_other_runs(const struct withdrawal *w)
{
	const struct blob *b = w->in->blob;
	bool found = false;
	struct maps m;

	if (!maps_read(&m, w->p->pid))
		return true;
	for (size_t i = 0; i < m.n && !found; i++)
		found = m.v[i].exec && blob_is_mapped_as(m.v[i].path) && m.v[i].start != b->text;
	maps_free(&m);
	return found;
}

/* Why a thread may still enter the memory; NULL if none can. */
static const char *why_stay(const struct withdrawal *w)
{
	if (w->p->unknown)
		return "references to it from the process are not known";
	if (w->nsharers)
		return "another process shares the script's memory";
	if (w->others)
		return "jumps of another tracer lead to it";
	/* which may have recorded a return address of this run, or be about to do so */
	if (w->returns.seen && has_other_runs(w))
		return "another run may hold return addresses into it";
	if (w->returns.stale && copied_elsewhere(w))
		return "return addresses into it may remain";
	return NULL;
}

/* True if a thread is in the runtime, possibly at a load that will fault. */
static bool runtime_runs(const struct withdrawal *w)
{
	for (size_t i = 0; i < w->t.n; i++)
		if (thread_is_held(&w->t.v[i]) &&
		    agent_runs(w->in->blob, w->t.pid, tracee_pc(&w->t, i), tracee_sp(&w->t, i)))
			return true;
	return false;
}

/* Returns 0, or errno and the process is not stopped any more. */
static int take_out(struct withdrawal *w, const char **why)
{
	int err;

	if (w->in->blob->made.watches) {
		watch_clear(&w->t);
		for (size_t i = 0; i < w->nsharers; i++)
			watch_clear(&w->sharers[i]);
	}
	/* before the program can change its handlers unseen, if possible */
	if (!runtime_runs(w))
		faults_release(w->in, &w->t);
	restore_text(w);
	err = wait_outside(w);
	if (err && err != EBUSY)
		return err;
	faults_release(w->in, &w->t);
	w->others += !traps_release(w->in, w->p, &w->t);
	*why = err ? "a thread is executing in it" : why_stay(w);
	if (!*why && !unmap(w))
		*why = "the process does not run";
	if (*why)
		note("process %d: script memory stays mapped: %s", (int)w->p->pid, *why);
	return 0;
}

int detach_process(struct injector *in, struct process *p, struct tracee *t, const char **why)
{
	struct withdrawal w = {.in = in, .p = p, .t = *t};
	int err = take_out(&w, why);

	*t = w.t;
	returns_free(&w.returns);
	return err;
}

/* ------------------------------------------------------------ all processes */

static bool has_agent(const struct blob *b, pid_t pid)
{
	struct maps m;
	bool has;

	if (!maps_read(&m, pid))
		return false;
	has = process_has_agent(b, &m);
	maps_free(&m);
	return has;
}

/* Returns 0, or errno if it cannot be stopped. */
static int stop_sharer(struct withdrawal *w, pid_t pid)
{
	struct tracee t;
	int err = stop_process(&t, pid);

	if (err)
		return err == ESRCH ? 0 : err;
	if (!has_agent(w->in->blob, pid)) {
		tracee_release(&t); /* it has called exec in between */
		return 0;
	}
	w->sharers = xrealloc(w->sharers, (w->nsharers + 1) * sizeof *w->sharers);
	w->sharers[w->nsharers++] = t;
	return 0;
}

/* The parent of a vfork() stops only after its child has called exec; so it comes first. */
static int stop_all(struct withdrawal *w)
{
	int err = stop_process(&w->t, w->p->pid);

	if (err)
		return err;
	for (struct process *q = w->in->processes; q && !err; q = q->next)
		if (!q->ended && q->owner == w->p->pid)
			err = stop_sharer(w, q->pid);
	if (err)
		tracee_release(&w->t);
	return err;
}

static void release_sharers(struct withdrawal *w)
{
	for (size_t i = 0; i < w->nsharers; i++)
		tracee_release(&w->sharers[i]);
	free(w->sharers);
}

/* ERR: why it does not stop. */
static void warn_of_script(const struct process *p, int err)
{
	if (err == ESRCH || pid_ends_soon(p->pid, p->pidfd))
		return;
	warning("the script, which does nothing any more, remains in process %d (%s): %s",
		(int)p->pid, p->name, err == ETIMEDOUT ? "it does not stop or run" : strerror(err));
	if (err == EPERM)
		hint("remove the script as root: sudo ustap --cleanup=%d", (int)p->pid);
	else
		hint("if it goes on, remove the script: ustap --cleanup=%d", (int)p->pid);
}

/*
 * Hits at sites that the program or another tool has overwritten are missing. If that was another
 * run of ustap, its trampolines continue in those of this run. Where another file is mapped now,
 * nothing was overwritten.
 */
static void warn_of_overwritten(const struct withdrawal *w)
{
	const struct loaded *l = w->loaded;
	struct maps m;

	if (!l || has_other_runs(w) || !maps_read(&m, w->p->pid))
		return;
	if (process_maps(w->p, &m, l)) {
		size_t n = w->overwritten.n;

		warning("%zu site%s of process %d (%s) %s overwritten by the program or another "
			"tool, and hits since then are missing; the first is at offset 0x%llx of "
			"%s",
			n, n == 1 ? "" : "s", (int)w->p->pid, w->p->name, n == 1 ? "was" : "were",
			(unsigned long long)(w->overwritten.first - l->start + l->offset),
			l->file->path);
		hint("set uprobes of other tools before the script starts");
	}
	maps_free(&m);
}

static void withdraw(struct injector *in, struct process *p)
{
	struct withdrawal w = {.in = in, .p = p};
	const char *why;
	int err = stop_all(&w);

	if (!err && has_agent(in->blob, p->pid))
		err = take_out(&w, &why);
	if (err || w.t.stalled)
		warn_of_script(p, err ? err : ETIMEDOUT);
	if (!err) {
		tracee_release(&w.t);
		warn_of_overwritten(&w);
	}
	release_sharers(&w);
	returns_free(&w.returns);
}

/* If the owner of shared memory has exited, one of the sharers takes its role. */
static void choose_owner(struct injector *in, struct process *p)
{
	pid_t gone = p->owner;

	for (const struct process *q = in->processes; q; q = q->next)
		if (!q->ended && q->pid == gone)
			return;
	for (struct process *q = in->processes; q; q = q->next)
		if (q->owner == gone)
			q->owner = q == p ? 0 : p->pid;
}

/* Returns the number of processes. */
static unsigned withdraw_known(struct injector *in)
{
	unsigned n = 0;

	for (struct process *p = in->processes; p; p = p->next)
		if (!p->ended && p->owner)
			choose_owner(in, p);
	for (struct process *p = in->processes; p; p = p->next)
		if (!p->ended && p->injected && !p->owner) {
			withdraw(in, p);
			p->injected = false;
			n++;
		}
	return n;
}

void detach_all(struct injector *in)
{
	enum { ROUNDS = 5 };

	/* processes may have forked during the search */
	for (int i = 0; i < ROUNDS; i++) {
		fork_children_find(in);
		if (!withdraw_known(in))
			break;
	}
	processes_free(in);
}
