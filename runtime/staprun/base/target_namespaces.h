/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process id namespace whose ids ns_pid() and similar functions of a script return. */
#ifndef STAPRUN_BASE_TARGET_NAMESPACES_H
#define STAPRUN_BASE_TARGET_NAMESPACES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* --target-namespaces: use the namespace of process PID from now on, which is held; without it,
 * it is that of staprun. False after a message. */
bool target_namespaces_set(pid_t pid);
/* The id of process PID in the namespace; 0: it is not visible there. */
pid_t target_namespaces_id(pid_t pid);
/* The index of that id among the numbers of the lines NSpid, NSpgid and NSsid of /proc/PID/status;
 * UST_NOT_IN_NAMESPACE: none. */
uint32_t target_namespaces_level(pid_t pid);
/* Is it the innermost namespace of process PID, so that the ids which PID sees are the right
 * ones? */
bool target_namespaces_own(pid_t pid);

#endif
