// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The floor that kernel-cost measures against: one kprobe or kretprobe whose handler does nothing
 * but count per CPU.
 *
 *   insmod kbare.ko symbol=__x64_sys_getpgid ret=0
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>

static char *symbol;
module_param(symbol, charp, 0444);
static bool ret;
module_param(ret, bool, 0444);

static DEFINE_PER_CPU(u64, hits);

static int on_entry(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static struct kprobe call = {.pre_handler = on_entry};
static struct kretprobe back = {.handler = on_return};

static int __init kbare_init(void)
{
	call.symbol_name = back.kp.symbol_name = symbol;
	return ret ? register_kretprobe(&back) : register_kprobe(&call);
}

static void __exit kbare_exit(void)
{
	u64 sum = 0;
	int cpu;

	if (ret)
		unregister_kretprobe(&back);
	else
		unregister_kprobe(&call);
	for_each_possible_cpu(cpu) sum += per_cpu(hits, cpu);
	pr_info("kbare: %llu hits\n", sum);
}

module_init(kbare_init);
module_exit(kbare_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("empty kprobe or kretprobe, the floor of the kernel cost benchmark");
