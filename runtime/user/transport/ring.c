/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings: one for each CPU and some spare ones. A writer takes its CPU's ring or, if it is locked,
 * the next free one, so no thread waits for one that was stopped while it copied. The head moves
 * last: a killed writer leaves nothing but its lock, which the next writer takes over.
 *
 * With --lossless every writer waits for space, as long as staprun lives: the kernel marks
 * shared.owner when the tracer dies, and the tracer clears shared.reader when staprun does. Another
 * traced process may overwrite both, so the kernel is asked for the tracer, too.
 */
#include <asm/unistd.h>
#include <linux/time_types.h>

#include "context/ring_put.h"
#include "strings/text_copy.h"
#include "user.h"
#include "wire_records.h"

/* Longest wait of a begin or end probe's record for space. */
#define PATIENCE_NS 5000000000ull
/* Longest wait with --lossless while the script ends and nothing is read. */
#define ENDING_NS 1000000000ull
/* BUSY_NS: how long all rings are tried before a record is dropped; the others: in turns for a
 * process without system calls, and the number of turns between checks of the owners. */
#define BUSY_NS 100000000ull
enum { ROUNDS = 64, ASK = 16, ASK_TRACER = 64 };

static struct ust_ring *rings;

/* ---------------------------------------------------------------- writing */

/* A record to be written by the thread SELF, see lock_self(), at the time TICKS of the cycle
 * counter; 0: now. */
struct output {
	u32 type, len;
	const char *text;
	u32 self;
	u64 ticks;
};

static inline void fill_head(const struct ust_ring *r, struct ust_rec *rec, const struct output *o)
{
	u64 now = clock_monotonic_at(o->ticks);

	rec->len = o->len;
	rec->type = o->type;
	rec->cpu = r - rings;
	rec->seq = r->seq;
	rec->time = likely(now > r->last_time) ? now : r->last_time;
}

/* Append a record that wraps around the end of the buffer. */
static noinline u64 append_around(struct ust_ring *r, u32 at, const struct output *o)
{
	char *buf = (char *)r->buf;
	struct ust_rec rec;

	fill_head(r, &rec, o);
	at = ring_put(buf, r->size, at, &rec, sizeof rec);
	ring_put(buf, r->size, at, o->text, o->len);
	return rec.time;
}

/* Called with the lock held. False: no space. The head moves before the sequence number: a writer
 * killed in between leaves a number that is used twice, not a missing one. */
static inline bool append(struct ust_ring *r, const struct output *o)
{
	u32 whole = ust_rec_size(o->len), at = r->head & (r->size - 1);
	struct ust_rec *rec = (struct ust_rec *)(r->buf + at);
	u64 time;

	if (unlikely(!ring_fits(r->size, r->head - smp_load_acquire(&r->tail), whole, o->type)))
		return false;
	if (likely(whole <= r->size - at)) {
		fill_head(r, rec, o);
		text_copy((char *)(rec + 1), o->text, o->len);
		time = rec->time;
	} else {
		time = append_around(r, at, o);
	}
	WRITE_ONCE(r->last_time, time);
	smp_store_release(&r->head, r->head + whole);
	WRITE_ONCE(r->seq, r->seq + 1);
	/* address of the next record */
	__builtin_prefetch((char *)rec + whole + 64, 1);
	return true;
}

/* A ring that this thread holds already was left by siglongjmp(): no other handler of this thread
 * writes inside an interrupted one. */
static bool lock_ring(struct ust_ring *r, u32 self, bool ask)
{
	return likely(owner_try(&r->lock, self)) || READ_ONCE(r->lock) == self ||
	       (ask && owner_steal(&r->lock, self));
}

static noinline struct ust_ring *lock_any(u32 self, u32 here)
{
	static PRIVATE struct patience for_rings;
	struct bounded_wait w;
	u32 n = layout.nrings, i;
	bool last;

	for (wait_begin(&w, &for_rings, BUSY_NS, ROUNDS);; wait_rest(&w)) {
		last = wait_over(&w);
		for (i = 0; i < n; i++)
			if (lock_ring(&rings[(here + i) % n], self,
				      last || w.turn % ASK == ASK - 1))
				return &rings[(here + i) % n];
		if (last)
			break;
	}
	wait_was_vain(&w);
	return NULL;
}

static noinline void count_lost(struct ust_ring *r, u32 len)
{
	__atomic_fetch_add(&r->lost_records, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&r->lost_bytes, len, __ATOMIC_RELAXED);
}

/* Try once; counts the dropped record if LAST is set. *FULL is the ring without space, or NULL. */
static inline bool try_append(const struct output *o, bool last, struct ust_ring **full)
{
	u32 self = o->self, here = arch_cpu();
	struct ust_ring *r = &rings[here];
	bool done;

	if (unlikely(!lock_ring(r, self, false)))
		r = lock_any(self, here);
	if (unlikely(!r)) {
		if (last)
			count_lost(&rings[here], o->len);
		return false;
	}
	done = append(r, o);
	*full = r;
	if (unlikely(!done && last)) {
		WRITE_ONCE(r->seq, r->seq + 1);
		count_lost(r, o->len);
	}
	smp_store_release(&r->lock, 0);
	return done;
}

