/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that remain traced, for scripts with probes on process events: process.begin, .syscall
 * and others.
 *
 * No other tracer can attach to them meanwhile. Each thread has a record here; every report of a
 * thread is received, and it either continues at once, or waits until handlers have run in the
 * script process (process_events.c). So the tracer's thread never waits for a handler, which may
 * wait for a lock whose holder waits for the tracer.
 *
 * Other files stop whole processes to patch them (tracee.c) and bring them from exec to their entry
 * point (launch.c). They report here what they observe of followed threads, and leave them traced.
 */
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/process/follow.h"
#include "inject/process/process.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "inject/script/script_process.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "report/report.h"
#include "wire_agent.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <string.h>
#include <unistd.h>

enum {
	OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT |
		  PTRACE_O_TRACECLONE,
	CHILD_OPTIONS = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK,
	CALL_STOP = SIGTRAP | 0x80,
	SETTLE_MS = 2000
};

static struct injector *current; /* injector of the tracer process */
static const struct tracee_keeper follow_keeper;

/* ------------------------------------------------------------------ records */

bool follow_is_used(const struct injector *in)
{
	return in->blob->made.events || in->nwatches || in->blob->made.nprofiles;
}

static struct followed *find(const struct injector *in, pid_t pid)
{
	struct followed *w = in ? in->followed : NULL;

	while (w && w->pid != pid)
		w = w->next;
	return w;
}

bool follow_has(const struct injector *in, pid_t pid) { return find(in, pid); }

static struct thread *thread_of(const struct followed *w, pid_t tid)
{
	struct thread *th = w->threads;

	while (th && th->tid != tid)
		th = th->next;
	return th;
}

struct thread *follow_thread(const struct injector *in, pid_t tid)
{
	struct thread *th = NULL;

	for (struct followed *w = in ? in->followed : NULL; w && !th; w = w->next)
		th = thread_of(w, tid);
	return th;
}

static struct followed *add_process(struct injector *in, pid_t pid)
{
	struct followed *w = xrealloc(NULL, sizeof *w);

	*w = (struct followed){
		.pid = pid, .inside = pid_inside(pid), .name = "process", .next = in->followed};
	in->followed = w;
	return w;
}

static struct thread *add_thread(struct followed *w, pid_t tid)
{
	struct thread *th = xrealloc(NULL, sizeof *th), **at = &w->threads;

	*th = (struct thread){.tid = tid, .inside = pid_inside(tid), .of = w, .attach_syscall = -1};
	while (*at)
		at = &(*at)->next;
	*at = th;
	return th;
}

static void drop_thread(struct thread *th)
{
	struct thread **at = &th->of->threads;

	while (*at != th)
		at = &(*at)->next;
	*at = th->next;
	free(th);
}

static void drop_process(struct injector *in, struct followed *w)
{
	struct followed **at = &in->followed;

	while (w->threads)
		drop_thread(w->threads);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	free(w);
}

static void look(const struct injector *in, struct followed *w)
{
	w->module = process_event_module(in, w->pid);
	w->calls = blob_wants(in->blob, UST_EVENT_SYSCALL, w->module, (uint32_t)w->pid) ||
		   blob_wants(in->blob, UST_EVENT_SYSCALL_RETURN, w->module, (uint32_t)w->pid);
}

static long options(const struct injector *in)
{
	return OPTIONS | (in->blob->shared->children ? CHILD_OPTIONS : 0);
}

/* ---------------------------------------------------------------- going on */

void follow_resume(struct thread *th, int sig)
{
	th->listening = false;
	watch_thread(current, th);
	ptrace(th->of->calls && th->of->known ? PTRACE_SYSCALL : PTRACE_CONT, th->tid, 0, sig);
}

static bool is_last(const struct thread *th)
{
	for (const struct thread *t = th->of->threads; t; t = t->next)
		if (t != th && !t->ended)
			return false;
	return true;
}

/* TH is exiting. Returns true if it is held in its stop. */
static bool ends(struct injector *in, struct thread *th, bool held)
{
	bool waits = false;

	if (th->ended)
		return false;
	th->ended = true;
	if (th->tid != th->of->pid) {
		if (!th->begun) /* killed before its first stop */
			process_event_post(in, th, UST_EVENT_THREAD_BEGIN, NULL, false);
		waits |= process_event_post(in, th, UST_EVENT_THREAD_END, NULL, held);
	}
	if (is_last(th)) {
		process_name(th->of->pid, th->of->name);
		waits |= process_event_post(in, th, UST_EVENT_END, NULL, held);
	}
	return waits;
}

