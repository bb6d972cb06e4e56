/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --output=json: one object per line; doc/outputs.md has the schema, which is only extended. */
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
#include <time.h>

enum { SCHEMA = 1 };

static struct text row;

static void begin_row(const char *type, uint64_t time)
{
	row.n = 0;
	text_print(&row, "{\"type\":\"%s\",\"time\":%" PRIu64, type, time);
}

static void end_row(struct output *o)
{
	text_put(&row, "}\n");
	if (o->format->in_page)
		json_put_in_page(o, row.s, row.n);
	else
		output_text(o, row.s);
}

static void member(const char *name, const char *s) { json_member(&row, name, s, strlen(s)); }

static void add_hit(const struct hit_info *h)
{
	if (!*h->point) {
		text_print(&row, ",\"cpu\":%u", h->cpu);
		return;
	}
	text_print(&row, ",\"cpu\":%u,\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, h->cpu, h->pid,
		   h->tid);
	member("comm", h->comm);
	member("probe", h->point);
	if (*h->func)
		member("function", h->func);
}

/* ---------------------------------------------------------------------- values */

static void add_value(const struct arg *a)
{
	if (a->is_string)
		json_string(&row, a->s, a->len);
	else
		text_print(&row, "%" PRId64, a->number);
}

/* Base64 of those of N strings that are not valid UTF-8, null for the others. */
static void add_bytes(const char *name, const struct arg *args, size_t n)
{
	struct text t = {0};
	bool good = true;

	for (size_t i = 0; i < n && good; i++)
		good = !args[i].is_string || json_string(&t, args[i].s, args[i].len);
	free(t.s);
	if (good)
		return;
	text_print(&row, ",\"%s_base64\":[", name);
	for (size_t i = 0; i < n; i++) {
		struct text none = {0};

		text_put(&row, i ? "," : "");
		if (args[i].is_string && !json_string(&none, args[i].s, args[i].len))
			json_base64(&row, args[i].s, args[i].len);
		else
			text_put(&row, "null");
		free(none.s);
	}
	text_put(&row, "]");
}

static void add_values(const char *name, const struct arg *args, size_t n)
{
	text_print(&row, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		text_put(&row, i ? "," : "");
		add_value(&args[i]);
	}
	text_put(&row, "]");
	add_bytes(name, args, n);
}

static void add_names(const char *lines)
{
	const char *line, *before = "";
	size_t len;

	text_put(&row, ",\"names\":[");
	for (; (line = next_line(&lines, &len)); before = ",") {
		text_put(&row, before);
		json_string(&row, line, len);
	}
	text_put(&row, "]");
}

/* ----------------------------------------------------------------------- items */

static void add_statistic(const struct arg *v, size_t n)
{
	static const char *const names[] = {"count", "min", "max", "sum",  "avg",
					    "p50",   "p90", "p99", "p99.9"};

	text_put(&row, ",\"value\":{");
	for (size_t i = 0; i < n && i < sizeof names / sizeof *names; i++)
		text_print(&row, "%s\"%s\":%" PRId64, i ? "," : "", names[i], v[i].number);
	text_put(&row, n ? "}" : "\"count\":0}");
}

/* "NKEYS value|statistic NAME" */
static void add_global(const struct item *it)
{
	char *end;
	size_t nkeys = strtoul(it->what, &end, 10);
	bool statistic = !strncmp(end, " statistic ", 11);
	const char *name = strrchr(it->what, ' ');

	if (nkeys > it->nargs)
		nkeys = it->nargs;
	member("name", name ? name + 1 : "");
	if (nkeys)
		add_values("keys", it->args, nkeys);
	if (statistic) {
		add_statistic(it->args + nkeys, it->nargs - nkeys);
	} else if (nkeys < it->nargs) {
		const struct arg *a = &it->args[nkeys];

		if (a->is_string) {
			json_member(&row, "value", a->s, a->len);
		} else {
			text_put(&row, ",\"value\":");
			add_value(a);
		}
	}
}

enum { LOG_ZERO = 64 };

/* The smallest and the largest sample of bucket I, if they exist. */
static void add_log_range(int64_t i)
{
	uint64_t least = 1ull << (((i < LOG_ZERO ? LOG_ZERO - i : i - LOG_ZERO) - 1) & 63);

	if (i == LOG_ZERO)
		text_put(&row, "\"low\":0,\"high\":0,");
	else if (i > LOG_ZERO)
		text_print(&row, "\"low\":%" PRIu64 ",\"high\":%" PRIu64 ",", least, least * 2 - 1);
	else
		text_print(&row, "\"low\":%" PRId64 ",\"high\":%" PRId64 ",",
			   (int64_t)(0 - (least == 1ull << 63 ? least : least * 2 - 1)),
			   (int64_t)(0 - least));
}

static void add_linear_range(int64_t i, int64_t low, int64_t step, int64_t buckets)
{
	if (i > 0)
		text_print(&row, "\"low\":%" PRId64 ",",
			   (int64_t)((uint64_t)low + (uint64_t)(i - 1) * (uint64_t)step));
	if (i < buckets - 1)
		text_print(&row, "\"high\":%" PRId64 ",",
			   (int64_t)((uint64_t)low + (uint64_t)i * (uint64_t)step - 1));
}

