/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output=otlp: lines of OTLP/JSON, as the OpenTelemetry Collector's file receiver reads them.
 * A hit is a line of logs, its print statements are the records, and a line of spans, if any end in
 * it; a view, and what is shown at the end, is a line of metrics. With --otlp each line is a body
 * that is posted, and the logs of a second are one body. The mapping is that of opentelemetry-proto
 * 1.x: names in camel case, 64-bit integers and bytes as strings, enumerations as numbers.
 */
#include "output/output_format.h"
#include "base/message.h"
#include "output/frames.h"
#include "output/metrics.h"
#include "output/otlp_values.h"
#include "output/output.h"
#include "output/spans.h"
#include "wire.h"
#include "wire_records.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* SeverityNumber, AggregationTemporality */
enum { CUMULATIVE = 2 };

struct severity {
	int number;
	const char *name;
};
static const struct severity info = {9, "INFO"}, warning_severity = {13, "WARN"},
			     error_severity = {17, "ERROR"};
/* The limit of metrics leaves room for one point and the losses in UST_EXPORT_BODY_MAX. */
enum {
	LINE_MAX_BYTES = 1 << 20,
	METRICS_MAX_BYTES = 14 << 20,
	MAX_RECORDS = 2000 /* in a body */
};
#define BATCH_NS 1000000000ull
enum { AT_COUNT = 0, AT_MIN, AT_MAX, AT_SUM, AT_P50 = 5 };

static struct {
	struct text resource;  /* its attributes and the scope, which all lines have */
	struct text logs;      /* records of the current hit, or to be posted */
	struct text done;      /* spans that have ended */
	uint64_t nlogs, ndone; /* their numbers */
	uint64_t since;        /* ns: when the first one of them came */
	struct spans *spans;   /* NULL: no hit had one yet */
	struct text line;
	struct metrics_box *box;
	int64_t to_realtime; /* ns to add to a time of CLOCK_MONOTONIC */
	uint64_t begun;      /* ns since 1970 */
	bool shows;          /* the current hit shows a global */
} otlp;

static uint64_t realtime(uint64_t monotonic) { return monotonic + (uint64_t)otlp.to_realtime; }

/* ------------------------------------------------------------- attributes */

static void put_arguments(struct text *t, const struct arg *args, size_t n)
{
	otlp_comma(t);
	text_put(t, "{\"key\":\"ustap.args\",\"value\":{\"arrayValue\":{\"values\":[");
	for (size_t i = 0; i < n; i++) {
		otlp_comma(t);
		if (args[i].is_string)
			otlp_string_value(t, args[i].s, args[i].len);
		else
			text_print(t, "{\"intValue\":\"%" PRId64 "\"}", args[i].number);
	}
	text_put(t, "]}}}");
}

/* ------------------------------------------------------------------- lines */

static void make_resource(const struct output *o)
{
	struct text *t = &otlp.resource;
	struct utsname u;

	t->n = 0;
	text_put(t, "{\"resource\":{\"attributes\":[");
	otlp_text(t, "service.name", "ustap");
	otlp_text(t, "ustap.script", o->script);
	otlp_text(t, "ustap.command", o->command);
	otlp_text(t, "ustap.runtime", o->runtime);
	if (!uname(&u)) {
		otlp_text(t, "host.name", u.nodename);
		otlp_text(t, "os.version", u.release);
	}
	text_put(t, "]},");
}

static const struct signal {
	const char *kind, *records;
} signals[] = {[UST_EXPORT_LOGS] = {"Logs", "logRecords"},
	       [UST_EXPORT_METRICS] = {"Metrics", "metrics"},
	       [UST_EXPORT_SPANS] = {"Spans", "spans"}};

/* Write or post a line: resourceLogs, scopeLogs and NUMBER logRecords, or those of another
 * SIGNAL. */
static void put_line(struct output *o, enum ust_export_signal signal, const struct text *body,
		     uint64_t number)
{
	const char *kind = signals[signal].kind;
	struct text *t = &otlp.line;

	if (!body->n)
		return;
	t->n = 0;
	text_print(t, "{\"resource%s\":[", kind);
	text_add(t, otlp.resource.s, otlp.resource.n);
	text_print(t, "\"scope%s\":[{\"scope\":{\"name\":\"ustap\",\"version\":\"%s\"},\"%s\":[",
		   kind, STAPRUN_VERSION, signals[signal].records);
	text_add(t, body->s, body->n);
	text_put(t, "]}]}]}\n");
	if (o->frames)
		frames_put(o->frames, signal, t, number);
	if (!o->frames || o->path)
		output_text(o, t->s);
}