static void gone(struct injector *in, struct thread *th)
{
	struct followed *w = th->of;

	ends(in, th, false);
	drop_thread(th);
	if (!w->threads)
		drop_process(in, w);
}

/* The exit status of a process is that of its first thread. */
static void died(struct injector *in, struct thread *th, int status)
{
	const struct followed *w = th->of;

	if (th->tid == w->pid && w->known)
		death_send(in, w->pid, w->name, status);
	gone(in, th);
}

/* --------------------------------------------------------------- new threads */

static bool is_ours(pid_t tid, const struct followed *w)
{
	return proc_status(tid, "Tgid", 10) == w->pid;
}

/* TH has created process PID; without --children it is released at its first stop. */
static void add_child(struct injector *in, const struct thread *th, pid_t pid)
{
	struct followed *w = add_process(in, pid);

	w->module = th->of->module;
	w->known = th->of->known && in->blob->shared->children;
	if (w->known)
		w->watches = th->of->watches;
	look(in, w);
	add_thread(w, pid);
}

static void is_born(struct injector *in, struct thread *th)
{
	unsigned long new = 0;

	if (ptrace(PTRACE_GETEVENTMSG, th->tid, 0, &new) < 0 || follow_thread(in, (pid_t) new))
		return;
	if (proc_status((pid_t) new, "Tgid", 10) <= 0) /* adopted, and has ended */
		return;
	if (is_ours((pid_t) new, th->of))
		add_thread(th->of, (pid_t) new);
	else
		add_child(in, th, (pid_t) new);
}

/* The first stop of a thread or process, before its first instruction. */
static void begins(struct injector *in, struct thread *th)
{
	struct followed *w = th->of;
	bool child = th->tid == w->pid;

	th->begun = true;
	if (child && !w->known && !w->begun) {
		ptrace(PTRACE_DETACH, th->tid, 0, 0);
		drop_process(in, w);
		return;
	}
	w->begun |= child;
	if (!process_event_post(in, th, child ? UST_EVENT_BEGIN : UST_EVENT_THREAD_BEGIN, NULL,
				true))
		follow_resume(th, 0);
}

/* ------------------------------------------------------------- system calls */

static bool by_agent(const struct injector *in, const struct user_regs_struct *r)
{
	return regs_pc(r) - in->blob->base < in->blob->data + in->blob->data_size - in->blob->base;
}

static bool call_begins(struct injector *in, struct thread *th, const struct user_regs_struct *r,
			bool held)
{
	bool again = th->again;

	th->again = false;
	th->in_call = true;
	if (again)
		return false;
	th->call = regs_call(r);
	return process_event_post(in, th, UST_EVENT_SYSCALL, r, held);
}

/* STOPPED: by the tracer, in the middle of the call. */
static bool call_ends(struct injector *in, struct thread *th, struct user_regs_struct *r, bool held,
		      bool stopped)
{
	th->again = stopped && th->in_call && regs_restarts(r);
	if (th->again)
		return false;
	if (th->in_call)
		regs_set_call(r, th->call); /* restart_syscall() continues as another call */
	th->in_call = false;
	return process_event_post(in, th, UST_EVENT_SYSCALL_RETURN, r, held);
}

/* 32-bit programs pass arguments in other registers. */
static void put_arguments(struct user_regs_struct *r, const struct __ptrace_syscall_info *info)
{
	uint64_t args[6];

	memcpy(args, info->entry.args, sizeof args);
	regs_set_call(r, info->entry.nr);
	regs_set_args(r, args);
}

static bool call(struct injector *in, struct thread *th, bool held, bool stopped)
{
	struct __ptrace_syscall_info info = {0};
	struct user_regs_struct r;

	if (ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, th->tid, sizeof info, &info) <
		    0 ||
	    ptrace(PTRACE_GETREGS, th->tid, 0, &r) < 0 || by_agent(in, &r) || !th->of->known)
		return false;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		put_arguments(&r, &info);
		return call_begins(in, th, &r, held);
	}
	regs_set_result(&r, (long)info.exit.rval);
	return info.op == PTRACE_SYSCALL_INFO_EXIT && call_ends(in, th, &r, held, stopped);
}

