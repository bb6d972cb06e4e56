/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers, run by a thread of the script process; timer_queue.c. */
#include "user.h"

static struct timer_queue queue;

bool timers_init(void) { return timer_queue_init(&queue); }

void timers_start(u64 now) { timer_queue_start(&queue, now); }

u64 timers_run(u64 now)
{
	struct queued_timer *t;

	while (queue.n && is_armed()) {
		struct ust_hit hit = {.mode = MODE_THREAD};

		t = timer_queue_next(&queue, now);
		if (t->due > now)
			return t->due;
		hit.probe = t->probe;
		t->probe->handler(&hit);
		now = clock_monotonic();
		timer_queue_advance(t, now);
	}
	return TIMER_QUEUE_NEVER;
}