/* Write or post the records and spans that were collected. */
static void put_collected(struct output *o)
{
	put_line(o, UST_EXPORT_LOGS, &otlp.logs, otlp.nlogs);
	put_line(o, UST_EXPORT_SPANS, &otlp.done, otlp.ndone);
	otlp.logs.n = otlp.done.n = 0;
	otlp.nlogs = otlp.ndone = 0;
}

static void otlp_begin(struct output *o)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	otlp.begun = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	otlp.to_realtime = (int64_t)(otlp.begun - clock_ns());
	otlp.box = metrics_new();
	make_resource(o);
}

/* -------------------------------------------------------------------- logs */

static void put_if_large(struct output *o)
{
	if (otlp.logs.n > LINE_MAX_BYTES || otlp.done.n > LINE_MAX_BYTES ||
	    otlp.nlogs >= MAX_RECORDS || otlp.ndone >= MAX_RECORDS)
		put_collected(o);
}

/* A record or a span is added to those that were collected. */
static void note_collected(void)
{
	if (!otlp.nlogs && !otlp.ndone)
		otlp.since = clock_ns();
}

/* A record up to its attributes, which are to be added, and the end by end_record(). */
static struct text *begin_record(uint64_t time, const struct severity *severity, const char *body,
				 size_t len)
{
	struct text *t = &otlp.logs;

	if (t->n)
		text_put(t, ",");
	note_collected();
	otlp.nlogs++;
	text_print(t,
		   "{\"timeUnixNano\":\"%" PRIu64 "\",\"observedTimeUnixNano\":\"%" PRIu64
		   "\",\"severityNumber\":%d,\"severityText\":\"%s\",\"body\":",
		   realtime(time), realtime(time), severity->number, severity->name);
	otlp_string_value(t, body, len);
	text_put(t, ",\"attributes\":[");
	return t;
}

/* End the attributes and the record; H: the hit that it belongs to, or NULL. */
static void end_record(struct output *o, const struct hit_info *h)
{
	text_put(&otlp.logs, "]");
	if (h && otlp.spans)
		spans_ids(otlp.spans, h, &otlp.logs);
	text_put(&otlp.logs, "}");
	put_if_large(o);
}

static void put_log(struct output *o, const struct hit_info *h, const struct item *it)
{
	const struct severity *severity = it->kind == ITEM_ERROR  ? &error_severity
					  : it->kind == ITEM_WARN ? &warning_severity
								  : &info;
	struct text *t = begin_record(it->time, severity, it->text, it->len);

	otlp_hit(t, h);
	otlp_text(t, "ustap.at", it->at);
	if (it->kind == ITEM_PRINT && it->nargs)
		put_arguments(t, it->args, it->nargs);
	end_record(o, h);
}

static void take_span(struct output *o, const struct hit_info *h, const struct item *it)
{
	unsigned n;

	if (!otlp.spans)
		otlp.spans = spans_new(otlp.to_realtime);
	n = spans_item(otlp.spans, h, it, &otlp.done);
	if (n)
		note_collected();
	otlp.ndone += n;
	put_if_large(o);
}

/* True for a global that is a number or a statistic. "NKEYS KIND NAME" */
static bool is_metric(const struct item *it)
{
	size_t nkeys = strtoul(it->what, NULL, 10);

	return nkeys >= it->nargs || !it->args[nkeys].is_string;
}

static void otlp_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	if (it->kind == ITEM_GLOBAL && is_metric(it)) {
		metrics_item(otlp.box, it);
		otlp.shows = true;
	} else if (it->kind == ITEM_HIST && otlp.shows) {
		metrics_item(otlp.box, it);
	} else if (it->kind == ITEM_SPAN) {
		take_span(o, h, it);
	} else if (!(h->flags & UST_PARTS_VIEW) || it->kind == ITEM_WARN ||
		   it->kind == ITEM_ERROR) {
		put_log(o, h, it);
	}
}

static void otlp_hit_end(struct output *o, const struct hit_info *h)
{
	(void)h;
	if (otlp.shows)
		metrics_hit_end(otlp.box);
	otlp.shows = false;
	if (!o->frames)
		put_collected(o);
}

static void otlp_round_end(struct output *o)
{
	if (!o->frames)
		return;
	if ((otlp.nlogs || otlp.ndone) && clock_ns() - otlp.since > BATCH_NS)
		put_collected(o);
	frames_flush(o->frames);
}

