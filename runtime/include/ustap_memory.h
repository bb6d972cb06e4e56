/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of ustap_rt.h: memory of the probed process and of the kernel. */
#ifndef USTAP_USTAP_MEMORY_H
#define USTAP_USTAP_MEMORY_H

#include "ustap_context.h"
#include "ustap_types.h"

/* Load SIZE (1, 2, 4, 8) bytes at ADDR of the probed process, zero-extended; 0 and the error "read
 * fault" if not mapped. */
ust_u64 ust_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size);
/* ust_load() that returns 0 without an error: --skip-badvars. */
static inline ust_u64 ust_load_or_0(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	ust_u64 v = ust_load(c, addr, size);

	return c->failed && ust_catch(c, 0) ? 0 : v;
}
/* ust_load() of kernel memory; "kernel read fault". Never sleeps. */
ust_u64 ust_kernel_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size);
/* ust_kernel_load() that returns 0 without an error: --skip-badvars. */
static inline ust_u64 ust_kernel_load_or_0(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	ust_u64 v = ust_kernel_load(c, addr, size);

	return c->failed && ust_catch(c, 0) ? 0 : v;
}
/* Addresses in the kernel, by their distance from the function register_kprobe(), or from this
 * CPU's variable this_cpu_off. */
ust_u64 ust_kernel_data(ust_long distance);
/* The address of the current CPU's copy; a handler does not leave its CPU. Kernel runtime only. */
ust_u64 ust_kernel_percpu(ust_long distance);
/* ust_kderef*(), ust_uderef*(): @kderef and @uderef of 1, 2, 4 or 8 bytes of the kernel's memory
 * and of the probed process's, zero-extended. */
static inline ust_long ust_kderef1(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 1);
}
static inline ust_long ust_kderef2(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 2);
}
static inline ust_long ust_kderef4(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 4);
}
static inline ust_long ust_kderef8(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_kernel_load(c, (ust_u64)addr, 8);
}
static inline ust_long ust_uderef1(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 1);
}
static inline ust_long ust_uderef2(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 2);
}
static inline ust_long ust_uderef4(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 4);
}
static inline ust_long ust_uderef8(struct ust_ctx *c, ust_long addr)
{
	return (ust_long)ust_load(c, (ust_u64)addr, 8);
}
/* Store the low SIZE bytes of V at ADDR; the error "write fault" if not writable. */
void ust_store(struct ust_ctx *c, ust_u64 addr, ust_u32 size, ust_u64 v);
/* Bring in pages that a later ust_load or ust_user_string under locks will read; never fails.
 * ust_touch() returns the value of ust_load(), or 0, so that chains of pointers can be followed. */
ust_u64 ust_touch(struct ust_ctx *c, ust_u64 addr, ust_u32 size);
/* The same for a string of up to a string's size: its first page and that of its last byte. */
void ust_touch_string(struct ust_ctx *c, ust_u64 addr);
/* The difference between run-time addresses of MODULE in the probed process and those in its file.
 * Byte OFFSET of the file, which is mapped wherever the module is, has ADDR. Fails if the process
 * has not mapped it. */
ust_u64 ust_base(struct ust_ctx *c, ust_u32 module, ust_u64 offset, ust_u64 addr);
/* The thread pointer of the probed thread: its thread-local variables are below it. */
ust_u64 ust_thread_pointer(struct ust_ctx *c);
/* The return address in SLOT of the probed thread's stack, as the program's code left it. */
ust_u64 ust_caller(struct ust_ctx *c, ust_u64 slot);
/* Fail: the value passed by the call that returns to RET is unknown. */
enum ust_caller_lost { UST_CALLER_OTHER, UST_CALLER_SILENT };
/* RET is named in the message; WHY: no call that returns there is described, or its description
 * lacks the value. */
void ust_caller_lost(struct ust_ctx *c, ust_u64 ret, enum ust_caller_lost why);
/* The probed thread's block for the module whose number is at address SLOT, and the address for the
 * TLS descriptor at SLOT. They fail if the thread has not allocated that block yet. */
ust_u64 ust_tls_module(struct ust_ctx *c, ust_u64 slot);
/* SLOT: address of a TLS descriptor (two words) in the probed process. */
ust_u64 ust_tls_descriptor(struct ust_ctx *c, ust_u64 slot);
/* The bits of the double nearest to the x87 number with this fraction, and this sign and
 * exponent. */
ust_u64 ust_extended(ust_u64 fraction, ust_u64 top);
/* Half N & 1 of vector register N / 2 (xmm0 ...) of the probed thread, as at the hit. */
ust_u64 ust_vector(ust_u32 n);

#endif
