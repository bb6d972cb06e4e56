/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers, mapped files and true return addresses of the probed process, for backtraces and
 * module addresses. */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include "memory/areas.h"
#include "process/target_file.h"
#include "rt.h"

/* --------------------------------------------------------------- registers */

struct ust_regs *port_stack_regs(const struct ust_ctx *c)
{
	struct ust_regs *of_hit = port_program_regs(c);
	struct pt_regs *regs;

	if (of_hit || c->hit->mode != RT_KERNEL)
		return of_hit;
	/* a kernel thread may borrow a memory map, and workers of io_uring never return */
	if (!current->mm || current->flags & PF_KTHREAD)
		return NULL;
	regs = task_pt_regs(current);
	return user_mode(regs) && instruction_pointer(regs) ? (struct ust_regs *)regs : NULL;
}

bool port_skips_absent(const struct ust_ctx *c) { return c->hit->mode == RT_KERNEL; }

/* ------------------------------------------------------------ using the map */

/*
 * The lock of the memory map is waited for, within a limit and without the script's locks; but not
 * in the kernel or at system calls, where it is only tried. If a writer has it or waits for it
 * there, areas are read without it: the map is a tree under RCU, so they are found, but they may
 * change, or be used for another map, while they are read.
 */
struct map_use {
	struct ust_ctx *c;
	struct mm_struct *mm;
	const struct ust_lockset *locks; /* locks to take again */
	u32 left;                        /* number of areas that may still be visited */
	bool unlocked;
};

/* An area, copied from the map. */
struct area {
	u64 start, end;
	u64 offset;              /* of its start in the file */
	const struct file *file; /* NULL: none */
	const struct inode *inode;
	const struct dentry *dentry;
};

/* A process may have as many areas as sysctl vm.max_map_count permits, which root may have
 * raised. */
enum { MOST_AREAS = 32768, MOST_AREAS_ATOMIC = 4096, AREAS_PER_ACTION = 64 };

static bool may_sleep_in_handler(const struct ust_ctx *c) { return c->hit->mode == RT_PROBE; }
/* At system calls; see syscall.c. */
static bool may_try(const struct ust_ctx *c) { return c->hit->mode == RT_ATOMIC && c->hit->site; }
/* In the kernel, but not for kernel threads, which may borrow a memory map. */
static bool may_look(const struct ust_ctx *c)
{
	return c->hit->mode == RT_KERNEL && !(current->flags & PF_KTHREAD);
}
/* An irq_work comes as soon as interrupts are enabled. */
static bool may_hold(void)
{
	return arch_irq_work_has_interrupt() && !IS_ENABLED(CONFIG_PREEMPT_RT);
}

/* Count a look-up without an answer; returns false. */
static bool missed(void)
{
	atomic64_inc(&rt.missed_lookups);
	return false;
}

static bool map_try(struct ust_ctx *c, struct map_use *u)
{
	if (may_look(c) ? may_hold() && mm_lock(ctx_of(c), u->mm) : mmap_read_trylock(u->mm))
		return true;
	u->unlocked = areas_are_readable(u->mm);
	if (!u->unlocked)
		return false;
	rcu_read_lock();
	return true;
}

/* Lock the map of the current task for C. False: it is locked, or C must not look at it; counted if
 * a stack or a name may be missing for that. */
static bool map_begin(struct ust_ctx *c, struct map_use *u)
{
	u->c = c;
	u->mm = current->mm;
	u->locks = NULL;
	u->left = may_sleep_in_handler(c) ? MOST_AREAS : MOST_AREAS_ATOMIC;
	u->unlocked = false;
	if (!u->mm)
		return false;
	if (!may_sleep_in_handler(c))
		return (may_look(c) || may_try(c)) && (map_try(c, u) || missed());
	if (likely(mmap_read_trylock(u->mm)))
		return true;
	u->locks = ctx_of(c)->port.locks;
	if (u->locks)
		context_unlock(ctx_of(c));
	if (pagein_lock(ctx_of(c), u->mm))
		return true;
	if (u->locks)
		context_relock(ctx_of(c), u->locks);
	return missed();
}

static void map_end(struct ust_ctx *c, const struct map_use *u)
{
	if (u->unlocked)
		rcu_read_unlock();
	if (u->unlocked || ctx_of(c)->port.map)
		return;
	mmap_read_unlock(u->mm);
	if (u->locks)
		context_relock(ctx_of(c), u->locks);
}

static void copy_area(const struct vm_area_struct *vma, struct area *to)
{
	const struct file *file = vma->vm_file;

	*to = (struct area){vma->vm_start, vma->vm_end};
	if (!file)
		return;
	to->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	to->file = file;
	to->inode = file_inode(file);
	to->dentry = file->f_path.dentry;
}

/* Copy VMA without the lock of the map. False: it was removed from MM. */
static bool copy_area_unlocked(const struct mm_struct *mm, const struct vm_area_struct *vma,
			       struct area *to)
{
	unsigned long start, end, page;
	const struct mm_struct *of;

	memset(to, 0, sizeof *to);
	if (!READ_FIELD(of, &vma->vm_mm) || of != mm || !READ_FIELD(start, &vma->vm_start) ||
	    !READ_FIELD(end, &vma->vm_end) || !READ_FIELD(page, &vma->vm_pgoff) ||
	    !READ_FIELD(to->file, &vma->vm_file))
		return false;
	to->start = start;
	to->end = end;
	if (!to->file)
		return true;
	to->offset = (u64)page << PAGE_SHIFT;
	return READ_FIELD(to->inode, &to->file->f_inode) &&
	       READ_FIELD(to->dentry, &to->file->f_path.dentry);
}

static bool find_area(const struct map_use *u, u64 addr, struct area *to)
{
	const struct vm_area_struct *vma = find_vma(u->mm, addr);

	if (vma)
		copy_area(vma, to);
	return vma;
}

/* Find the first area that ends above ADDR: two equal copies of it, since a writer changes the
 * fields of an area one after the other. */
static bool find_area_unlocked(const struct map_use *u, u64 addr, struct area *to)
{
	enum { MOST_COPIES = 8 };
	struct area again;
	u32 n;

	for (n = 0; n < MOST_COPIES; n++) {
		const struct vm_area_struct *vma;

		if (!areas_find(u->mm, addr, &vma))
			continue;
		if (!vma)
			return false;
		if (copy_area_unlocked(u->mm, vma, to) && addr < to->end) {
			smp_rmb(); /* the first copy is complete before the second begins */
			if (copy_area_unlocked(u->mm, vma, &again) &&
			    !memcmp(to, &again, sizeof again))
				return true;
		}
	}
	return missed();
}

/* Find the first area that ends above ADDR. */
static bool area_above(const struct map_use *u, u64 addr, struct area *to)
{
	return u->unlocked ? find_area_unlocked(u, addr, to) : find_area(u, addr, to);
}

/* Find the area with ADDR. */
static bool area_at(const struct map_use *u, u64 addr, struct area *to)
{
	return area_above(u, addr, to) && addr >= to->start;
}

/* area_above(); but false if none was found among MOST_AREAS areas. */
static bool next_area(struct map_use *u, u64 addr, struct area *to)
{
	if (!u->left || (--u->left % AREAS_PER_ACTION == 0 && !ust_charge(u->c, 1))) {
		u->left = 0;
		return false;
	}
	return area_above(u, addr, to);
}

static bool is_vdso(const struct map_use *u, const struct area *a)
{
	return (u64)u->mm->context.vdso == a->start;
}

static bool find_mapping(const struct map_use *u, u64 addr, struct port_mapping *to)
{
	struct area a;

	if (!area_at(u, addr, &a) || (!a.file && !is_vdso(u, &a)))
		return false;
	to->start = a.start;
	to->end = a.end;
	to->offset = a.offset;
	if (!a.file || !target_file_find(a.inode, &to->module))
		to->module = PORT_NO_MODULE;
	return true;
}

/* Start of the mapped file at ADDR. The segments of a file are adjacent except for holes that some
 * linkers leave. */
static u64 file_start(struct map_use *u, u64 addr)
{
	struct area a, v;
	u64 below, found = 0;
	bool any = true;

	if (!area_at(u, addr, &a))
		return 0;
	if (!a.file)
		return is_vdso(u, &a) ? a.start : 0;
	v = a;
	while (any && v.file == a.file && v.offset) {
		below = v.start - 1;
		any = next_area(u, below, &v);
		if (any && v.start > below)
			break;
	}
	if (any && v.file == a.file && !v.offset)
		return v.start;
	for (any = next_area(u, 0, &v); any && v.start <= addr; any = next_area(u, v.end, &v))
		if (v.file == a.file && !v.offset)
			found = v.start;
	return found;
}

/* The path of DENTRY in its file system, in DST of PATH_SIZE bytes; its last components if it is
 * longer. Takes no lock, as code that holds those of d_path() may have been interrupted; a
 * directory that was freed meanwhile ends the path. */
