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
#include "inject/process/program_starts.h"
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
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ------------------------------------------------------------------ answers */

static bool move(struct ust_request *r, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&r->state, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void answer(struct injector *in, struct ust_request *r)
{
	__atomic_fetch_add(&in->blob->shared->served, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&r->state, UST_REQ_DONE, __ATOMIC_RELEASE);
	syscall(SYS_futex, &r->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---------------------------------------------------------------- processes */

/* The record of PID, which has the agent; NULL if it cannot be examined. */
static struct process *record_of(struct injector *in, pid_t pid)
{
	struct process *p = process_find(in, pid);

	return p ? p : fork_child_find(in, pid);
}

/* --------------------------------------------------------------------- exec */

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

	read_path(proc_live_thread(p->pid), path_at, path, sizeof path);
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
		launches_add_exec(in, pid, p->pid_inside == pid ? tid : pid);
	else if (!kept)
		launches_cancel(in, pid);
	if (err)
		exec_not_followed(pid, strerror(err));
	answer(in, r);
}

/* ---------------------------------------------------------------------- all */

/* A traced process may name any other in its request: only a child of a traced process is
 * reported. */
static bool is_child(const struct injector *in, pid_t pid)
{
	long long parent = proc_status(pid, "PPid", 10);

	for (const struct process *p = in->processes; p; p = p->next)
		if (p->pid == parent && p->injected)
			return true;
	return false;
}

/* A pidfd of PID, which claims to be forked by a traced process, and its name; -1 if it was not. */
static int child_open(const struct injector *in, pid_t pid, char name[PROCESS_NAME])
{
	int fd = pid > 0 ? process_descriptor(pid) : -1;

	process_name(pid, name);
	if (fd < 0 || is_child(in, pid))
		return fd;
	close(fd);
	return -1;
}

/* Adopt the child; if it is dying and its memory cannot be read any more, wait for its end. Takes
 * FD. */
static void child_keep(struct injector *in, pid_t pid, int fd, const char *name)
{
	struct process *p = record_of(in, pid);

	if (p && p->pidfd >= 0) {
		close(fd);
		return;
	}
	if (!p) {
		p = process_new(in, pid);
		p->injected = p->unknown = true;
	}
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = fd;
	p->ended = false;
	memcpy(p->name, name, sizeof p->name);
}

/* A forked child continues as soon as the tracer has a pidfd of it. */
static void see_child(struct injector *in, struct ust_request *r, pid_t pid)
{
	char name[PROCESS_NAME] = "process";
	int fd = child_open(in, pid, name);

	answer(in, r);
	if (fd >= 0)
		child_keep(in, pid, fd, name);
	else if (pid > 0)
		record_of(in, pid);
}

static void see_untraced(struct injector *in, pid_t pid, uint64_t path_at)
{
	char path[PATH_MAX];

	if (path_at)
		read_path(proc_live_thread(pid), path_at, path, sizeof path);
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
	pid_t inside = (pid_t)__atomic_load_n(&r->pid, __ATOMIC_RELAXED);
	pid_t found = sender_find(in, inside, __atomic_load_n(&r->unique, __ATOMIC_RELAXED));
	pid_t pid = found ? found : inside;
	struct process *p;

	__atomic_fetch_add(tracee_steps, 1, __ATOMIC_RELAXED);
	in->senders[r - in->blob->shared->requests] = (struct sender){.pid = pid};
	if (type == UST_REQ_CHILD) {
		see_child(in, r, pid);
		return;
	}
	if (type == UST_REQ_UNTRACED) {
		see_untraced(in, pid, __atomic_load_n(&r->arg[0], __ATOMIC_RELAXED));
		answer(in, r);
		return;
	}
	p = found ? record_of(in, found) : NULL;
	/* a process with the agent is unknown only if it could not be examined; a forged request
	 * may name any process */
	if (!p && type == UST_REQ_EXEC && pid > 0 && !fork_child_is_own(in, pid) &&
	    fork_child_maps_text(in->blob, pid))
		exec_not_followed(pid, "its memory map cannot be read");
	if (p && type == UST_REQ_EXEC) {
		exec(in, p, r);
		return;
	}
	if (p && type == UST_REQ_MODULES)
		process_refresh(in, p);
	else if (p && type == UST_REQ_GATES)
		gates_serve(in);
	answer(in, r);
}

/* The sender of an answered request releases it. One that was killed cannot: without this all
 * requests would be in use after a while. */
static void release_dead(struct ust_request *r, struct sender *from)
{
	static const uint64_t PATIENCE_NS = 2000000000;
	uint64_t now = clock_ns();

	if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != UST_REQ_DONE) {
		from->since = 0;
		return;
	}
	if (!from->since)
		from->since = now;
	if (now - from->since < PATIENCE_NS)
		return;
	from->since = now;
	if (from->pid > 0 && kill(from->pid, 0) && errno == ESRCH)
		move(r, UST_REQ_DONE, UST_REQ_FREE);
}

/* Some processes have loaded modules and did not wait. */
static void serve_late(struct injector *in)
{
	uint32_t now = __atomic_load_n(&in->blob->shared->late_modules, __ATOMIC_RELAXED);

	if (now == in->late_modules)
		return;
	if (!in->late_modules)
		warning("libraries were probed after they were loaded: the process could not wait "
			"for staprun");
	in->late_modules = now;
	for (struct process *p = in->processes; p; p = p->next)
		if (!p->ended && p->injected && !p->owner)
			process_refresh(in, p);
}

void requests_serve(struct injector *in)
{
	struct ust_request *v = in->blob->shared->requests;

	serve_late(in);

	for (unsigned i = 0; i < UST_REQUESTS; i++) {
		if (move(&v[i], UST_REQ_POSTED, UST_REQ_TAKEN))
			serve(in, &v[i]);
		release_dead(&v[i], &in->senders[i]);
	}
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
			answer(in, &v[i]);
	}
}

static struct injector *current;

/* While a process is being stopped, serve the requests of processes for which it may wait. */
static void serve_execs(void)
{
	struct ust_request *v = current->blob->shared->requests;

	/* a handler that waits for memory may hold a lock that they wait for */
	script_take(current->script);
	if (current->starts)
		starts_take(current->starts);
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
