// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The floor that hit-cost measures against: one uprobe or uretprobe whose
 * handler does nothing but count per CPU.
 *
 *   insmod bare.ko path=/bin/x offset=0x1234 ret=0
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/percpu.h>
#include <linux/uprobes.h>

static char *path;
module_param(path, charp, 0444);
static ulong offset;
module_param(offset, ulong, 0444);
static bool ret;
module_param(ret, bool, 0444);

static DEFINE_PER_CPU(u64, hits);
static struct path target;
static struct uprobe_consumer consumer;

#ifdef HANDLER_HAS_COOKIE
#define COOKIE , __u64 *data
#else
#define COOKIE
#endif

static int on_entry(struct uprobe_consumer *c, struct pt_regs *regs COOKIE)
{
	this_cpu_inc(hits);
	return 0;
}

static int on_return(struct uprobe_consumer *c, unsigned long func, struct pt_regs *regs COOKIE)
{
	this_cpu_inc(hits);
	return 0;
}

#ifdef REGISTER_GIVES_UPROBE
static struct uprobe *registered;

static int attach(struct inode *inode)
{
	registered = uprobe_register(inode, offset, 0, &consumer);
	return PTR_ERR_OR_ZERO(registered);
}

static void detach(struct inode *inode)
{
	uprobe_unregister_nosync(registered, &consumer);
	uprobe_unregister_sync();
}
#else
static int attach(struct inode *inode) { return uprobe_register(inode, offset, &consumer); }
static void detach(struct inode *inode) { uprobe_unregister(inode, offset, &consumer); }
#endif

static int __init bare_init(void)
{
	int err = kern_path(path, LOOKUP_FOLLOW, &target);

	if (err)
		return err;
	if (ret)
		consumer.ret_handler = on_return;
	else
		consumer.handler = on_entry;
	/* uprobes want the inode below an overlay */
	err = attach(d_real_inode(target.dentry));
	if (err)
		path_put(&target);
	return err;
}

static void __exit bare_exit(void)
{
	u64 sum = 0;
	int cpu;

	detach(d_real_inode(target.dentry));
	path_put(&target);
	for_each_possible_cpu(cpu) sum += per_cpu(hits, cpu);
	pr_info("bare: %llu hits\n", sum);
}

module_init(bare_init);
module_exit(bare_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("empty uprobe, the floor of the hit cost benchmark");
