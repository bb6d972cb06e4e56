/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that are in the agent. */
#ifndef USTAP_INJECT_PROCESS_AGENT_CODE_H
#define USTAP_INJECT_PROCESS_AGENT_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct blob;

/* True if a thread of process PID whose program counter and stack pointer are PC and SP runs code
 * of the script B, or a function that it has called. The latter is recognised by its return address
 * on the stack. A program that writes it there deceives the tracer only about itself. */
bool agent_runs(const struct blob *b, pid_t pid, uint64_t pc, uint64_t sp);

#endif
