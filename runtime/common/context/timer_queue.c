/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue of timers. Periods count from the start, so they do not drift; turns that were missed
 * because a handler took long are skipped.
 */
#include "common.h"

/* Longest period, in ns: 146 years. */
#define LONGEST (~(u64)0 >> 2)

static u64 unit_of(const struct ust_probe *p)
{
	return p->kind == UST_PROBE_TIMER_JIFFIES ? PORT_TICK_NS : 1;
}

u64 timer_queue_ns(u64 n, u64 unit)
{
	if (n > LONGEST / unit)
		return LONGEST;
	return n * unit < 1000 ? 1000 : n * unit;
}

/* Time between two turns. */
static u64 interval(const struct queued_timer *t)
{
	u64 width = 2 * t->spread + 1, chance;

	if (likely(!t->spread))
		return t->period;
	chance = (u64)port_random() << 32 | port_random();
	return timer_queue_ns(t->period - t->spread + chance % width, 1);
}

static struct queued_timer turn_of(const struct ust_probe *p)
{
	u64 period = timer_queue_ns(p->timer.period < 1 ? 1 : p->timer.period, unit_of(p)),
	    spread = p->timer.spread * unit_of(p);

	return (struct queued_timer){p, period, spread < period ? spread : period,
				     TIMER_QUEUE_NEVER};
}

bool timer_queue_init(struct timer_queue *ts)
{
	u32 i;

	ts->v = port_alloc((ust_program.nprobes + 1) * sizeof *ts->v);
	for (i = 0; ts->v && i < ust_program.nprobes; i++) {
		const struct ust_probe *p = &ust_program.probes[i];

		if (p->kind == UST_PROBE_TIMER_NS || p->kind == UST_PROBE_TIMER_JIFFIES)
			ts->v[ts->n++] = turn_of(p);
	}
	return ts->v != NULL;
}

void timer_queue_free(struct timer_queue *ts)
{
	port_free(ts->v);
	ts->v = NULL;
	ts->n = 0;
}

void timer_queue_start(struct timer_queue *ts, u64 now)
{
	u32 i;

	for (i = 0; i < ts->n; i++)
		ts->v[i].due = now + interval(&ts->v[i]);
}

/* A timer whose condition is false is not due; when it becomes true, its period starts anew. */
static void stop_closed(struct queued_timer *t, u64 now)
{
	bool closed = t->probe->gate && READ_ONCE(t->probe->gate->closed);

	if (closed)
		t->due = TIMER_QUEUE_NEVER;
	else if (unlikely(t->due == TIMER_QUEUE_NEVER))
		t->due = now + interval(t);
}

struct queued_timer *timer_queue_next(struct timer_queue *ts, u64 now)
{
	struct queued_timer *first = ts->v;
	u32 i;

	for (i = 0; i < ts->n; i++) {
		stop_closed(&ts->v[i], now);
		if (ts->v[i].due < first->due)
			first = &ts->v[i];
	}
	return first;
}

void timer_queue_advance(struct queued_timer *t, u64 now)
{
	t->due += interval(t);
	if (t->due < now)
		t->due += (now - t->due) / t->period * t->period;
}
