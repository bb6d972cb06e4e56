/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording of calls, for `ustap record': entries and returns of functions in a buffer of each
 * thread (wire_calls.h).
 *
 * A handler appends its event without a context and without a lock. Only the thread writes to its
 * buffer, and handlers of its signals, so one instruction claims the place of an event. A full
 * buffer is written as one record of output, with a context, as any other output. With a window
 * (UST_PROG_WINDOW) the buffer overwrites its oldest events instead; a trigger sets the limit of
 * each buffer to 0, so that each thread writes its own window at its next event. The script process
 * writes the rest at the end.
 */
#include <linux/errno.h>

#include "probes/callers.h"
#include "probes/return_slots.h"
#include "wire_calls.h"
#include "wire_records.h"

/* Buffers, events of each, for a continuous recording and for windows; both are powers of 2. Only
 * pages that are used take memory. */
enum { THREADS = 512, EVENTS = 1024, WINDOW_THREADS = 128, WINDOW_EVENTS = 1 << 19 };
/* Buffers that are looked at for a thread; events in a record; how often a thread without a buffer
 * looks for one of a dead thread. */
enum { PROBES = 16, PIECE = 2048, RECLAIM = 1024 };
#define NEVER     (~0ull)
#define NO_BUFFER (~0u)

/* The head of a record precedes its events, in the place of older events. */
struct piece {
	struct ust_calls_head head;
	struct ust_calls_events events;
};
#define HEAD_EVENTS (sizeof(struct piece) / sizeof(struct ust_call_event))
_Static_assert(sizeof(struct piece) % sizeof(struct ust_call_event) == 0,
	       "the head takes the place of whole events");

struct calls {
	u32 owner, pid; /* as of locks; 0: free */
	u64 next;       /* number of events claimed since `base' */
	u64 limit;      /* from this number on, events take the slow path */
	u64 base;       /* number of the first event of the buffer among all of the thread */
	u64 written;    /* windows: events before this one, since base, have been written */
	u64 from;       /* windows: ticks from which on events are wanted */
	u64 lost;       /* events that were dropped since the buffer was written */
	u64 since;      /* ticks at which the thread got the buffer */
};

static struct calls *buffers;
static char *memory;
static u64 stride; /* bytes of a buffer in it */
static u32 nbuffers, nevents;
static u64 max_bytes, bytes;
static u64 window_us; /* 0: everything is recorded */
static u64 start_ticks, start_ns;
static u64 dropped, full; /* events without a buffer or a context; beyond max_bytes */
static u32 misses;

/* ---------------------------------------------------------------- buffers */

static bool has_window(void) { return ust_program.flags & UST_PROG_WINDOW; }

static inline struct ust_call_event *event_at(u64 buffer, u64 at)
{
	return (struct ust_call_event *)(memory + buffer * stride + sizeof(struct piece)) +
	       (at & (nevents - 1));
}

static inline struct ust_call_event *event_of(const struct calls *b, u64 at)
{
	return event_at(b - buffers, at);
}

bool calls_init(void)
{
	if (!(ust_program.flags & UST_PROG_CALLS))
		return true;
	nbuffers = has_window() ? WINDOW_THREADS : THREADS;
	nevents = has_window() ? WINDOW_EVENTS : EVENTS;
	buffers = heap_alloc(nbuffers * sizeof *buffers);
	stride = sizeof(struct piece) + nevents * sizeof(struct ust_call_event);
	memory = heap_alloc(nbuffers * stride);
	return buffers && memory;
}

/* Claim one event: the signals of this thread may interrupt anywhere else. */
static inline u64 claim_next(struct calls *b) { return arch_claim(&b->next); }

static inline void set_event(struct ust_call_event *e, u64 ticks, u32 site, u64 slot)
{
	e->ticks = ticks;
	e->site = site;
	e->slot = slot >> 3;
}

static inline void put_event(struct calls *b, u64 at, u64 ticks, const struct ust_hit *hit)
{
	u64 sp = *regs_sp(hit->regs);

	set_event(event_of(b, at), ticks, hit->site - ust_program.sites,
		  sp - (hit->site->flags & UST_SITE_RETURN ? 8 : 0));
}

