/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples/kprobes/kretprobe_example.c: return value and duration of a function, and the number of
 * missed calls. */
#include <linux/ktime.h>
#include "docs.h"

static char func[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(func, func, sizeof func, 0444);
static int maxactive = 20;
module_param(maxactive, int, 0444);

static int at_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!current->mm || !docs_wanted())
		return 1;
	*(ktime_t *)ri->data = ktime_get();
	return 0;
}
NOKPROBE_SYMBOL(at_entry);

static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	s64 took = ktime_to_ns(ktime_sub(ktime_get(), *(ktime_t *)ri->data));

	docs_print("%s returned %lu and took %lld ns to execute\n", func, regs_return_value(regs),
		   took);
	return 0;
}
NOKPROBE_SYMBOL(at_return);

static struct kretprobe probe = {
	.entry_handler = at_entry, .handler = at_return, .data_size = sizeof(ktime_t)};

static int start(void)
{
	probe.kp.symbol_name = func;
	probe.maxactive = maxactive;
	return register_kretprobe(&probe);
}

/* The last line goes to the kernel's log, because the file in /proc is removed. */
static void stop(void)
{
	unregister_kretprobe(&probe);
	pr_info("kernel-docs: missed probing %d instances of %s\n", probe.nmissed, func);
}

DOCS_MODULE(start, stop);
