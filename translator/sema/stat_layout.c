/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes: what each statistic keeps besides count, sum, minimum and maximum.  Only what the script
 * asks for is kept: the buckets of one histogram, what a variance is made of, and sketches for
 * percentiles.
 */
#include "sema.h"
#include "session.h"

static bool same_numbers(const struct node *a, const struct node *b)
{
	for (size_t i = 0; i < ARRAY_LEN(a->stat.num); i++)
		if (a->stat.num[i] != b->stat.num[i])
			return false;
	return a->stat.op == b->stat.op;
}

static uint64_t buckets(const struct node *hist)
{
	if (hist->stat.op == ST_HIST_LOG)
		return 128;
	return ((uint64_t)hist->stat.num[1] - (uint64_t)hist->stat.num[0]) /
		       (uint64_t)hist->stat.num[2] +
	       3;
}

unsigned hist_buckets(const struct node *hist) { return (unsigned)buckets(hist); }

/* OLD and N want different things of one statistic. */
static void conflict(const struct node *old, const struct node *n, const char *what)
{
	unsigned line, col;

	loc_linecol(old->loc, &line, &col);
	diag_error(E_SHAPE, n->loc, "a second %s of \"%s\"", what, n->stat.e->sym->name);
	diag_hint("the first is at line %u, column %u; a statistic has only one", line, col);
}

static void note_hist(struct symbol *sym, const struct node *n, uint64_t max)
{
	if (sym->hist && !same_numbers(sym->hist, n))
		conflict(sym->hist, n, "histogram");
	if (sym->hist)
		return;
	sym->hist = n;
	if (n->stat.op != ST_HIST_LINEAR || buckets(n) - 3 <= max - 3)
		return;
	diag_error(
		E_LIMIT, n->loc,
		"a histogram has at most %llu buckets, including the two for values out of range",
		(unsigned long long)max);
	diag_hint("each step from low to high is a bucket; change the limit with "
		  "-DSTP_MAX_BUCKETS=N");
}

static void note_variance(struct symbol *sym, const struct node *n)
{
	sym->keeps_variance = true;
	if (sym->variance && !same_numbers(sym->variance, n))
		conflict(sym->variance, n, "bit shift");
	if (!sym->variance)
		sym->variance = n;
}

static bool note_shape(struct node *n, void *arg)
{
	const struct session *s = arg;

	if (n->kind == N_FOREACH && n->each.sort_op == ST_VARIANCE && n->sym)
		n->sym->keeps_variance = true;
	if (n->kind == N_FOREACH && n->each.sort_op == ST_PERCENTILE && n->sym)
		n->sym->keeps_percentiles = true;
	if (n->kind != N_STATOP || !n->stat.e->sym)
		return true;
	if (n->stat.op == ST_VARIANCE)
		note_variance(n->stat.e->sym, n);
	else if (n->stat.op == ST_PERCENTILE)
		n->stat.e->sym->keeps_percentiles = true;
	else if (n->stat.op == ST_HIST_LOG || n->stat.op == ST_HIST_LINEAR)
		note_hist(n->stat.e->sym, n, (uint64_t)s->lim.max_buckets);
	return true;
}

void check_shapes(struct session *s)
{
	struct program *p = &s->program;

	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, note_shape, NULL, s);
	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, note_shape, NULL, s);
}
