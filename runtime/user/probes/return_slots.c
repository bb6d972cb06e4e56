/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaced return addresses, in a hash table keyed by the stack slot that held them; in private
 * memory, so that fork copies them. Contract: struct ust_slot in wire.h.
 *
 * A slot belongs to the thread whose stack contains it, so a key is only inserted and removed by
 * one thread, or by a signal handler that interrupts it, which uses other slots. Removed entries
 * stay, DEAD, for the same slot or, by compare-and-swap of the key, for any other. Functions that
 * never return (longjmp, exceptions, exiting threads) leave live entries: the next call in the same
 * slot overwrites them; when a neighbourhood is full of live ones, those whose stack slot holds
 * another value by now are reclaimed.
 *
 * Greenlets of Python share one stack: a switch copies the part of it that another one uses away,
 * and back later. So a live entry may be that of a call whose stack is elsewhere for now, and no
 * live entry is overwritten or reclaimed while such a library is loaded.
 *
 * Continuations of Ruby go back to a copy of the stack any number of times, and the calls in it
 * return each time. So no return is probed from the moment when they are loaded (callers.c). The
 * entries of calls that are pending then are not used for others any more, even when DEAD.
 */
#include "probes/libraries.h"
#include "probes/return_slots.h"

enum { SLOTS = UST_SLOTS, PROBES = UST_SLOT_PROBES };
/* Members of a chain; the last number is for notes. */
enum { CHAIN_MAX = (1 << UST_SLOT_CHAIN_BITS) - 1, NOTE = CHAIN_MAX };
/* Spins to wait for a thread that examines an entry; fork may have left it behind. */
enum { PATIENCE = 1 << 16 };

PRIVATE struct ust_slot return_slots[SLOTS] __attribute__((aligned(64)));
/* Some entry has been used: unwinding need not look for replaced addresses before. */
static PRIVATE bool used;

void slots_init(void)
{
	layout.slots = (u64)return_slots;
	layout.slots_mask = SLOTS - 1;
}

/* The entry of KEY in any state; NULL if not found, with *ROOM the best entry to use for it. */
static struct ust_slot *look_up(u64 key, struct ust_slot **room)
{
	u32 i;

	*room = NULL;
	for (i = 0; i < PROBES; i++) {
		struct ust_slot *e = slot_entry(key, i);
		u64 k = READ_ONCE(e->key);

		if (likely((k & ~(u64)UST_SLOT_STATES) == key))
			return e;
		if (!*room && (!k || (k & UST_SLOT_STATES) == UST_SLOT_DEAD))
			*room = e;
		if (!k)
			break;
	}
	return NULL;
}

/* The live entry of KEY. */
static inline struct ust_slot *find(u64 key)
{
	struct ust_slot *e, *room;
	u32 patience;

	e = slot_entry(key, 0);
	if (unlikely(READ_ONCE(e->key) != key))
		e = look_up(key, &room);
	if (!e)
		return NULL;
	for (patience = PATIENCE; unlikely(READ_ONCE(e->key) & UST_SLOT_MARKED) && --patience;)
		arch_pause();
	return READ_ONCE(e->key) & (UST_SLOT_DEAD | UST_SLOT_BUSY) ? NULL : e;
}

/* ------------------------------------------------------------- forgotten */

/* True if the stack slot still holds the address that E's owner has written, or is about to
 * write. */
static bool in_use(const struct ust_slot *e, u64 key)
{
	u64 slot = key >> UST_SLOT_CHAIN_BITS, number = key & CHAIN_MAX, now;
	const struct ust_slot *first = number ? find(slot_key(slot, 0)) : e;

	if (!first || !umem_read(&now, slot, sizeof now))
		return false;
	/* On its way there: the caller's address, and the one after CALL(RETURN). */
	return (number == NOTE || number < first->count) &&
	       (now == first->now || now == e->ret ||
		now == first->now - (UST_STUB_BODY - UST_STUB_CALL));
}

/* Reclaim E, another thread's entry, whose owner will not wait for it any more. */
static bool reclaim(struct ust_slot *e)
{
	u64 k = READ_ONCE(e->key);

	if (k & UST_SLOT_STATES || in_use(e, k) || library_shares_stacks() ||
	    !slot_swap_key(e, k, k | UST_SLOT_MARKED))
		return false;
	/* E cannot change now; check that it did not change before */
	if (!in_use(e, k))
		return slot_swap_key(e, k | UST_SLOT_MARKED, k | UST_SLOT_DEAD);
	slot_swap_key(e, k | UST_SLOT_MARKED, k);
	return false;
}

static noinline struct ust_slot *reclaim_near(u64 key)
{
	u32 i;

	for (i = 0; i < PROBES; i++)
		if (reclaim(slot_entry(key, i)))
			return slot_entry(key, i);
	return NULL;
}

/* ----------------------------------------------------------- put and take */

static bool free_for(u64 k, u64 key, bool even_marked)
{
	if (k & UST_SLOT_MARKED && !even_marked)
		return false;
	return !k || k & UST_SLOT_DEAD || (k & ~(u64)UST_SLOT_STATES) == key;
}

