/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ctl file: commands in, status out; see wire.h.
 *
 * An open ctl holds a reference to the module, so it cannot be unloaded while a loader is at work.
 * When a loader is killed its file is closed: the script is paused, since no process reads its
 * output, and its hits cost little. Another loader may open ctl and cpuN and order the script to
 * continue (ATTACH). A loader that leaves on purpose sends DETACH.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "arrays/merge.h"
#include "probes/probes.h"
#include "rt.h"
#include "wire_agent.h"

static DEFINE_MUTEX(orders);      /* one command at a time */
static const struct file *loader; /* the open file of the loader that started or attached */
static DECLARE_WAIT_QUEUE_HEAD(pollers);
static atomic_t changes = ATOMIC_INIT(1);
static struct irq_work notify_work;

/* private_data holds the last change of the status that a reader has seen. */
static int ctl_open(struct inode *inode, struct file *file)
{
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	file->private_data = NULL;
	return 0;
}

static int ctl_release(struct inode *inode, struct file *file)
{
	mutex_lock(&orders);
	if (loader == file) {
		loader = NULL;
		rt_pause(true);
	}
	mutex_unlock(&orders);
	module_put(THIS_MODULE);
	return 0;
}

static void fill_status(struct ust_status *st)
{
	memset(st, 0, sizeof *st);
	st->version = UST_WIRE_VERSION;
	st->state = READ_ONCE(rt.state);
	st->exit_requested = READ_ONCE(rt.exit_requested);
	st->failed = READ_ONCE(rt.failed) != FAILURE_NONE;
	st->errors = atomic64_read(&rt.errors);
	st->skipped_context = atomic64_read(&rt.skipped_context);
	st->skipped_stack = atomic64_read(&rt.skipped_stack);
	st->skipped_nested = atomic64_read(&rt.skipped_nested);
	st->missed_returns = atomic64_read(&rt.missed_returns);
	st->made_callers = atomic64_read(&rt.made_callers);
	st->copied_stacks = atomic64_read(&rt.copied_stacks);
	st->other_stacks = atomic64_read(&rt.other_stacks);
	st->missed_lookups = atomic64_read(&rt.missed_lookups);
	st->unplaced = rt.unplaced;
	st->cut_strings = atomic64_read(&rt.cut_strings);
	st->name_key = ust_program.flags & UST_PROG_NAMES ? rt.name_key : 0;
	st->string_max = ust_program.maxstringlen - 1;
	st->input = rt_has_input();
	relay_lost(&st->lost_records, &st->lost_bytes);
	st->ncpu = nr_cpu_ids;
	st->sites = rt.sites;
	st->target = rt.target;
	st->paused = READ_ONCE(rt.paused);
	st->pauses = READ_ONCE(rt.pauses);
	st->symbols = rt.state == UST_LOADED && ust_program.kernel_probes
			      ? ust_program.kernel_probes->symbols()
			      : 0;
}

static ssize_t ctl_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	struct ust_status st;

	if (size < sizeof st)
		return -EINVAL;
	file->private_data = (void *)(long)atomic_read(&changes);
	smp_rmb();
	fill_status(&st);
	return copy_to_user(buf, &st, sizeof st) ? -EFAULT : (ssize_t)sizeof st;
}

