/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers, run by a thread of the script process; timer_queue.c. */
#include "user.h"

static struct turns turns;

bool timers_init(void) { return turns_init(&turns); }

void timers_start(u64 now) { turns_start(&turns, now); }

u64 timers_run(u64 now)
{
	struct turn *t;

	while (turns.n && is_armed()) {
		struct ust_hit hit = {.mode = MODE_THREAD};

		t = turns_next(&turns, now);
		if (t->due > now)
			return t->due;
		hit.probe = t->probe;
		t->probe->handler(&hit);
		now = clock_monotonic();
		turn_advance(t, now);
	}
	return TURN_NEVER;
}
