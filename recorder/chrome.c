/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --output=trace-event: a recording in the JSON format of Perfetto and Chrome's tracing page. */
#include "recording.h"
#include "base/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Append a time or a duration, in microseconds. */
static void put_us(struct text *row, const char *name, uint64_t ns)
{
	text_print(row, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

/* The part of an event that all have. */
static void begin_event(struct text *row, const struct recording *r, const struct thread *t,
			const char *name, uint64_t ticks)
{
	text_put(row, "{\"name\":");
	json_string(row, name, strlen(name));
	text_print(row, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, t->pid, t->tid);
	put_us(row, "ts", recording_time(r, ticks));
}

static void put_row(struct text *row, bool *any)
{
	printf("%s%.*s", *any ? ",\n" : "\n", (int)row->n, row->s);
	*any = true;
	row->n = 0;
}

/* The values of S as member NAME of "args", after the COUNT members there. */
static void put_values(struct text *row, const struct recording *r, size_t values, const char *name,
		       int *count)
{
	char text[UST_CALLS_TEXT_MAX + 1];

	recording_values(r, values, text);
	if (!*text)
		return;
	text_print(row, "%s\"%s\":", (*count)++ ? "," : ",\"args\":{", name);
	json_string(row, text, strlen(text));
}

static void put_all_values(struct text *row, const struct recording *r, const struct step *s)
{
	int count = 0;

	put_values(row, r, s->args, "arguments", &count);
	put_values(row, r, s->result, "result", &count);
	if (count)
		text_put(row, "}");
}

static void put_step(struct text *row, const struct recording *r, const struct thread *t,
		     const struct step *s)
{
	begin_event(row, r, t, r->functions[s->function].title, s->start);
	if (s->kind == STEP_INLINED) {
		text_put(row, ",\"ph\":\"i\",\"s\":\"t\"");
	} else {
		text_put(row, ",\"ph\":\"X\"");
		put_us(row, "dur", recording_time(r, s->end) - recording_time(r, s->start));
	}
	put_all_values(row, r, s);
	text_put(row, "}");
}

static void put_triggers(struct text *row, const struct recording *r, bool *any)
{
	for (size_t i = 0; i < r->ntriggers; i++) {
		struct thread t = {.pid = r->triggers[i].pid, .tid = r->triggers[i].tid};

		begin_event(row, r, &t, "trigger", r->triggers[i].ticks);
		text_put(row, ",\"ph\":\"i\",\"s\":\"g\"}");
		put_row(row, any);
	}
}

void print_trace_events(const struct recording *r, int64_t thread)
{
	struct text row = {0};
	bool any = false;
	uint64_t missing = 0;
	struct cursor c;
	struct step s;

	printf("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	put_triggers(&row, r, &any);
	for (size_t i = 0; i < r->nthreads; i++) {
		if (thread >= 0 && r->threads[i].tid != thread)
			continue;
		cursor_open(&c, r, &r->threads[i]);
		while (cursor_next(&c, &s)) {
			if (s.kind == STEP_ENTER)
				continue;
			put_step(&row, r, &r->threads[i], &s);
			put_row(&row, &any);
		}
		missing += c.lost;
		cursor_close(&c);
	}
	printf("\n]}\n");
	recording_missing(r, missing);
	free(row.s);
}
