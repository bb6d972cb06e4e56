/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output=trace-event: the JSON format of Perfetto and Chrome's tracing page.
 *
 * Functions that print both at entry and at return become slices (B and E), as do calls of
 * thread_indent() and indent(). Numbers printed by a timer, and at the end globals, are counters.
 * Everything else is an instant event.
 */
#include "output/output_format.h"
#include "base/message.h"
#include "output/output.h"
#include "wire.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Open slices of a thread, the innermost last. */
struct thread {
	uint32_t pid, tid;
	char comm[17];
	char **open;
	size_t n, cap;
};

static struct {
	struct thread *v;
	size_t n;
	struct text row;
	bool any;        /* an event was written: a comma is due */
	uint64_t last;   /* latest time */
	uint64_t paired; /* time and thread of the hit whose slice has begun or ended already */
	uint32_t paired_tid;
} t;

static void begin_event(const char *ph, const struct hit_info *h, uint64_t time, const char *name,
			size_t len)
{
	t.row.n = 0;
	text_put(&t.row, t.any ? ",\n" : "");
	t.any = true;
	if (time > t.last)
		t.last = time;
	text_print(&t.row,
		   "{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03u",
		   ph, h->pid, h->tid, time / 1000, (unsigned)(time % 1000));
	text_put(&t.row, ",\"name\":");
	json_string(&t.row, name, len);
}

static void end_event(struct output *o)
{
	text_put(&t.row, "}");
	output_text(o, t.row.s);
}

static void member(const char *name, const char *s, size_t len)
{
	json_member(&t.row, name, s, len);
}

/* --------------------------------------------------------------------- threads */

static void name_event(struct output *o, const struct hit_info *h, const char *what)
{
	begin_event("M", h, 0, what, strlen(what));
	text_put(&t.row, ",\"args\":{\"name\":");
	json_string(&t.row, h->comm, strlen(h->comm));
	text_put(&t.row, "}");
	end_event(o);
}

static struct thread *thread_of(struct output *o, const struct hit_info *h)
{
	struct thread *th;
	size_t i = t.n;

	/* recently added threads are looked up most */
	while (i-- > 0)
		if (t.v[i].tid == h->tid && t.v[i].pid == h->pid)
			break;
	if (i == (size_t)-1) {
		t.v = xrealloc(t.v, (t.n + 1) * sizeof *t.v);
		t.v[t.n] = (struct thread){.pid = h->pid, .tid = h->tid};
		i = t.n++;
	}
	th = &t.v[i];
	if (strcmp(th->comm, h->comm)) {
		snprintf(th->comm, sizeof th->comm, "%s", h->comm);
		if (h->pid == h->tid)
			name_event(o, h, "process_name");
		name_event(o, h, "thread_name");
	}
	return th;
}

/* ---------------------------------------------------------------------- args */

static void add_args(const struct item *it)
{
	const char *names = it->names, *line;
	size_t len;

	text_put(&t.row, ",\"args\":{\"text\":");
	json_string(&t.row, it->text, it->len);
	if (it->at)
		member("at", it->at, strlen(it->at));
	for (size_t i = 0; i < it->nargs && it->kind == ITEM_PRINT; i++) {
		const struct arg *a = &it->args[i];

		line = next_line(&names, &len);
		if (!line)
			break;
		text_put(&t.row, ",");
		json_string(&t.row, line, len);
		text_put(&t.row, ":");
		if (a->is_string)
			json_string(&t.row, a->s, a->len);
		else
			text_print(&t.row, "%" PRId64, a->number);
	}
	text_put(&t.row, "}");
}

/* ---------------------------------------------------------------------- slices */

static void open_slice(struct output *o, const struct hit_info *h, const struct item *it,
		       const char *name, size_t len)
{
	struct thread *th = thread_of(o, h);

	if (th->n == th->cap) {
		th->cap = th->cap ? 2 * th->cap : 16;
		th->open = xrealloc(th->open, th->cap * sizeof *th->open);
	}
	th->open[th->n++] = xstrndup(name, len);
	begin_event("B", h, it->time, name, len);
	member("cat", h->point, strlen(h->point));
	add_args(it);
	end_event(o);
}

