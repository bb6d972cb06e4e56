/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers, mapped files and true return addresses of the probed process, for backtraces and
 * module addresses. */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

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

/* The lock of the memory map is waited for, within a limit and without the script's locks; but not
 * in the kernel or at system calls, where the map is only tried. */
struct map_use {
	struct ust_ctx *c;
	struct mm_struct *mm;
	const struct ust_lockset *locks; /* locks to take again */
	u32 left;                        /* number of areas that may still be visited */
};

/* A process may have as many areas as sysctl vm.max_map_count permits, which root may have
 * raised. */
enum { MOST_AREAS = 32768, MOST_AREAS_ATOMIC = 4096, AREAS_PER_ACTION = 64 };

static bool may_sleep_in_handler(const struct ust_ctx *c) { return c->hit->mode == RT_PROBE; }
/* At system calls; see syscall.c. */
static bool may_try(const struct ust_ctx *c) { return c->hit->mode == RT_ATOMIC && c->hit->site; }
/* In the kernel, where an irq_work comes as soon as interrupts are enabled. */
static bool may_hold(const struct ust_ctx *c)
{
	return c->hit->mode == RT_KERNEL && !(current->flags & PF_KTHREAD) &&
	       arch_irq_work_has_interrupt() && !IS_ENABLED(CONFIG_PREEMPT_RT);
}

static bool map_begin(struct ust_ctx *c, struct map_use *u)
{
	u->c = c;
	u->mm = current->mm;
	u->locks = NULL;
	u->left = may_sleep_in_handler(c) ? MOST_AREAS : MOST_AREAS_ATOMIC;
	if (!u->mm)
		return false;
	if (may_hold(c))
		return mm_lock(ctx_of(c), u->mm);
	if (!may_sleep_in_handler(c) && !may_try(c))
		return false;
	if (likely(mmap_read_trylock(u->mm)))
		return true;
	if (!may_sleep_in_handler(c))
		return false;
	u->locks = ctx_of(c)->port.locks;
	if (u->locks)
		context_unlock(ctx_of(c));
	if (pagein_lock(ctx_of(c), u->mm))
		return true;
	if (u->locks)
		context_relock(ctx_of(c), u->locks);
	return false;
}

static void map_end(struct ust_ctx *c, const struct map_use *u)
{
	if (ctx_of(c)->port.map)
		return;
	mmap_read_unlock(u->mm);
	if (u->locks)
		context_relock(ctx_of(c), u->locks);
}

/* The first area that ends above ADDR; NULL if none was found among MOST_AREAS areas. */
static const struct vm_area_struct *next_area(struct map_use *u, u64 addr)
{
	if (!u->left || (--u->left % AREAS_PER_ACTION == 0 && !ust_charge(u->c, 1))) {
		u->left = 0;
		return NULL;
	}
	return find_vma(u->mm, addr);
}

static bool is_vdso(const struct mm_struct *mm, const struct vm_area_struct *vma)
{
	return (u64)mm->context.vdso == vma->vm_start;
}

static bool find_mapping(struct mm_struct *mm, u64 addr, struct port_mapping *to)
{
	const struct vm_area_struct *vma = find_vma(mm, addr);

	if (!vma || addr < vma->vm_start || (!vma->vm_file && !is_vdso(mm, vma)))
		return false;
	to->start = vma->vm_start;
	to->end = vma->vm_end;
	to->offset = vma->vm_file ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0;
	if (!vma->vm_file || !target_file_find(file_inode(vma->vm_file), &to->module))
		to->module = PORT_NO_MODULE;
	return true;
}

/* Start of the mapped file at ADDR. The segments of a file are adjacent except for holes that some
 * linkers leave. */
static u64 file_start(struct map_use *u, u64 addr)
{
	const struct vm_area_struct *vma = find_vma(u->mm, addr), *v = vma;
	u64 found = 0;

	if (!vma || addr < vma->vm_start)
		return 0;
	if (!vma->vm_file)
		return is_vdso(u->mm, vma) ? vma->vm_start : 0;
	while (v && v->vm_file == vma->vm_file && v->vm_pgoff) {
		u64 below = v->vm_start - 1;

		v = next_area(u, below);
		if (v && v->vm_start > below)
			break;
	}
	if (v && v->vm_file == vma->vm_file && !v->vm_pgoff)
		return v->vm_start;
	for (v = next_area(u, 0); v && v->vm_start <= addr; v = next_area(u, v->vm_end))
		if (v->vm_file == vma->vm_file && !v->vm_pgoff)
			found = v->vm_start;
	return found;
}

/* The path of DENTRY in its file system, in DST of PATH_SIZE bytes; its last components if it is
 * longer. Takes no lock, as code that holds those of d_path() may have been interrupted. */
static void path_in_file_system(const struct dentry *dentry, char *dst)
{
	const struct dentry *parent;
	char *p = dst + PATH_SIZE - 1;
	u32 n;

	*p = 0;
	rcu_read_lock();
	for (;; dentry = parent) {
		parent = READ_ONCE(dentry->d_parent);
		n = READ_ONCE(dentry->d_name.len);
		if ((parent == dentry && *p) || n + 2 > p - dst)
			break;
		p -= n;
		if (copy_from_kernel_nofault(p, READ_ONCE(dentry->d_name.name), n)) {
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
static const char *path_at(struct mm_struct *mm, u64 addr, bool anywhere, char *dst)
{
	const struct vm_area_struct *vma = find_vma(mm, addr);
	char *path;

	if (!vma || addr < vma->vm_start)
		return NULL;
	if (!vma->vm_file)
		return is_vdso(mm, vma) ? "[vdso]" : NULL;
	if (anywhere) {
		path_in_file_system(vma->vm_file->f_path.dentry, dst);
		return dst;
	}
	path = d_path(&vma->vm_file->f_path, dst, PATH_SIZE);
	if (IS_ERR(path))
		snprintf(dst, PATH_SIZE, "%s", vma->vm_file->f_path.dentry->d_name.name);
	else
		memmove(dst, path, strlen(path) + 1);
	return dst;
}

static bool find_mapped_module(struct map_use *use, u32 module, u64 offset, u64 *addr)
{
	const struct vm_area_struct *vma;
	u32 found;

	for (vma = next_area(use, 0); vma; vma = next_area(use, vma->vm_end)) {
		u64 from = (u64)vma->vm_pgoff << PAGE_SHIFT;

		if (!vma->vm_file || offset < from || offset - from >= vma->vm_end - vma->vm_start)
			continue;
		if (target_file_find(file_inode(vma->vm_file), &found) && found == module) {
			*addr = vma->vm_start + (offset - from);
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
	found = find_mapping(u.mm, addr, to);
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
	path = path_at(u.mm, addr, c->hit->mode == RT_KERNEL, ctx_of(c)->port.path);
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
