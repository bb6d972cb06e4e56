/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins on arbitrary tasks. Nothing here sleeps, since handlers may run in interrupts. */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/fdtable.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include <asm/syscall.h>

#include "probes/probes.h"
#include "process/process_filter.h"
#include "rt.h"

static ust_long state_of(const struct task_struct *t)
{
	if (t->exit_state)
		return t->exit_state & EXIT_ZOMBIE ? 16 : 32;
	return compat_task_state(t) &
	       (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE | __TASK_STOPPED | __TASK_TRACED);
}

static ust_long run_delay_of(const struct task_struct *t)
{
#ifdef CONFIG_SCHED_INFO
	return t->sched_info.run_delay;
#else
	return 0;
#endif
}

/* A task that ends may have no stack any more. */
static ust_long system_call_of(struct task_struct *t)
{
	struct pt_regs regs;

	if (t->flags & PF_KTHREAD || copy_from_kernel_nofault(&regs, task_pt_regs(t), sizeof regs))
		return -1;
	return syscall_get_nr(t, &regs);
}

static ust_long number_of(const struct task_struct *t, ust_long field)
{
	const struct cred *cred = rcu_dereference(t->real_cred);
	struct user_namespace *ns = &init_user_ns;

	switch (field) {
	case UST_TASK_PID:
		return t->tgid;
	case UST_TASK_TID:
		return t->pid;
	case UST_TASK_UID:
		return from_kuid_munged(ns, cred->uid);
	case UST_TASK_EUID:
		return from_kuid_munged(ns, cred->euid);
	case UST_TASK_GID:
		return from_kgid_munged(ns, cred->gid);
	case UST_TASK_EGID:
		return from_kgid_munged(ns, cred->egid);
	case UST_TASK_PARENT:
		return rcu_dereference(t->real_parent)->tgid;
	case UST_TASK_STATE:
		return state_of(t);
	case UST_TASK_UTIME:
		return t->utime;
	case UST_TASK_STIME:
		return t->stime;
	case UST_TASK_CPU_TIME:
		return t->se.sum_exec_runtime;
	case UST_TASK_RUN_DELAY:
		return run_delay_of(t);
	case UST_TASK_SYSCALL:
		return system_call_of((struct task_struct *)t);
	case UST_TASK_PRIO:
		return t->prio - MAX_RT_PRIO;
	case UST_TASK_NICE:
		return task_nice(t);
	case UST_TASK_CPU:
		return task_cpu(t);
	case UST_TASK_START:
		return t->start_boottime;
	case UST_TASK_BLOCKED:
		return t->blocked.sig[0];
	}
	if (field >= UST_TASK_LIMITS && field < UST_TASK_LIMITS + UST_TASK_NLIMITS)
		return READ_ONCE(t->signal->rlim[field - UST_TASK_LIMITS].rlim_cur);
	return namespaces_number((struct task_struct *)t, field);
}

static ust_long pages(const struct mm_struct *mm, ust_long field)
{
	struct mm_struct *m = (struct mm_struct *)mm;
	ust_long shared = get_mm_counter(m, MM_FILEPAGES) + get_mm_counter(m, MM_SHMEMPAGES);

	switch (field) {
	case UST_TASK_SIZE:
		return mm->total_vm;
	case UST_TASK_RSS:
		return shared + get_mm_counter(m, MM_ANONPAGES);
	case UST_TASK_SHARED:
		return shared;
	case UST_TASK_TEXT:
		return (PAGE_ALIGN(mm->end_code) - (mm->start_code & PAGE_MASK)) >> PAGE_SHIFT;
	case UST_TASK_DATA:
		return mm->data_vm + mm->stack_vm;
	}
	return 0;
}

static ust_long files_of(struct task_struct *t, ust_long field)
{
	const struct fdtable *files;
	ust_long v = 0;

	if (!spin_trylock(&t->alloc_lock))
		return 0;
	if (t->files) {
		files = files_fdtable(t->files);
		v = field == UST_TASK_MAX_FILES ? files->max_fds
						: bitmap_weight(files->open_fds, files->max_fds);
	}
	spin_unlock(&t->alloc_lock);
	return v;
}