static void close_one(struct output *o, const struct hit_info *h, struct thread *th, uint64_t time,
		      const struct item *it)
{
	char *name = th->open[--th->n];

	begin_event("E", h, time, name, strlen(name));
	if (it)
		add_args(it);
	end_event(o);
	free(name);
}

/* Close the slice of that name (NULL: the innermost) and those within it, whose ends were not seen.
 * False if no slice matches. */
static bool close_slice(struct output *o, const struct hit_info *h, const struct item *it,
			const char *name)
{
	struct thread *th = thread_of(o, h);
	size_t i = th->n;

	while (i > 0 && name && strcmp(th->open[i - 1], name))
		i--;
	if (!i)
		return false;
	while (th->n >= i)
		close_one(o, h, th, it->time, th->n == i ? it : NULL);
	return true;
}

/* -------------------------------------------------------------------- instants */

/* The first line of the text, without surrounding blanks. */
static size_t title(const struct item *it, const char **s)
{
	size_t n = 0;

	*s = it->text;
	while (n < it->len && strchr(" \t\n", it->text[n]) && it->text[n])
		n++;
	*s += n;
	for (n = 0; n < it->len - (size_t)(*s - it->text) && (*s)[n] != '\n'; n++)
		;
	while (n && (*s)[n - 1] == ' ')
		n--;
	return n;
}

/* The output of indent() and arrows are not part of a name. */
static size_t slice_title(const struct item *it, const char **s)
{
	size_t n = it->len, before = 0;

	*s = it->text;
	if (it->nargs && it->args[0].is_string && it->args[0].len <= n &&
	    !memcmp(it->text, it->args[0].s, it->args[0].len))
		before = it->args[0].len;
	while (before < n && it->text[before] && strchr(" \t-<>=|", it->text[before]))
		before++;
	*s += before;
	n -= before;
	for (size_t i = 0; i < n; i++)
		if ((*s)[i] == '\n')
			n = i;
	while (n && (*s)[n - 1] == ' ')
		n--;
	return n;
}

static void instant(struct output *o, const struct hit_info *h, const struct item *it,
		    const char *category)
{
	const char *name;
	size_t len = title(it, &name);

	thread_of(o, h);
	begin_event("i", h, it->time, name, len);
	text_put(&t.row, ",\"s\":\"t\"");
	member("cat", category, strlen(category));
	add_args(it);
	end_event(o);
}

static bool all_numbers(const struct item *it)
{
	for (size_t i = 0; i < it->nargs; i++)
		if (it->args[i].is_string)
			return false;
	return it->nargs;
}

/* Series of one counter: the arguments of a print statement, named by their text in the script. */
static void counters(struct output *o, const struct hit_info *h, const struct item *it)
{
	const char *names = it->names, *line;
	size_t len;

	thread_of(o, h);
	for (size_t i = 0; i < it->nargs && (line = next_line(&names, &len)); i++) {
		begin_event("C", h, it->time, line, len);
		text_print(&t.row, ",\"args\":{\"value\":%" PRId64 "}", it->args[i].number);
		end_event(o);
	}
}

