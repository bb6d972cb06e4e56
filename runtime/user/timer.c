/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers, run by a thread of the loader.  Periods count from the start, so they do not drift; turns
 * that were missed because a handler took longer are left out.
 */
#include "user.h"

/* The kernel's tick cannot be asked for; this is Debian's. */
#define TICK_NS 4000000u
/* Of all periods, in ns: 146 years. */
#define LONGEST (INT64_MAX / 2)
#define NEVER   (~0ull)

struct turn {
	const struct ust_probe *probe;
	u64 period, spread, due;
};

static struct turn *turns;
static u32 nturns;

static u64 unit_of(const struct ust_probe *p)
{
	return p->kind == UST_PROBE_TIMER_JIFFIES ? TICK_NS : 1;
}

/* At least a microsecond, and no more than can be added to the time. */
static u64 bounded(u64 n, u64 unit)
{
	if (n > LONGEST / unit)
		return LONGEST;
	return n * unit < 1000 ? 1000 : n * unit;
}

/* What comes between two turns. */
static u64 interval(const struct turn *t)
{
	u64 width = 2 * t->spread + 1;

	if (likely(!t->spread))
		return t->period;
	return bounded(t->period - t->spread + ((u64)clock_random() << 32 | clock_random()) % width,
		       1);
}

static struct turn turn_of(const struct ust_probe *p)
{
	u64 period = bounded(p->value < 1 ? 1 : p->value, unit_of(p)),
	    spread = p->spread * unit_of(p);

	return (struct turn){p, period, spread < period ? spread : period, NEVER};
}

bool timers_init(void)
{
	u32 i;

	turns = heap_alloc((ust_program.nprobes + 1) * sizeof *turns);
	for (i = 0; turns && i < ust_program.nprobes; i++) {
		const struct ust_probe *p = &ust_program.probes[i];

		if (p->kind == UST_PROBE_TIMER_NS || p->kind == UST_PROBE_TIMER_JIFFIES)
			turns[nturns++] = turn_of(p);
	}
	return turns != NULL;
}

void timers_start(u64 now)
{
	u32 i;

	for (i = 0; i < nturns; i++)
		turns[i].due = now + interval(&turns[i]);
}

/* Turns whose condition does not hold do not come; when it does, their time begins anew. */
static void stop_closed(struct turn *t, u64 now)
{
	bool closed = t->probe->gate && READ_ONCE(t->probe->gate->closed);

	if (closed)
		t->due = NEVER;
	else if (unlikely(t->due == NEVER))
		t->due = now + interval(t);
}

/* The turn that is due first; in order of the script among equals. */
static struct turn *first_due(void)
{
	struct turn *first = turns;
	u32 i;

	for (i = 1; i < nturns; i++)
		if (turns[i].due < first->due)
			first = &turns[i];
	return first;
}

static void advance(struct turn *t, u64 now)
{
	t->due += interval(t);
	if (t->due < now)
		t->due += (now - t->due) / t->period * t->period;
}

u64 timers_run(u64 now)
{
	struct turn *t;
	u32 i;

	while (nturns && is_armed()) {
		struct ust_hit hit = {.mode = MODE_THREAD};

		for (i = 0; i < nturns; i++)
			stop_closed(&turns[i], now);
		t = first_due();
		if (t->due > now)
			return t->due;
		hit.probe = t->probe;
		t->probe->handler(&hit);
		now = clock_monotonic();
		advance(t, now);
	}
	return NEVER;
}
