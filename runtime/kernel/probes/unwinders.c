/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return addresses for unwinders of traced programs.
 *
 * While a return probe is pending, the return address on the stack is that of the kernel's
 * trampoline. The unwinder of C++ and Rust finds no function there: an exception would end the
 * program, a backtrace would end early. So there are probes at the functions of unwinders. Where
 * one begins to read the stack, the real return addresses are written back. Before a landing pad is
 * entered, which may be the one that catches the exception, and where a backtrace ends, the
 * trampoline is put in again: the returns of calls that are still pending are seen. Calls that the
 * exception has ended are forgotten by the kernel as after longjmp().
 *
 * A word is changed only if it has the value that it should have, as a part of the stack may belong
 * to other calls by now. One that the process withholds for two seconds is left as it is.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include "probes/probes.h"
#include "process/process_filter.h"
#include "process/target_file.h"
#include "rt.h"

struct unwinder {
	struct uprobe_consumer uc;
	compat_uprobe uprobe;
	struct inode *inode; /* NULL: not registered */
	u64 offset;
};
static struct unwinder *unwinders;

/* The address of the trampoline by memory map, as it was found on a stack. A map may have been
 * freed: an entry is checked before it is used. */
enum { HASH_BITS = 8, MOST_MAPS = 4096 };
struct trampoline {
	struct hlist_node node;
	const struct mm_struct *mm;
	unsigned long addr;
};
static struct hlist_head trampolines[1 << HASH_BITS];
static unsigned int ntrampolines;
static DEFINE_SPINLOCK(trampolines_lock);

/* -------------------------------------------------------------- trampolines */

static struct hlist_head *maps_like(const struct mm_struct *mm)
{
	return &trampolines[hash_ptr(mm, HASH_BITS)];
}

static struct trampoline *known_map(const struct mm_struct *mm)
{
	struct trampoline *t;

	hlist_for_each_entry(t, maps_like(mm), node) if (t->mm == mm) return t;
	return NULL;
}

static unsigned long known_trampoline(void)
{
	const struct trampoline *t;
	unsigned long addr;

	spin_lock(&trampolines_lock);
	t = known_map(current->mm);
	addr = t ? t->addr : 0;
	spin_unlock(&trampolines_lock);
	return addr;
}

static void remember_trampoline(unsigned long addr)
{
	struct trampoline *made, *t;

	if (known_trampoline() == addr)
		return;
	made = kmalloc(sizeof *made, GFP_KERNEL);
	spin_lock(&trampolines_lock);
	t = known_map(current->mm);
	if (!t && made && ntrampolines < MOST_MAPS) {
		t = made;
		made = NULL;
		ntrampolines++;
		hlist_add_head(&t->node, maps_like(current->mm));
	}
	/* full: another map loses its entry, until it has the next exception */
	if (!t)
		t = hlist_entry_safe(maps_like(current->mm)->first, struct trampoline, node);
	if (t) {
		t->mm = current->mm;
		t->addr = addr;
	}
	spin_unlock(&trampolines_lock);
	kfree(made);
}

/* Is ADDR in this process where the kernel has mapped its trampoline? */
static bool is_trampoline(unsigned long addr, unsigned long *waited)
{
	struct vm_area_struct *area;
	const char *name = NULL;
	bool found;

	if (!addr || offset_in_page(addr) || !pagein_lock_current(waited))
		return false;
	area = find_vma(current->mm, addr);
	if (area && area->vm_start == addr && area->vm_ops && area->vm_ops->name)
		name = area->vm_ops->name(area);
	found = name && !strcmp(name, "[uprobes]");
	mmap_read_unlock(current->mm);
	return found;
}

/* --------------------------------------------------------------------- hits */

/* No access may fault: see pagein.c. WAITED is of one hit. */
static void set_word(unsigned long addr, unsigned long word, unsigned long *waited)
{
	unsigned long __user *at = (unsigned long __user *)addr;
	int err, tries = 2;

	do {
		pagefault_disable();
		err = put_user(word, at);
		pagefault_enable();
	} while (err && --tries && pagein_current(addr, true, waited));
}

static const struct return_instance *pending(void)
{
	return current->utask ? current->utask->return_instances : NULL;
}

static int show_real(struct uprobe_consumer *uc, struct pt_regs *regs COMPAT_COOKIE)
{
	const struct return_instance *ri;
	unsigned long word, trampoline = 0, waited = 0;

	for (ri = pending(); ri; ri = ri->next) {
		if (!pagein_word(ri->stack, &word, &waited) || word == ri->orig_ret_vaddr)
			continue;
		if (!trampoline && is_trampoline(word, &waited)) {
			trampoline = word;
			remember_trampoline(word);
		}
		if (trampoline && word == trampoline)
			set_word(ri->stack, ri->orig_ret_vaddr, &waited);
	}
	return 0;
}

static int put_back(struct uprobe_consumer *uc, struct pt_regs *regs COMPAT_COOKIE)
{
	unsigned long word, waited = 0, trampoline = pending() ? known_trampoline() : 0;
	const struct return_instance *ri;

	if (!is_trampoline(trampoline, &waited))
		return 0;
	for (ri = pending(); ri; ri = ri->next)
		if (pagein_word(ri->stack, &word, &waited) && word == ri->orig_ret_vaddr)
			set_word(ri->stack, trampoline, &waited);
	return 0;
}

static bool may_unwind(struct uprobe_consumer *uc COMPAT_FILTER_CTX, struct mm_struct *mm)
{
	return !filter_on || filter_wants_mm(mm);
}

/* ------------------------------------------------------------- all of them */

static void arm_unwinder(struct unwinder *u, const struct ust_unwinder *where)
{
	struct inode *inode = target_file_inode(where->module);
	bool reported = u > unwinders && where[-1].module == where->module && !u[-1].inode;

	u->uc.handler = where->installs ? put_back : show_real;
	u->uc.filter = may_unwind;
	u->offset = where->offset;
	if (inode && !compat_register(&u->uprobe, inode, u->offset, 0, &u->uc))
		u->inode = inode;
	else if (!reported && !target_file_is_missing(where->module))
		relay_message(UST_REC_WARN,
			      "the unwinder in %s cannot be probed: an exception that passes a "
			      "probed function ends its program",
			      ust_program.modules[where->module].name);
}

int unwinders_register(void)
{
	u32 i;

	if (!ust_program.nunwinders)
		return 0;
	unwinders = kvcalloc(ust_program.nunwinders, sizeof *unwinders, GFP_KERNEL);
	if (!unwinders)
		return -ENOMEM;
	for (i = 0; i < ust_program.nunwinders; i++)
		arm_unwinder(&unwinders[i], &ust_program.unwinders[i]);
	return 0;
}

void unwinders_unregister(void)
{
	struct hlist_node *next;
	struct trampoline *t;
	u32 i;

	for (i = 0; unwinders && i < ust_program.nunwinders; i++)
		if (unwinders[i].inode)
			compat_unregister(unwinders[i].uprobe, unwinders[i].inode,
					  unwinders[i].offset, &unwinders[i].uc);
	if (unwinders)
		compat_unregister_done();
	kvfree(unwinders);
	unwinders = NULL;
	for (i = 0; i < ARRAY_SIZE(trampolines); i++)
		hlist_for_each_entry_safe(t, next, &trampolines[i], node)
		{
			hlist_del(&t->node);
			kfree(t);
		}
	ntrampolines = 0;
}
