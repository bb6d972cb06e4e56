// SPDX-License-Identifier: GPL-2.0-or-later
/* A module that calls deep_leaf() when so many bytes are left on the kernel's stack as are written
 * to its parameter `left`. */
#include <linux/module.h>
#include <linux/sched/task_stack.h>

noinline long deep_leaf(long n);
noinline long deep_leaf(long n)
{
	barrier();
	return n + 1;
}

static noinline long descend(unsigned long left)
{
	volatile char room[64];
	unsigned long have = (unsigned long)room - (unsigned long)task_stack_page(current);
	long n;

	room[0] = 1;
	n = have > left ? descend(left) : deep_leaf(left);
	barrier();
	return n + room[0];
}

static int set_left(const char *text, const struct kernel_param *param)
{
	unsigned long left;
	int err = kstrtoul(text, 0, &left);

	if (!err && left >= 1024)
		descend(left);
	return err;
}

static const struct kernel_param_ops ops = {.set = set_left};
module_param_cb(left, &ops, NULL, 0200);

static int __init deep_init(void) { return 0; }
static void __exit deep_exit(void) { }
module_init(deep_init);
module_exit(deep_exit);
MODULE_DESCRIPTION("test of probes where the kernel's stack is nearly full");
MODULE_LICENSE("GPL");
