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
/* Set rt.armed, and rt.armed_all and rt.armed_for accordingly. Any context. */
void filter_arm(bool on);
/* True if TASK belongs to the current user; false if exec gave it other ids or capabilities. Any
 * context. */
bool filter_owns(struct task_struct *task);
/* Stop the filter, when no probe is registered any more. May sleep. */
void filter_stop(void);
/* True if hits of the current process count. */
extern struct pid *filter_target;
/* Hits of the current process or of process PID count: filter_wants_child() is the slow path of
 * filter_wants_current(), filter_wants_pid() takes the id of a thread group. Any context. */
bool filter_wants_child(void);
bool filter_wants_pid(const struct pid *pid);
/* True if hits of the current process count; fast for the target itself. */
static inline bool filter_wants_current(void)
{
	return (likely(task_tgid(current) == filter_target) || filter_wants_child()) &&
	       (likely(!filter_own) || filter_owns(current));
}
/* True if hits of the process with the memory map MM count. Slow: searches the threads of all
 * traced processes. */
bool filter_wants_mm(struct mm_struct *mm);
/* True if children of the target are traced. */
bool filter_follows(void);
/* True if TASK is a descendant of the target. Called under RCU. */
bool filter_descends(const struct task_struct *task);

/* ------------------------------------------------------------- executable.c */

/* The executable of MM, only to compare; MM is the current task's, or its task is locked. */
const struct inode *process_executable(struct mm_struct *mm);
/* True if T has a program in user space: neither a kernel thread nor a worker. */
static inline bool process_runs_program(const struct task_struct *t)
{
	return t->mm && !(t->flags & (PF_KTHREAD | PF_IO_WORKER | COMPAT_USER_WORKER));
}

/* --------------------------------------------------------------- untraced.c */

/* Report descendants of the target that run a probed program and are not traced. The probed files
 * stay open from start to stop. */
int untraced_start(void);
/* Stop reporting, and wait for running hooks. May sleep; also if not started. */
void untraced_stop(void);
/* The current process has reached a probe and is not traced. */
void untraced_hit(void);

/* ------------------------------------------------------------- namespaces.c */

/* Use the namespaces of the current task from now on, unless namespaces_of() has set others. */
void namespaces_hold(void);
/* Use the namespaces of process NR, an id as the current task sees it. 0, or -ESRCH. */
int namespaces_of(pid_t nr);
/* Release them; also if none are held. */
void namespaces_drop(void);
/* FIELD (UST_TASK_NS_...) of T. Called under RCU. */
ust_long namespaces_number(struct task_struct *t, ust_long field);

#endif
