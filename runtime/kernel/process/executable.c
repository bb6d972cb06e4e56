/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program of a process. */
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>

#include "process/process_filter.h"

const struct inode *process_executable(struct mm_struct *mm)
{
	const struct inode *inode = NULL;
	const struct file *f;

	rcu_read_lock();
	f = mm ? rcu_dereference(mm->exe_file) : NULL;
	if (f)
		inode = file_inode(f);
	rcu_read_unlock();
	return inode;
}
