/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings: one for each CPU and some spare.  A writer takes its CPU's or, if somebody holds that, the next
 * that is free, so nobody waits for a thread that was stopped while it copied.  The head moves
 * last: a writer that is killed leaves nothing but its lock, which the next one takes over.
 */
#include <asm/unistd.h>
#include <linux/time_types.h>

#include "user.h"

/* How often a begin or end probe waits a millisecond for a reader that does not read. */
#define PATIENCE 5000
/* How often all rings are tried before a record is given up. */
#define ROUNDS 1000

static struct ust_ring *rings;

/* ---------------------------------------------------------------- writing */

static void put_bytes(struct ust_ring *r, u64 at, const void *from, u32 n)
{
	u32 begin = at & (r->size - 1), to_end = r->size - begin;
	char *buf = (char *)r->buf;

	if (likely(n <= to_end)) {
		memcpy(buf + begin, from, n);
		return;
	}
	memcpy(buf + begin, from, to_end);
	memcpy(buf, (const char *)from + to_end, n - to_end);
}

/* With the lock held.  False: no room. */
static bool append(struct ust_ring *r, u32 type, const char *text, u32 len)
{
	u32 whole = (sizeof(struct ust_rec) + len + 7) & ~7u;
	struct ust_rec rec;
	u64 now;

	if (unlikely(r->size - (r->head - smp_load_acquire(&r->tail)) < whole))
		return false;
	now = clock_monotonic();
	if (now > r->last_time)
		r->last_time = now;
	rec.len = len;
	rec.type = type;
	rec.cpu = r - rings;
	rec.seq = r->seq++;
	rec.time = r->last_time;
	put_bytes(r, r->head, &rec, sizeof rec);
	put_bytes(r, r->head + sizeof rec, text, len);
	smp_store_release(&r->head, r->head + whole);
	return true;
}

static struct ust_ring *lock_any(u32 tid)
{
	u32 here = arch_cpu(), n = agent.nrings, i, round;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < n; i++)
			if (owner_try(&rings[(here + i) % n].lock, tid) == TAKEN)
				return &rings[(here + i) % n];
		for (i = 0; i < n; i++)
			if (owner_steal(&rings[i].lock, tid))
				return &rings[i];
		arch_pause();
	}
	return NULL;
}

/* One attempt; counts the loss if it is the last. */
static bool try_append(u32 type, const char *text, u32 len, bool last)
{
	u32 tid = identity_tid();
	struct ust_ring *r = &rings[arch_cpu()];
	bool done;

	if (unlikely(owner_try(&r->lock, tid) != TAKEN))
		r = lock_any(tid);
	if (unlikely(!r)) {
		if (last)
			__atomic_fetch_add(&agent.status.lost_records, 1, __ATOMIC_RELAXED);
		return false;
	}
	done = append(r, type, text, len);
	if (unlikely(!done && last)) {
		r->seq++;
		r->lost_records++;
		r->lost_bytes += len;
	}
	owner_unlock(&r->lock);
	return done;
}

static u64 total_read(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < agent.nrings; i++)
		sum += READ_ONCE(rings[i].tail);
	return sum;
}

/* Wait until some of the rings were read; false if that is not to be expected. */
static bool wait_for_reader(u64 read_before)
{
	const struct __kernel_timespec t = {0, 1000000};
	u32 i;

	for (i = 0; total_read() == read_before; i++) {
		if (!READ_ONCE(agent.reader) || i == PATIENCE)
			return false;
		system_call(__NR_nanosleep, (long)&t, 0, 0, 0, 0, 0);
	}
	return true;
}

static noinline void append_or_wait(u32 type, const char *text, u32 len)
{
	u64 read_before;

	do {
		read_before = total_read();
		if (try_append(type, text, len, false))
			return;
	} while (wait_for_reader(read_before));
	try_append(type, text, len, true);
}

void ring_write(u32 type, const char *text, u32 len, bool may_wait)
{
	if (likely(!may_wait))
		try_append(type, text, len, true);
	else
		append_or_wait(type, text, len);
}

/* ----------------------------------------------------------------- making */

bool rings_init(void)
{
	u32 size = 1u << 20, i;

	while (size >> 20 < agent.buffer_mb && size < 1u << 31)
		size <<= 1;
	agent.nrings = agent.ncpu + UST_RINGS_SPARE;
	rings = heap_alloc(agent.nrings * sizeof *rings);
	for (i = 0; rings && i < agent.nrings; i++) {
		rings[i].size = size;
		rings[i].buf = (u64)heap_alloc(size);
		if (!rings[i].buf)
			return false;
	}
	agent.rings = (u64)rings;
	return rings != NULL;
}
