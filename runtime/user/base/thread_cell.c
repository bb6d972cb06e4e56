/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owners of cells: see thread_cell.h. */
#include "user.h"

/* A thread whose cell is another one's asks once in ASK attempts whether that has ended. */
enum { ASK = 1024 };

/* Without system calls all threads of a process may have one id: see identity_tid_slow(). */
u32 thread_self_slowly(u32 self)
{
	if (self || local.tid_offset || local.vforks || process.flags & UST_PROCESS_NO_SYSCALLS)
		return self;
	return lock_self();
}

bool thread_cell_take(struct cell_owner *c, u32 self)
{
	u32 owner = READ_ONCE(c->owner);

	if (!owner_is_unique() || (owner && (++c->misses % ASK || !owner_died(owner))))
		return false;
	return __atomic_compare_exchange_n(&c->owner, &owner, self, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}