/* ------------------------------------------------------------------ reports */

static void warn_of_exec(pid_t pid)
{
	char link[40], program[1024];
	ssize_t n;

	if (!lacks_privilege(pid))
		return;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	n = readlink(link, program, sizeof program - 1);
	program[n > 0 ? n : 0] = 0;
	warn_lacks_privilege(program);
}

/* The thread that called exec, if it was not the first, has taken over the id of the first: the
 * thread of its former id ends without an exit. */
static void former_thread_ends(struct injector *in, const struct thread *th)
{
	unsigned long former = 0;
	struct thread *t;

	if (ptrace(PTRACE_GETEVENTMSG, th->tid, 0, &former) < 0)
		return;
	t = thread_of(th->of, (pid_t)former);
	if (t && t != th && !t->ended)
		process_event_post(in, t, UST_EVENT_THREAD_END, NULL, false);
}

/* TH is what is left of its process, whose other threads have ended. */
static void execs(struct injector *in, struct thread *th)
{
	struct followed *w = th->of;
	struct thread *next;

	former_thread_ends(in, th);

	for (struct thread *t = w->threads; t; t = next) {
		next = t->next;
		if (t != th)
			drop_thread(t);
	}
	th->begun = true;
	th->ended = th->again = th->watched = false;
	th->sampling = (struct sampling){0};
	w->watches.n = 0;
	th->inside = w->inside;
	if (w->known) /* staprun has warned of the command itself */
		warn_of_exec(w->pid);
	process_event_exec(in, th);
	look(in, w);
	w->known = w->begun = true;
	process_event_post(in, th, UST_EVENT_BEGIN, NULL, true);
	if (!th->pending)
		w->execs = true;
	else
		th->pending->exec = true;
}

static bool stops_job(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static void stop_report(struct injector *in, struct thread *th, int sig)
{
	if (!th->begun) {
		begins(in, th);
	} else if (stops_job(sig)) {
		th->listening = true;
		th->sampling.asked = false;
		ptrace(PTRACE_LISTEN, th->tid, 0, 0);
	} else {
		profile_stopped(in, th);
		follow_resume(th, 0);
	}
}

static void take(struct injector *in, struct thread *th, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);

	if (!WIFSTOPPED(status)) {
		died(in, th, status);
	} else if (event == PTRACE_EVENT_STOP) {
		stop_report(in, th, sig);
	} else if (event == PTRACE_EVENT_EXEC) {
		execs(in, th);
	} else if (event == PTRACE_EVENT_EXIT) {
		if (!ends(in, th, true))
			follow_resume(th, 0);
	} else if (sig == CALL_STOP) {
		if (!call(in, th, true, false))
			follow_resume(th, 0);
	} else {
		if (event)
			is_born(in, th);
		else if (sig == SIGTRAP && watch_hit(in, th))
			sig = 0;
		follow_resume(th, event ? 0 : sig);
	}
}

/* --------------------------------------------------------------- collecting */

/* Find the record of a thread that was created, or took over its leader's id, before the report of
 * that arrived. */
static struct thread *adopt(struct injector *in, pid_t tid)
{
	long long pid = proc_status(tid, "Tgid", 10);
	struct followed *w = pid > 0 ? find(in, (pid_t)pid) : NULL;

	return w && proc_status(tid, "TracerPid", 10) == gettid() && !proc_is_worker(tid)
		       ? add_thread(w, tid)
		       : NULL;
}

/* TH is not traced by its id any more. If its main thread had ended and it has called exec, it has
 * the id of that one: its process goes on. */
static void lost(struct injector *in, struct thread *th)
{
	const struct followed *w = th->of;

	if (!thread_of(w, w->pid))
		adopt(in, w->pid);
	gone(in, th);
}

/* Receive the pending reports of a thread; false if there was no report. */
static bool hear(struct injector *in, struct thread *th)
{
	int status;
	pid_t got = waitpid(th->tid, &status, WNOHANG | __WALL);

	if (got == th->tid)
		take(in, th, status);
	else if (got < 0 && errno == ECHILD)
		lost(in, th);
	return got;
}

