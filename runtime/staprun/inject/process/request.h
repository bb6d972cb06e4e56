/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of traced processes to the tracer. */
#ifndef USTAP_INJECT_PROCESS_REQUEST_H
#define USTAP_INJECT_PROCESS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct injector;
struct process;

/* ------------------------------------------------------------------- exec.c */

/* Warn that process PID runs another program untraced; WHY. Not for an exited one, which misses
 * nothing. */
void exec_not_followed(pid_t pid, const char *why);
/* PID is stopped at its exec, see launch_add_stopped(): inject the agent, and bring it to its entry
 * point. */
void follow_exec(struct injector *in, pid_t pid);
/* ---------------------------------------------------------------- request.c */

/* Serve requests of processes also while a stop of another one is awaited. One injector at a time.
 */
void requests_open(struct injector *in);
/* Serve the pending requests. */
void requests_serve(struct injector *in);
/* Release waiting threads without serving their requests. */
void requests_dismiss(struct injector *in);
/* ----------------------------------------------------------------- sender.c */

/* The process that has sent a request with its own id INSIDE and this ust_local.unique; 0: it has
 * ended, or cannot be examined. Processes that have exited are noted on the way. */
pid_t sender_find(struct injector *in, pid_t inside, uint64_t unique);

/* --------------------------------------------------------------- launches.c */

/* A process of launch_seize() that is about to exec, and is to be traced from the first instruction
 * of its program on. */
struct launching {
	pid_t pid, tid;    /* the thread that asked */
	uint64_t deadline; /* CLOCK_MONOTONIC ns: an exec that has not begun then has failed */
	uint64_t ran;      /* processor time of that thread at its request, ns; ~0: unknown */
	bool changed;      /* it has loaded libraries meanwhile */
	struct launching *next;
};
/* PID executes its program when staprun lets it start; no deadline applies. */
void launches_add(struct injector *in, pid_t pid);
/* Thread TID of PID is about to call exec. */
void launches_add_exec(struct injector *in, pid_t pid, pid_t tid);
/* P maps other files: arm those that are new, after a launch in progress. */
void process_refresh(struct injector *in, struct process *p);
/* True if a launch of PID is in progress. */
bool launches_has(struct injector *in, pid_t pid);
/* Call soon and often while a launch is in progress. True: a launch has advanced, and others may be
 * due; a call ends soon, so that other requests are served as well. */
bool launches_poll(struct injector *in);
/* End the launch of PID: let the process run unprobed. Nothing happens without one. */
void launches_cancel(struct injector *in, pid_t pid);
/* The same for all launches. */
void launches_cancel_all(struct injector *in);

#endif
