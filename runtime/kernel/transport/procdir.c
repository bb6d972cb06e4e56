/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/ustap/NAME. All modules of ustap share the upper directory without knowing of each other:
 * the first creates it, the last removes it.
 *
 * procfs warns when a directory is created twice or removed while it is in use, so each module has
 * to check first, and only one at a time. The lock between modules is the name of a file system
 * type, which only one module can register.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/stat.h>

#include "rt.h"

#define ROOT "/proc/" UST_PROC_DIR

static struct proc_dir_entry *dir;

static int no_mount(struct fs_context *fc) { return -ENODEV; }

static struct file_system_type guard = {
	.name = "ustap-guard",
	.owner = THIS_MODULE,
	.init_fs_context = no_mount,
};

static int guard_lock(void)
{
	int tries = 0;

	/* held for microseconds; a minute means that a module died while it held the lock */
	while (register_filesystem(&guard)) {
		if (++tries > 30000)
			return -EBUSY;
		usleep_range(1000, 2000);
	}
	return 0;
}

static void guard_unlock(void) { unregister_filesystem(&guard); }

/* Number of links of the upper directory; 0 if it does not exist. */
static u32 root_links(void)
{
	struct kstat st;
	struct path path;
	u32 links = 0;

	if (kern_path(ROOT, LOOKUP_FOLLOW, &path))
		return 0;
	if (!vfs_getattr(&path, &st, STATX_NLINK, AT_STATX_SYNC_AS_STAT))
		links = st.nlink;
	path_put(&path);
	return links;
}

struct proc_dir_entry *procdir_make(const char *name)
{
	char path[80];

	if (guard_lock())
		return NULL;
	if (!root_links())
		proc_mkdir(UST_PROC_DIR, NULL);
	snprintf(path, sizeof path, UST_PROC_DIR "/%s", name);
	dir = proc_mkdir_mode(path, ust_program.procfs ? 0711 : 0700, NULL);
	guard_unlock();
	return dir;
}

void procdir_remove(const char *name)
{
	if (!dir)
		return;
	proc_remove(dir);
	if (guard_lock())
		return;
	if (root_links() == 2)
		remove_proc_entry(UST_PROC_DIR, NULL);
	guard_unlock();
}
