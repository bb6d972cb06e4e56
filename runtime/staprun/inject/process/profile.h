/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of the threads of followed processes: timer.profile. */
#ifndef USTAP_INJECT_PROCESS_PROFILE_H
#define USTAP_INJECT_PROCESS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire_agent.h"

struct injector;
struct thread;

/* CPU time of a thread, as the tracer has read it, in ns. */
struct sampling {
	uint64_t seen;                  /* at the last look */
	uint64_t sampled[UST_PROFILES]; /* up to here there were samples, for each period */
	unsigned rest, pause;           /* looks left out, of a thread that does not run */
	bool known;                     /* the members above have values */
	bool asked;                     /* it is interrupted, and has not stopped yet */
};

/* Milliseconds until threads are looked at; -1: not at all. */
int profile_wait(const struct injector *in);
/* Interrupt the threads that have used enough CPU time, if it is time to look. */
void profile_look(struct injector *in);
/* TH has stopped, perhaps because of that: have it run handlers when it continues. */
void profile_stopped(struct injector *in, struct thread *th);
/* Report samples that were missed. */
void profile_note(const struct injector *in);

#endif
