/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells that belong to one thread each, in memory that several processes share: only it and
 * handlers of its signals write to its cell, so it needs no lock. The thread's id as an owner of
 * locks determines the cell. Threads whose cell another one owns, and those whose id is not known
 * without a system call, have none.
 */
#ifndef USTAP_USER_THREAD_CELL_H
#define USTAP_USER_THREAD_CELL_H

#include "base/owner.h"

/* Cells of one object, a power of 2. */
enum { THREAD_CELLS = 64 };

/* In each cell. */
struct cell_owner {
	u32 owner; /* as of locks; 0: none */
	u32 misses;
};

/* This thread as an owner; 0: not known without a call. */
static inline u32 thread_self(void)
{
	u32 tid = likely(!local.vforks) ? identity_tid_quick() : 0;

	return likely(tid) ? lock_owner(tid) : 0;
}

/* The number of the cell that SELF may own. */
static inline u32 thread_cell(u32 self) { return self & (THREAD_CELLS - 1); }

/* thread_self() for a thread that does not own its cell: the first hit of a process makes the
 * location of its threads' ids known. */
u32 thread_self_slowly(u32 self);
/* True if the cell of C belongs to SELF from now on: it was free, or its owner has ended. The data
 * in it remain. */
bool thread_cell_take(struct cell_owner *c, u32 self);

#endif
