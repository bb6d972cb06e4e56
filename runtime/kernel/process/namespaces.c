/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of tasks, users and groups in the namespaces of staprun or of --target-namespaces. */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "process/process_filter.h"
#include "rt.h"

static struct pid_namespace *pids;
static struct user_namespace *users;

void namespaces_hold(void)
{
	if (pids)
		return;
	pids = get_pid_ns(task_active_pid_ns(current));
	users = get_user_ns(current_user_ns());
}

int namespaces_of(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *t = pid ? get_pid_task(pid, PIDTYPE_TGID) : NULL;

	if (!t) {
		put_pid(pid);
		return -ESRCH;
	}
	namespaces_drop();
	pids = get_pid_ns(ns_of_pid(pid));
	rcu_read_lock();
	users = get_user_ns(__task_cred(t)->user_ns);
	rcu_read_unlock();
	put_task_struct(t);
	put_pid(pid);
	return 0;
}

void namespaces_drop(void)
{
	if (!pids)
		return;
	put_pid_ns(pids);
	put_user_ns(users);
	pids = NULL;
}

ust_long namespaces_number(struct task_struct *t, ust_long field)
{
	const struct cred *cred = rcu_dereference(t->real_cred);

	if (!pids)
		return 0;
	switch (field) {
	case UST_TASK_NS_PID:
		return task_tgid_nr_ns(t, pids);
	case UST_TASK_NS_TID:
		return task_pid_nr_ns(t, pids);
	case UST_TASK_NS_PARENT:
		return task_tgid_nr_ns(rcu_dereference(t->real_parent), pids);
	case UST_TASK_NS_PGRP:
		return task_pgrp_nr_ns(t, pids);
	case UST_TASK_NS_SID:
		return task_session_nr_ns(t, pids);
	case UST_TASK_NS_UID:
		return from_kuid_munged(users, cred->uid);
	case UST_TASK_NS_EUID:
		return from_kuid_munged(users, cred->euid);
	case UST_TASK_NS_GID:
		return from_kgid_munged(users, cred->gid);
	case UST_TASK_NS_EGID:
		return from_kgid_munged(users, cred->egid);
	}
	return 0;
}
