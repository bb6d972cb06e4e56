/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documentation/trace/kprobes.rst, register_kprobes(): several probes at once, each of which
 * counts. */
#include "docs.h"

static const char *const names[] = {"vfs_mkdir",  "vfs_open",   "vfs_read",
				    "vfs_rename", "vfs_unlink", "vfs_write"};
static struct kprobe probes[ARRAY_SIZE(names)], *all[ARRAY_SIZE(names)];
static atomic_t counts[ARRAY_SIZE(names)];

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	if (docs_wanted())
		atomic_inc(&counts[p - probes]);
	return 0;
}
NOKPROBE_SYMBOL(on_hit);

/* Disarmed when the load generator writes here that it is done. */
static int tell(const char *value, const struct kernel_param *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		docs_print("%s %d\n", names[i], atomic_read(&counts[i]));
	return 0;
}

static const struct kernel_param_ops ops = {.set = tell};
module_param_cb(tell, &ops, NULL, 0200);

static int start(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		probes[i].symbol_name = names[i];
		probes[i].pre_handler = on_hit;
		all[i] = &probes[i];
	}
	return register_kprobes(all, ARRAY_SIZE(names));
}

static void stop(void) { unregister_kprobes(all, ARRAY_SIZE(names)); }

DOCS_MODULE(start, stop);
