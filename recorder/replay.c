/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ustap replay: the calls of all threads as an indented trace, by time. */
#include "recording.h"
#include "base/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT_MAX = 60 };

/* A thread with its next two steps: a call that calls nothing is one line. */
struct lane {
	struct cursor cursor;
	struct step step, next;
	bool has, has_next;
	uint32_t tid;
};

static void advance(struct lane *l)
{
	l->step = l->next;
	l->has = l->has_next;
	if (l->has_next)
		l->has_next = cursor_next(&l->cursor, &l->next);
}

static double ms(const struct recording *r, uint64_t ticks)
{
	return ticks > r->start ? recording_ns(r, ticks - r->start) / 1e6 : 0;
}

static void print_duration(const struct recording *r, const struct step *s)
{
	printf("%10.3f us", recording_ns(r, s->end - s->start) / 1e3);
}

static const char *note_of(const struct step *s)
{
	if (s->flags & CALL_CUT)
		return " /* not returned */";
	if (s->flags & CALL_LEFT)
		return " /* left without return */";
	if (s->flags & CALL_TAIL)
		return " /* ended with a tail call */";
	return "";
}

static void print_indent(const struct step *s)
{
	unsigned depth = s->depth < INDENT_MAX ? s->depth : INDENT_MAX;

	printf("%*s", (int)(2 * depth), "");
}

static void print_args(const struct recording *r, const struct step *s)
{
	char text[UST_CALLS_TEXT_MAX + 1];

	recording_values(r, s->args, text);
	printf("(%s)", text);
}

static void print_result(const struct recording *r, const struct step *s)
{
	static const char name[] = "return=";
	char text[UST_CALLS_TEXT_MAX + 1];

	recording_values(r, s->result, text);
	if (*text)
		printf(" = %s", text + (strncmp(text, name, strlen(name)) ? 0 : strlen(name)));
}

static void print_call(const struct recording *r, const struct step *s)
{
	printf("%s", r->functions[s->function].title);
	print_args(r, s);
}

static void print_leaf(const struct recording *r, const struct step *ended)
{
	print_call(r, ended);
	print_result(r, ended);
	printf(";%s\n", note_of(ended));
}

static void print_leave(const struct recording *r, const struct step *s)
{
	printf("}");
	print_result(r, s);
	printf(" /* %s */%s\n", r->functions[s->function].title, note_of(s));
}

/* One line; a call that calls nothing takes both of its steps. */
static void print_step(const struct recording *r, struct lane *l)
{
	const struct step *s = &l->step;
	bool leaf = s->kind == STEP_ENTER && l->has_next && l->next.kind == STEP_LEAVE;

	printf("%12.6f %7" PRIu32 " ", ms(r, s->kind == STEP_LEAVE ? s->end : s->start), l->tid);
	if (s->kind == STEP_LEAVE || leaf)
		print_duration(r, leaf ? &l->next : s);
	else
		printf("%13s", "");
	printf(" | ");
	print_indent(s);
	if (leaf) {
		print_leaf(r, &l->next);
		advance(l);
	} else if (s->kind == STEP_ENTER) {
		print_call(r, s);
		printf(" {\n");
	} else if (s->kind == STEP_INLINED) {
		printf("%s;\n", r->functions[s->function].title);
	} else {
		print_leave(r, s);
	}
}

static uint64_t time_of(const struct lane *l)
{
	return l->step.kind == STEP_LEAVE ? l->step.end : l->step.start;
}

static struct lane *earliest(struct lane *v, size_t n)
{
	struct lane *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (v[i].has && (!best || time_of(&v[i]) < time_of(best)))
			best = &v[i];
	return best;
}

static size_t open_lanes(struct lane *v, const struct recording *r, int64_t thread)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nthreads; i++) {
		struct lane *l = &v[n];

		if (thread >= 0 && r->threads[i].tid != thread)
			continue;
		*l = (struct lane){.tid = r->threads[i].tid, .has_next = true};
		cursor_open(&l->cursor, r, &r->threads[i]);
		advance(l);
		advance(l);
		n++;
	}
	return n;
}

static void print_triggers(const struct recording *r, size_t *next, double until)
{
	for (; *next < r->ntriggers && ms(r, r->triggers[*next].ticks) <= until; ++*next)
		printf("%12.6f %7" PRIu32 " %13s | --- trigger ---\n",
		       ms(r, r->triggers[*next].ticks), r->triggers[*next].tid, "");
}

bool replay(const struct recording *r, const struct replay_options *o)
{
	struct lane *v = xrealloc(NULL, (r->nthreads + 1) * sizeof *v), *l;
	size_t n = open_lanes(v, r, o->thread), trigger = 0;

	if (!n && o->thread >= 0) {
		free(v);
		return fail("%s: no calls of thread %" PRId64, r->path, o->thread);
	}
	printf("%12s %7s %13s   %s\n", "ms", "thread", "duration", "function");
	while ((l = earliest(v, n)) && ms(r, time_of(l)) <= o->to) {
		print_triggers(r, &trigger, ms(r, time_of(l)));
		if (ms(r, time_of(l)) >= o->from)
			print_step(r, l);
		advance(l);
	}
	print_triggers(r, &trigger, o->to);
	for (size_t i = 0; i < n; i++)
		cursor_close(&v[i].cursor);
	free(v);
	return true;
}
