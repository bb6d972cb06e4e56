/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a file the one that the script was compiled for?  Offsets of another build could lie in the
 * middle of instructions, and a breakpoint there would crash the target.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "elfid.h"
#include "rt.h"

static int read_at(void *arg, void *to, u32 n, u64 at)
{
	loff_t pos = at;

	return kernel_read(arg, to, n, &pos) == n;
}

static void read_identity(struct file *f, char *to)
{
	struct elfid_file id = {.size = i_size_read(file_inode(f)), .read = read_at, .arg = f};

	*to = 0;
	id.buffer = kmalloc(ELFID_BUFFER, GFP_KERNEL);
	if (id.buffer)
		elfid_text(&id, to);
	kfree(id.buffer);
}

const char *identity_difference(const struct path *path, const char *want)
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
