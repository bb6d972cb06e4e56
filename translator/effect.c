/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a piece of code does to globals, and which functions it reaches; calls
 * are followed, each function once.  Needs names resolved, nothing more.
 */
#include "ustap.h"

struct walk {
	effect_vec *effects; /* or NULL */
	func_vec *funcs;     /* seen so far */
};

static struct effect *effect_of(effect_vec *v, struct symbol *sym)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].sym == sym)
			return &v->v[i];
	vec_push(v, (struct effect){.sym = sym});
	return &v->v[v->n - 1];
}

struct effect *effect_find(const effect_vec *v, const struct symbol *sym)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].sym == sym)
			return &v->v[i];
	return NULL;
}

static void note(struct walk *w, struct symbol *sym, bool written, bool sorted)
{
	struct effect *e;

	if (!w->effects || !sym || sym->kind != SYM_GLOBAL)
		return;
	e = effect_of(w->effects, sym);
	e->written |= written;
	e->sorted |= sorted;
	e->read |= !written;
}

static bool visit(struct node *n, void *arg);

static void walk_list(struct walk *w, struct node *n)
{
	for (; n; n = n->next)
		node_walk(n, visit, NULL, w);
}

static void visit_call(struct walk *w, struct func *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < w->funcs->n; i++)
		if (w->funcs->v[i] == f)
			return;
	vec_push(w->funcs, f);
	walk_list(w, f->body);
}

static void visit_foreach(struct walk *w, struct node *n)
{
	note(w, n->sym, false, n->each.sort_col >= 0);
	for (struct node *k = n->each.keys; k; k = k->next)
		note(w, k->sym, true, false);
	if (n->each.value)
		note(w, n->each.value->sym, true, false);
}

static bool visit(struct node *n, void *arg)
{
	struct walk *w = arg;

	switch (n->kind) {
	case N_ASSIGN:
		note(w, n->bin.l->sym, true, false);
		break;
	case N_INCDEC:
		note(w, n->inc.e->sym, true, false);
		break;
	case N_DELETE:
		note(w, n->expr.e->sym, true, false);
		break;
	case N_FOREACH:
		visit_foreach(w, n);
		break;
	case N_TRY:
		if (n->try_.var)
			note(w, n->try_.var->sym, true, false);
		break;
	case N_VAR:
	case N_INDEX:
	case N_IN:
		note(w, n->sym, false, false);
		break;
	case N_CALL:
		visit_call(w, n->call.func);
		break;
	default:
		break;
	}
	return true;
}

void effects_of(struct node *n, effect_vec *out)
{
	func_vec funcs = {0};
	struct walk w = {.effects = out, .funcs = &funcs};

	walk_list(&w, n);
}

void calls_of(struct node *n, func_vec *out)
{
	struct walk w = {.funcs = out};

	walk_list(&w, n);
}