/* The records change meanwhile: collect the ids first. */
static void hear_all(struct injector *in)
{
	pid_t *tids = NULL;
	size_t n = 0;

	for (struct followed *w = in->followed; w; w = w->next)
		for (struct thread *th = w->threads; th; th = th->next) {
			tids = xrealloc(tids, (n + 1) * sizeof *tids);
			tids[n++] = th->tid;
		}
	for (size_t i = 0; i < n; i++) {
		struct thread *th = follow_thread(in, tids[i]);

		if (th)
			hear(in, th);
	}
	free(tids);
}

static void collect(struct injector *in)
{
	pid_t strange = 0;

	while (in->followed) {
		siginfo_t si = {0};
		struct thread *th;

		if (waitid(P_ALL, 0, &si, WNOHANG | WNOWAIT | WEXITED | WSTOPPED | __WALL) < 0 ||
		    !si.si_pid)
			return;
		th = follow_thread(in, si.si_pid);
		if (!th)
			th = adopt(in, si.si_pid);
		if (th) {
			hear(in, th);
		} else if (strange == si.si_pid) {
			hear_all(in); /* it belongs to another tracer */
			return;
		} else {
			strange = si.si_pid;
			tracee_release_late();
			hear_all(in);
		}
	}
}

/* Bring processes whose exec was reported to their entry point. */
static bool go_on_to_entry(struct injector *in)
{
	bool any = false;
	struct followed *w = in->followed;

	while (w) {
		pid_t pid = w->pid;

		if (!w->execs) {
			w = w->next;
			continue;
		}
		w->execs = false;
		any = true;
		if (blob_is_injected(in->blob) && !in->dismissing) {
			launch_add_stopped(pid);
			follow_exec(in, pid);
		} else if (w->threads) {
			follow_resume(w->threads, 0);
		}
		w = in->followed; /* it may have ended */
	}
	return any;
}

bool follow_poll(struct injector *in)
{
	bool any = false;

	do {
		collect(in);
		process_events_handled(in);
		any |= go_on_to_entry(in);
	} while (in->script->events_done);
	return any;
}

void follow_settle(struct injector *in)
{
	uint64_t end = clock_ns() + SETTLE_MS * 1000000ull;

	collect(in);
	while (in->script->nevents && clock_ns() < end) {
		struct pollfd p = {.fd = in->script->done, .events = POLLIN};

		poll(&p, 1, 1);
		process_events_handled(in);
		collect(in);
	}
}

/* ------------------------------------------------------------- start and end */

/* ERR of a thread that could not be seized; 0 if it has ended or is traced already. */
static int why_not_seized(pid_t tid, int err)
{
	return err == ESRCH || proc_thread_ended(tid) ||
			       proc_status(tid, "TracerPid", 10) == gettid()
		       ? 0
		       : err;
}

/* Seize the threads that are not traced yet; returns their number, or -errno. They go on: the
 * call that a thread is in is looked at here, since each stop replaces it by restart_syscall(). */
static int seize_new(struct injector *in, struct followed *w, bool command)
{
	char name[40];
	struct dirent *de;
	int new = 0, err = 0;
	DIR *dir;

	snprintf(name, sizeof name, "/proc/%d/task", (int)w->pid);
	dir = opendir(name);
	if (!dir)
		return -ESRCH;
	while (!err && (de = readdir(dir))) {
		pid_t tid = atoi(de->d_name);

		if (tid <= 0 || thread_of(w, tid) || proc_is_worker(tid))
			continue;
		if (!ptrace(PTRACE_SEIZE, tid, 0, options(in))) {
			struct thread *th = add_thread(w, tid);

			th->begun = true;
			if (!command)
				th->attach_syscall = (int)proc_task_number(w->pid, tid, "syscall");
			new ++;
		} else {
			err = why_not_seized(tid, errno);
		}
	}
	closedir(dir);
	return err && !w->threads ? -err : new;
}

int follow_process(struct injector *in, pid_t pid, bool command)
{
	struct followed *w = add_process(in, pid);
	int n;

	current = in;
	tracee_keeper = &follow_keeper;
	if (!command)
		look(in, w);
	w->known = !command;
	w->begun = true;
	do
		n = seize_new(in, w, command);
	while (n > 0);
	if (n == 0 && w->threads)
		return 0;
	drop_process(in, w);
	return n ? -n : ESRCH;
}

