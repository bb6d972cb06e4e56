/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identity of the current process and thread, determined without system calls, except for the first
 * time in a forked child (its struct ust_local is zero) and in threads between vfork() and exec: a
 * child that shares its parent's memory differs from its parent only in the results of system
 * calls.
 */
#include <asm/unistd.h>
#include <linux/prctl.h>

#include "arch/thread_id.h"
#include "user.h"

enum { NVFORK = sizeof local.vfork / sizeof *local.vfork };

static u32 ask(long nr) { return system_call(nr, 0, 0, 0, 0, 0, 0); }

static inline bool may_ask(void) { return !(process.flags & UST_PROCESS_NO_SYSCALLS); }

/* ---------------------------------------------------------------- process */

/* The loader gives others their process id as ust_local.unique. */
#define FORKED (1ull << 63)

/* In a forked child: without permission to trace it the loader could not follow an exec. */
static void look(void)
{
	local.tid_offset = 0;
	local.unique = FORKED | arch_ticks();
	lock_forked();
	if (shared.children && !is_orphaned() && may_ask())
		system_call(__NR_prctl, PR_SET_PTRACER, shared.loader, 0, 0, 0, 0);
	WRITE_ONCE(local.state, shared.children ? UST_LOCAL_WANTED : UST_LOCAL_UNWANTED);
	WRITE_ONCE(local.pid, may_ask() ? ask(__NR_getpid) : 0);
	if (shared.children)
		request_child();
}

/* posix_spawn() does much before it creates the child: only its return shows that it is over. */
#define SPAWN 1ull

/* Entry that records that this thread, or a child that uses its memory, has called vfork(). */
static u64 *vfork_of(u64 thread)
{
	u32 i;

	for (i = 0; i < NVFORK; i++)
		if ((READ_ONCE(local.vfork[i]) & ~SPAWN) == thread)
			return &local.vfork[i];
	return NULL;
}

static void vfork_over(u64 *entry, u64 thread)
{
	if (__atomic_compare_exchange_n(entry, &thread, 0, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		__atomic_fetch_sub(&local.vforks, 1, __ATOMIC_RELAXED);
}

bool in_vfork(void)
{
	u64 thread = arch_thread_pointer(), *entry = thread ? vfork_of(thread) : NULL;

	if (!may_ask() || (!entry && !local.vforks_lost))
		return false;
	if (ask(__NR_getpid) != local.pid)
		return true;
	if (entry && !(READ_ONCE(*entry) & SPAWN))
		vfork_over(entry, thread);
	return false;
}

void identity_vfork(bool spawn)
{
	u64 thread = arch_thread_pointer(), none = 0;
	u32 i;

	if (!local.state)
		look();
	if (thread && vfork_of(thread))
		return;
	__atomic_fetch_add(&local.vforks, 1, __ATOMIC_RELAXED);
	for (i = 0; thread && i < NVFORK; i++, none = 0)
		if (__atomic_compare_exchange_n(&local.vfork[i], &none,
						thread | (spawn ? SPAWN : 0), false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	WRITE_ONCE(local.vforks_lost, 1);
}

void identity_spawned(void)
{
	u64 thread = arch_thread_pointer(), *entry = thread ? vfork_of(thread) : NULL;

	if (entry)
		vfork_over(entry, READ_ONCE(*entry));
}

bool identity_slow(void)
{
	if (!local.state)
		look();
	if (unlikely(local.vforks) && in_vfork())
		return shared.children;
	return local.state == UST_LOCAL_WANTED;
}

/* If the id is unknown this is a forked child, which the script cannot name. */
_Bool ust_is_process(ust_long pid) { return local.host_pid == pid; }

u32 identity_pid(void)
{
	if (unlikely(!local.pid))
		look();
	if (unlikely(local.vforks) && in_vfork())
		return ask(__NR_getpid);
	return local.pid;
}

/* ----------------------------------------------------------------- thread */

/* Offset of the thread id from the thread pointer, in bytes. */
static const u32 known_offsets[] = THREAD_ID_OFFSETS;
enum { SEARCH = 0x400 };

static bool is_at(u64 thread, u32 offset, u32 tid)
{
	u32 v;

	return umem_read(&v, thread + offset, sizeof v) && v == tid;
}

static u32 search(u64 thread, u32 tid)
{
	u32 i, found = TID_NOWHERE;

	for (i = 0; i < sizeof known_offsets / sizeof *known_offsets; i++)
		if (is_at(thread, known_offsets[i], tid))
			return known_offsets[i];
	for (i = 4; i < SEARCH; i += 4)
		if (is_at(thread, i, tid)) {
			if (found != TID_NOWHERE)
				return TID_NOWHERE;
			found = i;
		}
	return found;
}

/* A forked child's C library updates its thread id a little after fork: so a few attempts. */
static u32 find_tid(u64 thread)
{
	static PRIVATE u32 tries;
	u32 tid = ask(__NR_gettid), offset;

	if (local.tid_offset == TID_NOWHERE)
		return tid;
	offset = search(thread, tid);
	if (offset != TID_NOWHERE || ++tries > 16) {
		tries = 0;
		WRITE_ONCE(local.tid_offset, offset);
	}
	return tid;
}

void identity_shared(void)
{
	if (!local.state)
		look();
	WRITE_ONCE(local.tid_offset, TID_NOWHERE);
}

/* The thread id stored by the C library; 0 if it cannot be read. */
static u32 kept_tid(u64 thread, u32 offset)
{
	u32 tid;

	return thread && umem_read(&tid, thread + offset, sizeof tid) ? tid : 0;
}

u32 identity_tid_slow(void)
{
	u64 thread = arch_thread_pointer();
	u32 offset = local.tid_offset, tid;

	if (!may_ask()) {
		tid = kept_tid(thread, tid_known(offset) ? offset : known_offsets[0]);
		return tid ? tid : local.pid;
	}
	if (!thread || (local.vforks && in_vfork()))
		return ask(__NR_gettid);
	if (!tid_known(offset))
		return find_tid(thread);
	tid = *(const u32 *)(thread + offset);
	return tid ? tid : ask(__NR_gettid);
}