/* The entry of KEY, BUSY and owned by the caller; NULL if there is no room. */
static noinline struct ust_slot *claim_slow(u64 key)
{
	struct ust_slot *e, *room;
	u32 patience = PATIENCE;
	u64 k;

	WRITE_ONCE(used, true);
	while (--patience) {
		e = look_up(key, &room);
		if (!e)
			e = room ? room : reclaim_near(key);
		if (!e)
			return NULL;
		k = READ_ONCE(e->key);
		/* BUSY with this key belongs to this thread: longjmp out of a signal handler.
		 * MARKED for long: by a thread that does not exist any more, since fork. */
		if (free_for(k, key, patience == 1) && slot_swap_key(e, k, key | UST_SLOT_BUSY))
			return e;
		arch_pause();
	}
	return NULL;
}

static inline struct ust_slot *claim(u64 key)
{
	struct ust_slot *e = slot_entry(key, 0);

	if (likely(slot_swap_key(e, key | UST_SLOT_DEAD, key | UST_SLOT_BUSY)))
		return e;
	return claim_slow(key);
}

static noinline struct ust_slot *missed(void)
{
	__atomic_fetch_add(&shared.status.missed_returns, 1, __ATOMIC_RELAXED);
	return NULL;
}

static noinline struct ust_slot *shares_slot(void)
{
	__atomic_fetch_add(&shared.status.copied_stacks, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The function in SLOT was reached by a tail call from one that is recorded as FIRST. */
static noinline struct ust_slot *put_chained(struct ust_slot *first, u64 slot, u64 ret, u64 now)
{
	struct ust_slot *e = first->count < CHAIN_MAX ? claim(slot_key(slot, first->count)) : NULL;

	if (!e)
		return missed();
	e->ret = ret;
	slot_publish(e, slot_key(slot, first->count));
	WRITE_ONCE(first->count, first->count + 1);
	WRITE_ONCE(first->now, now);
	return e;
}

noinline bool slot_is_others(u64 ret)
{
	static const u8 call[2] = {0xff, 0x15};
	const u8 leave = 0xc3;
	u8 code[UST_STUB_CALL + 1];

	return ret % 16 == UST_STUB_BODY % 16 && umem_read(code, ret, sizeof code) &&
	       code[0] == call[0] && code[1] == call[1] && code[UST_STUB_CALL] == leave;
}

noinline struct ust_slot *slot_put_slowly(u64 slot, u64 ret, u64 now)
{
	u64 key = slot_key(slot, 0);
	struct ust_slot *e = slot_entry(key, 0);

	if (unlikely(slot & 7))
		return missed();
	if (unlikely(READ_ONCE(e->key) != (key | UST_SLOT_DEAD))) {
		e = find(key);
		if (e && (e->now == ret || slot_is_others(ret)))
			return put_chained(e, slot, ret, now);
		if (e && library_shares_stacks())
			return shares_slot();
	}
	e = claim(key);
	if (unlikely(!e))
		return missed();
	e->ret = ret;
	e->now = now;
	e->count = 1;
	slot_publish(e, key);
	return e;
}

/* The last member of a chain. */
static noinline u64 take_chained(struct ust_slot *first, u64 slot)
{
	struct ust_slot *e = find(slot_key(slot, first->count - 1));
	u64 ret;

	if (!e)
		return 0;
	ret = e->ret;
	WRITE_ONCE(first->count, first->count - 1);
	WRITE_ONCE(first->now, ret);
	slot_publish(e, slot_key(slot, first->count) | UST_SLOT_DEAD);
	return ret;
}

noinline struct ust_slot *slot_last_slowly(u64 slot, u64 *caller)
{
	struct ust_slot *first = find(slot_key(slot, 0)), *e = first;

	if (!first)
		return NULL;
	*caller = first->ret;
	if (first->count > 1) {
		e = find(slot_key(slot, first->count - 1));
		if (!e)
			return NULL;
		/* the value about to be written to the stack slot: see in_use() */
		WRITE_ONCE(first->now, e->ret);
	}
	return e;
}

noinline u64 slot_take_slowly(u64 slot, u64 *caller)
{
	u64 key = slot_key(slot, 0), ret;
	struct ust_slot *e = find(key);

	if (unlikely(!e))
		return 0;
	ret = *caller = e->ret;
	if (unlikely(e->count > 1))
		return take_chained(e, slot);
	/* a thread that examines it will see that no thread waits for it */
	if (likely(!(READ_ONCE(e->key) & UST_SLOT_MARKED)))
		slot_publish(e, key | UST_SLOT_DEAD);
	return ret;
}

u64 slot_reentered(u64 slot, u64 now)
{
	struct ust_slot *room, *e = look_up(slot_key(slot, 0), &room);

	return e && e->now == now && library_reenters_stacks() ? e->ret : 0;
}

u64 port_real_return(struct ust_ctx *c, u64 slot, u64 ra)
{
	const struct ust_slot *e;

	(void)c;
	if (likely(!READ_ONCE(used)))
		return ra;
	e = find(slot_key(slot, 0));
	return e && e->now == ra ? e->ret : ra;
}

/* ------------------------------------------------------------------ notes */

bool slot_note(u64 slot, u64 a, u64 b)
{
	struct ust_slot *e = claim(slot_key(slot, NOTE));

	if (!e)
		return false;
	e->ret = a;
	e->now = b;
	e->count = 0;
	slot_publish(e, slot_key(slot, NOTE));
	return true;
}

struct ust_slot *slot_noted(u64 slot) { return find(slot_key(slot, NOTE)); }
