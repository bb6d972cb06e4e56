// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Untraced descendants: processes below the target that run a probed program, while the run does
 * not follow children. staprun counts them by process and warns at the end, so a process may be
 * reported more than once.
 */
#include <linux/binfmts.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "probes/probes.h"
#include "process/process_filter.h"
#include "process/target_file.h"
#include "rt.h"
#include "probes/tracepoint.h"
#include "wire_records.h"

static bool started;
static pid_t reported; /* the last reported process; one process may reach probes many times */

static void report(const struct task_struct *task, u32 module)
{
	const char *path = ust_program.modules[module].path;
	size_t n = strlen(path);
	struct ust_untraced *u = kmalloc(sizeof *u + n, GFP_ATOMIC);

	if (!u)
		return;
	u->pid = task->tgid;
	memcpy(u + 1, path, n);
	port_write(UST_REC_UNTRACED, (const char *)u, sizeof *u + n, false);
	kfree(u);
}

/* Called under RCU. */
static void consider(const struct task_struct *task, const struct inode *program)
{
	u32 i;

	if (filter_wants_pid(task_tgid((struct task_struct *)task)) || !filter_descends(task))
		return;
	for (i = 0; i < ust_program.nmodules; i++)
		if (target_file_is(i, program) && target_file_is_probed(i)) {
			report(task, i);
			return;
		}
}

static void untraced_on_exec(void *data, struct task_struct *task, pid_t old,
			     struct linux_binprm *bprm)
{
	rcu_read_lock();
	consider(task, file_inode(bprm->file));
	rcu_read_unlock();
}

static struct tracepoint_hook untraced_watches[] = {{"sched_process_exec", untraced_on_exec}};

/* Called under RCU; MM stays valid. */
static const struct inode *program_of(const struct mm_struct *mm)
{
	const struct file *f = rcu_dereference(mm->exe_file);

	return f ? file_inode(f) : NULL;
}

/* A child between vfork() and exec runs in the memory of its parent, which is traced. */
void untraced_hit(void)
{
	if (!READ_ONCE(started) || READ_ONCE(reported) == current->tgid ||
	    filter_wants_mm(current->mm))
		return;
	WRITE_ONCE(reported, current->tgid);
	rcu_read_lock();
	consider(current, program_of(current->mm));
	rcu_read_unlock();
}

/* Report the descendants that run a probed program already. */
static void look_at_descendants(void)
{
	struct task_struct *p;

	rcu_read_lock();
	for_each_process(p)
	{
		task_lock(p);
		if (p->mm && !(p->flags & PF_KTHREAD))
			consider(p, program_of(p->mm));
		task_unlock(p);
	}
	rcu_read_unlock();
}

int untraced_start(void)
{
	int err;

	if (!filter_on || filter_follows())
		return 0;
	err = tracepoint_hook_add(&untraced_watches[0]);
	if (err)
		return err;
	WRITE_ONCE(started, true);
	look_at_descendants();
	return 0;
}

void untraced_stop(void)
{
	if (!started)
		return;
	WRITE_ONCE(started, false);
	tracepoint_hooks_remove(untraced_watches, ARRAY_SIZE(untraced_watches));
}
