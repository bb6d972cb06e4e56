/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effects of code on globals, and the functions that it reaches; calls are followed, each
 * function once. Needs only resolved names.
 *
 * Nodes seen in a walk are marked with its number: programs may have very many functions and
 * globals, and calls may go very deep.
 */
#include "sema.h"

struct walk {
	effect_vec *effects; /* or NULL */
	/* seen so far; the bodies of all but the first `done` are still to be walked */
	func_vec *funcs;
	size_t done;
	unsigned number;
};

static struct effect *effect_of(const struct walk *w, struct symbol *sym)
{
	if (sym->seen != w->number) {
		sym->seen = w->number;
		sym->seen_at = w->effects->n;
		vec_push(w->effects, (struct effect){.sym = sym});
	}
	return &w->effects->v[sym->seen_at];
}

struct effect *effect_find(const effect_vec *v, const struct symbol *sym)
{
	if (sym->seen_at < v->n && v->v[sym->seen_at].sym == sym)
		return &v->v[sym->seen_at];
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
	e = effect_of(w, sym);
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
	if (!f || f->seen == w->number)
		return;
	f->seen = w->number;
	vec_push(w->funcs, f);
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

static void walk_all(struct walk *w, struct node *n)
{
	static unsigned number;

	w->number = ++number;
	for (size_t i = 0; w->effects && i < w->effects->n; i++) {
		w->effects->v[i].sym->seen = number;
		w->effects->v[i].sym->seen_at = i;
	}
	for (size_t i = 0; i < w->funcs->n; i++)
		w->funcs->v[i]->seen = number;
	w->done = w->funcs->n;
	walk_list(w, n);
	while (w->done < w->funcs->n)
		walk_list(w, w->funcs->v[w->done++]->body);
}

void effects_of(struct node *n, effect_vec *out)
{
	func_vec funcs = {0};
	struct walk w = {.effects = out, .funcs = &funcs};

	walk_all(&w, n);
}

bool func_find(const func_vec *v, const struct func *f)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i] == f)
			return true;
	return false;
}

void calls_of(struct node *n, func_vec *out)
{
	struct walk w = {.funcs = out};

	walk_all(&w, n);
}

static bool see_stack(struct node *n, void *found)
{
	if (n->kind == N_CALL && n->call.builtin && n->call.builtin->flags & BF_STACK)
		*(const struct node **)found = n;
	return true;
}

const struct node *stack_call(struct node *body)
{
	const struct node *found = NULL;
	func_vec funcs = {0};

	node_walk(body, see_stack, NULL, &found);
	calls_of(body, &funcs);
	for (size_t i = 0; i < funcs.n && !found; i++)
		node_walk(funcs.v[i]->body, see_stack, NULL, &found);
	return found;
}
