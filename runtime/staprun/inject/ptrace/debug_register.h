/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug registers of stopped threads: hardware breakpoints and watchpoints. */
#ifndef USTAP_INJECT_PTRACE_DEBUG_REGISTER_H
#define USTAP_INJECT_PTRACE_DEBUG_REGISTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Set register I of thread TID, which is stopped. False: the kernel refuses the value; see errno.
 */
bool debug_register_set(pid_t tid, unsigned i, uint64_t value);
/* The value of register I of thread TID, which is stopped. */
uint64_t debug_register_get(pid_t tid, unsigned i);
/* False if the machine accepts values and raises no exception, as some virtual machines do. The
 * first call tries it with a child process, and takes a millisecond. */
bool debug_registers_work(void);

#endif
