/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that stay traced, and their events. */
#ifndef USTAP_INJECT_PROCESS_FOLLOW_H
#define USTAP_INJECT_PROCESS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "inject/process/profile.h"
#include "inject/process/watch.h"
#include "report/report.h"

struct event;
struct injector;

/* ----------------------------------------------------------------- follow.c */

/* A thread that remains traced. */
struct thread {
	pid_t tid, inside; /* as seen by the tracer, and by the process itself */
	struct followed *of;
	bool begun;     /* it has reached its first stop */
	bool ended;     /* it is dying */
	bool listening; /* stopped by job control */
	bool in_call;   /* in a system call whose entry was reported: */
	bool again;     /* interrupted by the tracer, and restarted */
	uint64_t call;
	int attach_syscall; /* the system call that it was in when it was attached, for its first
			     * event; otherwise -1 */
	bool watched;       /* its debug registers are set: watch.c */
	struct sampling sampling;
	struct event *pending; /* event for which it is stopped */
	struct thread *next;
};

struct followed {
	pid_t pid, inside;
	char name[PROCESS_NAME];
	uint32_t module; /* module module that it runs; UST_NO_MODULE */
	bool begun;      /* its begin was an event; false for a command before its exec */
	bool known;      /* its events count */
	bool calls;      /* its system calls are probed probed */
	bool execs;      /* stopped at its exec, whose begin event was posted */
	struct watch_registers watches; /* for its threads; n 0: not running yet, or not watched */
	struct thread *threads;
	struct followed *next;
};

/* True if the script probes process events. */
bool follow_is_used(const struct injector *in);
/* Trace all threads of PID from now on; COMMAND: its events count from its next exec on. Returns 0
 * or errno. */
int follow_process(struct injector *in, pid_t pid, bool command);
/* The script runs: post begin events for the existing processes. */
void follow_armed(struct injector *in);
/* Handle reports since the last call: at each SIGCHLD, and when s->done is signalled. True: a
 * process has called exec. */
bool follow_poll(struct injector *in);
/* Handle all reports, and wait a bounded time until all handlers have run. */
void follow_settle(struct injector *in);
/* Stop following all processes, or one. */
void follow_end(struct injector *in);
/* Stop following PID: let all of its threads run without being traced. Nothing happens if it is
 * not followed. */
void follow_release(struct injector *in, pid_t pid);
/* True if PID is followed. */
bool follow_has(const struct injector *in, pid_t pid);

/* For process_events.c */
void follow_resume(struct thread *th, int sig);
/* The record of thread TID of a followed process; NULL: none. */
struct thread *follow_thread(const struct injector *in, pid_t tid);

/* --------------------------------------------------------- process_events.c */

/* Post EVENT of TH; with HELD it is stopped until the handlers have run. False: not probed. */
bool process_event_post(struct injector *in, struct thread *th, uint32_t event,
			const struct user_regs_struct *regs, bool held);
/* TH has called exec. */
void process_event_exec(struct injector *in, struct thread *th);
/* Release the threads whose handlers have run. */
void process_events_handled(struct injector *in);
/* The module of the script that PID runs. */
uint32_t process_event_module(const struct injector *in, pid_t pid);

#endif
