/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output=otlp: lines of OTLP/JSON, as the OpenTelemetry Collector's file receiver reads them.
 * A hit is a line of logs, its print statements are the records; a view, and what is shown at the
 * end, is a line of metrics. The mapping is that of opentelemetry-proto 1.x: names in camel case,
 * 64-bit integers and bytes as strings, enumerations as numbers.
 */
#include "output/output_format.h"
#include "base/message.h"
#include "output/metrics.h"
#include "output/output.h"
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
enum { LINE_MAX_BYTES = 1 << 20, AT_COUNT = 0, AT_MIN, AT_MAX, AT_SUM, AT_P50 = 5 };

static struct {
	struct text resource; /* its attributes and the scope, which all lines have */
	struct text logs;     /* records of the current hit */
	struct text line;
	struct metrics_box *box;
	int64_t to_realtime; /* ns to add to a time of CLOCK_MONOTONIC */
	uint64_t begun;      /* ns since 1970 */
	bool shows;          /* the current hit shows a global */
} otlp;

static uint64_t realtime(uint64_t monotonic) { return monotonic + (uint64_t)otlp.to_realtime; }

/* ------------------------------------------------------------- attributes */

static void put_comma(struct text *t)
{
	char last = t->n ? t->s[t->n - 1] : '[';

	if (last != '[' && last != '{')
		text_put(t, ",");
}

static void put_number(struct text *t, const char *key, int64_t value)
{
	put_comma(t);
	text_print(t, "{\"key\":\"%s\",\"value\":{\"intValue\":\"%" PRId64 "\"}}", key, value);
}

/* An AnyValue: bytes that are not UTF-8 as bytesValue. */
static void put_string_value(struct text *t, const char *s, size_t len)
{
	size_t before = t->n;

	text_put(t, "{\"stringValue\":");
	if (!json_string(t, s, len)) {
		t->n = before;
		text_put(t, "{\"bytesValue\":");
		json_base64(t, s, len);
	}
	text_put(t, "}");
}

static void put_string(struct text *t, const char *key, const char *s, size_t len)
{
	put_comma(t);
	text_put(t, "{\"key\":");
	json_string(t, key, strlen(key));
	text_put(t, ",\"value\":");
	put_string_value(t, s, len);
	text_put(t, "}");
}

static void put_text(struct text *t, const char *key, const char *s)
{
	if (s && *s)
		put_string(t, key, s, strlen(s));
}

