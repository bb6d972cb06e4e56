/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * @probewrite(v) in the bodies of an alias: does the handler of the probe that
 * uses the alias assign to v?  Known before names are, as both bodies have one
 * scope; the branch that is not taken leaves, so it may name what is not there.
 */
#include <string.h>
#include "sema.h"

struct search {
	const char *name;
	bool found;
};

static bool is_named(const struct node *n, const char *name)
{
	if (!n)
		return false;
	return (n->kind == N_VAR && !strcmp(n->var.name, name)) ||
	       (n->kind == N_INDEX && !strcmp(n->index.name, name)) ||
	       (n->kind == N_TARGET && !strcmp(n->target.name, name));
}

static bool see_write(struct node *n, void *arg)
{
	struct search *s = arg;

	if (n->kind == N_ASSIGN)
		s->found |= is_named(n->bin.l, s->name);
	else if (n->kind == N_INCDEC)
		s->found |= is_named(n->inc.e, s->name);
	else if (n->kind == N_TRY)
		s->found |= is_named(n->try_.var, s->name);
	else if (n->kind == N_FOREACH) {
		s->found |= is_named(n->each.value, s->name);
		for (const struct node *k = n->each.keys; k; k = k->next)
			s->found |= is_named(k, s->name);
	}
	return !s->found;
}

static bool writes(struct node *body, const char *name)
{
	struct search s = {.name = name};

	node_walk(body, see_write, NULL, &s);
	return s.found;
}

/* 1 or 0 where N is @probewrite or its negation; else -1. */
static int answer(const struct node *n, struct node *body)
{
	if (n->kind == N_PROBEWRITE)
		return writes(body, n->var.name);
	if (n->kind == N_UNARY && n->un.op == OP_NOT && answer(n->un.e, body) >= 0)
		return !answer(n->un.e, body);
	return -1;
}

static void become(struct node *n, const struct node *by)
{
	struct node *next = n->next;

	if (by)
		*n = *by;
	else
		n->kind = N_NULL;
	n->next = next;
}

static bool fold(struct node *n, void *body)
{
	int known;

	while ((n->kind == N_IF || n->kind == N_COND) && (known = answer(n->cond.c, body)) >= 0)
		become(n, known ? n->cond.t : n->cond.f);
	if (n->kind == N_PROBEWRITE) {
		known = answer(n, body);
		n->kind = N_NUM;
		n->num = known;
	}
	return true;
}

void probewrite_fold(struct node *block, struct node *body) { node_walk(block, fold, NULL, body); }
