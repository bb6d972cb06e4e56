/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timelines: the steps of all threads by time, merged by a heap of threads. */
#include "recording.h"
#include "base/message.h"

#include <stdlib.h>

static uint64_t lane_time(const struct lane *l)
{
	return l->step.kind == STEP_LEAVE ? l->step.end : l->step.start;
}

/* Steps of the same time are in the order of their threads. */
static bool is_earlier(const struct lane *a, const struct lane *b)
{
	uint64_t ta = lane_time(a), tb = lane_time(b);

	return ta != tb ? ta < tb : a < b;
}

void lane_advance(struct lane *l)
{
	l->step = l->next;
	l->has = l->has_next;
	while (l->has_next) {
		l->has_next = cursor_next(&l->cursor, &l->next);
		if (l->has_next && call_filter_shows(&l->filter, l->cursor.r, &l->next))
			break;
	}
}

/* Move the lane at AT down until its children in HEAP are later. */
static void sink(struct lane **heap, size_t n, size_t at)
{
	struct lane *l = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < n && is_earlier(heap[child + 1], heap[child]))
			child++;
		if (child >= n || !is_earlier(heap[child], l))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = l;
}

static void open_lanes(struct timeline *t, const struct recording *r, int64_t thread, double min_ns)
{
	for (size_t i = 0; i < r->nthreads; i++) {
		struct lane *l = &t->lanes[t->nlanes];

		if (thread >= 0 && r->threads[i].tid != thread)
			continue;
		*l = (struct lane){.thread = &r->threads[i], .has_next = true};
		call_filter_open(&l->filter, r, l->thread, min_ns);
		cursor_open(&l->cursor, r, l->thread);
		lane_advance(l);
		lane_advance(l);
		t->nlanes++;
		if (l->has)
			t->heap[t->n++] = l;
	}
}

void timeline_open(struct timeline *t, const struct recording *r, int64_t thread, double min_ns)
{
	*t = (struct timeline){
		.lanes = xrealloc(NULL, (r->nthreads + 1) * sizeof *t->lanes),
		.heap = xrealloc(NULL, (r->nthreads + 1) * sizeof(struct lane *)),
	};
	open_lanes(t, r, thread, min_ns);
	for (size_t i = t->n / 2; i-- > 0;)
		sink(t->heap, t->n, i);
}

struct lane *timeline_first(const struct timeline *t, uint64_t *ticks)
{
	if (!t->n)
		return NULL;
	*ticks = lane_time(t->heap[0]);
	return t->heap[0];
}

void timeline_advance(struct timeline *t)
{
	lane_advance(t->heap[0]);
	if (!t->heap[0]->has)
		t->heap[0] = t->heap[--t->n];
	if (t->n)
		sink(t->heap, t->n, 0);
}

uint64_t timeline_missing(const struct timeline *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->nlanes; i++)
		n += t->lanes[i].cursor.lost;
	return n;
}

void timeline_close(struct timeline *t)
{
	for (size_t i = 0; i < t->nlanes; i++) {
		cursor_close(&t->lanes[i].cursor);
		call_filter_close(&t->lanes[i].filter);
	}
	free(t->lanes);
	free(t->heap);
}
