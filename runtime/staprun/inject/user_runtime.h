/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations on the user runtime outside of sessions. */
#ifndef STAPRUN_INJECT_USER_RUNTIME_H
#define STAPRUN_INJECT_USER_RUNTIME_H

#include <stdbool.h>
#include <sys/types.h>

/* inject/process/leftover.c */

/* Print the processes that contain a script. */
void leftovers_list(void);
/* Remove leftovers of killed runs from PID. False after a message. */
bool leftovers_cleanup(pid_t pid);

/* inject/elf/blob.c: true if FILE is a script for the user runtime. Prints nothing. */
bool blob_is(const char *path);

/* inject/ptrace/trace_permission.c: check in advance that PID may be traced and patched. False
 * after a message. */
bool trace_permission_check(pid_t pid);

#endif
