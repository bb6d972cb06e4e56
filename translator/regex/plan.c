/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search plan of a regular expression, in tables.
 *
 * A match is found in three runs over the text: `test` decides whether one exists, `locate`
 * reads backwards and finds the first byte where one begins, `longest` finds the end of the
 * longest one from there. Groups are then found from the outside in. A step gets a span of the
 * text that its part of the expression matches, and divides it between the parts below:
 *
 *   CAT   the left part gets as much as it can, if the right part matches the
 *         rest (POSIX: from left to right, each as long as possible)
 *   ALT   the first alternative that matches all of the span
 *   STAR  each repetition gets as much as it can, if others match the rest;
 *         only the last one's groups count
 *
 * Where the right part or the other repetitions could begin is found first, in
 * a run backwards over the span.  Each step is taken at most once and reads its
 * span at most twice, so the time is linear in the text.
 */
#include <string.h>

#include "regex.h"

struct planner {
	struct rx_plan *p;
	bool failed;
};

static struct dfa *add_dfa(struct planner *pl, struct dfa *d)
{
	if (!d) {
		pl->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < pl->p->dfas.n; i++) {
		struct dfa *o = pl->p->dfas.v[i];

		if (!d->sets && !o->sets && o->nstates == d->nstates &&
		    !memcmp(o->start, d->start, sizeof o->start) &&
		    !memcmp(o->accept, d->accept, (size_t)o->nstates) &&
		    !memcmp(o->next, d->next, (size_t)(o->nstates * o->nclasses) * sizeof *o->next))
			return o;
	}
	d->number = (int)pl->p->dfas.n;
	vec_push(&pl->p->dfas, d);
	return d;
}

static struct dfa *forwards(struct planner *pl, const struct rx *re)
{
	return pl->failed ? NULL : add_dfa(pl, dfa_new(nfa_new(re), &pl->p->classes, false, false));
}

static struct dfa *backwards(struct planner *pl, const struct rx *re)
{
	return pl->failed ? NULL : add_dfa(pl, dfa_new(nfa_new(re), &pl->p->classes, true, false));
}

/* In which pairs of states of S is some way through the repetition still open? */
static void meet(struct rx_step *s, size_t words)
{
	size_t stride = (size_t)s->bwd->nstates;

	s->live = xalloc((size_t)s->fwd->nstates * stride);
	for (size_t f = 0; f < (size_t)s->fwd->nstates; f++)
		for (size_t b = 0; b < stride; b++)
			for (size_t w = 0; w < words && !s->live[f * stride + b]; w++)
				s->live[f * stride + b] = (s->fwd->sets[f][w] &
							   s->bwd->sets[b][w]) != 0;
}

/* Both directions over the states of one automaton; backwards, a repetition may be followed by
 * others. */
static void plan_star(struct planner *pl, struct rx_step *s, const struct rx *re)
{
	struct nfa *once = nfa_new(re->l), *more = nfa_new(re->l);

	if (pl->failed)
		return;
	nfa_loop(more);
	more->first = more->last; /* accepts where a repetition ends */
	s->fwd = add_dfa(pl, dfa_new(once, &pl->p->classes, false, true));
	s->bwd = add_dfa(pl, dfa_new(more, &pl->p->classes, true, true));
	if (!pl->failed && s->fwd->nstates * s->bwd->nstates > 1 << 18)
		pl->failed = true;
	if (!pl->failed)
		meet(s, ((size_t)once->nstates + 63) / 64);
}

/* Steps for RE; -1 if it has no groups. */
static int plan(struct planner *pl, const struct rx *re)
{
	static const int kinds[] = {
		[RX_GROUP] = RX_STEP_GROUP, [RX_CAT] = RX_STEP_CAT,   [RX_ALT] = RX_STEP_ALT,
		[RX_OPT] = RX_STEP_ALT,     [RX_STAR] = RX_STEP_STAR, [RX_PLUS] = RX_STEP_STAR,
		[RX_COPY] = RX_STEP_COPY};
	struct rx_step s = {.left = -1, .right = -1, .first = re->first, .last = re->last};
	size_t at = pl->p->steps.n;

	if (!re->groups || pl->failed)
		return -1;
	pl->failed |= at >= RX_MAX_NODES;
	s.kind = kinds[re->kind];
	vec_push(&pl->p->steps, s);
	if (s.kind == RX_STEP_CAT || s.kind == RX_STEP_ALT)
		s.fwd = forwards(pl, re->l);
	if (s.kind == RX_STEP_CAT)
		s.bwd = backwards(pl, re->r);
	if (s.kind == RX_STEP_STAR)
		plan_star(pl, &s, re);
	s.left = plan(pl, re->l);
	if (re->r)
		s.right = plan(pl, re->r);
	pl->p->steps.v[at] = s;
	return (int)at;
}

struct rx_plan *rx_plan_new(struct rx *re, int ngroups, bool capture)
{
	struct planner pl = {.p = xalloc(sizeof *pl.p)};
	struct rx *all = rx_new(RX_SET, NULL, NULL), *some;

	for (unsigned ch = 1; ch < 256; ch++)
		rx_add(&all->set, ch);
	some = rx_new(RX_STAR, all, NULL);
	pl.p->ngroups = ngroups;
	classes_of(&pl.p->classes, re);
	pl.p->test = forwards(&pl, rx_new(RX_CAT, some, re));
	if (capture) {
		pl.p->locate = backwards(&pl, rx_new(RX_CAT, re, some));
		pl.p->longest = forwards(&pl, re);
		plan(&pl, re);
	}
	return pl.failed ? NULL : pl.p;
}
