/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ustap replay: the calls of all threads as an indented trace, by time. */
#include "recording.h"
#include "base/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT_MAX = 60 };

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

/* One line; a call that calls nothing is one line and takes both of its steps. */
static void print_step(const struct recording *r, struct lane *l)
{
	const struct step *s = &l->step;
	bool leaf = s->kind == STEP_ENTER && l->has_next && l->next.kind == STEP_LEAVE;

	printf("%12.6f %7" PRIu32 " ", ms(r, s->kind == STEP_LEAVE ? s->end : s->start),
	       l->thread->tid);
	if (s->kind == STEP_LEAVE || leaf)
		print_duration(r, leaf ? &l->next : s);
	else
		printf("%13s", "");
	printf(" | ");
	print_indent(s);
	if (leaf) {
		print_leaf(r, &l->next);
		lane_advance(l);
	} else if (s->kind == STEP_ENTER) {
		print_call(r, s);
		printf(" {\n");
	} else if (s->kind == STEP_INLINED) {
		printf("%s;\n", r->functions[s->function].title);
	} else {
		print_leave(r, s);
	}
}

static void print_triggers(const struct recording *r, size_t *next, double until)
{
	for (; *next < r->ntriggers && ms(r, r->triggers[*next].ticks) <= until; ++*next)
		printf("%12.6f %7" PRIu32 " %13s | --- trigger ---\n",
		       ms(r, r->triggers[*next].ticks), r->triggers[*next].tid, "");
}

void replay(const struct recording *r, const struct replay_options *o)
{
	struct timeline t;
	struct lane *l;
	uint64_t now;
	size_t trigger = 0;
	bool any = false;

	timeline_open(&t, r, o->thread, o->min_us * 1e3);
	printf("%12s %7s %13s   %s\n", "ms", "thread", "duration", "function");
	while ((l = timeline_first(&t, &now)) && ms(r, now) <= o->to) {
		any = true;
		print_triggers(r, &trigger, ms(r, now));
		if (ms(r, now) >= o->from)
			print_step(r, l);
		timeline_advance(&t);
	}
	print_triggers(r, &trigger, o->to);
	if (o->min_us > 0 && !any)
		say("no call took %g us or longer", o->min_us);
	recording_missing(r, timeline_missing(&t));
	timeline_close(&t);
}
