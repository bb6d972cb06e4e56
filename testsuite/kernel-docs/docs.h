/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the modules here share: lines that probes leave, which /proc/kernel-docs gives, and whose probes leave some.
 *
 * Each module does by hand what an example of the kernel's documentation does; a script of ../ustap.kernel/docs.stp is to
 * print the same.
 */
#ifndef KERNEL_DOCS_H
#define KERNEL_DOCS_H

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static char docs_text[1 << 16];
static size_t docs_length;
static DEFINE_RAW_SPINLOCK(docs_lock);

static __printf(1, 2) void docs_print(const char *format, ...)
{
	unsigned long flags;
	va_list ap;

	va_start(ap, format);
	raw_spin_lock_irqsave(&docs_lock, flags);
	docs_length += vscnprintf(docs_text + docs_length, sizeof docs_text - docs_length, format, ap);
	raw_spin_unlock_irqrestore(&docs_lock, flags);
	va_end(ap);
}

/* Only the load's own calls count; it gives itself this name. */
static inline bool docs_wanted(void) { return !strcmp(current->comm, "docs-load"); }

static int docs_show(struct seq_file *m, void *unused)
{
	seq_write(m, docs_text, docs_length);
	return 0;
}

static inline int docs_begin(void) { return proc_create_single("kernel-docs", 0444, NULL, docs_show) ? 0 : -ENOMEM; }

static inline void docs_end(void) { remove_proc_entry("kernel-docs", NULL); }

/* A module: START registers its probes and gives an error number, STOP takes them back. */
#define DOCS_MODULE(start, stop)                                                                                       \
	static int __init docs_init(void)                                                                              \
	{                                                                                                              \
		int err = docs_begin();                                                                                \
                                                                                                                       \
		if (!err && (err = start()))                                                                           \
			docs_end();                                                                                    \
		return err;                                                                                            \
	}                                                                                                              \
	static void __exit docs_exit(void)                                                                             \
	{                                                                                                              \
		stop();                                                                                                \
		docs_end();                                                                                            \
	}                                                                                                              \
	module_init(docs_init);                                                                                        \
	module_exit(docs_exit);                                                                                        \
	MODULE_DESCRIPTION("what an example of the kernel documentation does");                                             \
	MODULE_LICENSE("GPL")

#endif