static void path_in_file_system(const struct dentry *dentry, char *dst)
{
	const struct dentry *parent;
	const unsigned char *name;
	char *p = dst + PATH_SIZE - 1;
	u32 n;

	*p = 0;
	rcu_read_lock();
	for (;; dentry = parent) {
		if (!READ_FIELD(parent, &dentry->d_parent) || !READ_FIELD(n, &dentry->d_name.len) ||
		    !READ_FIELD(name, &dentry->d_name.name))
			break;
		if ((parent == dentry && *p) || (u64)n + 2 > (u64)(p - dst))
			break;
		p -= n;
		if (copy_from_kernel_nofault(p, name, n)) {
			p += n;
			break;
		}
		if (parent == dentry)
			break;
		*--p = '/';
	}
	rcu_read_unlock();
	memmove(dst, p, dst + PATH_SIZE - p);
}

/* Path of the file mapped at ADDR, in DST of PATH_SIZE bytes; only the last component if it is
 * longer. ANYWHERE: in a kernel probe. */
static const char *path_at(const struct map_use *u, u64 addr, bool anywhere, char *dst)
{
	struct area a;
	char *path;

	if (!area_at(u, addr, &a))
		return NULL;
	if (!a.file)
		return is_vdso(u, &a) ? "[vdso]" : NULL;
	if (anywhere || u->unlocked) {
		path_in_file_system(a.dentry, dst);
		return dst;
	}
	path = d_path(&a.file->f_path, dst, PATH_SIZE);
	if (IS_ERR(path))
		snprintf(dst, PATH_SIZE, "%s", a.dentry->d_name.name);
	else
		memmove(dst, path, strlen(path) + 1);
	return dst;
}

static bool find_mapped_module(struct map_use *u, u32 module, u64 offset, u64 *addr)
{
	struct area a;
	bool any;
	u32 found;

	for (any = next_area(u, 0, &a); any; any = next_area(u, a.end, &a)) {
		if (!a.file || offset < a.offset || offset - a.offset >= a.end - a.start)
			continue;
		if (target_file_find(a.inode, &found) && found == module) {
			*addr = a.start + (offset - a.offset);
			return true;
		}
	}
	return false;
}

bool port_find_mapping(struct ust_ctx *c, u64 addr, struct port_mapping *to)
{
	struct map_use u port_uncleared;
	bool found;

	if (!map_begin(c, &u))
		return false;
	found = find_mapping(&u, addr, to);
	map_end(c, &u);
	return found;
}

u64 port_file_start(struct ust_ctx *c, u64 addr)
{
	struct map_use u port_uncleared;
	u64 start;

	if (!map_begin(c, &u))
		return 0;
	start = file_start(&u, addr);
	map_end(c, &u);
	return start;
}

const char *port_mapping_path(struct ust_ctx *c, u64 addr)
{
	struct map_use u port_uncleared;
	const char *path;

	if (!map_begin(c, &u))
		return NULL;
	path = path_at(&u, addr, c->hit->mode == RT_KERNEL, ctx_of(c)->port.path);
	map_end(c, &u);
	return path;
}

bool port_find_module(struct ust_ctx *c, u32 module, u64 offset, u64 *addr)
{
	struct map_use u port_uncleared;
	bool found;

	if (!map_begin(c, &u))
		return false;
	found = find_mapped_module(&u, module, offset, addr);
	map_end(c, &u);
	return found;
}

/* Only the user runtime has trampolines. */
u64 port_program_address(struct ust_ctx *c, u64 pc) { return pc; }

/* The same in the kernel, where the task may have been interrupted while it changes the list. */
static noinline u64 real_return_anywhere(u64 slot, u64 ra)
{
	enum { MOST_PENDING = 64 }; /* MAX_URETPROBE_DEPTH of kernel/events/uprobes.c */
	const struct return_instance *at = NULL;
	struct return_instance ri;
	u32 n;

	if (current->utask)
		at = READ_ONCE(current->utask->return_instances);
	for (n = 0; at && n < MOST_PENDING; n++, at = ri.next) {
		if (copy_from_kernel_nofault(&ri, at, sizeof ri))
			break;
		if (ri.stack == slot)
			return ri.orig_ret_vaddr;
	}
	return ra;
}

u64 mapping_real_return(struct ust_ctx *c, u64 slot, u64 ra)
{
	const struct return_instance *ri = current->utask->return_instances;

	if (c->hit->mode == RT_KERNEL)
		return real_return_anywhere(slot, ra);
	for (; ri; ri = ri->next)
		if (ri->stack == slot)
			return ri->orig_ret_vaddr;
	return ra;
}
