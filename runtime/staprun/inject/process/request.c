/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of traced processes; see hook.c of runtime/user. The senders wait, so each request is
 * answered, whatever its result. The data is read once and not trusted: a process without the agent
 * is ignored.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/process/follow.h"
#include "inject/process/process.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "inject/script/script_process.h"
#include "base/message.h"
#include "report/report.h"
#include "wire_agent.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Time from a process's request to its exec after which the thread is examined. */
static const uint64_t exec_ns = 2000000000;
/* Processor time within which a thread calls exec after its request was answered. */
static const uint64_t exec_run_ns = 5000000;

/* ------------------------------------------------------------------ answers */

static bool move(struct ust_request *r, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&r->state, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void answer(struct ust_request *r)
{
	__atomic_store_n(&r->state, UST_REQ_DONE, __ATOMIC_RELEASE);
	syscall(SYS_futex, &r->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---------------------------------------------------------------- processes */

/* PID is the id in the process's own namespace. */
struct process *process_who(struct injector *in, pid_t pid)
{
	struct process *next;

	for (struct process *p = in->processes; p; p = next) {
		next = p->next;
		if (p->pidfd < 0 || p->pid_inside != pid)
			continue;
		if (!process_ended(p))
			return p;
		process_note_exit(in, p);
	}
	return fork_child_find_inside(in, pid);
}

/* --------------------------------------------------------------------- exec */

/* Warn that process PID runs another program untraced. Not for an exited one, which misses
 * nothing. */
static void not_followed(pid_t pid, const char *why)
{
	char name[PROCESS_NAME], state = process_state(pid);

	if (!state || state == 'Z' || state == 'X')
		return;
	process_name(pid, name);
	warning("process %d (%s) is not traced after its exec: %s", (int)pid, name, why);
}

struct launched {
	struct injector *in;
	pid_t pid;
};

static bool prepare(void *arg, struct tracee *t)
{
	const struct launched *l = arg;
	struct process *p = process_find(l->in, l->pid);

	if (!p)
		p = process_new(l->in, l->pid);
	process_forget(p);
	p->launching = true;
	process_name(p->pid, p->name);
	return process_inject(l->in, p, t) && process_update(l->in, p, t);
}

static bool mapped(void *arg, struct tracee *t)
{
	const struct launched *l = arg;

	return process_update(l->in, process_find(l->in, l->pid), t);
}

void follow_exec(struct injector *in, pid_t pid)
{
	struct launched l = {in, pid};
	struct tracee t;
	int err;

	do
		err = launch_follow(&t, pid, prepare, mapped, &l);
	while (err == ERESTART);
	if (!err) {
		struct process *p = process_find(in, pid);

		process_note_start(in, p, &t);
		process_update(in, p, &t);
		tracee_release(&t);
		plans_free(p);
	} else if (err != ECANCELED) { /* which was reported */
		not_followed(pid, strerror(err));
	}
}

/* ------------------------------------------------------ those that will exec */

static struct launching **find(struct injector *in, pid_t pid)
{
	struct launching **l = &in->launches;

	while (*l && (*l)->pid != pid)
		l = &(*l)->next;
	return l;
}

bool launches_has(struct injector *in, pid_t pid) { return *find(in, pid); }

/* The number at the start of /proc/PID/task/TID/NAME; ~0 if the file cannot be read or starts
 * otherwise. */
static uint64_t task_number(pid_t pid, pid_t tid, const char *name)
{
	char path[80];
	long long n;
	bool read;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	f = fopen(path, "re");
	read = f && fscanf(f, "%lld", &n) == 1;
	if (f)
		fclose(f);
	return read ? (uint64_t)n : ~0ull;
}

/* Nanoseconds of processor time of thread TID of PID; ~0: unknown. */
static uint64_t time_run(pid_t pid, pid_t tid) { return task_number(pid, tid, "schedstat"); }

/* True if thread TID of PID is in a system call that executes a program; see
 * proc_pid_syscall(5). */
static bool is_in_exec(pid_t pid, pid_t tid)
{
	uint64_t call = task_number(pid, tid, "syscall");

	return call == SYS_execve || call == SYS_execveat;
}

/* True if L has not executed a program in time, so that its exec has failed. A program may be on a
 * slow file system, and a thread may wait long for a processor. */
static bool has_failed(struct launching *l)
{
	uint64_t now = clock_ns(), ran;

	if (now <= l->deadline)
		return false;
	ran = time_run(l->pid, l->tid);
	if (!is_in_exec(l->pid, l->tid) && (ran == ~0ull || ran - l->ran >= exec_run_ns))
		return true;
	l->deadline = now + exec_ns;
	return false;
}

static void forget(struct launching **at)
{
	struct launching *l = *at;

	*at = l->next;
	free(l);
}

static void add(struct injector *in, pid_t pid, pid_t tid, uint64_t deadline)
{
	struct launching *l = *find(in, pid);

	if (!l) {
		l = xrealloc(NULL, sizeof *l);
		*l = (struct launching){.pid = pid, .next = in->launches};
		in->launches = l;
	}
	l->tid = tid;
	l->ran = time_run(pid, tid);
	l->deadline = deadline;
}

void launches_add(struct injector *in, pid_t pid) { add(in, pid, pid, ~0ull); }

void launches_cancel(struct injector *in, pid_t pid)
{
	struct launching **at = find(in, pid);

	if (!*at)
		return;
	launch_cancel(pid);
	forget(at);
}

void launches_cancel_all(struct injector *in)
{
	while (in->launches)
		launches_cancel(in, in->launches->pid);
}

/* Reads "" if the path cannot be read. */
static void read_path(pid_t pid, uint64_t at, char *to, size_t size)
{
	size_t n = 0;

	while (at && n < size - 1 && !memchr(to, 0, n)) {
		size_t step = UST_PAGE - (at + n) % UST_PAGE;
		struct iovec here = {to + n, step < size - 1 - n ? step : size - 1 - n};
		struct iovec there = {(void *)(at + n), here.iov_len};

		if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)here.iov_len)
			break;
		n += here.iov_len;
	}
	to[n] = 0;
}

/* True if tracing may continue when P executes PATH. The kernel grants no privileges to a traced
 * process. */
static bool may_follow(const struct process *p, uint64_t path_at)
{
	char path[PATH_MAX];

	read_path(p->pid, path_at, path, sizeof path);
	if (!*path || !exec_gains_privilege(p->pid, path))
		return true;
	warning("process %d executes %s and is not traced: the program runs with other privileges",
		(int)p->pid, path);
	return false;
}

/* The request is answered before the exec. If that fails, the process sends another request for its
 * next attempt, for example the next directory of PATH. */
static void exec(struct injector *in, struct process *p, struct ust_request *r)
{
	bool may = may_follow(p, r->arg[0]), kept = may && follow_has(in, p->pid);
	pid_t pid = p->pid, tid = (pid_t)__atomic_load_n(&r->tid, __ATOMIC_RELAXED);
	int err = may && !kept ? launch_seize(pid) : 0;

	if (!may)
		follow_release(in, pid);
	if (may && !kept && !err)
		add(in, pid, p->pid_inside == pid ? tid : pid, clock_ns() + exec_ns);
	else if (!kept)
		launches_cancel(in, pid);
	if (err)
		not_followed(pid, strerror(err));
	answer(r);
}

/* ------------------------------------------------------------------ modules */

static void update(struct injector *in, struct process *p)
{
	struct launching *l = *find(in, p->pid);
	struct tracee t;
	int err;

	/* stopping it would miss its exec, which discards all mappings anyway */
	if (l) {
		l->changed = true;
		return;
	}
	if (!process_needs_update(in, p))
		return;
	process_plan(in, p);
	err = stop_process(&t, p->pid);
	if (err) {
		note("process %d: cannot be stopped to probe its new libraries: %s", (int)p->pid,
		     strerror(err));
		return;
	}
	process_update(in, p, &t);
	tracee_release(&t);
	plans_free(p);
}

/* The exec has happened, or has failed. */
static void launch_over(struct injector *in, struct launching **at, int got)
{
	struct launching l = **at;
	struct process *p;

	forget(at);
	if (got > 0) {
		follow_exec(in, l.pid);
	} else if (got < 0) {
		not_followed(l.pid, "another tracer has attached to it");
	} else {
		launch_cancel(l.pid);
		p = l.changed ? process_find(in, l.pid) : NULL;
		if (p)
			update(in, p);
	}
}

bool launches_poll(struct injector *in)
{
	bool any = false;
	struct launching **at = &in->launches;

	while (*at) {
		int got = launch_poll((*at)->pid);

		if (!got && !has_failed(*at)) {
			at = &(*at)->next;
			continue;
		}
		launch_over(in, at, got);
		any = true;
		/* while one is stopped, others may send requests and be added */
		at = &in->launches;
	}
	return any;
}

/* ---------------------------------------------------------------------- all */

/* A forked child continues as soon as the tracer has a pidfd of it. */
static void see_child(struct injector *in, struct ust_request *r, pid_t pid)
{
	char name[PROCESS_NAME] = "process";
	int fd = child_open(in, pid, name);

	answer(r);
	if (fd >= 0)
		child_keep(in, pid, fd, name);
	else if (pid > 0)
		process_who(in, pid);
}

static void see_untraced(struct injector *in, pid_t pid, uint64_t path_at)
{
	char path[PATH_MAX];

	if (path_at)
		read_path(pid, path_at, path, sizeof path);
	if (!path_at || *path)
		untraced_serve(in, pid, path_at ? path : NULL);
}

/* A parent that cannot be stopped before its child has called exec, as after vfork(), waits for
 * these. */
static bool is_before_exec(uint32_t type)
{
	return type == UST_REQ_EXEC || type == UST_REQ_UNTRACED;
}

static void serve(struct injector *in, struct ust_request *r)
{
	uint32_t type = __atomic_load_n(&r->type, __ATOMIC_RELAXED);
	pid_t pid = (pid_t)__atomic_load_n(&r->pid, __ATOMIC_RELAXED);
	struct process *p;

	__atomic_fetch_add(tracee_steps, 1, __ATOMIC_RELAXED);
	if (type == UST_REQ_CHILD) {
		see_child(in, r, pid);
		return;
	}
	if (type == UST_REQ_UNTRACED) {
		see_untraced(in, pid, __atomic_load_n(&r->arg[0], __ATOMIC_RELAXED));
		answer(r);
		return;
	}
	p = pid > 0 ? process_who(in, pid) : NULL;
	/* a process with the agent is unknown only if it could not be examined; a forged request
	 * may name any process */
	if (!p && type == UST_REQ_EXEC && pid > 0 && !fork_child_is_own(in, pid) &&
	    fork_child_maps_text(in->blob, pid))
		not_followed(pid, "its memory map cannot be read");
	if (p && type == UST_REQ_EXEC) {
		exec(in, p, r);
		return;
	}
	if (p && type == UST_REQ_MODULES)
		update(in, p);
	else if (p && type == UST_REQ_GATES)
		gates_serve(in);
	answer(r);
}

void requests_serve(struct injector *in)
{
	struct ust_request *v = in->blob->shared->requests;

	for (unsigned i = 0; i < UST_REQUESTS; i++)
		if (move(&v[i], UST_REQ_POSTED, UST_REQ_TAKEN))
			serve(in, &v[i]);
}

void requests_dismiss(struct injector *in)
{
	struct ust_request *v = in->blob->shared->requests;

	in->dismissing = true;
	for (unsigned i = 0; i < UST_REQUESTS; i++) {
		if (!move(&v[i], UST_REQ_POSTED, UST_REQ_TAKEN))
			continue;
		uint32_t type = __atomic_load_n(&v[i].type, __ATOMIC_RELAXED);

		if (type == UST_REQ_CHILD || type == UST_REQ_UNTRACED)
			serve(in, &v[i]);
		else
			answer(&v[i]);
	}
}

static struct injector *current;

/* While a process is being stopped, serve the requests of processes for which it may wait. */
static void serve_execs(void)
{
	struct ust_request *v = current->blob->shared->requests;

	/* a handler that waits for memory may hold a lock that they wait for */
	script_take(current->script);
	if (current->dismissing) {
		requests_dismiss(current);
		return;
	}
	for (unsigned i = 0; i < UST_REQUESTS; i++)
		if (is_before_exec(__atomic_load_n(&v[i].type, __ATOMIC_RELAXED)) &&
		    move(&v[i], UST_REQ_POSTED, UST_REQ_TAKEN))
			serve(current, &v[i]);
}

void requests_open(struct injector *in)
{
	current = in;
	tracee_wait_hook = serve_execs;
	tracee_steps = &in->blob->shared->steps;
}
