/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process filter: limits hits to one process and, with CHILDREN, its descendants.
 *
 * Processes are identified by the struct pid of their thread group, because exec replaces the
 * memory map. A consumer's filter sees memory maps and keeps the kernel from patching others; a
 * forked child inherits patched pages, which its first hit removes.
 *
 * Children are added at the fork tracepoint, which precedes the child's first instruction. The set
 * is read under RCU; exited processes are removed when it grows.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "process/process_filter.h"
#include "rt.h"
#include "probes/tracepoint.h"
#include "wire_records.h"

#define TARGET_HASH_BITS 6

struct member {
	struct hlist_node node;
	struct pid *pid;
	struct rcu_head rcu;
};

bool filter_on, filter_own;
static kuid_t owner;
struct pid *filter_target;
static bool children;
static struct hlist_head members[1 << TARGET_HASH_BITS];
static u32 nmembers, purge_at;
static DEFINE_SPINLOCK(filter_lock);

/* ----------------------------------------------------------------- asking */

static bool is_member(const struct pid *pid)
{
	struct member *m;

	hlist_for_each_entry_rcu(m, &members[hash_ptr(pid, TARGET_HASH_BITS)],
				 node) if (m->pid == pid) return true;
	return false;
}

bool filter_wants_pid(const struct pid *pid)
{
	bool found;

	if (pid == filter_target)
		return true;
	if (!children)
		return false;
	rcu_read_lock();
	found = is_member(pid);
	rcu_read_unlock();
	return found;
}

bool filter_follows(void) { return children; }

bool filter_wants_child(void) { return children && filter_wants_pid(task_tgid(current)); }

/* True if MM is the memory map of PID's thread group. Threads share one; exiting ones have none.
 * Called under RCU. */
static bool has_mm(struct pid *pid, const struct mm_struct *mm)
{
	struct task_struct *leader = pid_task(pid, PIDTYPE_TGID), *t;
	const struct mm_struct *has;

	if (!leader)
		return false;
	for_each_thread(leader, t)
	{
		has = READ_ONCE(t->mm);
		if (has)
			return has == mm;
	}
	return false;
}

bool filter_wants_mm(struct mm_struct *mm)
{
	struct member *m;
	bool found;
	u32 i;

	rcu_read_lock();
	found = has_mm(filter_target, mm);
	for (i = 0; i < ARRAY_SIZE(members) && children && !found; i++)
		hlist_for_each_entry_rcu(m, &members[i], node) if (has_mm(m->pid, mm))
		{
			found = true;
			break;
		}
	rcu_read_unlock();
	return found;
}

/* ------------------------------------------------------------ the children */

static void free_member(struct rcu_head *head)
{
	struct member *m = container_of(head, struct member, rcu);

	put_pid(m->pid);
	kfree(m);
}

/* Remove the members that have exited by PID_TASK, or all. */
static void purge(bool all)
{
	struct hlist_node *next;
	struct member *m;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(members); i++)
		hlist_for_each_entry_safe(m, next, &members[i],
					  node) if (all || !pid_task(m->pid, PIDTYPE_TGID))
		{
			hlist_del_rcu(&m->node);
			nmembers--;
			call_rcu(&m->rcu, free_member);
		}
}

/* Add PID; no effect on an existing member. */
static void add_member(struct pid *pid)
{
	struct member *m = kmalloc(sizeof *m, GFP_ATOMIC);

	if (!m)
		return;
	m->pid = get_pid(pid);
	spin_lock(&filter_lock);
	if (is_member(pid)) {
		spin_unlock(&filter_lock);
		put_pid(pid);
		kfree(m);
		return;
	}
	if (++nmembers > purge_at) {
		purge(false);
		purge_at = 2 * nmembers + 64;
	}
	hlist_add_head_rcu(&m->node, &members[hash_ptr(pid, TARGET_HASH_BITS)]);
	spin_unlock(&filter_lock);
}

static void filter_on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct pid *pid = task_tgid(child);

	if (children && task_tgid(parent) != pid && filter_wants_pid(task_tgid(parent)))
		add_member(pid);
}

