/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: the globals and hits of one view in typed form, for exporters. The reader's thread
 * collects a view; another thread takes it when it is complete.
 */
#ifndef STAPRUN_OUTPUT_METRICS_H
#define STAPRUN_OUTPUT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_text.h"
#include "wire.h"
#include "wire_records.h"

struct item;

/* More of a view is left out and counted: traced processes can write any record. */
enum {
	METRIC_FAMILIES = 256,
	METRIC_ELEMENTS = 1000,
	METRIC_POINTS = 20000,
	METRIC_BYTES = 8 << 20,
	METRIC_HITS = 20000,
	METRIC_BUCKETS = 10000
};

struct metric_value {
	bool is_string;
	int64_t number;
	size_t at, len; /* of a string, in metrics.strings */
};

/* A scalar, or an element of an array: its keys, then its value, or those of a statistic in the
 * order of doc/outputs.md; and pairs of the number of a bucket and its count. */
struct metric_point {
	size_t first, n, hist, nhist; /* indices and numbers of metrics.values */
};

/* A global. */
struct metric_family {
	char *name, *labels; /* one line for each key */
	enum { METRIC_GAUGE, METRIC_COUNTER, METRIC_STATISTIC } kind;
	unsigned nkeys;
	size_t first, n; /* of metrics.points */
	bool complete;   /* its probe has ended */
	enum { HIST_NONE, HIST_LOG, HIST_LINEAR } hist;
	int64_t low, step; /* HIST_LINEAR */
	unsigned buckets;  /* including the two outermost ones */
};

struct metric_hits {
	struct ust_count count;
	char *point, *origin;
};

struct metrics {
	uint64_t realtime; /* ns since 1970, of the end of the view */
	struct metric_family *families;
	struct metric_point *points;
	struct metric_value *values;
	struct metric_hits *hits;
	size_t nfamilies, npoints, nvalues, nhits;
	size_t points_cap, values_cap, hits_cap;
	struct text strings;
	uint64_t left_out; /* points and hits */
};

/* ---------------------------------------------------------------- metrics.c */

struct metrics_box;

/* Freed by metrics_box_free(). */
struct metrics_box *metrics_new(void);
/* Free B with what it contains; NULL is allowed. */
void metrics_box_free(struct metrics_box *b);
/* An eventfd that becomes readable when a view is complete; -1 on failure. */
int metrics_event(const struct metrics_box *b);

/* For the reader's thread. A global or its histogram; other items are ignored. */
void metrics_item(struct metrics_box *b, const struct item *it);
/* The probe that showed a global has ended. */
void metrics_hit_end(struct metrics_box *b);
/* A count of the view, by ascending index; the texts are copied. */
void metrics_count(struct metrics_box *b, const struct ust_count *c, const char *point,
		   const char *origin);
/* The view is complete. */
void metrics_view_end(struct metrics_box *b);

/* The newest complete view, which the caller owns; NULL: none since the last call. Any thread. */
struct metrics *metrics_take(struct metrics_box *b);
/* Free M; NULL is allowed. */
void metrics_free(struct metrics *m);

/* The number of samples of P, a point of the statistic F: not below the sum of its buckets, which
 * are read later, when handlers may have added samples. */
int64_t metric_samples(const struct metrics *m, const struct metric_family *f,
		       const struct metric_point *p);
/* The number of samples of a bucket with the count N; 0 for a forged count below 0. */
static inline int64_t metric_bucket(int64_t n) { return n > 0 ? n : 0; }

struct metric_bounds {
	int64_t first, last; /* buckets */
};
/* The first and the last bucket with a bound of its own in the histograms of F. The set does not
 * change, except that buckets below zero of a logarithmic one begin with the first that is not
 * empty. */
struct metric_bounds metric_bounds(const struct metrics *m, const struct metric_family *f);
/* The largest integer of bucket I. */
int64_t metric_bound(const struct metric_family *f, int64_t i);

/* --------------------------------------------------------- out_prometheus.c */

/* The run, which exporters report beside the script's own metrics. */
struct metrics_run {
	const char *script, *runtime, *version;
	uint64_t begun; /* ns since 1970 */
	bool running;
	const struct ust_status *status;
	uint64_t lost; /* records */
};

/* Append M, NULL: no view yet, and RUN to PAGE in Prometheus' text format 0.0.4. */
void prometheus_page(struct text *page, const struct metrics *m, const struct metrics_run *run);

#endif
