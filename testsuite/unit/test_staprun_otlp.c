/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OTLP of hostile records: spans of threads and of a depth without end, ends without begins,
 * malformed items; keys with quotes, and histograms with more samples than their statistic. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/metrics.h"
#include "output/otlp_values.h"
#include "output/output_format.h"
#include "output/spans.h"
#include "staprun_check.h"

static struct text out;

static unsigned take(struct spans *s, uint32_t tid, const char *what, const char *name)
{
	struct hit_info h = {
		.pid = tid ? 1 : 0, .tid = tid, .comm = "c", .point = "p", .func = "f"};
	struct arg args[] = {{.is_string = true, .s = name, .len = strlen(name)},
			     {.number = INT64_MIN}};
	struct item it = {.kind = ITEM_SPAN,
			  .time = 5,
			  .what = what,
			  .args = args,
			  .nargs = *what == 'a' ? 2 : 1};

	return spans_item(s, &h, &it, &out);
}

static void nesting(void)
{
	struct spans *s = spans_new(100);
	struct spans_lost lost;

	out.n = 0;
	/* the kernel's idle thread has number 0 */
	take(s, 0, "b", "outer");
	take(s, 0, "b", "dropped");
	take(s, 0, "a", "k\"");
	take(s, 0, "b", "inner");
	take(s, 0, "f", "\xff");
	check(take(s, 0, "e", "inner") == 1 && take(s, 0, "e", "outer") == 1, "two spans end",
	      "others do");
	check(strstr(out.s, "\"message\":\"\\ufffd\"") && strstr(out.s, "\"name\":\"outer\"") &&
		      strstr(out.s, "\"startTimeUnixNano\":\"105\"") && !strstr(out.s, "dropped"),
	      "spans as JSON", out.s);
	check(take(s, 0, "e", "outer") == 0 && take(s, 0, "f", "x") == 0 &&
		      take(s, 7, "e", "outer") == 0,
	      "what is not open does not end", "it does");
	lost = spans_lost(s);
	check(lost.open == 1 && lost.unbegun == 3 && !lost.left_out, "lost spans", "other counts");
	spans_free(s);
}

static void endless(void)
{
	enum { THREADS = 100000, DEPTH = 1000, ATTRIBUTES = 10000 };
	struct spans *s = spans_new(0);
	struct spans_lost lost;
	unsigned ended = 0;

	/* threads that end leave room for others */
	for (uint32_t i = 1; i <= THREADS; i++) {
		take(s, i, "b", "x");
		out.n = 0;
		ended += take(s, i, "e", "x");
	}
	lost = spans_lost(s);
	check(ended == THREADS && !lost.left_out && !lost.open, "threads one after the other",
	      "some are lost");
	for (uint32_t i = 1; i <= THREADS; i++)
		take(s, i, "b", "x");
	lost = spans_lost(s);
	check(lost.open == 8192 && lost.open + lost.left_out == THREADS, "threads are limited",
	      "they are not");
	for (int i = 0; i < DEPTH; i++)
		take(s, 1, "b", "deep");
	check(spans_lost(s).open == 8192 + 127, "depth is limited", "it is not");
	for (int i = 0; i < ATTRIBUTES; i++)
		take(s, 1, "a", "key");
	out.n = 0;
	take(s, 1, "e", "deep");
	check(out.n < 20000, "attributes are limited", "they are not");
	spans_free(s);
}

static void malformed(void)
{
	struct spans *s = spans_new(0);
	struct arg number = {.number = 1};
	struct hit_info h = {.pid = 1, .tid = 1, .comm = "", .point = "", .func = ""};
	static const char *const parts[] = {"", "b", "e", "a", "f", "x"};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (size_t n = 0; n < 2; n++) {
			struct item it = {
				.kind = ITEM_SPAN, .what = parts[i], .args = &number, .nargs = n};

			check(!spans_item(s, &h, &it, &out), "a malformed item", "it ends a span");
		}
	check(!spans_lost(s).open, "malformed items open nothing", "they do");
	spans_free(s);
}

static void take_values(struct metrics_box *box, enum item_kind kind, const char *what,
			const int64_t *values, size_t n)
{
	struct arg args[8] = {0};
	struct item it = {.kind = kind, .what = what, .names = "", .args = args, .nargs = n};

	for (size_t i = 0; i < n; i++)
		args[i].number = values[i];
	metrics_item(box, &it);
}

/* Handlers add samples between the reads of a statistic and of its histogram. */
static void histogram(void)
{
	static const int64_t values[] = {3, 1, 9, 12}, buckets[] = {64, 4, 65, 5, 66, -7};
	struct metrics_box *box = metrics_new();
	struct metrics *m;

	take_values(box, ITEM_GLOBAL, "0 statistic s", values, 4);
	take_values(box, ITEM_HIST, "log", buckets, 6);
	metrics_hit_end(box);
	metrics_view_end(box);
	m = metrics_take(box);
	check(metric_samples(m, m->families, m->points) == 9, "samples are those of the histogram",
	      "another number");
	metrics_free(m);
	metrics_box_free(box);
}

static void keys(void)
{
	out.n = 0;
	otlp_number(&out, "a\"b\\", -1);
	check(!strcmp(out.s, "{\"key\":\"a\\\"b\\\\\",\"value\":{\"intValue\":\"-1\"}}"),
	      "keys are escaped", out.s);
}

int main(void)
{
	histogram();
	keys();
	nesting();
	endless();
	malformed();
	free(out.s);
	return failed > 0;
}
