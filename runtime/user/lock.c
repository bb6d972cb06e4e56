/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks in memory that several processes share.  The word is the owner's thread id.  Who waits
 * long asks the kernel whether the owner lives, and takes the lock of one that does not.  What such an owner left
 * half done is not mended here: arrays are linked such that walks end.
 */
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/time_types.h>

#include "user.h"

enum { SPINS = 200, PAUSE_NS = 50000 };

static bool has_died(u32 tid)
{
	return system_call(__NR_tkill, tid, 0, 0, 0, 0, 0) == -ESRCH;
}

static bool swap(u32 *lock, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(lock, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

enum taken owner_try(u32 *lock, u32 tid)
{
	if (likely(swap(lock, 0, tid)))
		return TAKEN;
	return READ_ONCE(*lock) == tid ? TAKEN_BY_US : TAKEN_BY_OTHER;
}

bool owner_steal(u32 *lock, u32 tid)
{
	u32 owner = READ_ONCE(*lock);

	return !(process.flags & UST_PROCESS_NO_SYSCALLS) && owner && owner != tid && has_died(owner) &&
	       swap(lock, owner, tid);
}

static void pause_for_long(void)
{
	const struct __kernel_timespec t = {0, PAUSE_NS};

	if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		system_call(__NR_nanosleep, (long)&t, 0, 0, 0, 0, 0);
}

static noinline bool lock_slowly(u32 *lock, u32 tid)
{
	u32 i;

	for (;;) {
		for (i = 0; i < SPINS; i++) {
			enum taken t = owner_try(lock, tid);

			if (t != TAKEN_BY_OTHER)
				return t == TAKEN;
			arch_pause();
		}
		if (owner_steal(lock, tid))
			return true;
		pause_for_long();
	}
}

bool owner_lock(u32 *lock, u32 tid)
{
	return likely(swap(lock, 0, tid)) || lock_slowly(lock, tid);
}

void owner_unlock(u32 *lock)
{
	smp_store_release(lock, 0);
}

unsigned long lock_take(u32 *lock)
{
	return owner_lock(lock, identity_tid());
}

void lock_drop(u32 *lock)
{
	owner_unlock(lock);
}

void *port_percpu_alloc(size_t size)
{
	u64 stride = (size + 63) / 64 * 64;
	char *p = heap_alloc(64 + stride * agent.ncpu);

	if (!p)
		return NULL;
	p += 64;
	((u64 *)p)[-1] = stride;
	return p;
}