static noinline void drop(u64 *counter, u64 n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

/* ---------------------------------------------------------------- writing */

static u32 tid_of(const struct calls *b) { return b->owner & ((1u << OWNER_TID_BITS) - 1); }

static void fill_piece(struct piece *p, const struct calls *b, u64 at, u32 n, u32 flags)
{
	u32 len = sizeof p->events + n * sizeof(struct ust_call_event);

	p->head = (struct ust_calls_head){UST_CALLS_MAGIC, UST_CALLS_EVENTS, len};
	p->events = (struct ust_calls_events){.first = b->base + at,
					      .ticks = arch_ticks(),
					      .ns = clock_monotonic(),
					      .n = n,
					      .flags = flags,
					      .pid = b->pid,
					      .tid = tid_of(b),
					      .since = b->since};
}

static void put_piece(struct ust_ctx *c, struct calls *b, u64 at, u32 n, u32 flags)
{
	struct ust_call_event *e = event_of(b, at);
	struct piece *p = (struct piece *)(e - HEAD_EVENTS);
	u32 len = sizeof *p + n * sizeof *e;

	if (max_bytes && __atomic_add_fetch(&bytes, len, __ATOMIC_RELAXED) > max_bytes) {
		drop(&full, n);
		return;
	}
	fill_piece(p, b, at, n, flags);
	ctx_put(c, UST_REC_OUT, (const char *)p, len);
}

/* The events [AT, END) of B, which may wrap around. */
static void put_events(struct ust_ctx *c, struct calls *b, u64 at, u64 end, u32 flags)
{
	while (at < end) {
		u64 n = end - at, to_end = nevents - (at & (nevents - 1));

		if (n > to_end)
			n = to_end;
		if (n > PIECE)
			n = PIECE;
		put_piece(c, b, at, n, flags);
		flags = 0;
		at += n;
	}
}

/* Write all events of B, whose thread's handler this is, or whose thread has ended. */
static void write_all(struct ust_ctx *c, struct calls *b)
{
	u64 n = READ_ONCE(b->next), used = n < nevents ? n : nevents;

	if (used)
		put_events(c, b, 0, used, 0);
	WRITE_ONCE(b->next, 0);
	b->base += used + __atomic_exchange_n(&b->lost, 0, __ATOMIC_RELAXED);
}

/* The first event of B not before b->from, of those that are there and were not written. */
static u64 window_start(const struct calls *b, u64 end)
{
	u64 low = end > nevents - HEAD_EVENTS ? end - (nevents - HEAD_EVENTS) : 0, high = end;

	if (low < b->written)
		low = b->written;
	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (event_of(b, middle)->ticks < b->from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void write_window(struct ust_ctx *c, struct calls *b)
{
	u64 end = READ_ONCE(b->next), start;

	WRITE_ONCE(b->limit, NEVER);
	start = window_start(b, end);
	put_events(c, b, start, end, start == b->written && start ? 0 : UST_CALLS_WINDOW);
	b->written = end;
}

static void write_buffer(struct ust_ctx *c, struct calls *b)
{
	if (has_window())
		write_window(c, b);
	else
		write_all(c, b);
}

/* Returns false if the hit is skipped: the thread is inside of a handler already. */
static bool write_in(struct ust_hit *hit, struct calls *b)
{
	struct ust_ctx *c = ust_enter(hit);

	if (!c)
		return false;
	write_buffer(c, b);
	ust_leave(c);
	return true;
}

/* ---------------------------------------------------------------- finding */

static struct calls *use(struct calls *b)
{
	b->pid = identity_pid();
	b->since = arch_ticks();
	b->limit = has_window() ? NEVER : nevents;
	return b;
}

/* Events that B has, at most. */
static u64 unwritten(const struct calls *b)
{
	u64 n = READ_ONCE(b->next) - READ_ONCE(b->written);

	return n < nevents ? n : nevents;
}

/* The buffer of a thread that has ended. */
static struct calls *reclaim(struct ust_hit *hit, u32 self)
{
	u32 i;

	for (i = 0; i < PROBES; i++) {
		struct calls *b = &buffers[(self + i) & (nbuffers - 1)];
		u32 owner = READ_ONCE(b->owner);

		if (!owner_died(owner) ||
		    !__atomic_compare_exchange_n(&b->owner, &owner, self, false, __ATOMIC_SEQ_CST,
						 __ATOMIC_RELAXED))
			continue;
		b->owner = owner;
		if ((!has_window() || b->limit != NEVER) && !write_in(hit, b))
			drop(&dropped, unwritten(b));
		*b = (struct calls){.owner = self};
		return use(b);
	}
	return NULL;
}

/* Only hits in the traced process have registers and get a buffer, which others therefore never
 * own. */
static noinline struct calls *find(struct ust_hit *hit, u32 self)
{
	u32 i;

	if (hit->mode != MODE_PROBE)
		return NULL;
	for (i = 0; buffers && i < PROBES; i++) {
		struct calls *b = &buffers[(self + i) & (nbuffers - 1)];
		u32 none = 0;

		if (READ_ONCE(b->owner) == self)
			return b;
		if (__atomic_compare_exchange_n(&b->owner, &none, self, false, __ATOMIC_SEQ_CST,
						__ATOMIC_RELAXED))
			return use(b);
	}
	if (buffers && __atomic_fetch_add(&misses, 1, __ATOMIC_RELAXED) % RECLAIM == 0)
		return reclaim(hit, self);
	return NULL;
}

static noinline void put_slowly(struct ust_hit *hit, struct calls *b, u64 at, u64 now)
{
	if (has_window()) {
		put_event(b, at, now, hit); /* the window is sorted by time */
		write_in(hit, b);
	} else if (!write_in(hit, b)) {
		drop(&b->lost, 1);
		drop(&dropped, 1);
	} else {
		put_event(b, claim_next(b), now, hit);
	}
}

void ust_call_event(struct ust_hit *hit)
{
	u64 now = arch_ticks(), at;
	u32 self = lock_self();
	struct calls *b = &buffers[self & (nbuffers - 1)];

	if (unlikely(!buffers) || unlikely(READ_ONCE(b->owner) != self)) {
		b = find(hit, self);
		if (!b) {
			drop(&dropped, 1);
			return;
		}
	}
	at = claim_next(b);
	if (likely(at < READ_ONCE(b->limit)))
		put_event(b, at, now, hit);
	else
		put_slowly(hit, b, at, now);
}

/* ------------------------------------------------------------------ values */

/* Write TEXT as the values of event NUMBER of B. */
static void put_values(struct ust_ctx *c, const struct calls *b, u64 number, const char *text)
{
	struct {
		struct ust_calls_head head;
		struct ust_calls_values values;
		char text[UST_CALLS_TEXT_MAX];
	} v;
	size_t n = strlen(text), len = n < sizeof v.text ? n : sizeof v.text, all;

	if (!n)
		return;
	all = sizeof v.values + (len + 7) / 8 * 8;
	memset(v.text + len / 8 * 8, 0, len % 8 ? 8 : 0);
	memcpy(v.text, text, len);
	if (n > len)
		memcpy(v.text + len - 3, "...", 3);
	v.head = (struct ust_calls_head){UST_CALLS_MAGIC, UST_CALLS_VALUES, all};
	v.values = (struct ust_calls_values){number, b->pid, tid_of(b), len, b->since};
	if (max_bytes &&
	    __atomic_add_fetch(&bytes, sizeof v.head + all, __ATOMIC_RELAXED) > max_bytes)
		drop(&full, 1);
	else
		ctx_put(c, UST_REC_OUT, (const char *)&v, sizeof v.head + all);
}

/* The handler has a context, which writes a full buffer. No windows: the values are written at
 * once. */
void ust_call_values(struct ust_ctx *c, const char *text)
{
	u32 self = lock_self();
	struct ust_hit *hit = c->hit;
	struct calls *b = find(hit, self);
	u64 at;

	if (!b || has_window()) {
		drop(&dropped, 1);
		return;
	}
	at = claim_next(b);
	if (at >= READ_ONCE(b->limit)) {
		write_all(c, b);
		at = claim_next(b);
	}
	put_event(b, at, arch_ticks(), hit);
	put_values(c, b, b->base + at, text);
}

/* --------------------------------------------------------------- quick path */

static inline bool has_room(const struct calls *b)
{
	return READ_ONCE(b->next) < READ_ONCE(b->limit);
}

/* The number of this thread's buffer if an event can be appended to it without further work, else
 * NO_BUFFER. A free buffer, whose owner is 0 as the id of an unknown thread may be, has no room. */
static inline u32 quick_buffer(void)
{
	u32 self, n;

	if (unlikely(!is_armed()) || unlikely(!identity_plain()))
		return NO_BUFFER;
	self = lock_owner(identity_tid_quick());
	n = self & (nbuffers - 1);
	return likely(READ_ONCE(buffers[n].owner) == self) && likely(has_room(&buffers[n]))
		       ? n
		       : NO_BUFFER;
}

/* Called with a quick_buffer(), which handlers of signals may have filled by now. */
static inline void put_quickly(u32 n, u32 site, u64 *slot)
{
	struct calls *b = &buffers[n];
	u64 limit = b->limit, at = claim_next(b);

	if (likely(at < limit || has_window())) {
		set_event(event_at(n, at), arch_ticks(), site, (u64)slot);
	} else {
		__atomic_fetch_add(&b->lost, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&dropped, 1, __ATOMIC_RELAXED);
	}
}

ARCH_KEEPS_REGISTERS bool hit_call_return(u64 *at)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF(*at);
	u32 n = quick_buffer();

	if (unlikely(n == NO_BUFFER) || unlikely(!caller_known(at[1])) ||
	    unlikely(!slot_put_quick((u64)(at + 1), at[1], *at + UST_STUB_BODY - UST_STUB_CALL)))
		return false;
	at[1] = at[0];
	put_quickly(n, p->site, at + 1);
	return true;
}

ARCH_KEEPS_REGISTERS bool hit_call_after(u64 *at)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF_AFTER(*at);
	u32 n = quick_buffer();
	u64 ret = likely(n != NO_BUFFER) ? slot_take_quick((u64)at) : 0;

	if (unlikely(!ret))
		return false;
	put_quickly(n, ((const u32 *)layout.order)[p->rfirst], at);
	at[-1] = at[0];
	at[0] = ret;
	return true;
}

/* ------------------------------------------------------------ the recording */

/* A chunk of sites, filled by the script process. */
static struct {
	struct ust_calls_head head;
	char text[16384];
} chunk;

static void put_chunk(struct ust_ctx *c)
{
	if (!chunk.head.len)
		return;
	chunk.head.magic = UST_CALLS_MAGIC;
	chunk.head.type = UST_CALLS_SITES;
	ctx_put(c, UST_REC_OUT, (const char *)&chunk, sizeof chunk.head + chunk.head.len);
	chunk.head.len = 0;
}

static u32 text_length(const char *s)
{
	enum { TEXT_MAX = 4000 };
	size_t n = strlen(s);

	return n < TEXT_MAX ? n : TEXT_MAX;
}

static void add_text(const char *s)
{
	u32 n = text_length(s);

	memcpy(chunk.text + chunk.head.len, s, n);
	chunk.text[chunk.head.len + n] = 0;
	chunk.head.len += n + 1;
}

static void add_site(struct ust_ctx *c, struct ust_calls_site site, const char *a, const char *b)
{
	u32 begin;

	site.len = text_length(a) + 1 + (b ? text_length(b) + 1 : 0);
	if (chunk.head.len + sizeof site + site.len + 7 > sizeof chunk.text)
		put_chunk(c);
	begin = chunk.head.len;
	memcpy(chunk.text + begin, &site, sizeof site);
	chunk.head.len += sizeof site;
	add_text(a);
	if (b)
		add_text(b);
	while (chunk.head.len % 8)
		chunk.text[chunk.head.len++] = 0;
}

static void put_sites(struct ust_ctx *c)
{
	u32 i;

	for (i = 0; i < ust_program.nmodules; i++)
		add_site(c, (struct ust_calls_site){.index = i, .flags = UST_CALLS_MODULE},
			 ust_program.modules[i].name, NULL);
	for (i = 0; i < ust_program.nsites; i++) {
		const struct ust_site *s = &ust_program.sites[i];
		u32 flags = s->flags & UST_SITE_RETURN ? UST_CALLS_RETURN : 0;

		add_site(c,
			 (struct ust_calls_site){
				 .index = i, .module = s->module, .flags = flags, .addr = s->addr},
			 s->func ? s->func : "", s->pp);
	}
	put_chunk(c);
}

/* Write a chunk with the clocks, and return the ticks in it. */
static u64 put_moment(struct ust_ctx *c, u32 type)
{
	struct {
		struct ust_calls_head head;
		struct ust_calls_moment moment;
	} m;

	m.head = (struct ust_calls_head){UST_CALLS_MAGIC, type, sizeof m.moment};
	m.moment = (struct ust_calls_moment){arch_ticks(), clock_monotonic(), identity_pid(),
					     identity_tid()};
	ctx_put(c, UST_REC_OUT, (const char *)&m, sizeof m);
	return m.moment.ticks;
}

void ust_calls_begin(struct ust_ctx *c, ust_long max)
{
	start_ns = clock_monotonic();
	start_ticks = put_moment(c, UST_CALLS_START);
	max_bytes = max;
	put_sites(c);
}

void ust_calls_window(struct ust_ctx *c, ust_long us)
{
	(void)c;
	window_us = us;
}

static u64 window_ticks(void)
{
	u64 us = clock_since(start_ns) / 1000;

	return us ? (arch_ticks() - start_ticks) / us * window_us : 0;
}

/* Ask each thread for the events of the last window before NOW. */
static void ask_all(u64 now)
{
	u64 from = now - window_ticks();
	u32 i;

	for (i = 0; i < nbuffers; i++) {
		struct calls *b = &buffers[i];

		if (!READ_ONCE(b->owner) || !READ_ONCE(b->limit))
			continue;
		WRITE_ONCE(b->from, from);
		WRITE_ONCE(b->limit, 0);
	}
}

void ust_calls_keep(struct ust_ctx *c)
{
	if (buffers && has_window())
		ask_all(put_moment(c, UST_CALLS_TRIGGER));
}

static void warn_count(const char *what, u64 n)
{
	char text[160], digits[24];
	u32 len = 0, i = sizeof digits;

	if (!n)
		return;
	for (; n; n /= 10)
		digits[--i] = '0' + n % 10;
	memcpy(text, digits + i, sizeof digits - i);
	len = sizeof digits - i;
	memcpy(text + len, what, strlen(what));
	port_write(UST_REC_WARN, text, len + strlen(what), true);
}

/* The newest event of all threads. */
static u64 newest(void)
{
	u64 last = 0;
	u32 i;

	for (i = 0; i < nbuffers; i++) {
		const struct calls *b = &buffers[i];
		u64 t = b->next ? event_of(b, b->next - 1)->ticks : 0;

		if (t > last)
			last = t;
	}
	return last;
}

static bool any_events(void)
{
	u32 i;

	for (i = 0; i < nbuffers; i++)
		if (READ_ONCE(buffers[i].owner))
			return true;
	return dropped;
}

void ust_calls_end(struct ust_ctx *c, ust_long triggered)
{
	static const char none[] = "no calls were recorded: no process called these functions";
	u32 i;

	if (!buffers)
		return;
	if (has_window() && !triggered)
		ask_all(newest());
	for (i = 0; i < nbuffers; i++)
		if (buffers[i].owner && !(has_window() && buffers[i].limit == NEVER))
			write_buffer(c, &buffers[i]);
	if (!any_events())
		port_write(UST_REC_WARN, none, strlen(none), true);
	warn_count(" entries and returns were not recorded: too many threads, or in handlers of "
		   "signals",
		   dropped);
	warn_count(" entries and returns were not recorded: the recording has the size of --max",
		   full);
}
