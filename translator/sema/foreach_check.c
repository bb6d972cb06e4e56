/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors about arrays that are modified while a foreach iterates over them. */
#include "sema.h"

struct modified {
	loc_vec *reported;
	const struct symbol *array;
};

static const struct node *changed_node(const struct node *n)
{
	switch (n->kind) {
	case N_ASSIGN:
		return n->bin.l;
	case N_INCDEC:
		return n->inc.e;
	case N_DELETE:
		return n->expr.e;
	default:
		return NULL;
	}
}

static bool call_changes(const struct node *n, const struct symbol *array)
{
	effect_vec v = {0};
	const struct effect *e;

	if (n->kind != N_CALL || !n->call.func)
		return false;
	effects_of(n->call.func->body, &v);
	e = effect_find(&v, array);
	return e && e->written;
}

static bool check_modified(struct node *n, void *arg)
{
	struct modified *m = arg;
	const struct node *target = changed_node(n);

	if (target && target->sym == m->array && first_report(m->reported, target->loc))
		diag_error(E_FOREACH_MODIFIED, target->loc,
			   "array \"%s\" is modified while a foreach iterates over it",
			   m->array->name);
	if (call_changes(n, m->array) && first_report(m->reported, n->loc))
		diag_error(E_FOREACH_MODIFIED, n->loc,
			   "function \"%s\" modifies array \"%s\" while a foreach iterates over it",
			   n->call.name, m->array->name);
	return true;
}

static bool check_body(struct node *n, void *reported)
{
	if (n->kind == N_FOREACH)
		node_walk(n->each.body, check_modified, NULL, &(struct modified){reported, n->sym});
	return true;
}

void check_foreach(const struct program *p, loc_vec *reported)
{
	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, check_body, NULL, reported);
	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, check_body, NULL, reported);
}
