/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of what names were resolved to: what a probe's condition may name; what is never assigned, never used. */
#include <string.h>
#include "ustap.h"

/* A name that may have been meant: another variable here that has a value, or a global. */
static void suggest_variable(const struct script *sc, const char *name, struct symbol *const *v, size_t n)
{
	name_vec names = {0};
	const char *near;

	for (size_t i = 0; i < n; i++)
		if (v[i]->written)
			vec_push(&names, v[i]->name);
	for (size_t i = 0; i < sc->globals.n; i++)
		if (!sc->globals.v[i]->loc.src->library && strcmp(sc->globals.v[i]->name, name))
			vec_push(&names, sc->globals.v[i]->name);
	near = nearest(name, names.v, names.n);
	if (near)
		diag_hint("did you mean \"%s\"?", near);
}

void warn_of_locals(const struct script *sc, struct symbol *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i]->kind == SYM_LOCAL && v[i]->read && !v[i]->written) {
			diag_warn(W_NEVER_ASSIGNED, v[i]->loc, "local variable \"%s\" is never assigned", v[i]->name);
			suggest_variable(sc, v[i]->name, v, n);
		}
}

void warn_of_globals(const struct script *sc)
{
	for (size_t i = 0; i < sc->globals.n; i++) {
		const struct symbol *g = sc->globals.v[i];

		if (g->read && !g->written && !g->loc.src->library)
			diag_warn(W_NEVER_ASSIGNED, g->loc,
				  "global variable \"%s\" is never assigned", g->name);
	}
}

void warn_of_unused(const struct script *sc)
{
	for (size_t i = 0; i < sc->funcs.n; i++)
		if (!sc->funcs.v[i]->mentioned && !sc->funcs.v[i]->library)
			diag_warn(W_UNUSED, sc->funcs.v[i]->loc, "function \"%s\" is never called", sc->funcs.v[i]->name);
	for (size_t i = 0; i < sc->globals.n; i++) {
		const struct symbol *g = sc->globals.v[i];

		if (!g->read && !g->loc.src->library && (!g->written || (g->init && g->nkeys < 0)))
			diag_warn(W_UNUSED, g->loc, "global \"%s\" is never used", g->name);
	}
}

/* A probe's condition depends on nothing but globals. */
static bool see_condition(struct node *n, void *arg)
{
	(void)arg;
	switch (n->kind) {
	case N_VAR:
		if (n->sym && n->sym->kind == SYM_GLOBAL)
			return true;
		diag_error(E_CONTEXT, n->loc, "\"%s\" in a probe's condition is no global", n->var.name);
		return false;
	case N_CALL:
		diag_error(E_CONTEXT, n->loc, "a call in a probe's condition");
		return false;
	case N_ASSIGN:
	case N_INCDEC:
		diag_error(E_CONTEXT, n->loc, "a probe's condition changes a variable");
		return false;
	case N_TARGET:
	case N_DEFINED:
		diag_error(E_CONTEXT, n->loc, "a target variable in a probe's condition");
		return false;
	default:
		return true;
	}
}

void check_condition(struct node *cond)
{
	node_walk(cond, see_condition, NULL, NULL);
}
