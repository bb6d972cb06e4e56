/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filter of calls by their duration. At the entry of a call its duration is not known yet, so all
 * steps of the thread are read once before, which gives a bit for each entry.
 */
#include "recording.h"
#include "base/message.h"

#include <stdlib.h>

static bool is_long(const struct call_filter *f, const struct recording *r, const struct step *s)
{
	return recording_ns(r, s->end - s->start) >= f->min_ns;
}

/* Numbers of the entries whose calls are active. */
struct entries {
	size_t *v, n, cap;
};

static void push(struct entries *e, size_t number)
{
	if (e->n == e->cap) {
		e->cap = e->cap ? 2 * e->cap : 64;
		e->v = xrealloc(e->v, e->cap * sizeof *e->v);
	}
	e->v[e->n++] = number;
}

/* Append the bit of the entry with this NUMBER, 0. */
static void add_bit(struct call_filter *f, size_t number)
{
	size_t byte = number / 8;

	if (byte == f->size) {
		f->size = f->size ? 2 * f->size : 4096;
		f->bits = xrealloc(f->bits, f->size);
	}
	if (number % 8 == 0)
		f->bits[byte] = 0;
}

void call_filter_open(struct call_filter *f, const struct recording *r, const struct thread *t,
		      double min_ns)
{
	struct entries active = {0};
	struct cursor c;
	struct step s;
	size_t n = 0;

	*f = (struct call_filter){.min_ns = min_ns};
	if (min_ns <= 0)
		return;
	cursor_open(&c, r, t);
	while (cursor_next(&c, &s)) {
		if (s.kind == STEP_ENTER) {
			add_bit(f, n);
			push(&active, n++);
		} else if (s.kind == STEP_LEAVE && active.n) {
			size_t number = active.v[--active.n];

			if (is_long(f, r, &s))
				f->bits[number / 8] |= (uint8_t)(1 << number % 8);
		}
	}
	cursor_close(&c);
	free(active.v);
}

bool call_filter_shows(struct call_filter *f, const struct recording *r, const struct step *s)
{
	size_t number;

	if (f->min_ns <= 0)
		return true;
	if (s->kind == STEP_LEAVE)
		return is_long(f, r, s);
	if (s->kind != STEP_ENTER)
		return false;
	number = f->next++;
	return f->bits[number / 8] >> number % 8 & 1;
}

void call_filter_close(struct call_filter *f)
{
	free(f->bits);
	*f = (struct call_filter){0};
}
