/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples: timer.profile. The processes are followed (follow.c). At each tick the tracer reads how
 * much CPU time their threads have used, and interrupts those that have used a period since their
 * last sample and are running. An interrupted thread is diverted into the agent, which runs the
 * handlers.
 *
 * A thread that sleeps is not interrupted: some system calls start their time limit anew then. If
 * the thread falls asleep meanwhile and its system call is to be restarted, it is not sampled,
 * because the kernel could not restart the call afterwards.
 */
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/process/divert.h"
#include "inject/process/follow.h"
#include "inject/process/process.h"
#include "inject/process/profile.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"

#include <sys/ptrace.h>

/* Shortest time between two looks, and most looks that are left out. */
enum { TICK_NS = 1000000, MOST_PAUSE = 15 };

static bool is_used(const struct injector *in)
{
	return in->blob->made.nprofiles && in->followed && in->events && blob_is_armed(in->blob);
}

/* Time between two looks, in ns. */
static uint64_t look_interval(const struct injector *in)
{
	const struct ust_layout *l = &in->blob->made;
	uint64_t ns = l->profile_ns[0];

	for (uint64_t i = 1; i < l->nprofiles; i++)
		ns = l->profile_ns[i] < ns ? l->profile_ns[i] : ns;
	return ns > TICK_NS ? ns : TICK_NS;
}

void profile_note(const struct injector *in)
{
	if (in->samples_missed)
		warning("%u samples were missed: the thread's stack was full, or it ran 32-bit "
			"code",
			in->samples_missed);
}

int profile_wait(const struct injector *in)
{
	uint64_t now = clock_ns();

	if (!is_used(in))
		return -1;
	return in->profile_due > now ? (int)((in->profile_due - now + 999999) / 1000000) : 0;
}

/* Bits of the periods that have passed. */
static uint64_t due_periods(const struct injector *in, const struct sampling *s)
{
	const struct ust_layout *l = &in->blob->made;
	uint64_t bits = 0;

	for (uint64_t i = 0; i < l->nprofiles; i++)
		bits |= (uint64_t)(s->seen - s->sampled[i] >= l->profile_ns[i]) << i;
	return bits;
}

/* Note that the periods that have passed have their sample. */
static void count_periods(const struct injector *in, struct sampling *s)
{
	const struct ust_layout *l = &in->blob->made;

	for (uint64_t i = 0; i < l->nprofiles; i++)
		s->sampled[i] += (s->seen - s->sampled[i]) / l->profile_ns[i] * l->profile_ns[i];
}

/* Note that the CPU time is NS. A thread that does not run is looked at less and less often. */
static void note_cpu_time(struct sampling *s, uint64_t ns)
{
	s->pause = ns != s->seen                   ? 0
		   : s->pause * 2 + 1 > MOST_PAUSE ? MOST_PAUSE
						   : s->pause * 2 + 1;
	s->rest = s->pause;
	s->seen = ns;
	for (unsigned i = 0; !s->known && i < UST_PROFILES; i++)
		s->sampled[i] = ns;
	s->known = true;
}

/* The process, if it has the agent in memory of its own; else NULL. A forked child may not be known
 * yet. */
static const struct process *with_agent(struct injector *in, const struct followed *w)
{
	const struct process *p = process_find(in, w->pid);

	if (!p)
		p = fork_child_find(in, w->pid);
	return p && p->injected && !p->launching && !p->owner ? p : NULL;
}

/* Interrupt TH if a sample is due. */
static void look_at(struct injector *in, struct thread *th)
{
	struct sampling *s = &th->sampling;
	uint64_t ns;

	if (!th->begun || th->ended || th->listening || th->pending || s->asked)
		return;
	if (s->rest) {
		s->rest--;
		return;
	}
	ns = proc_cpu_time(th->of->pid, th->tid);
	if (ns == ~0ull)
		return;
	note_cpu_time(s, ns);
	if (!due_periods(in, s) || proc_stat_state(th->tid) != 'R')
		return;
	if (with_agent(in, th->of))
		s->asked = !ptrace(PTRACE_INTERRUPT, th->tid, 0, 0);
	else
		s->rest = MOST_PAUSE;
}

/* Looks take at most half of the tracer's time, however many threads there are. */
void profile_look(struct injector *in)
{
	uint64_t interval = look_interval(in), begin = clock_ns(), now;

	if (!is_used(in) || begin < in->profile_due)
		return;
	for (const struct followed *w = in->followed; w; w = w->next)
		for (struct thread *th = w->threads; th && w->known; th = th->next)
			look_at(in, th);
	now = clock_ns();
	in->profile_due = now + (now - begin > interval ? now - begin : interval);
}

/* False: TH cannot be moved out of its system call. */
static bool leave_call(const struct thread *th, struct user_regs_struct *r)
{
	if ((long)regs_call(r) < 0)
		return true;
	if (tracee_restart_call(th->tid, r)) {
		ptrace(PTRACE_SETREGS, th->tid, 0, r);
		return false;
	}
	if (regs_restarts(r))
		return false;
	regs_set_call(r, CALL_NONE);
	return true;
}

void profile_stopped(struct injector *in, struct thread *th)
{
	struct ust_diversion d = {0};
	struct user_regs_struct r;

	enum divert_result result;
	const struct process *p;

	if (!th->sampling.asked)
		return;
	th->sampling.asked = false;
	if (ptrace(PTRACE_GETREGS, th->tid, 0, &r) < 0 || !leave_call(th, &r) ||
	    !blob_is_armed(in->blob))
		return;
	/* a trampoline is not the program's code */
	p = with_agent(in, th->of);
	if (!p || areas_hold(p, regs_pc(&r)))
		return;
	d.profiles = due_periods(in, &th->sampling);
	result = divert(in, th->tid, &r, &d);
	in->samples_missed += result == DIVERT_IMPOSSIBLE;
	if (result != DIVERT_IN_AGENT)
		count_periods(in, &th->sampling);
}