static int obey_command(const struct file *file, const struct ust_cmd *cmd)
{
	int err;

	switch (cmd->op) {
	case UST_CMD_START:
		err = rt_start(cmd);
		if (!err)
			loader = file;
		return err;
	case UST_CMD_NAMESPACES:
		return rt_namespaces((pid_t)cmd->target);
	case UST_CMD_ATTACH:
		loader = file;
		rt_pause(false);
		return 0;
	case UST_CMD_STOP:
		return rt_stop(cmd->flags);
	case UST_CMD_VIEW:
		return rt_view(cmd->flags, cmd->target);
	case UST_CMD_INPUT:
		return rt_input(cmd->target, cmd->flags);
	case UST_CMD_DETACH:
		loader = NULL;
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * Commands are accepted from staprun, which has checked the rights of its caller, and from root.
 * So the file must have been opened with CAP_SYS_MODULE; to own it is not enough: a member of
 * stapusr that opens ctl directly, or receives it from a child of staprun, is refused. A process
 * to which the file was passed on is refused as well, but not a staprun that has suspended its
 * privileges. Commands that carry addresses require the capability at the time of the write, too.
 */
static bool may_order(struct file *file, const struct ust_cmd *cmd)
{
	if (!file_ns_capable(file, &init_user_ns, CAP_SYS_MODULE))
		return false;
	if (cmd->op != UST_CMD_SYMBOLS && uid_eq(current_uid(), file->f_cred->uid))
		return true;
	return capable(CAP_SYS_MODULE);
}

/* TEXT: the name and the value, each with its NUL. */
static int set_global(const struct ust_cmd *cmd, const char *text, size_t size)
{
	size_t n = strlen(text) + 1;

	if (n >= size || text[size - 1])
		return -EINVAL;
	return global_set(text, text + n, cmd->target, cmd->flags & UST_SET_NUMBER);
}

static int see_symbols(char *text)
{
	return ust_program.kernel_probes ? ust_program.kernel_probes->read_symbols(text) : 0;
}

static int merge_global(const struct ust_cmd *cmd, char *line)
{
	const char *why;

	if (!ust_program.merge)
		return -EOPNOTSUPP;
	if (cmd->flags == UST_MERGE_SEND)
		return 0;
	if (cmd->flags != UST_MERGE_RELOAD)
		return -EINVAL;
	switch (ust_program.merge->take(UST_MERGE_RELOAD, line, &why)) {
	case UST_MERGE_BAD:
		return -EINVAL;
	case UST_MERGE_FULL:
		return -ENOSPC;
	case UST_MERGE_ABSENT:
		return -ENOENT;
	default:
		return 0;
	}
}

static bool has_text(const struct ust_cmd *cmd)
{
	return cmd->op == UST_CMD_SET || cmd->op == UST_CMD_SYMBOLS || cmd->op == UST_CMD_MERGE;
}

static int obey_text(const struct ust_cmd *cmd, const char __user *from, size_t size)
{
	char *text = size && size <= UST_SET_MAX ? memdup_user_nul(from, size) : ERR_PTR(-EINVAL);
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (rt.state != UST_LOADED)
		err = -EBUSY;
	else if (cmd->op == UST_CMD_MERGE)
		err = merge_global(cmd, text);
	else
		err = cmd->op == UST_CMD_SET ? set_global(cmd, text, size) : see_symbols(text);
	kfree(text);
	return err;
}

static ssize_t ctl_write(struct file *file, const char __user *buf, size_t size, loff_t *pos)
{
	struct ust_cmd cmd;
	int err;

	if (size < sizeof cmd)
		return -EINVAL;
	if (copy_from_user(&cmd, buf, sizeof cmd))
		return -EFAULT;
	if (!may_order(file, &cmd))
		return -EPERM;
	if ((size > sizeof cmd) != has_text(&cmd))
		return -EINVAL;
	if (mutex_lock_killable(&orders))
		return -EINTR;
	err = has_text(&cmd) ? obey_text(&cmd, buf + sizeof cmd, size - sizeof cmd)
			     : obey_command(file, &cmd);
	mutex_unlock(&orders);
	return err ? err : (ssize_t)size;
}

static __poll_t ctl_poll(struct file *file, poll_table *wait)
{
	poll_wait(file, &pollers, wait);
	return (long)file->private_data == atomic_read(&changes) ? 0 : EPOLLIN | EPOLLRDNORM;
}

static const struct proc_ops ctl_ops = {
	.proc_open = ctl_open,
	.proc_release = ctl_release,
	.proc_read = ctl_read,
	.proc_write = ctl_write,
	.proc_poll = ctl_poll,
};

static void wake_pollers(struct irq_work *work) { wake_up_interruptible_all(&pollers); }

void control_notify(void)
{
	atomic_inc(&changes);
	irq_work_queue(&notify_work);
}

int control_init(void)
{
	struct proc_dir_entry *dir;
	int err;

	init_irq_work(&notify_work, wake_pollers);
	dir = procdir_make(THIS_MODULE->name);
	if (!dir)
		return -ENOMEM;
	err = relay_init(dir);
	if (err)
		return err;
	err = ust_program.procfs ? ust_program.procfs->init(dir) : 0;
	if (err)
		return err;
	return proc_create_data("ctl", 0600, dir, &ctl_ops, NULL) ? 0 : -ENOMEM;
}

void control_exit(void)
{
	procdir_remove(THIS_MODULE->name);
	if (ust_program.procfs)
		ust_program.procfs->release();
	irq_work_sync(&notify_work);
	relay_exit();
}