static void put_arguments(struct text *t, const struct arg *args, size_t n)
{
	put_comma(t);
	text_put(t, "{\"key\":\"ustap.args\",\"value\":{\"arrayValue\":{\"values\":[");
	for (size_t i = 0; i < n; i++) {
		put_comma(t);
		if (args[i].is_string)
			put_string_value(t, args[i].s, args[i].len);
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
	put_text(t, "service.name", "ustap");
	put_text(t, "ustap.script", o->script);
	put_text(t, "ustap.command", o->command);
	put_text(t, "ustap.runtime", o->runtime);
	if (!uname(&u)) {
		put_text(t, "host.name", u.nodename);
		put_text(t, "os.version", u.release);
	}
	text_put(t, "]},");
}

/* Write a line: resourceLogs, scopeLogs and logRecords, or those of metrics. */
static void put_line(struct output *o, const char *kind, const char *records,
		     const struct text *body)
{
	struct text *t = &otlp.line;

	if (!body->n)
		return;
	t->n = 0;
	text_print(t, "{\"resource%s\":[", kind);
	text_add(t, otlp.resource.s, otlp.resource.n);
	text_print(t, "\"scope%s\":[{\"scope\":{\"name\":\"ustap\",\"version\":\"%s\"},\"%s\":[",
		   kind, STAPRUN_VERSION, records);
	text_add(t, body->s, body->n);
	text_put(t, "]}]}]}\n");
	output_text(o, t->s);
}

static void put_logs(struct output *o)
{
	put_line(o, "Logs", "logRecords", &otlp.logs);
	otlp.logs.n = 0;
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

/* A record up to its attributes, which are to be added, and the end by end_record(). */
static struct text *begin_record(uint64_t time, const struct severity *severity, const char *body,
				 size_t len)
{
	struct text *t = &otlp.logs;

	if (t->n)
		text_put(t, ",");
	text_print(t,
		   "{\"timeUnixNano\":\"%" PRIu64 "\",\"observedTimeUnixNano\":\"%" PRIu64
		   "\",\"severityNumber\":%d,\"severityText\":\"%s\",\"body\":",
		   realtime(time), realtime(time), severity->number, severity->name);
	put_string_value(t, body, len);
	text_put(t, ",\"attributes\":[");
	return t;
}

static void end_record(struct output *o)
{
	text_put(&otlp.logs, "]}");
	if (otlp.logs.n > LINE_MAX_BYTES)
		put_logs(o);
}

static void put_hit(struct text *t, const struct hit_info *h)
{
	put_number(t, "cpu.logical_number", h->cpu);
	if (!*h->point)
		return;
	put_number(t, "process.pid", h->pid);
	put_number(t, "thread.id", h->tid);
	put_text(t, "thread.name", h->comm);
	put_text(t, "ustap.probe", h->point);
	put_text(t, "code.function.name", h->func);
}

static void put_log(struct output *o, const struct hit_info *h, const struct item *it)
{
	const struct severity *severity = it->kind == ITEM_ERROR  ? &error_severity
					  : it->kind == ITEM_WARN ? &warning_severity
								  : &info;
	struct text *t = begin_record(it->time, severity, it->text, it->len);

	put_hit(t, h);
	put_text(t, "ustap.at", it->at);
	if (it->kind == ITEM_PRINT && it->nargs)
		put_arguments(t, it->args, it->nargs);
	end_record(o);
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
	put_logs(o);
}

static void otlp_message(struct output *o, const char *level, const char *source, const char *text,
			 size_t len)
{
	const struct severity *severity = !strcmp(level, "error")     ? &error_severity
					  : !strcmp(level, "warning") ? &warning_severity
								      : &info;
	struct text *t = begin_record(clock_ns(), severity, text, len);

	put_text(t, "ustap.source", source);
	end_record(o);
	put_logs(o);
}

/* ----------------------------------------------------------------- metrics */

/* The attributes and times that each data point begins with. */
static void begin_point(struct text *t, const struct metrics *m, const struct metric_family *f,
			const struct metric_point *p)
{
	const char *lines = f->labels, *line;
	size_t len = 0;
	char key[64];

	put_comma(t);
	text_put(t, "{\"attributes\":[");
	for (unsigned i = 0; i < f->nkeys; i++) {
		const struct metric_value *v = &m->values[p->first + i];

		line = next_line(&lines, &len);
		snprintf(key, sizeof key, "%.*s", line ? (int)(len < 63 ? len : 63) : 3,
			 line ? line : "key");
		mask_controls(key, strlen(key));
		if (v->is_string)
			put_string(t, key, m->strings.s + v->at, v->len);
		else
			put_number(t, key, v->number);
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
			n = (int64_t)((uint64_t)n + (uint64_t)v[1].number);
		rest = (int64_t)((uint64_t)rest - (uint64_t)n);
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
	int64_t count = n > AT_SUM ? v[AT_COUNT].number : 0;

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

static void put_family(struct text *t, const struct metrics *m, const struct metric_family *f)
{
	const char *kind = f->kind == METRIC_COUNTER ? "sum"
			   : f->kind == METRIC_GAUGE ? "gauge"
			   : f->hist                 ? "histogram"
						     : "summary";

	if (!f->n)
		return;
	put_comma(t);
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
	put_comma(t);
	text_print(t,
		   "{\"name\":\"%s\",\"sum\":{\"isMonotonic\":true,\"aggregationTemporality\":%d,"
		   "\"dataPoints\":[{\"startTimeUnixNano\":\"%" PRIu64
		   "\",\"timeUnixNano\":\"%" PRIu64 "\",\"asInt\":\"%" PRIu64 "\"}]}}",
		   name, CUMULATIVE, otlp.begun, realtime(clock_ns()), value);
}

static void put_hits(struct text *t, const struct metrics *m)
{
	if (!m->nhits)
		return;
	put_comma(t);
	text_print(t,
		   "{\"name\":\"ustap.probe.hits\",\"sum\":{\"isMonotonic\":true,"
		   "\"aggregationTemporality\":%d,\"dataPoints\":[",
		   CUMULATIVE);
	for (size_t i = 0; i < m->nhits; i++) {
		put_comma(t);
		text_put(t, "{\"attributes\":[");
		put_text(t, "ustap.probe", m->hits[i].point);
		put_text(t, "ustap.at", m->hits[i].origin);
		put_number(t, "ustap.index", m->hits[i].count.index);
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
		put_sum(&t, "ustap.strings.cut", end->cut_strings);
	}
	put_line(o, "Metrics", "metrics", &t);
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
	put_logs(o);
	put_metrics(o, st, lost);
	metrics_box_free(otlp.box);
	free(otlp.resource.s);
	free(otlp.logs.s);
	free(otlp.line.s);
	memset(&otlp, 0, sizeof otlp);
}

const struct format format_otlp = {.name = "otlp",
				   .begin = otlp_begin,
				   .item = otlp_item,
				   .hit_end = otlp_hit_end,
				   .message = otlp_message,
				   .count = otlp_count,
				   .view_end = otlp_view_end,
				   .end = otlp_end};
