/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans of OTLP: what scripts mark by span_begin() and span_end(). */
#ifndef STAPRUN_OUTPUT_SPANS_H
#define STAPRUN_OUTPUT_SPANS_H

#include <stdint.h>

struct hit_info;
struct item;
struct spans;
struct text;

/* TO_REALTIME: ns to add to times of CLOCK_MONOTONIC. */
struct spans *spans_new(int64_t to_realtime);
/* Free S; NULL is allowed. */
void spans_free(struct spans *s);
/* Take an ITEM_SPAN of H. If a span ends, append it to OUT as JSON and return 1, else 0. */
unsigned spans_item(struct spans *s, const struct hit_info *h, const struct item *it,
		    struct text *out);
/* Append the ids of the thread's innermost open span, as members of a LogRecord. */
void spans_ids(struct spans *s, const struct hit_info *h, struct text *out);

struct spans_lost {
	uint64_t open;     /* have not ended, or were dropped inside one that ended */
	uint64_t unbegun;  /* ends without a begin */
	uint64_t left_out; /* exceed the limits of threads, depth or attributes */
};
/* The numbers of spans so far that were not written. */
struct spans_lost spans_lost(const struct spans *s);

#endif
