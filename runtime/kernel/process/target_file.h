/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of the script's modules; see target_file.c. */
#ifndef USTAP_KERNEL_PROCESS_TARGET_FILE_H
#define USTAP_KERNEL_PROCESS_TARGET_FILE_H

#include "rt.h"

/* True if S is in a program or library. */
static inline bool site_in_file(const struct ust_site *s)
{
	return !(s->flags & (UST_SITE_KERNEL | UST_SITE_SYSCALL));
}

/* Open the files of all modules; a probed file that cannot be opened is a warning. Returns 0 or
 * -ENOMEM; may sleep. */
int target_files_open(void);
void target_files_close(void); /* may sleep */
/* The inode of the module's file; NULL if the file is not open. */
struct inode *target_file_inode(u32 module);
/* True if the file is not open because nothing has its path. */
bool target_file_is_missing(u32 module);
/* The path of the module's file, which must be open. */
const struct path *target_file_path(u32 module);
/* Find the module of the script whose file is INODE. */
bool target_file_find(const struct inode *inode, u32 *module);
/* True if INODE is that module's file: the visible one, or the real one below an overlay. */
bool target_file_is(u32 module, const struct inode *inode);
/* True if the module has probe sites; other modules are listed for backtraces. */
bool target_file_is_probed(u32 module);

#endif
