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
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "probes/callers.h"
#include "probes/probes.h"
#include "process/target_file.h"
#include "rt.h"

/* Entries may be of a map that has changed, or is gone, so none is used for longer than this. */
enum { FORGET_SECONDS = 1 };

unsigned long caller_pages[CALLER_PAGES];

static void forget_callers(struct work_struct *work)
{
	memset(caller_pages, 0, sizeof caller_pages);
}
static DECLARE_DELAYED_WORK(forget_work, forget_callers);

/* ------------------------------------------------------------------- lookups */

/* By the first page of its file, if it is in memory, as it is when the file was loaded just now. */
static bool is_elf(const struct file *file)
{
	static const u8 magic[] = {0x7f, 'E', 'L', 'F'};
	bool elf = true;
#ifdef HAVE_FILEMAP_FOLIO
	struct folio *folio = filemap_get_folio(file->f_mapping, 0);

	if (IS_ERR_OR_NULL(folio))
		return true;
	if (folio_test_uptodate(folio))
		elf = !memcmp(folio_address(folio), magic, sizeof magic);
	folio_put(folio);
#else
	struct page *page = find_get_page(file->f_mapping, 0);

	if (!page)
		return true;
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

/* Is there code of a file, or the kernel's own, at ADDR?  False also if that cannot be found out in
 * time. */
static bool is_from_file(unsigned long addr, bool *mixed, unsigned long *waited)
{
	struct vm_area_struct *area;
	bool found = false;

	if (!pagein_lock_current(waited))
		return false;
	area = find_vma(current->mm, addr);
	if (area && addr >= area->vm_start && area->vm_file) {
		u64 at = addr - area->vm_start + ((u64)area->vm_pgoff << PAGE_SHIFT);

		found = is_elf(area->vm_file) && !in_made_part(area->vm_file, at, mixed);
	} else if (area && addr >= area->vm_start) {
		found = is_kernels(area);
	}
	mmap_read_unlock(current->mm);
	return found;
}

bool caller_allows(struct pt_regs *regs)
{
	unsigned long addr, waited = 0, tag;
	bool from_file, mixed = false;

	/* the kernel cannot replace what is not readable */
	if (arch_is_compat_code(regs) || !pagein_word(user_stack_pointer(regs), &addr, &waited))
		return true;
	tag = caller_tag(addr);
	from_file = READ_ONCE(*caller_page(tag)) != ~tag && is_from_file(addr, &mixed, &waited);
	if (!mixed)
		WRITE_ONCE(*caller_page(tag), from_file ? tag : ~tag);
	schedule_delayed_work(&forget_work, FORGET_SECONDS * HZ);
	if (!from_file)
		atomic64_inc(&rt.made_callers);
	return from_file;
}

void callers_stop(void) { cancel_delayed_work_sync(&forget_work); }