/* A global: "name" or "name[text of its keys]", as printed. */
static void global_counter(struct output *o, const struct hit_info *h, const struct item *it)
{
	static const char *const parts[] = {"count", "min", "max", "sum",  "avg",
					    "p50",   "p90", "p99", "p99.9"};
	size_t nkeys = strtoul(it->what, NULL, 10), len = 0;
	bool statistic = strstr(it->what, " statistic ");
	const char *name = strrchr(it->what, ' ') + 1;

	if (nkeys >= it->nargs || it->args[nkeys].is_string) {
		instant(o, h, it, "global");
		return;
	}
	len = nkeys ? 0 : strlen(name);
	/* skip to the value by the text: keys do not contain " @count" or "]=" as often */
	for (size_t i = 0; nkeys && i + 1 < it->len; i++)
		if (it->text[i] == ']' && (it->text[i + 1] == '=' || it->text[i + 1] == ' '))
			len = i + 1;
	begin_event("C", h, it->time, nkeys ? it->text : name, len);
	text_put(&t.row, ",\"args\":{");
	for (size_t i = 0;
	     nkeys + i < it->nargs && i < (statistic ? sizeof parts / sizeof *parts : 1); i++)
		text_print(&t.row, "%s\"%s\":%" PRId64, i ? "," : "",
			   statistic ? parts[i] : "value", it->args[nkeys + i].number);
	text_put(&t.row, "}");
	end_event(o);
}

/* ----------------------------------------------------------------------- items */

/* The first statement of a hit at a function's entry or return; others of that hit are instants. */
static bool paired(struct output *o, const struct hit_info *h, const struct item *it)
{
	if (!(h->flags & UST_PARTS_PAIRED) || (t.paired == h->time && t.paired_tid == h->tid))
		return false;
	t.paired = h->time;
	t.paired_tid = h->tid;
	if (h->flags & UST_PARTS_RETURN)
		return close_slice(o, h, it, h->func);
	open_slice(o, h, it, h->func, strlen(h->func));
	return true;
}

static bool indented(struct output *o, const struct hit_info *h, const struct item *it)
{
	const char *name;
	size_t len;

	if (!it->indent)
		return false;
	if (it->indent < 0)
		return close_slice(o, h, it, NULL);
	len = slice_title(it, &name);
	open_slice(o, h, it, name, len);
	return true;
}

static void trace_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	struct item plain = *it;

	if (!it->at)
		plain.names = "";
	if (it->kind == ITEM_WARN || it->kind == ITEM_ERROR)
		instant(o, h, &plain, it->kind == ITEM_WARN ? "warning" : "error");
	else if (it->kind == ITEM_GLOBAL)
		global_counter(o, h, it);
	else if (paired(o, h, &plain) || indented(o, h, &plain))
		;
	else if (it->kind == ITEM_PRINT && h->flags & UST_PARTS_TIMER && all_numbers(it))
		counters(o, h, it);
	else
		instant(o, h, &plain, h->point);
}

static void trace_begin(struct output *o)
{
	output_text(o, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

static void trace_message(struct output *o, const char *level, const char *source, const char *text,
			  size_t len)
{
	struct hit_info h = {.pid = (uint32_t)getpid(),
			     .tid = (uint32_t)getpid(),
			     .comm = "staprun",
			     .point = "",
			     .func = ""};
	struct item it = {.text = text, .len = len, .time = clock_ns(), .names = ""};

	(void)source;
	instant(o, &h, &it, level);
}

/* Globals are counters each time they are reported. */
static void trace_view_end(struct output *o) { (void)o; }

/* Close the open slices. */
static void trace_end(struct output *o, const struct ust_status *st, uint64_t lost)
{
	for (size_t i = 0; i < t.n; i++) {
		struct thread *th = &t.v[i];
		struct hit_info h = {.pid = th->pid, .tid = th->tid};

		while (th->n)
			close_one(o, &h, th, t.last, NULL);
		free(th->open);
	}
	t.row.n = 0;
	text_print(&t.row, "\n],\"otherData\":{\"errors\":%" PRIu64 ",\"lost\":%" PRIu64 "}}\n",
		   (uint64_t)st->errors, lost);
	output_text(o, t.row.s);
	free(t.v);
	free(t.row.s);
	memset(&t, 0, sizeof t);
}

const struct format format_trace = {.name = "trace-event",
				    .begin = trace_begin,
				    .item = trace_item,
				    .message = trace_message,
				    .view_end = trace_view_end,
				    .end = trace_end};
