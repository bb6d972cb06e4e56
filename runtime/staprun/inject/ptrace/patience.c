/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Polling with a time limit. */
#include "inject/ptrace/patience.h"
#include "inject/ptrace/ptrace.h"
#include "base/proc_stat.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sched.h>
#include <time.h>

enum { RENEWALS = 9, NAP_NS = 20000, LONGEST_NAP_NS = 1000000 };

static uint32_t unread_steps;
uint32_t *tracee_steps = &unread_steps;

static void set_end(struct patience *p)
{
	clock_gettime(CLOCK_MONOTONIC, &p->end);
	p->end.tv_sec += p->seconds;
}

void patience_start(struct patience *p, unsigned seconds)
{
	*p = (struct patience){.seconds = seconds};
	set_end(p);
}

bool patience_wait(struct patience *p)
{
	struct timespec now, nap = {0, NAP_NS};

	__atomic_fetch_add(tracee_steps, 1, __ATOMIC_RELAXED);
	if (++p->tries < QUICK_TRIES) {
		sched_yield();
		return true;
	}
	nap.tv_nsec += (long)(p->tries - QUICK_TRIES) * NAP_NS;
	if (nap.tv_nsec > LONGEST_NAP_NS)
		nap.tv_nsec = LONGEST_NAP_NS;
	nanosleep(&nap, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < p->end.tv_sec ||
	       (now.tv_sec == p->end.tv_sec && now.tv_nsec < p->end.tv_nsec);
}

bool patience_renew(struct patience *p, pid_t tid)
{
	if (p->renewals == RENEWALS || proc_stat_state(tid) != 'R')
		return false;
	p->renewals++;
	set_end(p);
	return true;
}
