/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nesting: how deep the script's functions call each other, which is the default of MAXNESTING.
 *
 * Each function on the longest chain counts once; where functions call themselves, directly or not,
 * ten more are allowed, as in stap.
 */
#include "sema.h"

enum { FOR_RECURSION = 10, MOST = 250 };

struct chain {
	struct program *p;
	int64_t *depths; /* by the position in p->funcs; 0: not known, -1: on the way to itself */
	int64_t deepest;
	bool recursive;
};

static int64_t chain_below(const struct chain *of, struct node *body, bool *recursive);

static int64_t depth_of(struct chain *c, const struct func *f)
{
	size_t i = 0;

	while (i < c->p->funcs.n && c->p->funcs.v[i] != f)
		i++;
	if (i == c->p->funcs.n)
		return 1;
	if (c->depths[i] < 0) {
		c->recursive = true;
		return 0;
	}
	if (!c->depths[i]) {
		c->depths[i] = -1;
		c->depths[i] = 1 + chain_below(c, f->body, &c->recursive);
	}
	return c->depths[i];
}

static bool see_call(struct node *n, void *arg)
{
	struct chain *c = arg;
	int64_t depth = n->kind == N_CALL && n->call.func ? depth_of(c, n->call.func) : 0;

	if (depth > c->deepest)
		c->deepest = depth;
	return true;
}

/* The longest chain of functions that BODY calls. */
static int64_t chain_below(const struct chain *of, struct node *body, bool *recursive)
{
	struct chain c = {.p = of->p, .depths = of->depths};

	node_walk(body, see_call, NULL, &c);
	*recursive |= c.recursive;
	return c.deepest;
}

int64_t nesting_needed(struct program *p)
{
	struct chain c = {.p = p, .depths = xalloc((p->funcs.n + 1) * sizeof *c.depths)};
	int64_t most = 1, depth;

	for (size_t i = 0; i < p->probes.n; i++) {
		depth = chain_below(&c, p->probes.v[i]->body, &c.recursive);
		most = depth > most ? depth : most;
	}
	most += c.recursive ? FOR_RECURSION : 0;
	return most < MOST ? most : MOST;
}
