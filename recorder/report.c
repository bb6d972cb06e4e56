/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ustap report: calls, times and percentiles of each function; callers and callees; differences. */
#include "recording.h"
#include "base/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stats {
	uint64_t calls, total, self;
	uint64_t tail, left, cut; /* entered by a tail call; without a return; cut off */
	struct latency latency;
};

struct profile {
	const struct recording *r;
	struct stats *v; /* for each function */
	struct call_table edges;
	uint64_t lost, unmatched;
};

/* ------------------------------------------------------------------ profile */

static void add_edge(struct profile *p, const struct step *s, uint64_t all)
{
	struct call_count *e = call_table_at(&p->edges, s->caller, s->function);

	e->calls++;
	e->total += all;
}

static void add_step(struct profile *p, const struct step *s)
{
	struct stats *to = &p->v[s->function];
	uint64_t all = s->end - s->start;

	if (s->kind == STEP_ENTER)
		return;
	to->calls++;
	add_edge(p, s, all);
	if (s->kind == STEP_INLINED)
		return;
	if (!(s->flags & CALL_RECURSIVE))
		to->total += all;
	to->self += s->self;
	to->left += !!(s->flags & CALL_LEFT);
	to->cut += !!(s->flags & CALL_CUT);
	if (s->flags & CALL_TAIL)
		p->v[s->tail].tail++;
	if (!(s->flags & CALL_CUT))
		latency_add(&to->latency, all);
}

static void profile_make(struct profile *p, const struct recording *r, int64_t thread)
{
	struct cursor c;
	struct step s;

	*p = (struct profile){.r = r};
	p->v = xrealloc(NULL, (r->nfunctions + 1) * sizeof *p->v);
	memset(p->v, 0, (r->nfunctions + 1) * sizeof *p->v);
	for (size_t i = 0; i < r->nthreads; i++) {
		if (thread >= 0 && r->threads[i].tid != thread)
			continue;
		cursor_open(&c, r, &r->threads[i]);
		while (cursor_next(&c, &s))
			add_step(p, &s);
		p->lost += c.lost;
		p->unmatched += c.unmatched;
		cursor_close(&c);
	}
}

static void profile_free(struct profile *p)
{
	for (size_t i = 0; i < p->r->nfunctions; i++)
		latency_free(&p->v[i].latency);
	free(p->v);
	free(p->edges.v);
}

/* ------------------------------------------------------------------ sorting */

static const struct profile *sorted;
static const char *sorted_by;

static uint64_t key_of(uint32_t f)
{
	const struct stats *v = &sorted->v[f];

	return *sorted_by == 's' ? v->self : *sorted_by == 'c' ? v->calls : v->total;
}

static int by_key(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t ka = key_of(a), kb = key_of(b);

	if (*sorted_by != 'n' && ka != kb)
		return ka > kb ? -1 : 1;
	return strcmp(sorted->r->functions[a].title, sorted->r->functions[b].title);
}

/* The functions that were called, in order; to be freed. */
static uint32_t *sort_functions(const struct profile *p, const char *by, size_t *n)
{
	uint32_t *order = xrealloc(NULL, (p->r->nfunctions + 1) * sizeof *order);

	*n = 0;
	for (uint32_t i = 0; i < p->r->nfunctions; i++)
		if (p->v[i].calls)
			order[(*n)++] = i;
	sorted = p;
	sorted_by = by;
	qsort(order, *n, sizeof *order, by_key);
	return order;
}

/* ----------------------------------------------------------------- printing */

/* A duration in 10 columns. */
static void print_ns(double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s "};
	double sign = ns < 0 ? -1 : 1, v = ns * sign;
	unsigned u = 0;

	while (v >= 999.95 && u < 3) {
		v /= 1000;
		u++;
	}
	printf("%*.*f %s ", 8, u ? 3 : 0, v * sign, units[u]);
}

static void print_ticks(const struct profile *p, uint64_t ticks)
{
	print_ns(recording_ns(p->r, ticks));
}

