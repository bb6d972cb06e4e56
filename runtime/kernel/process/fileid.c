/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File identity: decides whether a file may be probed.
 *
 * It must be the file the script was compiled for: offsets of another build could lie in the middle
 * of instructions, and a breakpoint there would crash the target.
 *
 * The kernel reads the pages of probed instructions while it holds a lock that every fork needs, so
 * a FUSE server that does not respond would stop the machine. This includes pages in the page
 * cache, because the server can invalidate them at any time.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "elfid.h"
#include "process/process_filter.h"
#include "rt.h"

static int read_file_at(void *arg, void *to, u32 n, u64 at)
{
	loff_t pos = at;

	return kernel_read(arg, to, n, &pos) == n;
}

static void read_identity(struct file *f, char *to)
{
	struct elfid_file id = {.size = i_size_read(file_inode(f)), .read = read_file_at, .arg = f};

	*to = 0;
	id.buffer = kmalloc(ELFID_BUFFER, GFP_KERNEL);
	if (id.buffer)
		elfid_text(&id, to);
	kfree(id.buffer);
}

const char *fileid_difference(const struct path *path, const char *want)
{
	char found[ELFID_TEXT] = "";
	struct file *f;

	if (!want || !*want)
		return NULL;
	f = dentry_open(path, O_RDONLY | O_LARGEFILE, current_cred());
	if (!IS_ERR(f)) {
		read_identity(f, found);
		fput(f);
	}
	return elfid_difference(found, want);
}

/* True if root runs the FUSE server; only the mount options in mountinfo show its owner. */
static bool root_serves(struct super_block *sb)
{
	char text[128] = "";
	struct seq_file m = {.buf = text, .size = sizeof text - 1};

	if (sb->s_user_ns != &init_user_ns || !sb->s_op->show_options)
		return false;
	if (sb->s_op->show_options(&m, sb->s_root))
		return false;
	return strstr(text, ",user_id=0,");
}

/* The headers of 5.10 do not define it. */
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

/* True if a user other than root serves the file system. virtiofs has the magic number of FUSE; its
 * server is the host of a virtual machine. */
static bool user_serves(struct super_block *sb)
{
	return sb->s_magic == FUSE_SUPER_MAGIC && strcmp(sb->s_type->name, "virtiofs") &&
	       !root_serves(sb);
}

bool fileid_pages_withheld(const struct path *path)
{
	return user_serves(path->dentry->d_sb) || user_serves(d_real_inode(path->dentry)->i_sb);
}
