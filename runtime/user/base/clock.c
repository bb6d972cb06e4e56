/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks of the kernel, by the vDSO's function or, for most readings, from the cycle counter.
 *
 * The vDSO waits for earlier instructions before it reads the counter, which takes longer than the
 * rest of a short handler. Where the kernel's clock is that counter (ust_layout.steady_ticks), the
 * vDSO is called once in CLOCK_WINDOW ticks, and readings in between are on a straight line through
 * the last call. The line is one of this process, in memory that fork copies.
 *
 * For a thread time does not go back. A line begins no earlier than the clock, and at least where
 * the last one ended, and its rate makes up for the difference. While another thread writes it, the
 * reading is one of the clock, or the end of the line before.
 */
#include <asm/unistd.h>
#include <linux/time.h>
#include <linux/time_types.h>

#include "user.h"

/* All processes of a script see the loader's CLOCK_MONOTONIC, since their times are compared. */
static u64 ask(int clock)
{
	struct __kernel_timespec t = {0, 0};
	u64 ahead = clock == CLOCK_MONOTONIC ? (u64)process.clock_ahead : 0;

	if (likely(process.clock_gettime && !(process.flags & UST_PROCESS_NO_TICKS)))
		arch_call_clock(clock, &t, (void *)process.clock_gettime);
	else if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		system_call(__NR_clock_gettime, clock, (long)&t, 0, 0, 0, 0);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec - ahead;
}

/* --------------------------------------------------------------- the line */

/* In ticks. WINDOW: length of a line. FIRST, LAST: the rate is the mean over a time between these.
 * SPAN: a call of the vDSO that took longer was interrupted. STUCK: a thread that updates a line
 * for so long does not exist any more, as after fork. */
enum {
	CLOCK_WINDOW = 1 << 21,
	CLOCK_FIRST = 4 * CLOCK_WINDOW,
	CLOCK_LAST = 1 << 30,
	CLOCK_SPAN = 1 << 10,
	CLOCK_STUCK = 1 << 30
};
/* Nanoseconds: the clock was set if it is farther behind the line. */
enum { CLOCK_BEHIND = 1 << 14 };
/* The rate was measured wrongly, or the clock was set, if it changes by more than this part. The
 * kernel's corrections are less (adjtimex(2)). */
enum { RATE_CHANGE = 500 };

/* RATE: ns a tick, 32 bits of fraction. CHECK: a value read while another thread writes, or left by
 * one, is recognised. */
struct line {
	u64 ticks, ns, rate, check;
};

static struct clock {
	struct line line, before;
	u64 ticks, ns, rate; /* from when on the rate is measured, and its last value */
	u64 busy;            /* when the thread that updates it began; 0: not being updated */
} clocks[2] PRIVATE __attribute__((aligned(64)));

static inline struct clock *clock_of(int clock) { return &clocks[clock == CLOCK_REALTIME]; }

static inline u64 check_of(const struct line *l)
{
	return ~(l->ticks ^ (l->ns << 21 | l->ns >> 43) ^ (l->rate << 43 | l->rate >> 21));
}

static inline bool line_read(const struct line *from, struct line *l)
{
	l->ticks = READ_ONCE(from->ticks);
	l->ns = READ_ONCE(from->ns);
	l->rate = READ_ONCE(from->rate);
	l->check = READ_ONCE(from->check);
	return likely(l->check == check_of(l));
}

static inline u64 line_at(const struct line *l, u64 since)
{
	return l->ns + (since * l->rate >> 32);
}

static void line_write(struct line *to, const struct line *l)
{
	WRITE_ONCE(to->ticks, l->ticks);
	WRITE_ONCE(to->ns, l->ns);
	WRITE_ONCE(to->rate, l->rate);
	smp_store_release(&to->check, check_of(l));
}

/* The line, or the one before while another thread writes it. */
static bool line_last(const struct clock *c, struct line *l)
{
	enum { TRIES = 3 };
	u32 i;

	for (i = 0; i < TRIES; i++)
		if (line_read(&c->line, l) || line_read(&c->before, l))
			return true;
	return false;
}

/* ------------------------------------------------------------- the update */