static void otlp_message(struct output *o, const char *level, const char *source, const char *text,
			 size_t len)
{
	const struct severity *severity = !strcmp(level, "error")     ? &error_severity
					  : !strcmp(level, "warning") ? &warning_severity
								      : &info;
	struct text *t = begin_record(clock_ns(), severity, text, len);

	otlp_text(t, "ustap.source", source);
	end_record(o, NULL);
	if (!o->frames)
		put_collected(o);
}

/* ----------------------------------------------------------------- metrics */

/* The attributes and times that each data point begins with. */
static void begin_point(struct text *t, const struct metrics *m, const struct metric_family *f,
			const struct metric_point *p)
{
	const char *lines = f->labels, *line;
	size_t len = 0;
	char key[64];

	otlp_comma(t);
	text_put(t, "{\"attributes\":[");
	for (unsigned i = 0; i < f->nkeys; i++) {
		const struct metric_value *v = &m->values[p->first + i];

		line = next_line(&lines, &len);
		snprintf(key, sizeof key, "%.*s", line ? (int)(len < 63 ? len : 63) : 3,
			 line ? line : "key");
		mask_controls(key, strlen(key));
		if (v->is_string)
			otlp_string(t, key, m->strings.s + v->at, v->len);
		else
			otlp_number(t, key, v->number);
	}
	text_print(t, "],\"startTimeUnixNano\":\"%" PRIu64 "\",\"timeUnixNano\":\"%" PRIu64 "\"",
		   otlp.begun, m->realtime);
}

/* Sums and bounds are doubles, which are JSON numbers. */
static void put_bounds(struct text *t, const struct metrics *m, const struct metric_family *f,
		       const struct metric_point *p, int64_t count)
{
	const struct metric_value *v = &m->values[p->hist], *end = v + p->nhist;
	struct metric_bounds b = metric_bounds(m, f);
	int64_t rest = count;

	text_put(t, ",\"explicitBounds\":[");
	for (int64_t i = b.first; i <= b.last; i++)
		text_print(t, "%s%" PRId64, i > b.first ? "," : "", metric_bound(f, i));
	text_put(t, "],\"bucketCounts\":[");
	for (int64_t i = b.first; i <= b.last; i++) {
		int64_t n = 0;

		for (; v < end && v->number <= i; v += 2)
			n = metric_bucket(v[1].number) < rest - n ? n + metric_bucket(v[1].number)
								  : rest;
		rest -= n;
		text_print(t, "\"%" PRId64 "\",", n);
	}
	text_print(t, "\"%" PRId64 "\"]", rest);
}

static void put_quantiles(struct text *t, const struct metric_value *v)
{
	static const char *const quantiles[] = {"0.5", "0.9", "0.99", "0.999"};

	text_put(t, ",\"quantileValues\":[");
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
		text_print(t, "%s{\"quantile\":%s,\"value\":%" PRId64 "}", i ? "," : "",
			   quantiles[i], v[AT_P50 + i].number);
	text_put(t, "]");
}

static void put_statistic(struct text *t, const struct metrics *m, const struct metric_family *f,
			  const struct metric_point *p)
{
	const struct metric_value *v = &m->values[p->first + f->nkeys];
	size_t n = p->n - f->nkeys;
	int64_t count = metric_samples(m, f, p);

	text_print(t, ",\"count\":\"%" PRId64 "\",\"sum\":%" PRId64, count,
		   n > AT_SUM ? v[AT_SUM].number : 0);
	if (f->hist && n > AT_SUM)
		text_print(t, ",\"min\":%" PRId64 ",\"max\":%" PRId64, v[AT_MIN].number,
			   v[AT_MAX].number);
	if (f->hist)
		put_bounds(t, m, f, p, count);
	else if (n > AT_P50 + 3)
		put_quantiles(t, v);
}

static void put_family(struct text *t, struct metrics *m, const struct metric_family *f)
{
	const char *kind = f->kind == METRIC_COUNTER ? "sum"
			   : f->kind == METRIC_GAUGE ? "gauge"
			   : f->hist                 ? "histogram"
						     : "summary";

	if (!f->n)
		return;
	otlp_comma(t);
	text_put(t, "{\"name\":");
	json_string(t, f->name, strlen(f->name));
	text_print(t, ",\"%s\":{", kind);
	if (f->kind == METRIC_COUNTER)
		text_print(t, "\"isMonotonic\":true,");
	if (f->kind == METRIC_COUNTER || f->hist)
		text_print(t, "\"aggregationTemporality\":%d,", CUMULATIVE);
	text_put(t, "\"dataPoints\":[");
	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct metric_point *p = &m->points[i];

		if (t->n > METRICS_MAX_BYTES) {
			m->left_out++;
			continue;
		}
		begin_point(t, m, f, p);
		if (f->kind == METRIC_STATISTIC)
			put_statistic(t, m, f, p);
		else if (p->n > f->nkeys)
			text_print(t, ",\"asInt\":\"%" PRId64 "\"",
				   m->values[p->first + f->nkeys].number);
		text_put(t, "}");
	}
	text_put(t, "]}}");
}