/* Walk to the ancestors. Parents may change meanwhile, but every walk ends at process 1. */
bool filter_descends(const struct task_struct *task)
{
	while (task->pid > 1) {
		task = rcu_dereference(task->real_parent);
		if (task_tgid(task) == filter_target)
			return true;
	}
	return false;
}

/*
 * Add the descendants that exist already. filter_on_fork() is active before: a child created
 * meanwhile is at the end of the task list, which is not reached yet, or its parent is a member.
 */
static void add_descendants(void)
{
	struct task_struct *p;

	rcu_read_lock();
	for_each_process(p) if (!(p->flags & PF_KTHREAD) && filter_descends(p))
		add_member(task_tgid(p));
	rcu_read_unlock();
}

/* -------------------------------------------------------------- the deaths */

/* True if all threads exit for the same reason, the kernel's SIGNAL_GROUP_EXIT. */
static int exit_status(const struct task_struct *p)
{
	return p->signal->flags & SIGNAL_GROUP_EXIT ? p->signal->group_exit_code : p->exit_code;
}

/* Threads that exit at the same time may all report it: staprun takes the first report. */
static void filter_on_exit(void *data, struct task_struct *p)
{
	struct ust_death d = {.pid = p->tgid, .status = exit_status(p)};

	if (!(d.status & 0x7f) || atomic_read(&p->signal->live) || !filter_wants_pid(task_tgid(p)))
		return;
	memcpy(d.comm, p->group_leader->comm, sizeof d.comm);
	port_write(UST_REC_DEATH, (const char *)&d, sizeof d, false);
}

static struct tracepoint_hook filter_watches[] = {{"sched_process_exit", filter_on_exit},
						  {"sched_process_fork", filter_on_fork}};

/* --------------------------------------------------------- start and stop */

/* True if TASK belongs to the current user; false if exec gave it other ids or capabilities. */
bool filter_owns(struct task_struct *task)
{
	const struct cred *c;
	bool own;

	rcu_read_lock();
	c = __task_cred(task);
	own = uid_eq(c->uid, owner) && uid_eq(c->euid, owner) && uid_eq(c->suid, owner) &&
	      uid_eq(c->fsuid, owner) && gid_eq(c->egid, c->gid) && gid_eq(c->sgid, c->gid) &&
	      gid_eq(c->fsgid, c->gid) &&
	      (uid_eq(owner, GLOBAL_ROOT_UID) || cap_isclear(c->cap_permitted));
	rcu_read_unlock();
	return own;
}

int filter_start(pid_t nr, bool with_children, bool only_own)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task;
	int err = 0;
	u32 i;

	owner = current_uid();
	rcu_read_lock();
	task = pid ? pid_task(pid, PIDTYPE_TGID) : NULL;
	if (!task)
		err = -ESRCH;
	else if (only_own && !filter_owns(task))
		err = -EACCES;
	rcu_read_unlock();
	if (err) {
		put_pid(pid);
		return err;
	}
	filter_own = only_own;
	filter_target = pid;
	purge_at = 64;
	filter_on = true;
	children = with_children;
	for (i = 0; i < 1u + with_children && !err; i++)
		err = tracepoint_hook_add(&filter_watches[i]);
	if (!err && with_children)
		add_descendants();
	return err;
}

/* Called when no probe is registered any more. */
void filter_stop(void)
{
	if (!filter_on)
		return;
	tracepoint_hooks_remove(filter_watches, ARRAY_SIZE(filter_watches));
	if (children) {
		spin_lock(&filter_lock);
		purge(true);
		spin_unlock(&filter_lock);
		rcu_barrier();
	}
	children = filter_on = filter_own = false;
	put_pid(filter_target);
	filter_target = NULL;
}

void filter_arm(bool on)
{
	WRITE_ONCE(rt.armed, on);
	WRITE_ONCE(rt.armed_all, on && !filter_on);
	WRITE_ONCE(rt.armed_for, on && filter_on && !filter_own ? filter_target : NULL);
}
