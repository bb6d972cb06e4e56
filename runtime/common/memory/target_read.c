/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounded reads of the traced process's memory, for builtins that follow pointers there.
 *
 * The process controls the contents and the amount of its memory. So each builtin may read 128 KB,
 * which is the kernel's ARG_MAX, is charged for it, and ends early if its task is being killed.
 * After the last permitted read all further reads of this builtin fail.
 */
#include "common.h"

enum { MOST_READS = TARGET_MOST_READS, READS_PER_ACTION = TARGET_READS_PER_ACTION };
enum { READS_PER_CHECK = 1024 };

void target_begin(struct ust_ctx *c) { ctx_of(c)->reads = 0; }

static bool may_go_on(struct ust_ctx *c, u32 reads)
{
	return ust_charge(c, 1) && (reads % READS_PER_CHECK || !port_killed(c));
}

bool target_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to)
{
	struct ctx *x = ctx_of(c);

	*to = 0;
	if (unlikely(x->reads >= MOST_READS))
		return false;
	if (unlikely(++x->reads % READS_PER_ACTION == 0 && !may_go_on(c, x->reads))) {
		x->reads = MOST_READS;
		return false;
	}
	return port_read(c, addr, size, to);
}

u64 target_load(struct ust_ctx *c, u64 addr, u32 size)
{
	u64 v;

	if (unlikely(!target_read(c, addr, size, &v)) && !c->failed)
		port_fault(c, addr);
	return v;
}