void follow_armed(struct injector *in)
{
	in->events = true;
	for (struct followed *w = in->followed; w; w = w->next) {
		/* its main thread has ended */
		if (w->known && w->threads && !thread_of(w, w->pid))
			process_event_post(in, w->threads, UST_EVENT_BEGIN, NULL, false);
		for (struct thread *th = w->threads; th && w->known; th = th->next)
			if (!th->ended) {
				process_event_post(in, th,
						   th->tid == w->pid ? UST_EVENT_BEGIN
								     : UST_EVENT_THREAD_BEGIN,
						   NULL, false);
				th->attach_syscall = -1;
			}
	}
}

/* Stop following PID; the code that stops a process without a record also releases it. */
void follow_release(struct injector *in, pid_t pid)
{
	struct followed *w = find(in, pid);
	struct tracee t;

	if (!w)
		return;
	drop_process(in, w);
	if (!tracee_stop(&t, pid))
		tracee_release(&t);
}

void follow_end(struct injector *in)
{
	while (in->followed)
		follow_release(in, in->followed->pid);
}

/* --------------------------------------------- for those who stop processes */

static long kept_options(pid_t pid) { return find(current, pid) ? options(current) : 0; }

static bool kept_calls(pid_t tid)
{
	const struct thread *th = follow_thread(current, tid);

	return th && th->of->calls && th->of->known;
}

static void kept_report(pid_t tid, int status)
{
	struct thread *th = follow_thread(current, tid);
	int event = WIFSTOPPED(status) ? status >> 16 : 0;

	if (!th)
		return;
	if (!WIFSTOPPED(status))
		died(current, th, status);
	else if (event == PTRACE_EVENT_EXIT)
		ends(current, th, false);
	else if (event == PTRACE_EVENT_STOP)
		th->listening = stops_job(WSTOPSIG(status));
	else if (event)
		is_born(current, th);
	else if (WSTOPSIG(status) == CALL_STOP)
		call(current, th, false, true);
	else if (WSTOPSIG(status) == SIGTRAP)
		watch_hit(current, th);
}

/* A thread that waits for no event has just stopped, and its report was not received yet. */
static void kept_taken(pid_t tid, int code)
{
	struct thread *th = follow_thread(current, tid);

	if (th && th->pending)
		th->pending->held = false;
	else if (th && code >> 8 == PTRACE_EVENT_STOP)
		th->listening = stops_job(code & 0xff);
	else if (th && code == TRAP_HWBKPT)
		watch_hit(current, th);
	else if (th && (code == CALL_STOP || code >> 8))
		kept_report(tid, code << 8 | 0x7f);
}

/* On its way to the entry point a process has one thread, which no other code stops. */
static void kept_call(pid_t tid)
{
	struct thread *th = follow_thread(current, tid);
	uint64_t end = clock_ns() + SETTLE_MS * 1000000ull;

	if (!th || !call(current, th, false, false))
		return;
	while ((th = follow_thread(current, tid)) && th->pending && clock_ns() < end) {
		struct pollfd p = {.fd = current->script->done, .events = POLLIN};

		poll(&p, 1, 1);
		process_events_handled(current);
	}
}

static bool kept_resume(pid_t pid, pid_t tid)
{
	struct followed *w = find(current, pid);
	struct thread *th = w ? thread_of(w, tid) : NULL;

	if (!w)
		return false;
	if (!th) {
		th = add_thread(w, tid);
		ptrace(PTRACE_SETOPTIONS, tid, 0, options(current));
	}
	if (!th->begun) {
		th->begun = true;
		process_event_post(current, th, UST_EVENT_THREAD_BEGIN, NULL, false);
	}
	watch_begin(current, w);
	watch_thread(current, th);
	th->sampling.asked = false;
	if (th->listening)
		ptrace(PTRACE_LISTEN, tid, 0, 0);
	else
		follow_resume(th, 0);
	return true;
}

static const struct tracee_keeper follow_keeper = {.options = kept_options,
						   .sees_calls = kept_calls,
						   .report = kept_report,
						   .taken = kept_taken,
						   .call = kept_call,
						   .resume = kept_resume};
