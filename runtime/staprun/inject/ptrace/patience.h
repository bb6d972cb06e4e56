/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polling with a time limit: first at once, then after growing sleeps. */
#ifndef USTAP_INJECT_PTRACE_PATIENCE_H
#define USTAP_INJECT_PTRACE_PATIENCE_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

enum { QUICK_TRIES = 60 }; /* tries without a sleep between them */

struct patience {
	struct timespec end; /* of CLOCK_MONOTONIC */
	unsigned seconds, tries, renewals;
};

/* The limit is SECONDS from now. */
void patience_start(struct patience *p, unsigned seconds);
/* Call between two tries. Sleeps, and counts a step (tracee_steps); false when the limit is over.
 */
bool patience_wait(struct patience *p);
/* After patience_wait() has returned false for thread TID: a thread that only waits for a processor
 * gets the same time again. Not for ever, as one that runs in the kernel has the same state. */
bool patience_renew(struct patience *p, pid_t tid);

#endif
