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
#define NEVER (~0ull)

struct turn { const struct ust_probe *probe; u64 period, due; };

static struct turn *turns;
static u32 nturns;

/* At least a microsecond, and no more than can be added to the time. */
static u64 period_of(const struct ust_probe *p)
{
	u64 n = p->value < 1 ? 1 : p->value, unit = p->kind == UST_PROBE_TIMER_JIFFIES ? TICK_NS : 1;

	if (n > LONGEST / unit)
		return LONGEST;
	return n * unit < 1000 ? 1000 : n * unit;
}

bool timers_init(void)
{
	u32 i;

	turns = heap_alloc((ust_program.nprobes + 1) * sizeof *turns);
	for (i = 0; turns && i < ust_program.nprobes; i++) {
		const struct ust_probe *p = &ust_program.probes[i];

		if (p->kind == UST_PROBE_TIMER_NS || p->kind == UST_PROBE_TIMER_JIFFIES)
			turns[nturns++] = (struct turn){p, period_of(p), NEVER};
	}
	return turns != NULL;
}

void timers_start(u64 now)
{
	u32 i;

	for (i = 0; i < nturns; i++)
		turns[i].due = now + turns[i].period;
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
	t->due += t->period;
	if (t->due < now)
		t->due += (now - t->due) / t->period * t->period;
}

u64 timers_run(u64 now)
{
	struct turn *t;

	while (nturns && READ_ONCE(agent.armed)) {
		struct ust_hit hit = {.mode = MODE_THREAD};

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