/* The rate from the time since C->ticks, which begins anew if necessary; 0: not known yet. */
static u64 measure_rate(struct clock *c, u64 ticks, u64 ns)
{
	u64 age = ticks - c->ticks, passed = ns - c->ns, rate;

	if (age >> 32 || passed >> 32) {
		c->ticks = ticks;
		c->ns = ns;
		return c->rate = 0;
	}
	if (age < CLOCK_FIRST)
		return c->rate;
	rate = (passed << 32) / age;
	if (c->rate && (rate > c->rate ? rate - c->rate : c->rate - rate) > c->rate / RATE_CHANGE) {
		rate = 0;
		age = CLOCK_LAST;
	}
	if (age >= CLOCK_LAST) {
		c->ticks = ticks;
		c->ns = ns;
	}
	return c->rate = rate;
}

/* NS, or the end of the line L if the clock is only a little behind it. */
static u64 not_before(const struct line *l, u64 ns)
{
	u64 end = line_at(l, CLOCK_WINDOW);

	return end - ns < CLOCK_BEHIND ? end : ns;
}

/* Make the line after L (NULL: no valid one), as the clock was NS at TICKS or a moment later.
 * Returns the time at TICKS. */
static u64 line_next(struct clock *c, const struct line *l, u64 ticks, u64 ns)
{
	struct line next = {.ticks = ticks, .ns = l ? not_before(l, ns) : ns};
	u64 rate = measure_rate(c, ticks, ns), ahead = next.ns - ns;

	if (!rate || rate >> 33) {
		WRITE_ONCE(c->line.check, 0);
		return next.ns;
	}
	next.rate = rate - (ahead << 32) / CLOCK_WINDOW;
	if (next.rate > rate || next.rate < rate / 2)
		next.rate = rate / 2;
	if (l)
		line_write(&c->before, l);
	line_write(&c->line, &next);
	return next.ns;
}

static bool begin_update(struct clock *c, u64 now)
{
	u64 busy = READ_ONCE(c->busy);

	return (!busy || now - busy + CLOCK_STUCK > 2ull * CLOCK_STUCK) &&
	       __atomic_compare_exchange_n(&c->busy, &busy, now | 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* The time of the line of C at TICKS; 0: its window is over, or it cannot be used. *L is the last
 * line, *VALID: it can be read. */
static u64 line_time(const struct clock *c, u64 ticks, struct line *l, bool *valid)
{
	*valid = line_last(c, l);
	return *valid && ticks - l->ticks < CLOCK_WINDOW ? line_at(l, ticks - l->ticks) : 0;
}

/* Make a line, as the only thread that does; another one may just have made it. */
static u64 update(struct clock *c, int clock)
{
	u64 before = arch_ticks(), after, ns;
	struct line l;
	bool valid;

	ns = line_time(c, before, &l, &valid);
	if (ns)
		return ns;
	ns = ask(clock);
	after = arch_ticks();
	if (after - before > CLOCK_SPAN)
		return valid ? not_before(&l, ns) : ns;
	return line_next(c, valid ? &l : NULL, before, ns);
}

/* Without a valid line, or after its window. */
static noinline u64 read_clock(int clock)
{
	struct clock *c = clock_of(clock);
	u64 now = arch_ticks(), ns;
	struct line l;
	bool valid;

	if (!layout.steady_ticks || process.flags & UST_PROCESS_NO_TICKS)
		return ask(clock);
	ns = line_time(c, now, &l, &valid);
	if (ns)
		return ns;
	if (!begin_update(c, now)) {
		ns = ask(clock);
		return valid ? not_before(&l, ns) : ns;
	}
	ns = update(c, clock);
	smp_store_release(&c->busy, 0);
	return ns;
}

static inline u64 time_at(int clock, u64 ticks)
{
	struct line l;
	bool valid = line_read(&clock_of(clock)->line, &l);
	u64 since = (ticks ? ticks : arch_ticks()) - l.ticks;

	return likely(valid && since < CLOCK_WINDOW) ? line_at(&l, since) : read_clock(clock);
}

u64 clock_monotonic(void) { return time_at(CLOCK_MONOTONIC, 0); }
u64 clock_realtime(void) { return time_at(CLOCK_REALTIME, 0); }
u64 clock_monotonic_at(u64 ticks) { return time_at(CLOCK_MONOTONIC, ticks); }

u64 clock_cycles(void) { return arch_ticks(); }

/* The cycle counter, combined with a counter for calls in the same cycle. */
u32 clock_random(void)
{
	static u64 at;

	return (u32)(random_mix(arch_ticks() +
				__atomic_add_fetch(&at, RANDOM_STEP, __ATOMIC_RELAXED)) >>
		     32);
}
