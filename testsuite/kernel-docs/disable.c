/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documentation/trace/kprobes.rst, disable_kprobe() and enable_kprobe(): a probe that is disabled
 * for a while. */
#include "docs.h"

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	if (docs_wanted())
		docs_print("hit of %s, %lu bytes\n", p->symbol_name, regs->dx);
	return 0;
}
NOKPROBE_SYMBOL(on_hit);

static struct kprobe probe = {.symbol_name = "vfs_read", .pre_handler = on_hit};

static int turn(const char *value, const struct kernel_param *unused)
{
	return *value == '1' ? enable_kprobe(&probe) : disable_kprobe(&probe);
}

static const struct kernel_param_ops ops = {.set = turn};
module_param_cb(on, &ops, NULL, 0200);

static int start(void) { return register_kprobe(&probe); }

static void stop(void) { unregister_kprobe(&probe); }

DOCS_MODULE(start, stop);
