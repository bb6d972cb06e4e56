/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data of processes, watched by the debug registers of their threads. */
#ifndef USTAP_INJECT_PROCESS_WATCH_H
#define USTAP_INJECT_PROCESS_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/arch/regs.h"

struct followed;
struct injector;
struct thread;
struct tracee;

/* Contents of the debug registers of a process. */
struct watch_registers {
	unsigned n;
	uint64_t base; /* load address of the program */
	uint64_t addr[DEBUG_REGISTERS], control;
	uint32_t watch[DEBUG_REGISTERS]; /* index in injector.watches */
};

/* True if data of the program that PID runs is to be watched. */
bool watch_wants(const struct injector *in, pid_t pid);
/* Process W is stopped, at its entry point or later: decide what its registers will contain. */
void watch_begin(struct injector *in, struct followed *w);
/* TH is stopped and about to continue: set its registers, once. */
void watch_thread(struct injector *in, struct thread *th);
/* TH reported a SIGTRAP. True if a watched access caused it, and must not be delivered: the thread
 * will run the handlers in its process. */
bool watch_hit(struct injector *in, const struct thread *th);
/* True if the SIGTRAP of an access may be pending for thread TID, which the agent has to drop. */
bool watch_pending(pid_t tid);
/* Clear the registers of all threads of T. */
void watch_clear(const struct tracee *t);

#endif
