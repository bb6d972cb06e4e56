/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins on the current task, the time, and the probe that fired. */
#include <linux/cred.h>
#include <linux/ktime.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>

#include "probes/probes.h"
#include "rt.h"

/* -------------------------------------------------------------- the task */

/* Look a task address up by the pid tables: memory that resembles a task may have been filled by a
 * process. The tables do not contain the idle tasks of other CPUs. */
struct task_struct *task_from_address(ust_long task)
{
	struct task_struct *t = (struct task_struct *)task;
	pid_t pid;

	if (t == current || t == &init_task)
		return t;
	if (copy_from_kernel_nofault(&pid, &t->pid, sizeof pid))
		return NULL;
	return pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID) == t ? t : NULL;
}

_Bool ust_is_process(ust_long pid) { return current->tgid == pid; }
ust_long ust_pid(struct ust_ctx *c) { return task_of(c)->tgid; }
ust_long ust_cpu(struct ust_ctx *c) { return raw_smp_processor_id(); }
ust_long ust_target(struct ust_ctx *c) { return rt.target; }

ust_long ust_tid(struct ust_ctx *c)
{
	const struct ust_probe *p = c->hit->probe;

	if (unlikely(p && p->kind == UST_PROBE_THREAD_END))
		return ended_thread(c->hit);
	return task_of(c)->pid;
}

ust_long ust_ppid(struct ust_ctx *c)
{
	ust_long pid;

	rcu_read_lock();
	pid = rcu_dereference(task_of(c)->real_parent)->tgid;
	rcu_read_unlock();
	return pid;
}

/* A user or group id in the user namespace of staprun. */
static ust_long user_of(const struct ust_ctx *c, bool effective)
{
	ust_long id;

	rcu_read_lock();
	id = from_kuid_munged(current_user_ns(), effective ? __task_cred(task_of(c))->euid
							   : __task_cred(task_of(c))->uid);
	rcu_read_unlock();
	return id;
}

static ust_long group_of(const struct ust_ctx *c, bool effective)
{
	ust_long id;

	rcu_read_lock();
	id = from_kgid_munged(current_user_ns(), effective ? __task_cred(task_of(c))->egid
							   : __task_cred(task_of(c))->gid);
	rcu_read_unlock();
	return id;
}

ust_long ust_uid(struct ust_ctx *c) { return user_of(c, false); }
ust_long ust_euid(struct ust_ctx *c) { return user_of(c, true); }
ust_long ust_gid(struct ust_ctx *c) { return group_of(c, false); }
ust_long ust_egid(struct ust_ctx *c) { return group_of(c, true); }

ust_long ust_pgrp(struct ust_ctx *c)
{
	return __task_pid_nr_ns(task_of(c), PIDTYPE_PGID, &init_pid_ns);
}
ust_long ust_sid(struct ust_ctx *c)
{
	return __task_pid_nr_ns(task_of(c), PIDTYPE_SID, &init_pid_ns);
}
ust_long ust_stp_pid(struct ust_ctx *c) { return rt.loader; }

static const char *name_of(char *dst, const struct task_struct *t)
{
	char name[TASK_COMM_LEN + 1];

	memcpy(name, t->comm, TASK_COMM_LEN);
	name[TASK_COMM_LEN] = 0;
	ust_strcpy(dst, name);
	return dst;
}

const char *ust_pexecname(struct ust_ctx *c, char *dst)
{
	rcu_read_lock();
	name_of(dst, rcu_dereference(task_of(c)->real_parent));
	rcu_read_unlock();
	return dst;
}

bool port_process_strings(struct ust_ctx *c, bool environment, u64 *start, u64 *end)
{
	struct task_struct *t = task_of(c);
	const struct mm_struct *mm;

	if (c->hit->mode == RT_KERNEL) { /* the task may have been interrupted while it held
					  * task_lock() */
		*start = !current->mm  ? 0
			 : environment ? READ_ONCE(current->mm->env_start)
				       : READ_ONCE(current->mm->arg_start);
		*end = !current->mm  ? 0
		       : environment ? READ_ONCE(current->mm->env_end)
				     : READ_ONCE(current->mm->arg_end);
		return current->mm;
	}
	if (c->hit->mode != RT_PROBE && c->hit->mode != RT_ABOUT && c->hit->mode != RT_ATOMIC)
		return false;
	task_lock(t);
	mm = t->mm;
	if (mm) {
		*start = environment ? READ_ONCE(mm->env_start) : READ_ONCE(mm->arg_start);
		*end = environment ? READ_ONCE(mm->env_end) : READ_ONCE(mm->arg_end);
	}
	task_unlock(t);
	return mm;
}

ust_u64 ust_thread_pointer(struct ust_ctx *c)
{
	return c->hit->mode == RT_PROBE ? arch_thread_pointer() : 0;
}

const char *ust_execname(struct ust_ctx *c, char *dst) { return name_of(dst, task_of(c)); }

/* -------------------------------------------------------------- the time */

/* The clock of gettimeofday; in any context, like port_monotonic_ns(). */
static u64 real_ns(void)
{
	return unlikely(rt_in_kernel) ? ktime_get_real_fast_ns() : ktime_get_real_ns();
}

ust_long ust_gettimeofday_s(struct ust_ctx *c) { return div_u64(real_ns(), NSEC_PER_SEC); }
ust_long ust_gettimeofday_ms(struct ust_ctx *c) { return div_u64(real_ns(), 1000000); }
ust_long ust_gettimeofday_us(struct ust_ctx *c) { return div_u64(real_ns(), 1000); }
ust_long ust_gettimeofday_ns(struct ust_ctx *c) { return real_ns(); }

/* ------------------------------------------------------------- the probe */

ust_long ust_is_return(struct ust_ctx *c)
{
	return c->hit->site && c->hit->site->flags & UST_SITE_RETURN;
}

ust_long ust_user_mode(struct ust_ctx *c) { return port_program_regs(c) != NULL; }

ust_long ust_probing_32bit_app(struct ust_ctx *c)
{
	return port_program_regs(c) && arch_is_compat_code((struct pt_regs *)c->hit->regs);
}

ust_long ust_addr(struct ust_ctx *c)
{
	return c->hit->mode == RT_KERNEL ? (ust_long)c->hit->addr : ust_uaddr(c);
}

ust_long ust_uaddr(struct ust_ctx *c)
{
	const struct ust_regs *regs = port_stack_regs(c);

	return regs ? instruction_pointer((struct pt_regs *)regs) : 0;
}

const char *ust_pp(struct ust_ctx *c, char *dst)
{
	return c->hit->site ? c->hit->site->pp : c->hit->probe ? c->hit->probe->pp : "";
}

const char *ust_ppfunc(struct ust_ctx *c, char *dst)
{
	return c->hit->site && c->hit->site->func ? c->hit->site->func : "";
}

const char *ust_probefunc(struct ust_ctx *c, char *dst) { return ust_ppfunc(c, dst); }
