/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events to calls. An entry and its return have the same slot, the address of the return address.
 * So functions that are left without a return (longjmp(), exceptions) are known by what follows,
 * and two functions that share a slot and return one after the other are a tail call.
 */
#include "recording.h"
#include "base/message.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Calls in each other; slots that may be on one stack, 8 MB. */
enum { DEPTH_MAX = 1 << 20, STACK_SLOTS = 1 << 20 };
/* Frames that a return may be above; the same after SEARCH_ALL frames were searched in vain. */
enum { SEARCH_MAX = 1 << 16, SEARCH_LEAST = 64, SEARCH_ALL = 1 << 24 };

void cursor_open(struct cursor *c, const struct recording *r, const struct thread *t)
{
	*c = (struct cursor){.r = r, .thread = t, .piece = t->first};
}

void cursor_close(struct cursor *c)
{
	free(c->events);
	free(c->stack);
	free(c->active.v);
}

static bool read_all(int fd, void *to, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* All active calls end here, for the reason WHY. */
static void leave_all(struct cursor *c, uint32_t why)
{
	c->leaving = c->depth;
	c->why = why;
}

/* The next piece; false at the end. */
static bool next_piece(struct cursor *c)
{
	while (c->piece < c->thread->end) {
		const struct piece *p = &c->r->pieces[c->piece++];
		size_t bytes = p->head.n * sizeof *c->events;

		if (p->head.first < c->expected) { /* numbers twice: the file is damaged */
			c->lost += p->head.n;
			continue;
		}
		c->events = xrealloc(c->events, bytes);
		if (!read_all(c->r->fd, c->events, bytes, p->at)) {
			c->unread = p->head.first + p->head.n;
			continue;
		}
		if (p->head.first > c->expected) {
			leave_all(c, CALL_CUT);
			if (!(p->head.flags & UST_CALLS_WINDOW))
				c->lost += p->head.first - c->expected;
		}
		c->n = p->head.n;
		c->at = 0;
		c->expected = p->head.first + p->head.n;
		return true;
	}
	if (c->unread > c->expected)
		c->lost += c->unread - c->expected;
	c->unread = 0;
	return false;
}

static uint32_t caller_of(const struct cursor *c)
{
	return c->depth ? c->stack[c->depth - 1].function : NO_FUNCTION;
}

/* The number of active calls of FUNCTION, which the caller changes. */
static uint64_t *active_calls(struct cursor *c, uint32_t function)
{
	return &call_table_at(&c->active, NO_FUNCTION, function)->calls;
}

static void push(struct cursor *c, uint32_t function, uint32_t slot, size_t args)
{
	uint64_t *calls = active_calls(c, function);

	if (c->depth == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->stack = xrealloc(c->stack, c->cap * sizeof *c->stack);
	}
	c->stack[c->depth++] = (struct frame){.function = function,
					      .slot = slot,
					      .start = c->last,
					      .args = args,
					      .flags = *calls ? CALL_RECURSIVE : 0};
	++*calls;
}

/* The innermost call ends. */
static void pop(struct cursor *c, uint32_t flags, struct step *s)
{
	struct frame *f = &c->stack[--c->depth];
	uint64_t all = c->last - f->start;

	--*active_calls(c, f->function);
	if (c->depth)
		c->stack[c->depth - 1].inner += all;
	*s = (struct step){.kind = STEP_LEAVE,
			   .function = f->function,
			   .caller = caller_of(c),
			   .depth = (uint32_t)c->depth,
			   .flags = f->flags | flags,
			   .start = f->start,
			   .end = c->last,
			   .args = f->args,
			   .self = all > f->inner ? all - f->inner : 0};
}

/* Number of calls that are not active any more when a function with this SLOT is entered: their
 * slots are below it on the same stack. */
static size_t stale(const struct cursor *c, uint32_t slot)
{
	size_t n = 0;

	while (n < c->depth) {
		uint32_t above = slot - c->stack[c->depth - 1 - n].slot;

		if (!above || above > STACK_SLOTS)
			break;
		n++;
	}
	return n;
}

/* The active call that returns, counted from the innermost; SIZE_MAX: none. A recording with many
 * returns without an entry is searched less deep after a while. */
static size_t returning(struct cursor *c, uint32_t function, uint32_t slot)
{
	size_t most = c->searched < SEARCH_ALL ? SEARCH_MAX : SEARCH_LEAST, i;

	for (i = 0; i < c->depth && i < most; i++) {
		const struct frame *f = &c->stack[c->depth - 1 - i];

		if (f->slot == slot && f->function == function)
			return i;
	}
	c->searched += i;
	return SIZE_MAX;
}

/* True if the innermost call has the slot of the call that the event before has ended, but does not
 * return now, with E: not a tail call, it was left, and the other one has used its slot. */
static bool was_left(const struct cursor *c, const struct site *site,
		     const struct ust_call_event *e)
{
	return c->left.start && c->depth && c->stack[c->depth - 1].slot == c->left.slot &&
	       !(site->is_return && e->slot == c->left.slot);
}

/* A step for the event at c->at, which is done then; false if it makes none, or if calls have to be
 * left before, and it remains. */
static bool take_event(struct cursor *c, struct step *s)
{
	const struct ust_call_event *e = &c->events[c->at];
	const struct site *site = e->site < c->r->nsites ? &c->r->sites[e->site] : NULL;
	struct frame before;
	bool tail;
	size_t n, values;

	if (!site || site->function == NO_FUNCTION) {
		c->at++;
		return false;
	}
	if (e->ticks > c->last)
		c->last = e->ticks;
	*s = (struct step){.function = site->function,
			   .caller = caller_of(c),
			   .depth = (uint32_t)c->depth,
			   .start = c->last,
			   .end = c->last};
	values = recording_find_values(c->r, c->thread, c->expected - c->n + c->at);
	if (c->r->functions[site->function].inlined) {
		s->args = values;
		s->kind = STEP_INLINED;
		c->at++;
		return true;
	}
	if (was_left(c, site, e)) {
		c->left.start = 0;
		c->leaving = 1;
		c->why = CALL_LEFT;
		return false;
	}
	n = site->is_return ? returning(c, site->function, e->slot) : stale(c, e->slot);
	if (n && n != SIZE_MAX) {
		c->leaving = n;
		c->why = CALL_LEFT;
		return false;
	}
	c->at++;
	if (!site->is_return)
		c->left.start = 0;
	if (!site->is_return && c->depth < DEPTH_MAX) {
		push(c, site->function, e->slot, values);
		s->args = values;
		return true;
	}
	if (!site->is_return || n == SIZE_MAX) {
		c->unmatched++;
		return false;
	}
	tail = c->left.start && c->left.slot == e->slot;
	before = c->left;
	c->left = c->stack[c->depth - 1];
	pop(c, tail ? CALL_TAIL : 0, s);
	s->tail = before.function;
	s->result = values;
	return true;
}

bool cursor_next(struct cursor *c, struct step *s)
{
	for (;;) {
		if (c->leaving) {
			c->leaving--;
			pop(c, c->why, s);
			return true;
		}
		if (c->at < c->n) {
			if (take_event(c, s))
				return true;
		} else if (!next_piece(c)) {
			if (!c->depth)
				return false;
			leave_all(c, CALL_CUT);
		}
	}
}
