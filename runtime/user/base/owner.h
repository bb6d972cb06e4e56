/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of threads as owners of locks, and the uncontended lock: inlined into each hit. */
#ifndef USTAP_USER_OWNER_H
#define USTAP_USER_OWNER_H

#include "arch/arch.h"
#include "wire_process.h"

extern struct ust_local local; /* wiped by fork, at the start of that page */

/* Thread id by the kernel, in this process's pid namespace. */
u32 identity_tid_slow(void);
#define TID_NOWHERE (~0u)
/* True if the C library stores the thread id at OFFSET of the thread pointer. */
static inline bool tid_known(u32 offset) { return offset - 1 < TID_NOWHERE - 1; }

/* Thread id: from the C library's memory where its location is known, else by a system call. */
static inline u32 identity_tid(void)
{
	u32 offset = local.tid_offset, tid = 0;
	unsigned long thread;

	if (likely(tid_known(offset) && !local.vforks)) {
		thread = arch_thread_pointer();
		if (likely(thread))
			tid = *(const u32 *)(thread + offset);
	}
	return likely(tid) ? tid : identity_tid_slow();
}

/* The same without a call; 0: identity_tid() may know it. Not valid while a child of vfork()
 * runs. */
static inline u32 identity_tid_quick(void)
{
	u32 offset = local.tid_offset;
	unsigned long thread;

	if (unlikely(!tid_known(offset)))
		return 0;
	thread = arch_thread_pointer_quick();
	return likely(thread) ? *(const u32 *)(thread + offset) : 0;
}

/* The owner of a lock is a thread id and the number of its pid namespace, see ust_process. */
enum { OWNER_TID_BITS = 22 };
/* The owner that the thread TID is. */
static inline u32 lock_owner(u32 tid) { return tid | process.pid_space << OWNER_TID_BITS; }
/* The owner of locks that this thread takes; never 0. */
static inline u32 lock_self(void) { return lock_owner(identity_tid()); }

/* Take the free LOCK for SELF; false if it is not free. */
static inline bool owner_try(u32 *lock, u32 self)
{
	u32 none = 0;

	return !READ_ONCE(*lock) && __atomic_compare_exchange_n(lock, &none, self, false,
								__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif
