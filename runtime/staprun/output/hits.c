/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits and missed probes for --explain and --expect-hits. The script reports all its sites at its
 * end, in records that counts.c reads; here they are collected and reported by the probe point that
 * they belong to.
 */
#define _GNU_SOURCE
#include "base/message.h"
#include "output/hits.h"
#include "report/report.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without -v, further sites of one probe point that were not hit for the same reason are only
 * counted. */
enum { MISSES_TOLD = 16 };

typedef unsigned long long ull;

struct hit_count {
	struct ust_count count;
	char *pp, *origin; /* "FILE:LINE:COLUMN, from: POINT" */
};

static const char between[] = ", from: ";

void hits_add(struct hits *h, const struct ust_count *c, const char *pp, const char *origin)
{
	if (h->n == h->cap) {
		h->cap = h->cap ? 2 * h->cap : 64;
		h->v = xrealloc(h->v, h->cap * sizeof *h->v);
	}
	struct hit_count *hit = &h->v[h->n++];
	*hit = (struct hit_count){*c, xstrndup(pp, strlen(pp)), xstrndup(origin, strlen(origin))};
	mask_controls(hit->pp, strlen(pp));
	mask_controls(hit->origin, strlen(origin));
}

void hits_free(struct hits *h)
{
	while (h->n) {
		h->n--;
		free(h->v[h->n].pp);
		free(h->v[h->n].origin);
	}
	free(h->v);
	*h = (struct hits){0};
}

/* "FILE:LINE:COLUMN" */
static size_t place_length(const struct hit_count *h)
{
	const char *end = strstr(h->origin, between);

	return end ? (size_t)(end - h->origin) : strlen(h->origin);
}

/* In script order: by the location of the probe, with numbers compared as numbers, then in the
 * order of the script's tables. */
static int by_place(const void *a, const void *b)
{
	const struct hit_count *x = a, *y = b;
	size_t n = place_length(x), m = place_length(y);
	int order = n == m && !strncmp(x->origin, y->origin, n) ? 0
								: strverscmp(x->origin, y->origin);

	return order                             ? order
	       : x->count.index < y->count.index ? -1
						 : x->count.index > y->count.index;
}

static void sort(struct hits *h)
{
	if (h->n)
		qsort(h->v, h->n, sizeof *h->v, by_place);
}

/* ---------------------------------------------------------------------- why not */

/* The first one that applies is reported. */
static const struct {
	uint32_t flag;
	const char *why;
} reasons[] = {
	{UST_COUNT_NO_FILE,
	 "its file is missing or differs from the file the script was compiled for"},
	{UST_COUNT_ENTERED, "the function was entered, but did not return"},
	{UST_COUNT_UNWANTED, "only untraced processes reached it; see -c, -x and --children"},
	{UST_COUNT_FAILED, "the probe could not be armed; see the warning"},
	{UST_COUNT_CLOSED, "the probe is disarmed while its condition is false"},
	{UST_COUNT_MAPPED, "the file was mapped, but this address was never reached"},
	{UST_COUNT_OTHER, "a process has mapped a different file of that path"},
	{UST_COUNT_SITE, "no process had the file mapped"},
	{0, "its event did not occur"},
};

static const char *reason(const struct ust_count *c)
{
	size_t i = 0;

	if (c->refused)
		return "its condition was never true";
	while (reasons[i].flag && !(c->flags & reasons[i].flag))
		i++;
	return reasons[i].why;
}

/* ---------------------------------------------------------------------- telling */

static void tell_one(const struct hit_count *h)
{
	const struct ust_count *c = &h->count;

	fprintf(stderr, "  ");
	if (c->flags & UST_COUNT_SITE)
		fprintf(stderr, "#%u ", c->index + 1);
	fprintf(stderr, "%s: ", h->pp);
	if (c->hits)
		fprintf(stderr, "%llu hit%s", (ull)c->hits, c->hits == 1 ? "" : "s");
	else
		fprintf(stderr, "no hit: %s", reason(c));
	if (c->flags & UST_COUNT_TRAP)
		fprintf(stderr, "; by int3: %s", patch_reason(c->flags >> UST_COUNT_WHY));
	if (c->refused)
		fprintf(stderr, "; condition false %llu times", (ull)c->refused);
	fprintf(stderr, "\n");
}

/* Number of sites in [FROM, I) that were missed for the same reason as I. */
static size_t missed_before(const struct hit_count *from, const struct hit_count *i)
{
	size_t n = 0;

	for (const struct hit_count *k = from; k < i && n <= MISSES_TOLD; k++)
		n += !k->count.hits && reason(&k->count) == reason(&i->count);
	return n;
}

static void tell_point(const struct hit_count *from, const struct hit_count *to)
{
	size_t untold = 0;

	size_t place = place_length(from);

	if (from->origin[place])
		fprintf(stderr, "hits of %.*s: %s\n", (int)place, from->origin,
			from->origin + place + strlen(between));
	for (const struct hit_count *i = from; i < to; i++)
		if (i->count.hits || verbose || missed_before(from, i) < MISSES_TOLD)
			tell_one(i);
		else
			untold++;
	if (untold)
		fprintf(stderr, "  and %zu more without a hit; -v names them\n", untold);
}

void hits_explain(struct hits *h)
{
	static char buffer[BUFSIZ];
	size_t to;

	if (!h->n) {
		say("the script does not report hits: build it with ustap --explain");
		return;
	}
	setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
	sort(h);
	for (size_t i = 0; i < h->n; i = to) {
		for (to = i; to < h->n && !strcmp(h->v[to].origin, h->v[i].origin); to++)
			;
		tell_point(&h->v[i], &h->v[to]);
	}
	fflush(stderr);
	setvbuf(stderr, NULL, _IONBF, 0);
}

/* -------------------------------------------------------------------- expecting */

static bool same_probe(const struct hit_count *x, const struct hit_count *y)
{
	size_t n = place_length(x);

	return n == place_length(y) && !strncmp(x->origin, y->origin, n);
}

/* Only probes of processes are expected to fire: a script may not need its error probe. */
static bool is_of_processes(const struct hit_count *h)
{
	return !strncmp(h->pp, "process", strlen("process"));
}

/* Report all sites of one probe; true if one of them was hit. */
static bool probe_was_hit(const struct hit_count *from, const struct hit_count *to)
{
	for (const struct hit_count *i = from; i < to; i++)
		if (!is_of_processes(i))
			return true;
	for (const struct hit_count *i = from; i < to; i++)
		if (i->count.hits) {
			test_report_point(true, NULL, "the probe at %.*s is hit",
					  (int)place_length(from), from->origin);
			return true;
		}
	test_report_point(false,
			  to - from == 1 ? reason(&from->count) : "none of its sites was hit",
			  "the probe at %.*s is hit", (int)place_length(from), from->origin);
	say("the probe at %.*s was not hit: %s", (int)place_length(from), from->origin,
	    to - from == 1 ? reason(&from->count) : "none of its sites was hit");
	return false;
}

bool hits_expected(struct hits *h)
{
	bool all = true;
	size_t to;

	if (!h->n)
		return fail("the script does not report hits: build it with ustap --expect-hits");
	sort(h);
	for (size_t i = 0; i < h->n; i = to) {
		for (to = i; to < h->n && same_probe(&h->v[to], &h->v[i]); to++)
			;
		all &= probe_was_hit(&h->v[i], &h->v[to]);
	}
	return all;
}
