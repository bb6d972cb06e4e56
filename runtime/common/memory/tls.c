/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thread-local variables of libraries: ELF Handling for Thread-Local Storage, sections 3.4.6
 * (x86-64) and 4.1, and the GNU descriptors (RFC-TLSDESC-x86). The second word at the thread
 * pointer is the thread's table of blocks, in glibc's format: sixteen bytes for each library,
 * preceded by its length.
 */
#include "common.h"

enum { ENTRY = 16 };
#define NOT_ALLOCATED (~0ull) /* until the library's first use in the thread */

/* The first word of entry N of the TABLE. */
static u64 entry(struct ust_ctx *c, u64 table, s64 n)
{
	return ust_load(c, table + (u64)(n * ENTRY), 8);
}

static u64 block_of(struct ust_ctx *c, u64 module)
{
	u64 thread = ust_thread_pointer(c), table, block;

	if (!thread) {
		ctx_fail(c, "the thread pointer is not known here");
		return 0;
	}
	table = ust_load(c, thread + 8, 8);
	if (c->failed)
		return 0;
	block = module && module <= entry(c, table, -1) && !c->failed ? entry(c, table, (s64)module)
								      : NOT_ALLOCATED;
	if (!c->failed && block == NOT_ALLOCATED)
		ctx_fail(c,
			 "the thread has not used the thread-local variables of this library yet");
	return block;
}

ust_u64 ust_tls_module(struct ust_ctx *c, ust_u64 slot)
{
	u64 module = ust_load(c, slot, 8);

	return c->failed ? 0 : block_of(c, module);
}

/* If the block was allocated with the thread, the descriptor has the offset from the thread
 * pointer, below which the block is; else a pointer to the library's number and the offset in its
 * block. */
ust_u64 ust_tls_descriptor(struct ust_ctx *c, ust_u64 slot)
{
	u64 arg = ust_load(c, slot + 8, 8), module, offset;

	if (c->failed)
		return 0;
	if ((s64)arg < 0)
		return ust_thread_pointer(c) + arg;
	module = ust_load(c, arg, 8);
	offset = c->failed ? 0 : ust_load(c, arg + 8, 8);
	return c->failed ? 0 : block_of(c, module) + offset;
}