static void put_sum(struct text *t, const char *name, uint64_t value)
{
	otlp_comma(t);
	text_print(t,
		   "{\"name\":\"%s\",\"sum\":{\"isMonotonic\":true,\"aggregationTemporality\":%d,"
		   "\"dataPoints\":[{\"startTimeUnixNano\":\"%" PRIu64
		   "\",\"timeUnixNano\":\"%" PRIu64 "\",\"asInt\":\"%" PRIu64 "\"}]}}",
		   name, CUMULATIVE, otlp.begun, realtime(clock_ns()), value);
}

static void put_lost_spans(struct text *t)
{
	struct spans_lost lost = spans_lost(otlp.spans);

	put_sum(t, "ustap.spans.open", lost.open);
	put_sum(t, "ustap.spans.unbegun", lost.unbegun);
	put_sum(t, "ustap.spans.left_out", lost.left_out);
}

static void put_hits(struct text *t, const struct metrics *m)
{
	if (!m->nhits)
		return;
	otlp_comma(t);
	text_print(t,
		   "{\"name\":\"ustap.probe.hits\",\"sum\":{\"isMonotonic\":true,"
		   "\"aggregationTemporality\":%d,\"dataPoints\":[",
		   CUMULATIVE);
	for (size_t i = 0; i < m->nhits; i++) {
		otlp_comma(t);
		text_put(t, "{\"attributes\":[");
		otlp_text(t, "ustap.probe", m->hits[i].point);
		otlp_text(t, "ustap.at", m->hits[i].origin);
		otlp_number(t, "ustap.index", m->hits[i].count.index);
		text_print(t,
			   "],\"startTimeUnixNano\":\"%" PRIu64 "\",\"timeUnixNano\":\"%" PRIu64
			   "\",\"asInt\":\"%" PRIu64 "\"}",
			   otlp.begun, m->realtime, (uint64_t)m->hits[i].count.hits);
	}
	text_put(t, "]}}");
}

/* Write the globals and hits that were collected; END: with the losses of the run, or NULL. */
static void put_metrics(struct output *o, const struct ust_status *end, uint64_t lost)
{
	struct text t = {0};
	struct metrics *m;

	metrics_view_end(otlp.box);
	m = metrics_take(otlp.box);
	for (size_t i = 0; m && i < m->nfamilies; i++)
		put_family(&t, m, &m->families[i]);
	if (m)
		put_hits(&t, m);
	if (m && m->left_out)
		put_sum(&t, "ustap.samples.left_out", m->left_out);
	if (end) {
		put_sum(&t, "ustap.errors", end->errors);
		put_sum(&t, "ustap.probes.skipped",
			end->skipped_context + end->skipped_stack + end->skipped_nested);
		put_sum(&t, "ustap.records.lost", lost);
		put_sum(&t, "ustap.returns.missed", end->missed_returns);
		put_sum(&t, "ustap.lookups.missed", end->missed_lookups);
		put_sum(&t, "ustap.strings.cut", end->cut_strings);
	}
	if (end && otlp.spans)
		put_lost_spans(&t);
	put_line(o, UST_EXPORT_METRICS, &t, 0);
	metrics_free(m);
	free(t.s);
}

static void otlp_count(struct output *o, const struct ust_count *c, const char *pp,
		       const char *origin)
{
	(void)o;
	metrics_count(otlp.box, c, pp, origin);
}

static void otlp_view_end(struct output *o) { put_metrics(o, NULL, 0); }

static void otlp_end(struct output *o, const struct ust_status *st, uint64_t lost)
{
	put_collected(o);
	put_metrics(o, st, lost);
	metrics_box_free(otlp.box);
	free(otlp.resource.s);
	free(otlp.logs.s);
	free(otlp.done.s);
	spans_free(otlp.spans);
	free(otlp.line.s);
	memset(&otlp, 0, sizeof otlp);
}

const struct format format_otlp = {.name = "otlp",
				   .begin = otlp_begin,
				   .item = otlp_item,
				   .round_end = otlp_round_end,
				   .hit_end = otlp_hit_end,
				   .message = otlp_message,
				   .count = otlp_count,
				   .view_end = otlp_view_end,
				   .end = otlp_end};
