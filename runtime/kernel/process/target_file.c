/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of the script's modules, programs and libraries, held open while the script runs. */
#include <linux/dcache.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include "error_text.h"
#include "process/process_filter.h"
#include "process/target_file.h"
#include "rt.h"

struct target_file {
	struct path path;
	struct inode *inode; /* NULL: not open */
	bool missing;        /* ... because nothing has this path */
};

static struct target_file *target_files; /* by module number */

bool target_file_is_probed(u32 module)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (ust_program.probes[i].program == module + 1)
			return true;
	for (i = 0; i < ust_program.nsites; i++)
		if (site_in_file(&ust_program.sites[i]) && ust_program.sites[i].module == module)
			return true;
	return false;
}

bool target_file_find(const struct inode *inode, u32 *module)
{
	u32 i;

	for (i = 0; target_files && i < ust_program.nmodules; i++)
		if (target_files[i].inode == inode) {
			*module = i;
			return true;
		}
	return false;
}

bool target_file_is(u32 module, const struct inode *inode)
{
	const struct target_file *f = target_files ? &target_files[module] : NULL;

	return f && f->inode && inode && (f->inode == inode || d_inode(f->path.dentry) == inode);
}

/* Open the real file: below an overlay, processes map that one and not the visible file. */
static void open_file(u32 i)
{
	const char *path = ust_program.modules[i].path, *why;
	int err = kern_path(path, LOOKUP_FOLLOW, &target_files[i].path);

	if (err) {
		target_files[i].missing = err == -ENOENT;
		if (target_file_is_probed(i))
			relay_message(UST_REC_WARN, "cannot probe %s: %s (%d)", path,
				      error_text(err), err);
		return;
	}
	if (fileid_pages_withheld(&target_files[i].path)) {
		if (target_file_is_probed(i))
			relay_message(UST_REC_WARN,
				      "cannot probe %s: a user serves it by FUSE and can withhold "
				      "its pages; copy it, or use --runtime=user",
				      path);
		path_put(&target_files[i].path);
		return;
	}
	why = fileid_difference(&target_files[i].path, ust_program.modules[i].identity);
	if (why) {
		if (target_file_is_probed(i))
			relay_message(UST_REC_WARN,
				      "cannot probe %s: it differs from the file the script was "
				      "compiled for: %s",
				      path, why);
		path_put(&target_files[i].path);
		return;
	}
	target_files[i].inode = d_real_inode(target_files[i].path.dentry);
}

int target_files_open(void)
{
	u32 i;

	target_files = kvcalloc(ust_program.nmodules, sizeof *target_files, GFP_KERNEL);
	if (!target_files)
		return -ENOMEM;
	for (i = 0; i < ust_program.nmodules; i++)
		open_file(i);
	return 0;
}

void target_files_close(void)
{
	u32 i;

	for (i = 0; target_files && i < ust_program.nmodules; i++)
		if (target_files[i].inode)
			path_put(&target_files[i].path);
	kvfree(target_files);
	target_files = NULL;
}

struct inode *target_file_inode(u32 module)
{
	return target_files ? target_files[module].inode : NULL;
}

bool target_file_is_missing(u32 module) { return target_files && target_files[module].missing; }

const struct path *target_file_path(u32 module) { return &target_files[module].path; }