/* task_lock() keeps the memory map alive; a handler may have interrupted its holder, so it is only
 * tried. */
static ust_long memory_of(struct task_struct *t, ust_long field)
{
	ust_long v = 0;

	if (!spin_trylock(&t->alloc_lock))
		return 0;
	if (t->mm)
		v = pages(t->mm, field);
	spin_unlock(&t->alloc_lock);
	return v;
}

static ust_long of_task(struct task_struct *t, ust_long field)
{
	if (field == UST_TASK_FILES || field == UST_TASK_MAX_FILES)
		return files_of(t, field);
	return field >= UST_TASK_SIZE && field <= UST_TASK_DATA ? memory_of(t, field)
								: number_of(t, field);
}

static struct task_struct *by_id(ust_long id)
{
	return pid_task(find_pid_ns(id, &init_pid_ns), PIDTYPE_PID);
}

ust_long ust_task(struct ust_ctx *c, ust_long id, ust_long field)
{
	struct task_struct *t;
	ust_long v;

	rcu_read_lock();
	t = by_id(id);
	v = t ? of_task(t, field) : 0;
	rcu_read_unlock();
	return v;
}

const char *ust_task_name(struct ust_ctx *c, char *dst, ust_long id)
{
	char name[TASK_COMM_LEN + 1] = "";
	const struct task_struct *t;

	rcu_read_lock();
	t = by_id(id);
	if (t)
		memcpy(name, t->comm, TASK_COMM_LEN);
	rcu_read_unlock();
	ust_strcpy(dst, name);
	return dst;
}

/* ------------------------------------------------------------- by address */

/* Read a member of a task pointer that may be stale or not a task; 0 if the memory is unmapped. */
#define member(t, name)                                                        \
	({                                                                     \
		typeof((t)->name) v_ = 0;                                      \
		copy_from_kernel_nofault(&v_, &(t)->name, sizeof v_) ? 0 : v_; \
	})

/* Fields of a task that may have been freed: only those in the task structure itself. */
static ust_long of_gone(const struct task_struct *t, ust_long field)
{
	int state;

	switch (field) {
	case UST_TASK_PID:
		return member(t, tgid);
	case UST_TASK_TID:
		return member(t, pid);
	case UST_TASK_PARENT:
		return (ust_long)member(t, real_parent);
	case UST_TASK_PRIO:
		return member(t, prio) ? member(t, prio) - MAX_RT_PRIO : 0;
	case UST_TASK_NICE:
		return member(t, static_prio) ? PRIO_TO_NICE(member(t, static_prio)) : 0;
	case UST_TASK_UTIME:
		return member(t, utime);
	case UST_TASK_STIME:
		return member(t, stime);
	case UST_TASK_CPU_TIME:
		return member(t, se.sum_exec_runtime);
	case UST_TASK_STATE:
		state = member(t, exit_state);
		return state & EXIT_ZOMBIE ? 16 : state ? 32 : 0;
	}
	return 0;
}

ust_long ust_task_current(struct ust_ctx *c) { return (ust_long)task_of(c); }

ust_long ust_task_of_id(struct ust_ctx *c, ust_long id)
{
	ust_long v;

	rcu_read_lock();
	v = (ust_long)by_id(id);
	rcu_read_unlock();
	return v;
}

ust_long ust_task_at(struct ust_ctx *c, ust_long task, ust_long field)
{
	struct task_struct *t;
	ust_long v;

	rcu_read_lock();
	t = task_from_address(task);
	if (!t)
		v = of_gone((struct task_struct *)task, field);
	else
		v = field == UST_TASK_PARENT ? (ust_long)rcu_dereference(t->real_parent)
					     : of_task(t, field);
	rcu_read_unlock();
	return v;
}

const char *ust_task_name_at(struct ust_ctx *c, char *dst, ust_long task)
{
	char name[TASK_COMM_LEN + 1] = "";

	if (copy_from_kernel_nofault(name, ((struct task_struct *)task)->comm, TASK_COMM_LEN))
		name[0] = 0;
	ust_strcpy(dst, name);
	return dst;
}
