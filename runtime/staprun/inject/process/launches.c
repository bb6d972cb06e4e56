/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launches: traced processes that are about to execute a program. Each is polled until its exec has
 * happened, or has failed.
 */
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/process/process.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "report/report.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Time from a process's request to its exec after which the thread is examined. */
static const uint64_t exec_ns = 2000000000;

/* Time for launches before other requests have a turn: one takes long on a busy machine. */
static const uint64_t turn_ns = 20000000;

/* Processor time within which a thread calls exec after its request was answered. */
static const uint64_t exec_run_ns = 5000000;

static struct launching **find(struct injector *in, pid_t pid)
{
	struct launching **l = &in->launches;

	while (*l && (*l)->pid != pid)
		l = &(*l)->next;
	return l;
}

bool launches_has(struct injector *in, pid_t pid) { return *find(in, pid); }

/* True if thread TID of PID is in a system call that executes a program; see
 * proc_pid_syscall(5). */
static bool is_in_exec(pid_t pid, pid_t tid)
{
	uint64_t call = proc_task_number(pid, tid, "syscall");

	return call == SYS_execve || call == SYS_execveat;
}

/* True if L has not executed a program in time, so that its exec has failed. A program may be on a
 * slow file system, and a thread may wait long for a processor. */
static bool has_failed(struct launching *l)
{
	uint64_t now = clock_ns(), ran;

	if (now <= l->deadline)
		return false;
	ran = proc_cpu_time(l->pid, l->tid);
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
	struct launching **at = find(in, pid), *l = *at;

	if (!l) { /* the oldest are first */
		l = *at = xrealloc(NULL, sizeof *l);
		*l = (struct launching){.pid = pid};
	}
	l->tid = tid;
	l->ran = proc_cpu_time(pid, tid);
	l->deadline = deadline;
}

void launches_add(struct injector *in, pid_t pid) { add(in, pid, pid, ~0ull); }

void launches_add_exec(struct injector *in, pid_t pid, pid_t tid)
{
	add(in, pid, tid, clock_ns() + exec_ns);
}

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

/* ERR: why it cannot be stopped. */
static void warn_of_unprobed(struct process *p, int err)
{
	if (err == ESRCH || p->unprobed || pid_ends_soon(p->pid, p->pidfd))
		return;
	p->unprobed = true;
	warning("libraries that process %d (%s) has just loaded are not probed: %s", (int)p->pid,
		p->name, err == ETIMEDOUT ? "it does not stop" : strerror(err));
}

void process_refresh(struct injector *in, struct process *p)
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
		warn_of_unprobed(p, err);
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
		exec_not_followed(l.pid, "another tracer has attached to it");
	} else {
		launch_cancel(l.pid);
		p = l.changed ? process_find(in, l.pid) : NULL;
		if (p)
			process_refresh(in, p);
	}
}

bool launches_poll(struct injector *in)
{
	struct launching **at = &in->launches;
	const uint64_t end = clock_ns() + turn_ns;
	bool any = false;

	while (*at && !(any && clock_ns() >= end)) {
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
