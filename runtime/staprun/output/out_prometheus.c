/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics in Prometheus' text format: doc/outputs.md has the names. Names and strings come from
 * records that a traced process may have written: names are reduced to letters, digits and `_',
 * strings are escaped and valid UTF-8.
 */
#include "output/metrics.h"
#include "base/message.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE_MAX = 200, PAGE_MAX = 16 << 20 };

/* Positions of the values of a statistic behind its keys. */
enum { AT_COUNT, AT_MIN, AT_MAX, AT_SUM, AT_AVG, AT_P50, NQUANTILES = 4 };

struct page {
	struct text *out;
	struct metrics *left_out; /* counts points that do not fit */
	const struct metrics *m;
	const struct metrics_run *run;
	char names[METRIC_FAMILIES][NAME_SIZE_MAX + 16];
};

/* ------------------------------------------------------------------ names */

/* Copy NAME of LEN bytes to TO as a name of Prometheus, without what other names may not have. */
static void copy_name(char *to, size_t size, const char *name, size_t len)
{
	size_t n = 0;

	if (!len || isdigit((unsigned char)*name))
		to[n++] = '_';
	for (size_t i = 0; i < len && n < size - 1; i++)
		to[n++] = isalnum((unsigned char)name[i]) && !(name[i] & 0x80) ? name[i] : '_';
	to[n] = 0;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* Samples of a statistic have the name of the family and one of these suffixes. */
static const char *const suffixes[] = {"", "_sum", "_count", "_bucket", "_min", "_max"};
enum { NSUFFIXES = sizeof suffixes / sizeof *suffixes };

static size_t names_of(const struct metric_family *f)
{
	return f->kind == METRIC_STATISTIC ? NSUFFIXES : 1;
}

static bool same_with_suffix(const char *a, const char *as, const char *b, const char *bs)
{
	char x[NAME_SIZE_MAX + 32], y[NAME_SIZE_MAX + 32];

	snprintf(x, sizeof x, "%s%s", a, as);
	snprintf(y, sizeof y, "%s%s", b, bs);
	return !strcmp(x, y);
}

/* True if a sample of family I has the name of a sample of an earlier family. */
static bool collides(const struct page *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		for (size_t x = 0; x < names_of(&p->m->families[i]); x++)
			for (size_t y = 0; y < names_of(&p->m->families[k]); y++)
				if (same_with_suffix(p->names[i], suffixes[x], p->names[k],
						     suffixes[y]))
					return true;
	return false;
}

/* Distinct names for all families: ustap_NAME, of counters ustap_NAME_total. */
static void name_families(struct page *p)
{
	for (size_t i = 0; i < p->m->nfamilies; i++) {
		const struct metric_family *f = &p->m->families[i];
		char *name = p->names[i];

		memcpy(name, "ustap_", 6);
		copy_name(name + 6, NAME_SIZE_MAX - 12, f->name, strlen(f->name));
		for (size_t tries = 0; tries < 8; tries++) {
			if (f->kind == METRIC_COUNTER && !ends_with(name, "_total"))
				strcat(name, "_total");
			if (!collides(p, i))
				break;
			if (ends_with(name, "_total"))
				name[strlen(name) - 6] = 0;
			strcat(name, "_");
		}
	}
}

/* ----------------------------------------------------------------- labels */

/* The value of a label: escaped, and bytes that are not printable UTF-8 as \xHH. */
static void put_escaped(struct text *t, const char *s, size_t len)
{
	const unsigned char *c = (const unsigned char *)s, *end = c + len;

	for (size_t n; c < end; c += n ? n : 1) {
		n = utf8_length(c, (size_t)(end - c));
		if (*c == '\n')
			text_put(t, "\\n");
		else if (*c == '"' || *c == '\\')
			text_print(t, "\\%c", *c);
		else if (!n || *c < 0x20 || *c == 0x7f || (*c == 0xc2 && n == 2 && c[1] < 0xa0))
			for (size_t i = 0; i < (n ? n : 1); i++)
				text_print(t, "\\\\x%02x", c[i]);
		else
			text_add(t, (const char *)c, n);
	}
}

static void put_label(struct text *t, const char *name, const char *value)
{
	text_print(t, "%s%s=\"", t->s[t->n - 1] == '{' ? "" : ",", name);
	put_escaped(t, value, strlen(value));
	text_put(t, "\"");
}

/* "script" and a label for each of the keys of POINT, without the closing brace. */
static void put_labels(const struct page *p, struct text *t, const struct metric_family *f,
		       const struct metric_point *point)
{
	const char *lines = f->labels, *line;
	char name[NAME_SIZE_MAX];
	size_t len = 0;

	text_put(t, "{");
	put_label(t, "script", p->run->script);
	for (unsigned i = 0; i < f->nkeys; i++) {
		const struct metric_value *v = &p->m->values[point->first + i];

		line = next_line(&lines, &len);
		copy_name(name, sizeof name, line ? line : "key", line ? len : 3);
		text_print(t, ",%s=\"", name);
		if (v->is_string)
			put_escaped(t, p->m->strings.s + v->at, v->len);
		else
			text_print(t, "%" PRId64, v->number);
		text_put(t, "\"");
	}
}

/* ---------------------------------------------------------------- samples */

static void put_head(struct text *t, const char *name, const char *suffix, const char *type,
		     const char *help)
{
	text_print(t, "# HELP %s%s %s\n", name, suffix, help);
	text_print(t, "# TYPE %s%s %s\n", name, suffix, type);
}

/* A sample with the labels L, and one more label if EXTRA is not NULL. */
static void put_sample(struct text *t, const char *name, const char *suffix, const struct text *l,
		       const char *extra, int64_t value)
{
	text_put(t, name);
	text_put(t, suffix);
	text_add(t, l->s, l->n);
	if (extra)
		text_print(t, ",%s", extra);
	text_print(t, "} %" PRId64 "\n", value);
}

static void put_buckets(const struct page *p, const char *name, const struct metric_family *f,
			const struct metric_point *point, const struct text *labels, int64_t count)
{
	struct metric_bounds b = metric_bounds(p->m, f);
	const struct metric_value *v = &p->m->values[point->hist], *end = v + point->nhist;
	int64_t sum = 0;
	char le[32];

	for (int64_t i = b.first; i <= b.last; i++) {
		for (; v < end && v->number <= i; v += 2)
			sum = metric_bucket(v[1].number) < count - sum
				      ? sum + metric_bucket(v[1].number)
				      : count;
		snprintf(le, sizeof le, "le=\"%" PRId64 "\"", metric_bound(f, i));
		put_sample(p->out, name, "_bucket", labels, le, sum);
	}
	put_sample(p->out, name, "_bucket", labels, "le=\"+Inf\"", count);
}

static void put_quantiles(const struct page *p, const char *name, const struct metric_value *v,
			  const struct text *labels)
{
	static const char *const quantiles[NQUANTILES] = {
		"quantile=\"0.5\"", "quantile=\"0.9\"", "quantile=\"0.99\"", "quantile=\"0.999\""};

	for (size_t i = 0; i < NQUANTILES; i++)
		put_sample(p->out, name, "", labels, quantiles[i], v[AT_P50 + i].number);
}

/* The statistic POINT; N values, 0: it is empty. */
static void put_statistic(const struct page *p, const char *name, const struct metric_family *f,
			  const struct metric_point *point, const struct text *labels)
{
	const struct metric_value *v = &p->m->values[point->first + f->nkeys];
	size_t n = point->n - f->nkeys;
	int64_t count = metric_samples(p->m, f, point);

	if (f->hist)
		put_buckets(p, name, f, point, labels, count);
	else if (n >= AT_P50 + NQUANTILES)
		put_quantiles(p, name, v, labels);
	put_sample(p->out, name, "_sum", labels, NULL, n > AT_SUM ? v[AT_SUM].number : 0);
	put_sample(p->out, name, "_count", labels, NULL, count);
}

/* True, and counted, if POINT is left out: it is a string, or the page is full. */
static bool is_left_out(struct page *p, const struct metric_family *f,
			const struct metric_point *point)
{
	if (p->out->n > PAGE_MAX) {
		p->left_out->left_out++;
		return true;
	}
	return f->kind != METRIC_STATISTIC &&
	       (point->n <= f->nkeys || p->m->values[point->first + f->nkeys].is_string);
}

/* A family of gauges with value AT of each statistic that is not empty. */
static void put_extremes(struct page *p, size_t i, const char *suffix, size_t at, const char *help)
{
	const struct metric_family *f = &p->m->families[i];
	struct text labels = {0};
	bool begun = false;

	for (size_t k = f->first; k < f->first + f->n; k++) {
		const struct metric_point *point = &p->m->points[k];

		if (point->n <= f->nkeys + at || is_left_out(p, f, point))
			continue;
		if (!begun)
			put_head(p->out, p->names[i], suffix, "gauge", help);
		begun = true;
		labels.n = 0;
		put_labels(p, &labels, f, point);
		put_sample(p->out, p->names[i], suffix, &labels, NULL,
			   p->m->values[point->first + f->nkeys + at].number);
	}
	free(labels.s);
}

static void put_family(struct page *p, size_t i)
{
	const struct metric_family *f = &p->m->families[i];
	const char *type = f->kind == METRIC_COUNTER ? "counter"
			   : f->kind == METRIC_GAUGE ? "gauge"
			   : f->hist                 ? "histogram"
						     : "summary";
	struct text labels = {0};
	bool begun = false;

	for (size_t k = f->first; k < f->first + f->n; k++) {
		const struct metric_point *point = &p->m->points[k];

		if (is_left_out(p, f, point))
			continue;
		if (!begun)
			put_head(p->out, p->names[i], "", type,
				 "Global variable of a ustap script.");
		begun = true;
		labels.n = 0;
		put_labels(p, &labels, f, point);
		if (f->kind == METRIC_STATISTIC)
			put_statistic(p, p->names[i], f, point, &labels);
		else
			put_sample(p->out, p->names[i], "", &labels, NULL,
				   p->m->values[point->first + f->nkeys].number);
	}
	free(labels.s);
	if (f->kind != METRIC_STATISTIC)
		return;
	put_extremes(p, i, "_min", AT_MIN, "Smallest value of the statistic.");
	put_extremes(p, i, "_max", AT_MAX, "Largest value of the statistic.");
}

/* -------------------------------------------------------- of staprun itself */

static void put_hits(struct page *p)
{
	struct text *t = p->out;

	if (p->m->nhits)
		put_head(t, "staprun_probe_hits_total", "", "counter",
			 "How often a probe of the script was hit.");
	for (size_t i = 0; i < p->m->nhits; i++) {
		const struct metric_hits *h = &p->m->hits[i];

		if (t->n > PAGE_MAX) {
			p->left_out->left_out++;
			continue;
		}
		text_put(t, "staprun_probe_hits_total{");
		put_label(t, "script", p->run->script);
		put_label(t, "probe", h->point);
		text_print(t, ",index=\"%u\"} %" PRIu64 "\n", h->count.index,
			   (uint64_t)h->count.hits);
	}
}

/* A metric without labels of its own. REASON: another label or NULL. */
static void put_own(const struct page *p, const char *name, const char *type, const char *help,
		    const char *reason, uint64_t value)
{
	if (help)
		put_head(p->out, name, "", type, help);
	text_print(p->out, "%s{", name);
	put_label(p->out, "script", p->run->script);
	if (reason)
		put_label(p->out, "reason", reason);
	text_print(p->out, "} %" PRIu64 "\n", value);
}

/* NS since 1970 as seconds with milliseconds. */
static void put_time(const struct page *p, const char *name, const char *help, uint64_t ns)
{
	put_head(p->out, name, "", "gauge", help);
	text_print(p->out, "%s{", name);
	put_label(p->out, "script", p->run->script);
	text_print(p->out, "} %" PRIu64 ".%03u\n", ns / 1000000000,
		   (unsigned)(ns / 1000000 % 1000));
}

static void put_info(const struct page *p)
{
	put_head(p->out, "staprun_info", "", "gauge", "The script and the program that runs it.");
	text_put(p->out, "staprun_info{");
	put_label(p->out, "script", p->run->script);
	put_label(p->out, "runtime", p->run->runtime);
	put_label(p->out, "version", p->run->version);
	text_put(p->out, "} 1\n");
	put_own(p, "staprun_running", "gauge", "1 while the script runs.", NULL, p->run->running);
	put_time(p, "staprun_start_time_seconds", "When the run began, since 1970.", p->run->begun);
}

static void put_losses(const struct page *p)
{
	static const char skipped[] = "staprun_skipped_probes_total";
	const struct ust_status *st = p->run->status;

	put_own(p, "staprun_armed_sites", "gauge", "Probe sites that are armed.", NULL, st->sites);
	put_own(p, "staprun_unarmed_sites", "gauge",
		"Probe sites that could not be armed in some process.", NULL, st->unplaced);
	put_own(p, "staprun_errors_total", "counter", "Run-time errors in probe handlers.", NULL,
		st->errors);
	put_own(p, skipped, "counter", "Hits whose handler was not run.", "context",
		st->skipped_context);
	put_own(p, skipped, NULL, NULL, "stack", st->skipped_stack);
	put_own(p, skipped, NULL, NULL, "nested", st->skipped_nested);
	put_own(p, "staprun_lost_records_total", "counter",
		"Records dropped because the buffers were full.", NULL, p->run->lost);
	put_own(p, "staprun_missed_returns_total", "counter",
		"Returns missed because too many return probes were pending.", NULL,
		st->missed_returns);
	put_own(p, "staprun_missed_lookups_total", "counter",
		"Failed look-ups in the memory map of a program, which was being changed.", NULL,
		st->missed_lookups);
	put_own(p, "staprun_cut_strings_total", "counter",
		"Strings that were longer than MAXSTRINGLEN.", NULL, st->cut_strings);
}

void prometheus_page(struct text *page, const struct metrics *m, const struct metrics_run *run)
{
	static const struct metrics nothing;
	struct metrics counter = {.left_out = m ? m->left_out : 0};
	struct page *p = xrealloc(NULL, sizeof *p);

	p->out = page;
	p->left_out = &counter;
	p->m = m ? m : &nothing;
	p->run = run;
	put_info(p);
	put_losses(p);
	if (m)
		put_time(p, "staprun_globals_time_seconds",
			 "When the globals were read, since 1970.", m->realtime);
	put_hits(p);
	name_families(p);
	for (size_t i = 0; i < p->m->nfamilies; i++)
		put_family(p, i);
	put_own(p, "staprun_left_out_samples", "gauge",
		"Elements and probes that were left out because there are too many.", NULL,
		counter.left_out);
	free(p);
}
