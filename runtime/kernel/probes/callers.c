/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callers of probed functions: is their code from a file, or has the program made it at run time?
 *
 * Runtimes that compile while the program runs, as those of Java and JavaScript, find the frames of
 * their code by the return addresses on the stack, when they collect garbage or throw an exception.
 * They would end the program where the kernel has put the address of its trampoline. So the kernel
 * is kept from probing a return to such code.
 *
 * Code from files is that of mappings of ELF files, but for the part of a file that has code made
 * by such a compiler (struct ust_module.made). The kernel's trampoline is the return address where
 * a tail call has led to the function.
 *
 * The kernel expects the pending calls of a task to return in the order of their stack slots, on
 * one stack. Coroutines have stacks of their own, as have handlers of signals: calls there would
 * return to the addresses of others. So returns are probed on the task's own stack only. The first
 * thread has that of the process; in all others the C library puts the block that the thread
 * pointer points to at the end of the stack.
 *
 * Greenlets of Python share one stack: a switch copies the part of it that another one uses away,
 * and back later. Continuations of Ruby go back to a copy any number of times. So no return is
 * probed in a memory map with such a library, from the moment when it is mapped.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "error_text.h"
#include "probes/callers.h"
#include "probes/probes.h"
#include "process/target_file.h"
#include "rt.h"

/* Entries may be of a map that has changed, or is gone, so none is used for longer than this. */
enum { FORGET_SECONDS = 1 };

unsigned long caller_pages[CALLER_PAGES];
struct own_stack own_stacks[OWN_STACKS];

static void forget_callers(struct work_struct *work)
{
	u32 i;

	memset(caller_pages, 0, sizeof caller_pages);
	for (i = 0; i < OWN_STACKS; i++)
		WRITE_ONCE(own_stacks[i].task, NULL);
}
static DECLARE_DELAYED_WORK(forget_work, forget_callers);

/* ----------------------------------------------------------------- copied stacks */

/* A process may have as many areas as sysctl vm.max_map_count permits. */
enum { MOST_MAPPINGS = 32768, NO_PAGE = -1 };