static void print_notes(const struct stats *v)
{
	if (v->tail)
		printf("  (tail-called %" PRIu64 ")", v->tail);
	if (v->left)
		printf("  (left without return %" PRIu64 ")", v->left);
	if (v->cut)
		printf("  (not returned %" PRIu64 ")", v->cut);
	putchar('\n');
}

static void print_row(const struct profile *p, uint32_t f)
{
	static const double percents[] = {50, 99};
	const struct stats *v = &p->v[f];

	printf("%10" PRIu64 " ", v->calls);
	if (p->r->functions[f].inlined) {
		printf("%12s%12s%12s%12s%12s", "- ", "- ", "- ", "- ", "- ");
	} else {
		print_ticks(p, v->total);
		print_ticks(p, v->self);
		for (size_t i = 0; i < 2; i++)
			print_ticks(p, latency_percentile(&v->latency, percents[i]));
		print_ticks(p, v->latency.max);
	}
	printf(" %s", p->r->functions[f].title);
	print_notes(v);
}

static void print_head(void)
{
	printf("%10s %11s %11s %11s %11s %11s  %s\n", "calls", "total", "self", "p50", "p99", "max",
	       "function");
}

/* All edges by one of their ends; those of one function have the longest total first. Several
 * functions can have the name that --function asks for, so they are sorted once. */
struct edge_list {
	struct call_count *v;
	size_t n;
	uint32_t (*end)(const struct call_count *e);
};

static uint32_t caller_end(const struct call_count *e) { return e->caller; }
static uint32_t callee_end(const struct call_count *e) { return e->callee; }

static int by_total(const struct call_count *a, const struct call_count *b)
{
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->calls > b->calls ? -1 : a->calls < b->calls;
}

static int by_caller(const void *pa, const void *pb)
{
	const struct call_count *a = pa, *b = pb;

	return a->caller != b->caller ? a->caller < b->caller ? -1 : 1 : by_total(a, b);
}

static int by_callee(const void *pa, const void *pb)
{
	const struct call_count *a = pa, *b = pb;

	return a->callee != b->callee ? a->callee < b->callee ? -1 : 1 : by_total(a, b);
}

/* The edges of P by their callee, or else by their caller; the caller frees v. */
static struct edge_list list_edges(const struct profile *p, bool by_their_callee)
{
	struct edge_list l = {.v = xrealloc(NULL, (p->edges.n + 1) * sizeof *l.v),
			      .end = by_their_callee ? callee_end : caller_end};

	for (size_t i = 0; i < p->edges.cap; i++)
		if (p->edges.v[i].is_used)
			l.v[l.n++] = p->edges.v[i];
	qsort(l.v, l.n, sizeof *l.v, by_their_callee ? by_callee : by_caller);
	return l;
}

/* The first edge in L whose end is F or a later function. */
static size_t first_edge(const struct edge_list *l, uint32_t f)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->end(&l->v[middle]) < f)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The edges of function F in L. */
static void print_edges(const struct profile *p, const struct edge_list *l, uint32_t f)
{
	for (size_t i = first_edge(l, f); i < l->n && l->end(&l->v[i]) == f; i++) {
		uint32_t other = l->end == callee_end ? l->v[i].caller : l->v[i].callee;

		printf("%10" PRIu64 " ", l->v[i].calls);
		print_ticks(p, l->v[i].total);
		printf(" %s\n", other == NO_FUNCTION ? "(no recorded caller)"
						     : p->r->functions[other].title);
	}
}

static bool has_name(const struct function *f, const char *name)
{
	return !strcmp(f->name, name) || !strcmp(f->title, name);
}

static bool print_function(const struct profile *p, const char *name)
{
	struct edge_list callers = list_edges(p, true), callees = list_edges(p, false);
	bool found = false;

	for (uint32_t f = 0; f < p->r->nfunctions; f++) {
		if (!p->v[f].calls || !has_name(&p->r->functions[f], name))
			continue;
		print_head();
		print_row(p, f);
		printf("  callers:\n");
		print_edges(p, &callers, f);
		printf("  callees:\n");
		print_edges(p, &callees, f);
		found = true;
	}
	free(callers.v);
	free(callees.v);
	return found || fail("%s: no calls of \"%s\"", p->r->path, name);
}

