/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common code of the modules here: lines written by probes, which /proc/kernel-docs returns, and a
 * filter of the traced task.
 *
 * Each module implements an example of the kernel's documentation by hand; a script of
 * ../ustap.kernel/docs.stp must print the same.
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
	docs_length += vscnprintf(docs_text + docs_length, sizeof docs_text - docs_length, format,
				  ap);
	raw_spin_unlock_irqrestore(&docs_lock, flags);
	va_end(ap);
}

/* Only calls of the load generator count, which has this name. */
static inline bool docs_wanted(void) { return !strcmp(current->comm, "docs-load"); }

static int docs_show(struct seq_file *m, void *unused)
{
	seq_write(m, docs_text, docs_length);
	return 0;
}

static inline int docs_begin(void)
{
	return proc_create_single("kernel-docs", 0444, NULL, docs_show) ? 0 : -ENOMEM;
}

static inline void docs_end(void) { remove_proc_entry("kernel-docs", NULL); }

/* A module: START registers its probes and returns an error number, STOP unregisters them. */
#define DOCS_MODULE(start, stop)                                                \
	static int __init docs_init(void)                                       \
	{                                                                       \
		int err = docs_begin();                                         \
                                                                                \
		if (!err && (err = start()))                                    \
			docs_end();                                             \
		return err;                                                     \
	}                                                                       \
	static void __exit docs_exit(void)                                      \
	{                                                                       \
		stop();                                                         \
		docs_end();                                                     \
	}                                                                       \
	module_init(docs_init);                                                 \
	module_exit(docs_exit);                                                 \
	MODULE_DESCRIPTION("what an example of the kernel documentation does"); \
	MODULE_LICENSE("GPL")

#endif
