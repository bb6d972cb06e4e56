/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of the agent by a stopped thread, between two instructions of its program. */
#ifndef USTAP_INJECT_PROCESS_DIVERT_H
#define USTAP_INJECT_PROCESS_DIVERT_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

struct injector;
struct ust_diversion;

enum divert_result {
	DIVERT_DONE,
	DIVERT_IN_AGENT,  /* it runs a handler already */
	DIVERT_IMPOSSIBLE /* it runs 32-bit code, or its stack is full */
};

/* Have thread TID, which is stopped between two instructions with the registers R, call the agent
 * with D when it continues. The agent runs the handlers and returns to where the thread is. Sets
 * d->ret, and the thread's registers. */
enum divert_result divert(const struct injector *in, pid_t tid, struct user_regs_struct *r,
			  struct ust_diversion *d);

#endif