static void print_table(const struct profile *p, const struct report_options *o)
{
	size_t n;
	uint32_t *order = sort_functions(p, o->sort ? o->sort : "total", &n);

	print_head();
	for (size_t i = 0; i < n && !(o->limit && i == o->limit); i++)
		print_row(p, order[i]);
	free(order);
}

/* -------------------------------------------------------------- differences */

struct change {
	const char *title;
	const struct stats *before, *after; /* or NULL */
	double self, total;                 /* ns more than before */
};

static int by_title(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;
	int order = strcmp(a->title, b->title);

	return order ? order : !a->before - !b->before;
}

static int by_change(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;
	double x = a->self < 0 ? -a->self : a->self, y = b->self < 0 ? -b->self : b->self;

	if (x > y || x < y)
		return x > y ? -1 : 1;
	return strcmp(a->title, b->title);
}

static size_t add_all(struct change *v, size_t n, const struct profile *p, bool before)
{
	for (size_t i = 0; i < p->r->nfunctions; i++)
		if (p->v[i].calls)
			v[n++] = (struct change){.title = p->r->functions[i].title,
						 .before = before ? &p->v[i] : NULL,
						 .after = before ? NULL : &p->v[i]};
	return n;
}

/* The same function of both recordings becomes one element. */
static size_t join(struct change *v, size_t n)
{
	size_t to = 0;

	qsort(v, n, sizeof *v, by_title);
	for (size_t i = 0; i < n; i++) {
		struct change *last = to ? &v[to - 1] : NULL;

		if (last && last->before && !last->after && v[i].after &&
		    !strcmp(last->title, v[i].title))
			last->after = v[i].after;
		else
			v[to++] = v[i];
	}
	return to;
}

static uint64_t calls_of(const struct stats *v) { return v ? v->calls : 0; }
static uint64_t self_of(const struct stats *v) { return v ? v->self : 0; }
static uint64_t total_of(const struct stats *v) { return v ? v->total : 0; }

static void print_changes(const struct profile *old, const struct profile *new,
			  const struct report_options *o)
{
	size_t most = old->r->nfunctions + new->r->nfunctions, n;
	struct change *v = xrealloc(NULL, (most + 1) * sizeof *v);

	n = join(v, add_all(v, add_all(v, 0, old, true), new, false));
	for (size_t i = 0; i < n; i++) {
		v[i].self = recording_ns(new->r, self_of(v[i].after)) -
			    recording_ns(old->r, self_of(v[i].before));
		v[i].total = recording_ns(new->r, total_of(v[i].after)) -
			     recording_ns(old->r, total_of(v[i].before));
	}
	qsort(v, n, sizeof *v, by_change);
	printf("%10s %10s %11s %11s  %s\n", "calls", "more calls", "more total", "more self",
	       "function");
	for (size_t i = 0; i < n && !(o->limit && i == o->limit); i++) {
		uint64_t calls = calls_of(v[i].after);

		printf("%10" PRIu64 " %+10" PRId64 " ", calls,
		       (int64_t)(calls - calls_of(v[i].before)));
		print_ns(v[i].total);
		print_ns(v[i].self);
		printf(" %s\n", v[i].title);
	}
	free(v);
}

static bool print_difference(const struct profile *p, const struct report_options *o)
{
	struct recording old;
	struct profile before;

	if (!recording_open(&old, o->diff)) {
		recording_close(&old);
		return false;
	}
	if (!recording_check_thread(&old, o->thread)) {
		recording_close(&old);
		return false;
	}
	profile_make(&before, &old, o->thread);
	recording_missing(&old, before.lost);
	print_changes(&before, p, o);
	profile_free(&before);
	recording_close(&old);
	return true;
}

bool report(const struct recording *r, const struct report_options *o)
{
	struct profile p;
	bool ok = true;

	profile_make(&p, r, o->thread);
	recording_missing(r, p.lost);
	if (o->diff)
		ok = print_difference(&p, o);
	else if (o->function)
		ok = print_function(&p, o->function);
	else
		print_table(&p, o);
	profile_free(&p);
	return ok;
}