static bool copies_stack(const struct file *file)
{
	static const char *const names[] = {"_greenlet.", "continuation."};
	u32 i;

	for (i = 0; file && i < ARRAY_SIZE(names); i++)
		if (!strncmp(file->f_path.dentry->d_name.name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Called when a process maps a file. The table is from before that. */
static int on_mapping(struct kprobe *kp, struct pt_regs *regs)
{
	const struct vm_area_struct *area = (void *)regs_get_kernel_argument(regs, 0);

	if (copies_stack(area->vm_file))
		memset(caller_pages, 0, sizeof caller_pages);
	return 0;
}

static struct kprobe mapping_probe = {.symbol_name = "uprobe_mmap", .pre_handler = on_mapping};
static bool sees_mappings;

/* Does the current task's map, which is locked, have a library that copies stacks? */
static bool has_copier(void)
{
	struct vm_area_struct *area;
	unsigned long at = 0;
	u32 n;

	for (n = 0; n < MOST_MAPPINGS; n++) {
		area = find_vma(current->mm, at);
		if (!area)
			return false;
		if (copies_stack(area->vm_file))
			return true;
		at = area->vm_end;
	}
	return false;
}

static unsigned long map_tag(void) { return (unsigned long)NO_PAGE ^ (unsigned long)current->mm; }

/* The same, with an entry of the table for the answer. */
static bool shares_stack(void)
{
	unsigned long tag = map_tag(), known = READ_ONCE(*caller_page(tag));
	bool shares;

	if (known == tag || known == ~tag)
		return known != tag;
	shares = has_copier();
	WRITE_ONCE(*caller_page(tag), shares ? ~tag : tag);
	return shares;
}

/* -------------------------------------------------------------------- stacks */

/* Put the bounds of the current task's own stack into S, whose map is locked. False: it is not
 * known. */
static bool find_stack(struct own_stack *s)
{
	const struct mm_struct *mm = current->mm;
	bool first = thread_group_leader(current);
	unsigned long top = first ? mm->start_stack : arch_thread_pointer();
	const struct vm_area_struct *area = top ? find_vma(current->mm, top) : NULL;

	if (!area || top < area->vm_start)
		return false;
	s->lo = area->vm_start;
	s->size = (first ? area->vm_end : top) - s->lo;
	return true;
}

/* Another task of the same entry may be about to write it, too. */
static void remember_stack(const struct own_stack *s)
{
	struct own_stack *to = own_stack();
	const struct task_struct *had = READ_ONCE(to->task), *const busy = (void *)1;

	if (had == busy || cmpxchg(&to->task, had, busy) != had)
		return;
	WRITE_ONCE(to->lo, s->lo);
	WRITE_ONCE(to->size, s->size);
	smp_store_release(&to->task, current);
}

/* Is the task on its own stack at SP? */
static bool on_own_stack(unsigned long sp)
{
	struct own_stack s;

	if (!find_stack(&s) || sp - s.lo >= s.size || on_sig_stack(sp))
		return false;
	/* a stack for signals may be a part of it */
	if (!current->sas_ss_size || current->sas_ss_sp - s.lo >= s.size)
		remember_stack(&s);
	return true;
}

/* ------------------------------------------------------------------- lookups */

/* Is the file ELF, by its first page? It is in memory if the file was loaded just now; if not, the
 * file is taken for one, but a hole in memory that has no other file is not. */
static bool is_elf(const struct file *file)
{
	static const u8 magic[] = {0x7f, 'E', 'L', 'F'};
	const struct inode *inode = file_inode(file);
	bool elf = inode->i_sb->s_magic != TMPFS_MAGIC;
#ifdef HAVE_FILEMAP_FOLIO
	struct folio *page = S_ISREG(inode->i_mode) ? filemap_get_folio(file->f_mapping, 0) : NULL;

	if (IS_ERR_OR_NULL(page))
		return elf && S_ISREG(inode->i_mode);
	if (folio_test_uptodate(page))
		elf = !memcmp(folio_address(page), magic, sizeof magic);
	folio_put(page);
#else
	struct page *page = S_ISREG(inode->i_mode) ? find_get_page(file->f_mapping, 0) : NULL;

	if (!page)
		return elf && S_ISREG(inode->i_mode);
	if (PageUptodate(page))
		elf = !memcmp(page_address(page), magic, sizeof magic);
	put_page(page);
#endif
	return elf;
}

/* Is byte AT of FILE in the part of one of the script's modules that a compiler at run time has
 * made?  *MIXED: its page has other code, too. */
static bool in_made_part(const struct file *file, u64 at, bool *mixed)
{
	u64 page = at & PAGE_MASK;
	u32 i;

	for (i = 0; i < ust_program.nmodules; i++) {
		const struct ust_module *m = &ust_program.modules[i];

		if (!m->made_end || page + PAGE_SIZE <= m->made || page >= m->made_end ||
		    !target_file_is(i, file_inode(file)))
			continue;
		*mixed = page < m->made || page + PAGE_SIZE > m->made_end;
		return at >= m->made && at < m->made_end;
	}
	return false;
}

static bool is_kernels(struct vm_area_struct *area)
{
	const char *name = area->vm_ops && area->vm_ops->name ? area->vm_ops->name(area) : NULL;

	return name && (!strcmp(name, "[uprobes]") || !strcmp(name, "[vdso]"));
}

/* Is there code of a file, or the kernel's own, at ADDR of the current task's map, which is locked?
 */
static bool is_from_file(unsigned long addr, bool *mixed)
{
	struct vm_area_struct *area = find_vma(current->mm, addr);
	u64 at;

	if (!area || addr < area->vm_start)
		return false;
	if (!area->vm_file)
		return is_kernels(area);
	at = addr - area->vm_start + ((u64)area->vm_pgoff << PAGE_SHIFT);
	return is_elf(area->vm_file) && !in_made_part(area->vm_file, at, mixed);
}

static bool refuse(atomic64_t *count)
{
	atomic64_inc(count);
	return false;
}

bool caller_allows(struct pt_regs *regs)
{
	unsigned long sp = user_stack_pointer(regs), addr, waited = 0, tag;
	bool from_file, mixed = false;

	/* the kernel cannot replace what is not readable */
	if (arch_is_compat_code(regs) || !pagein_word(sp, &addr, &waited))
		return true;
	tag = map_tag();
	if (READ_ONCE(*caller_page(tag)) == ~tag)
		return refuse(&rt.copied_stacks);
	tag = caller_tag(addr);
	if (READ_ONCE(*caller_page(tag)) == ~tag || !pagein_lock_current(&waited))
		return refuse(&rt.made_callers);
	schedule_delayed_work(&forget_work, FORGET_SECONDS * HZ);
	/* answers are written under the lock: a new mapping is either seen, or removes them */
	if (shares_stack()) {
		mmap_read_unlock(current->mm);
		return refuse(&rt.copied_stacks);
	}
	if (!on_own_stack(sp)) {
		mmap_read_unlock(current->mm);
		return refuse(&rt.other_stacks);
	}
	from_file = is_from_file(addr, &mixed);
	if (!mixed)
		WRITE_ONCE(*caller_page(tag), from_file ? tag : ~tag);
	mmap_read_unlock(current->mm);
	return from_file || refuse(&rt.made_callers);
}

void callers_start(void)
{
	int err = register_kprobe(&mapping_probe);

	sees_mappings = !err;
	if (err)
		relay_message(UST_REC_WARN,
			      "programs that load libraries that copy stacks (greenlets, "
			      "continuations) later than now may end: the kernel's "
			      "uprobe_mmap() cannot be probed: %s (%d)",
			      error_text(err), err);
}

void callers_stop(void)
{
	if (sees_mappings)
		unregister_kprobe(&mapping_probe);
	sees_mappings = false;
	cancel_delayed_work_sync(&forget_work);
}
