/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page-in: reads non-resident pages of a probed process with a bounded wait.
 *
 * Unregistering a uprobe waits for its running handlers, so a handler must not wait for anything
 * that the process controls: a FUSE server that does not respond, userfaultfd, or a thread that
 * keeps the memory map locked. No access here may fault. The area is checked and the page is
 * brought in under one lock of the map; only kernel memory, swap and files of local file systems
 * are waited for, and each handler waits at most two seconds in total.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/userfaultfd_k.h>

#include "rt.h"

/* Jiffies that one handler may wait in total. */
#define PAGE_PATIENCE (2 * HZ)

static const char busy[] = " (not in memory; the process keeps its memory map locked)";
static const char slow[] = " (not in memory; the handler has waited two seconds)";
static const char registered[] = " (not in memory; the process provides this page by userfaultfd)";
static const char remote[] =
	" (not in memory; its file system is not local and may never deliver it)";
static const char device[] = " (device memory)";

/* Magic numbers of file systems whose pages come from local disks or memory. The server of 9P is
 * the host of a virtual machine, and only root can mount it. Some of the numbers are in no public
 * header. */
static const unsigned long local[] = {
	EXT4_SUPER_MAGIC,
	XFS_SUPER_MAGIC,
	BTRFS_SUPER_MAGIC,
	F2FS_SUPER_MAGIC,
	TMPFS_MAGIC,
	RAMFS_MAGIC,
	HUGETLBFS_MAGIC,
	SQUASHFS_MAGIC,
	EROFS_SUPER_MAGIC_V1,
	ISOFS_SUPER_MAGIC,
	MSDOS_SUPER_MAGIC,
	NILFS_SUPER_MAGIC,
	CRAMFS_MAGIC,
	V9FS_MAGIC,
	0xca451a4e /* bcachefs */,
	0x2011bab0 /* exfat */,
	0x7366746e /* ntfs3 */,
	0x3153464a /* jfs */,
	0x52654973 /* reiserfs */,
	0x2fc12fc1 /* zfs */,
};

/* True if the file is on a local file system. An overlay's area has the underlying file; device
 * files are on devtmpfs, which is memory. */
static bool is_local(const struct file *f)
{
	const struct inode *inode = f->f_mapping->host;
	u32 i;

	if (!S_ISREG(file_inode(f)->i_mode))
		return false;
	for (i = 0; i < ARRAY_SIZE(local); i++)
		if (inode->i_sb->s_magic == local[i])
			return true;
	return false;
}

/* Reason why a page of VMA must not be brought in; NULL if it may. */
static const char *obstacle(struct vm_area_struct *vma)
{
	if (userfaultfd_armed(vma))
		return registered;
	if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		return device;
	return vma->vm_file && !is_local(vma->vm_file) ? remote : NULL;
}

bool pagein_lock(struct ctx *x, struct mm_struct *mm)
{
	/* reset here, which few hits reach, and not in ust_enter(), which all hits pass */
	if (x->port.waiting_hit != x->port.hits) {
		x->port.waiting_hit = x->port.hits;
		x->port.waited = 0;
	}
	while (!mmap_read_trylock(mm)) {
		x->port.fault = busy;
		if (x->port.waited >= PAGE_PATIENCE || fatal_signal_pending(current))
			return false;
		schedule_timeout_killable(1);
		x->port.waited++;
	}
	x->port.fault = NULL;
	return true;
}

/* The area of ADDR in MM, whose map is locked, if waiting for its pages is allowed. */
static struct vm_area_struct *area_of(struct ctx *x, struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	if (!vma || addr < vma->vm_start)
		return NULL;
	x->port.fault = obstacle(vma);
	return x->port.fault ? NULL : vma;
}

static bool one_page(struct ctx *x, u64 addr, bool write)
{
	unsigned long from = jiffies;
	bool ok;

	x->port.fault = slow;
	if (x->port.waited >= PAGE_PATIENCE || !pagein_lock(x, current->mm))
		return false;
	ok = area_of(x, current->mm, addr) &&
	     !fixup_user_fault(current->mm, addr, write ? FAULT_FLAG_WRITE : 0, NULL);
	mmap_read_unlock(current->mm);
	x->port.waited += jiffies - from;
	return ok;
}

bool pagein(struct ctx *x, u64 addr, u32 size, bool write)
{
	u64 last = addr + size - 1;

	x->port.fault = NULL;
	return current->mm && one_page(x, addr, write) &&
	       (addr / PAGE_SIZE == last / PAGE_SIZE || one_page(x, last, write));
}

/* --------------------------------------------------- handlers without a context */

bool pagein_lock_current(unsigned long *waited)
{
	while (!mmap_read_trylock(current->mm)) {
		if (*waited >= PAGE_PATIENCE || fatal_signal_pending(current))
			return false;
		schedule_timeout_killable(1);
		++*waited;
	}
	return true;
}

bool pagein_current(u64 addr, bool write, unsigned long *waited)
{
	unsigned long from = jiffies, before = *waited;
	struct vm_area_struct *vma;
	bool ok;

	if (before >= PAGE_PATIENCE || !pagein_lock_current(waited))
		return false;
	vma = find_vma(current->mm, addr);
	ok = vma && addr >= vma->vm_start && !obstacle(vma) &&
	     !fixup_user_fault(current->mm, addr, write ? FAULT_FLAG_WRITE : 0, NULL);
	mmap_read_unlock(current->mm);
	*waited = before + (jiffies - from);
	return ok;
}

bool pagein_word(unsigned long addr, unsigned long *word, unsigned long *waited)
{
	const unsigned long __user *at = (const unsigned long __user *)addr;
	int err, tries = 2;

	do {
		pagefault_disable();
		err = get_user(*word, at);
		pagefault_enable();
	} while (err && --tries && pagein_current(addr, false, waited));
	return !err;
}

/* ----------------------------------------------------------- other tasks' memory */

static bool copy_page_part(struct mm_struct *mm, u64 addr, u32 size, void *to)
{
	struct page *page;

	if (compat_get_page(mm, addr, &page) != 1)
		return false;
	memcpy(to, page_address(page) + addr % PAGE_SIZE, size);
	put_page(page);
	return true;
}

static bool copy_locked(struct ctx *x, struct mm_struct *mm, u64 addr, u32 size, char *to)
{
	u32 part;

	for (; size; size -= part, addr += part, to += part) {
		part = min_t(u64, size, PAGE_SIZE - addr % PAGE_SIZE);
		if (!area_of(x, mm, addr) || !copy_page_part(mm, addr, part, to))
			return false;
	}
	return true;
}

/* Copy from TASK. The last mmput() closes the map's files, which may wait; mmput_async() leaves
 * that to a kernel thread. */
bool pagein_copy(struct ctx *x, struct task_struct *task, u64 addr, u32 size, void *to)
{
	struct mm_struct *mm = get_task_mm(task);
	bool ok;

	x->port.fault = NULL;
	if (!mm)
		return false;
	ok = pagein_lock(x, mm);
	if (ok) {
		ok = copy_locked(x, mm, addr, size, to);
		mmap_read_unlock(mm);
	}
	mmput_async(mm);
	return ok;
}