static u64 total_read(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < layout.nrings; i++)
		sum += READ_ONCE(rings[i].tail);
	return sum;
}

/* The last vain wait of this process. */
struct vain_wait {
	bool is_set;
	u64 read; /* total_read() at its end */
};

/* Wait until some ring has been read, at least a millisecond. False: no reader can be expected, or
 * the record has waited since SINCE for long enough, however much of other rings is read. */
static bool wait_for_reader(u64 read_before, u64 since)
{
	const struct __kernel_timespec t = {0, 1000000};
	static PRIVATE struct vain_wait vain;

	do {
		/* avoids a wait of each record for a reader that makes no progress */
		if (!READ_ONCE(shared.reader) || (vain.is_set && vain.read == read_before))
			return false;
		if (clock_since(since) > PATIENCE_NS) {
			vain = (struct vain_wait){true, total_read()};
			return false;
		}
		system_call(__NR_nanosleep, (long)&t, 0, 0, 0, 0, 0);
	} while (total_read() == read_before);
	vain.is_set = false;
	return true;
}

static noinline void append_or_wait(const struct output *o)
{
	struct ust_ring *full;
	u64 since = clock_monotonic(), read_before;

	do {
		read_before = total_read();
		full = NULL;
		if (try_append(o, false, &full))
			return;
		/* the reader has closed the ring, so space will never become free */
		if (full && READ_ONCE(full->closed))
			break;
	} while (wait_for_reader(read_before, since));
	try_append(o, true, &full);
}

/* --------------------------------------------------------------- lossless */

static bool is_lossless(void) { return ust_program.flags & UST_PROG_LOSSLESS; }

static bool reader_lives(void)
{
	return READ_ONCE(shared.reader) && !(READ_ONCE(shared.owner) & UST_ORPHANED);
}

static bool is_ending(void) { return READ_ONCE(shared.status.state) >= UST_STOPPING; }

/* While the script ends, the wait ends when nothing has been read for ENDING_NS. */
static noinline void append_lossless(const struct output *o)
{
	u64 since = clock_monotonic(), read_before = total_read();
	struct ust_ring *full = NULL;
	u32 turn = 0;

	while (reader_lives() && !(full && READ_ONCE(full->closed)) &&
	       !tracer_died(turn % ASK_TRACER == ASK_TRACER - 1)) {
		u64 read = total_read();

		if (!is_ending() || read != read_before)
			since = clock_monotonic();
		else if (clock_since(since) > ENDING_NS)
			break;
		read_before = read;
		wait_delay_others();
		lock_rest(turn++);
		full = NULL;
		if (try_append(o, false, &full))
			return;
	}
	try_append(o, true, &full);
}

bool port_write_lossless(struct ust_ctx *c, u32 type, const char *text, u32 len)
{
	const struct output o = {type, len, text, lock_self(), 0};
	struct ust_ring *full;

	(void)c;
	if (likely(try_append(&o, false, &full)))
		return false;
	append_lossless(&o);
	return true;
}

void port_write(u32 type, const char *text, u32 len, bool may_wait)
{
	const struct output o = {type, len, text, lock_self(), 0};
	struct ust_ring *full;

	if (likely(!may_wait))
		try_append(&o, true, &full);
	else if (is_lossless())
		append_lossless(&o);
	else
		append_or_wait(&o);
}

/* The handler has read the cycle counter when it read memory, which counts as the time of its first
 * record unless other handlers may have to wait for this one: their order is that of the locks. */
void port_write_output(struct ust_ctx *c, u32 type, const char *text, u32 len)
{
	struct port_ctx *x = &ctx_of(c)->port;
	const struct output o = {type, len, text, (u32)x->busy, x->locks ? 0 : x->ticks};
	struct ust_ring *full;

	if (unlikely(c->hit->mode == MODE_ALONE)) {
		port_write(type, text, len, true);
		return;
	}
	x->ticks = 0;
	try_append(&o, true, &full);
}

/* ----------------------------------------------------------------- making */

bool rings_init(void)
{
	u32 size = 1u << 20, i;

	while (size >> 20 < layout.buffer_mb && size < 1u << 31)
		size <<= 1;
	layout.nrings = layout.ncpu + UST_RINGS_SPARE;
	rings = heap_alloc(layout.nrings * sizeof *rings);
	for (i = 0; rings && i < layout.nrings; i++) {
		rings[i].size = size;
		rings[i].buf = (u64)heap_alloc(size);
		if (!rings[i].buf)
			return false;
	}
	layout.rings = (u64)rings;
	return rings != NULL;
}
