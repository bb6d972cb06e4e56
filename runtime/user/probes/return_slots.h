/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of replaced return addresses (return_slots.c), and its quick paths. */
#ifndef USTAP_RETURN_SLOTS_H
#define USTAP_RETURN_SLOTS_H

#include "user.h"

extern struct ust_slot return_slots[UST_SLOTS];
/* Parallel to the table: saved entry values of the calls. Emitted code defines it if needed. */
extern u64 ust_saved[] __attribute__((weak));

/* True if RET is after `call body' of another run's trampoline. Then the function in the slot was
 * reached by a tail call from one that both runs probe, and the other run has put RET where this
 * run's address was. */
bool slot_is_others(u64 ret);
/* slot_put() where its quick path does not apply. */
struct ust_slot *slot_put_slowly(u64 slot, u64 ret, u64 now);
/* slot_last() where its quick path does not apply. */
struct ust_slot *slot_last_slowly(u64 slot, u64 *caller);
/* slot_take() where its quick path does not apply. */
u64 slot_take_slowly(u64 slot, u64 *caller);

/* The return address of a call that has returned from SLOT before, where NOW was instead, and is on
 * a stack that the program has copied back; 0: no such call is known. */
u64 slot_reentered(u64 slot, u64 now);

/* The key of member NUMBER of the chain in the stack slot at address SLOT. */
static inline u64 slot_key(u64 slot, u32 number) { return slot << UST_SLOT_CHAIN_BITS | number; }

/* Entry I of the search for KEY. */
static inline struct ust_slot *slot_entry(u64 key, u32 i)
{
	return &return_slots[((key >> UST_SLOT_SHIFT) + i) & (UST_SLOTS - 1)];
}

/* Change E's key to TO if it is FROM. */
static inline bool slot_swap_key(struct ust_slot *e, u64 from, u64 to)
{
	return __atomic_compare_exchange_n(&e->key, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Make E, which is BUSY, valid for KEY. */
static inline void slot_publish(struct ust_slot *e, u64 key) { smp_store_release(&e->key, key); }

/* Room for ust_program.saved_words of the call that E records. */
static inline ust_long *slot_saved(const struct ust_slot *e)
{
	return (ust_long *)&ust_saved[(u64)(e - return_slots) * ust_program.saved_words];
}

/* slot_put() if the first entry of the search was used for this slot before; false: not done. */
static inline bool slot_put_quick(u64 slot, u64 ret, u64 now)
{
	u64 key = slot_key(slot, 0);
	struct ust_slot *e = slot_entry(key, 0);

	if (unlikely(slot & 7) ||
	    unlikely(!slot_swap_key(e, key | UST_SLOT_DEAD, key | UST_SLOT_BUSY)))
		return false;
	e->ret = ret;
	e->now = now;
	e->count = 1;
	slot_publish(e, key);
	return true;
}

/* slot_take() if SLOT has one record, in the first entry of the search; 0: not done. */
static inline u64 slot_take_quick(u64 slot)
{
	u64 key = slot_key(slot, 0), ret;
	struct ust_slot *e = slot_entry(key, 0);

	if (unlikely(READ_ONCE(e->key) != key) || unlikely(e->count != 1))
		return 0;
	ret = e->ret;
	slot_publish(e, key | UST_SLOT_DEAD);
	return ret;
}

/* Record RET for the stack slot at address SLOT, which will hold NOW instead. Returns the record;
 * NULL: no free entry (counted as a missed return). */
static inline struct ust_slot *slot_put(u64 slot, u64 ret, u64 now)
{
	return likely(slot_put_quick(slot, ret, now)) ? slot_entry(slot_key(slot, 0), 0)
						      : slot_put_slowly(slot, ret, now);
}

/* The last record of SLOT; NULL: not found. *CALLER: the address that was in SLOT first. */
static inline struct ust_slot *slot_last(u64 slot, u64 *caller)
{
	u64 key = slot_key(slot, 0);
	struct ust_slot *e = slot_entry(key, 0);

	if (unlikely(READ_ONCE(e->key) != key) || unlikely(e->count != 1))
		return slot_last_slowly(slot, caller);
	*caller = e->ret;
	return e;
}

/* Remove the last record of SLOT, and return its address; 0: not found. *CALLER: as of
 * slot_last(). */
static inline u64 slot_take(u64 slot, u64 *caller)
{
	u64 ret = slot_take_quick(slot);

	if (unlikely(!ret))
		return slot_take_slowly(slot, caller);
	*caller = ret;
	return ret;
}

#endif