static void add_histogram(const struct item *it)
{
	const char *name = it->names;
	int64_t low = 0, step = 1, buckets = 0;
	bool linear = sscanf(it->what, "linear %" SCNd64 " %" SCNd64 " %" SCNd64, &low, &step,
			     &buckets) == 3;
	size_t len;

	name = next_line(&name, &len);
	if (name)
		json_member(&row, "name", name, len);
	text_print(&row, ",\"scale\":\"%s\",\"buckets\":[", linear ? "linear" : "log");
	for (size_t i = 0; i + 1 < it->nargs; i += 2) {
		text_put(&row, i ? ",{" : "{");
		if (linear)
			add_linear_range(it->args[i].number, low, step, buckets);
		else
			add_log_range(it->args[i].number);
		text_print(&row, "\"count\":%" PRId64 "}", it->args[i + 1].number);
	}
	text_put(&row, "]");
}

/* " near identifier 'x' at FILE:LINE:COLUMN" ends the message of an error with a location. */
static void add_place_of_error(const struct item *it)
{
	struct text t = {0};
	const char *at = NULL, *next;

	text_add(&t, it->text, it->len);
	for (next = strstr(t.s, "' at "); next; next = strstr(next + 1, "' at "))
		at = next + strlen("' at ");
	if (at && strstr(t.s, " near "))
		member("at", at);
	free(t.s);
}

static void json_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	static const char *const types[] = {
		[ITEM_TEXT] = "print",     [ITEM_PRINT] = "print", [ITEM_GLOBAL] = "global",
		[ITEM_HIST] = "histogram", [ITEM_STACK] = "stack", [ITEM_WARN] = "warning",
		[ITEM_ERROR] = "error"};
	bool message = it->kind == ITEM_WARN || it->kind == ITEM_ERROR;

	begin_row(types[it->kind], it->time);
	if (message)
		member("source", "script");
	add_hit(h);
	if (it->at)
		member("at", it->at);
	else if (it->kind == ITEM_ERROR)
		add_place_of_error(it);
	if (h->flags & UST_PARTS_VIEW)
		text_put(&row, ",\"view\":true");
	json_member(&row, "text", it->text, it->len);
	if (it->kind == ITEM_PRINT) {
		add_values("args", it->args, it->nargs);
		add_names(it->names);
	} else if (it->kind == ITEM_GLOBAL) {
		add_global(it);
	} else if (it->kind == ITEM_HIST) {
		add_histogram(it);
	}
	end_row(o);
}

/* -------------------------------------------------------------------- the rest */

static void json_begin(struct output *o)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	begin_row("start", clock_ns());
	text_print(&row, ",\"schema\":%d,\"realtime\":%" PRIu64, SCHEMA,
		   (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec);
	end_row(o);
}

static void json_message(struct output *o, const char *level, const char *source, const char *text,
			 size_t len)
{
	begin_row(level, clock_ns());
	member("source", source);
	json_member(&row, "text", text, len);
	end_row(o);
}

static void json_count(struct output *o, const struct ust_count *c, const char *pp,
		       const char *origin)
{
	size_t place = strcspn(origin, ",");

	begin_row("hits", clock_ns());
	if (c->flags & UST_COUNT_VIEW)
		text_put(&row, ",\"view\":true");
	member("probe", pp);
	if (place)
		json_member(&row, "at", origin, place);
	text_print(&row, ",\"hits\":%" PRIu64 ",\"refused\":%" PRIu64, (uint64_t)c->hits,
		   (uint64_t)c->refused);
	if (c->flags & UST_COUNT_TIMES && c->hits)
		text_print(&row,
			   ",\"cycles\":{\"min\":%" PRIu64 ",\"avg\":%" PRIu64 ",\"max\":%" PRIu64
			   ",\"sum\":%" PRIu64 "}",
			   (uint64_t)c->min, (uint64_t)(c->sum / c->hits), (uint64_t)c->max,
			   (uint64_t)c->sum);
	end_row(o);
}

static void json_view_end(struct output *o)
{
	begin_row("view", clock_ns());
	end_row(o);
}

static void json_end(struct output *o, const struct ust_status *st, uint64_t lost)
{
	begin_row("end", clock_ns());
	text_print(&row, ",\"errors\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"lost\":%" PRIu64,
		   (uint64_t)st->errors,
		   (uint64_t)(st->skipped_context + st->skipped_stack + st->skipped_nested), lost);
	text_print(&row,
		   ",\"missed_returns\":%" PRIu64 ",\"missed_lookups\":%" PRIu64
		   ",\"unplaced\":%" PRIu64 ",\"cut_strings\":%" PRIu64 ",\"failed\":%s",
		   (uint64_t)st->missed_returns, (uint64_t)st->missed_lookups,
		   (uint64_t)st->unplaced, (uint64_t)st->cut_strings,
		   st->failed ? "true" : "false");
	end_row(o);
	free(row.s);
	row = (struct text){0};
}

const struct format format_json = {.name = "json",
				   .begin = json_begin,
				   .item = json_item,
				   .message = json_message,
				   .count = json_count,
				   .view_end = json_view_end,
				   .end = json_end};
