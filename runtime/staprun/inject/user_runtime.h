/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the loader asks of the user runtime outside of sessions. */
#ifndef STAPRUN_INJECT_USER_RUNTIME_H
#define STAPRUN_INJECT_USER_RUNTIME_H

#include <stdbool.h>
#include <sys/types.h>

/* inject/process/leftover.c */

/* Print the processes that have a script in them. */
void leftovers_list(void);
/* Remove what killed runs have left in PID.  False after a message. */
bool leftovers_cleanup(pid_t pid);

/* inject/elf/blob.c: is FILE a script for the user runtime?  Does not print. */
bool blob_is(const char *path);

/* inject/ptrace/trace_permission.c: may PID be traced and patched as far as one can say beforehand?
 * False after a message. */
bool trace_permission_check(pid_t pid);

#endif
