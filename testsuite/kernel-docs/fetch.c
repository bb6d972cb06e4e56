/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Documentation/trace/kprobetrace.rst, fetch arguments: registers, arguments, the stack, memory of
 * the kernel and of the program that they point to; as numbers of all sizes, arrays, bits, strings
 * and symbols.
 */
#include <linux/fs.h>
#include <uapi/linux/openat2.h>
#include "docs.h"

static int on_numbers(struct kprobe *p, struct pt_regs *regs)
{
	const unsigned long *stack = (void *)regs->sp, si = regs->si;

	if (!docs_wanted())
		return 0;
	docs_print("numbers: (%pS) reg=0x%lx s8=%d s16=%d s32=%d s64=%lld u8=%u u16=%u u32=%u "
		   "u64=%llu",
		   p->addr, si, (s8)si, (s16)si, (s32)si, (s64)si, (u8)si, (u16)si, (u32)si,
		   (u64)si);
	docs_print(
		" x8=0x%x x16=0x%x x32=0x%x x64=0x%llx stack=0x%lx stack1=0x%lx sum=0x%lx imm=17\n",
		(u8)si, (u16)si, (u32)si, (u64)si, regs->sp, stack[1],
		*(unsigned long *)(regs->sp + 8));
	return 0;
}
NOKPROBE_SYMBOL(on_numbers);

/* A string of the program, if it is resident. */
static void read_string(char *to, size_t size, const char __user *from)
{
	size_t i = 0;

	while (i < size - 1 && !copy_from_user_nofault(&to[i], from + i, 1) && to[i])
		i++;
	to[i] = 0;
}

static int on_memory(struct kprobe *p, struct pt_regs *regs)
{
	const unsigned long *stack = (void *)regs->sp;
	const u64 *how = (void *)regs->dx;
	const u16 *words = (void *)regs->dx;
	char name[64];

	if (!docs_wanted())
		return 0;
	read_string(name, sizeof name, (char __user *)regs->si);
	docs_print("memory: (%pS) flags=%llu how={0x%llx,0x%llx,0x%llx} bits=%llu more=%llu "
		   "name=\"%s\" first=%d",
		   p->addr, how[0], how[0], how[1], how[2], how[0] >> 6 & 15, how[0] >> 8 & 7, name,
		   name[0]);
	docs_print(" words={%u,%u,%u} caller=%pS comm=\"%s\"\n", words[0], words[1], words[2],
		   (void *)stack[0], current->comm);
	return 0;
}
NOKPROBE_SYMBOL(on_memory);

static int on_strings(struct kprobe *p, struct pt_regs *regs)
{
	const struct filename *name = (void *)regs->si;

	if (docs_wanted())
		docs_print("strings: (%pS) path=\"%s\" again={\"%s\"}\n", p->addr, name->name,
			   name->name);
	return 0;
}
NOKPROBE_SYMBOL(on_strings);

static char opener[KSYM_NAME_LEN] = "do_filp_open";
module_param_string(opener, opener, sizeof opener, 0444);

/* The kernel runs the newer of two probes at one address first. */
static struct kprobe probes[] =
	{
		{.symbol_name = "do_sys_openat2", .pre_handler = on_memory},
		{.symbol_name = "do_sys_openat2", .pre_handler = on_numbers},
		{.symbol_name = opener, .pre_handler = on_strings},
},
		     *all[] = {&probes[0], &probes[1], &probes[2]};

static int start(void) { return register_kprobes(all, ARRAY_SIZE(all)); }

static void stop(void) { unregister_kprobes(all, ARRAY_SIZE(all)); }

DOCS_MODULE(start, stop);
