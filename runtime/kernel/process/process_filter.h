/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes to be hit: identity of files, the target and its children, ids. */
#ifndef USTAP_KERNEL_PROCESS_PROCESS_FILTER_H
#define USTAP_KERNEL_PROCESS_PROCESS_FILTER_H

#include "rt.h"

/* ----------------------------------------------------------------- fileid.c */

/* Difference of the file's identity from WANT (elfid.h; "" or NULL: any), or NULL if it matches.
 * May sleep. */
const char *fileid_difference(const struct path *path, const char *want);
/* True if a user other than root serves the file by FUSE and so can withhold its pages. */
bool fileid_pages_withheld(const struct path *path);

/* ----------------------------------------------------------------- filter.c */

extern bool filter_on, filter_own;
/* Start the filter. OWN: only processes of the current user are hit, and no privileged ones.
 * Returns 0 or an error; may sleep. */
int filter_start(pid_t target, bool children, bool own);
bool filter_owns(struct task_struct *task);
void filter_stop(void);
/* True if hits of the current process count. */
extern struct pid *filter_target;
bool filter_wants_child(void);
bool filter_wants_pid(const struct pid *pid);
static inline bool filter_wants_current(void)
{
	return (likely(task_tgid(current) == filter_target) || filter_wants_child()) &&
	       (likely(!filter_own) || filter_owns(current));
}
bool filter_wants_mm(struct mm_struct *mm);
/* True if children of the target are traced. */
bool filter_follows(void);
/* True if TASK is a descendant of the target. Called under RCU. */
bool filter_descends(const struct task_struct *task);

/* --------------------------------------------------------------- untraced.c */

/* Report descendants of the target that run a probed program and are not traced. The probed files
 * stay open from start to stop. */
int untraced_start(void);
void untraced_stop(void);
/* The current process has reached a probe and is not traced. */
void untraced_hit(void);

/* ------------------------------------------------------------- namespaces.c */

/* Use the namespaces of the current task from now on. */
void namespaces_hold(void);
void namespaces_drop(void);
/* FIELD (UST_TASK_NS_...) of T. Called under RCU. */
ust_long namespaces_number(struct task_struct *t, ust_long field);

#endif
