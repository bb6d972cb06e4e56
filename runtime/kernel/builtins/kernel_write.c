/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins that write to the kernel's memory, its log and its trace buffer, most of them in guru
 * mode. */
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/uaccess.h>

#include "rt.h"

/* ---------------------------------------------------------------- memory */

/* Write SIZE bytes of V to TO; false if the address is not writable. copy_to_kernel_nofault() is
 * not exported to modules. */
static bool put(unsigned long to, u64 v, u32 size)
{
	if (!arch_is_kernel_address(to) || !arch_is_kernel_address(to + size - 1))
		return false;
	pagefault_disable();
	switch (size) {
	case 1:
		__put_kernel_nofault((void *)to, &v, u8, fault);
		break;
	case 2:
		__put_kernel_nofault((void *)to, &v, u16, fault);
		break;
	case 4:
		__put_kernel_nofault((void *)to, &v, u32, fault);
		break;
	default:
		__put_kernel_nofault((void *)to, &v, u64, fault);
	}
	pagefault_enable();
	return true;
fault:
	pagefault_enable();
	return false;
}

static void set(struct ust_ctx *c, ust_long addr, u64 v, u32 size)
{
	if (!put(addr, v, size))
		ctx_fail_addr(c, "kernel write fault at 0x", addr);
}

void ust_set_kernel_char(struct ust_ctx *c, ust_long addr, ust_long v) { set(c, addr, v, 1); }
void ust_set_kernel_short(struct ust_ctx *c, ust_long addr, ust_long v) { set(c, addr, v, 2); }
void ust_set_kernel_int(struct ust_ctx *c, ust_long addr, ust_long v) { set(c, addr, v, 4); }
void ust_set_kernel_long(struct ust_ctx *c, ust_long addr, ust_long v) { set(c, addr, v, 8); }

/* Write at most N characters of TEXT, and a NUL after them. */
void ust_set_kernel_string_n(struct ust_ctx *c, ust_long addr, ust_long n, const char *text)
{
	ust_long i;

	for (i = 0; i < n && text[i] && !c->failed; i++)
		set(c, addr + i, text[i], 1);
	if (!c->failed)
		set(c, addr + i, 0, 1);
}

void ust_set_kernel_string(struct ust_ctx *c, ust_long addr, const char *text)
{
	ust_set_kernel_string_n(c, addr, ust_program.maxstringlen, text);
}

/* ------------------------------------------------------- log and trace */

/* Writes to the trace buffer directly, without locks. */
void ust_ftrace(struct ust_ctx *c, const char *text) { compat_trace_puts(text); }

void ust_printk(struct ust_ctx *c, ust_long level, const char *text)
{
	if (level < 0 || level > 7)
		ctx_fail_number(c, "invalid kernel log level: ", level, "");
	else
		printk("%c%c%s\n", KERN_SOH_ASCII, (char)('0' + level), text);
}

void ust_dump_stack(struct ust_ctx *c) { dump_stack(); }
void ust_panic(struct ust_ctx *c, const char *text) { panic("%s", text); }
