/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of declarations and resolved names: duplicate declarations, names allowed in a probe's
 * condition, variables that are never assigned or never used.
 */
#include <string.h>
#include "sema.h"

#define MAX_PARAMS 100

const char *internal_key(const char *name) { return xprintf("tapset %s", name); }

const char *global_key(const struct symbol *g)
{
	if (is_internal(g->name, g->loc))
		return internal_key(g->name);
	return g->is_private ? xprintf("%p %s", (const void *)file_of(g->loc), g->name) : g->name;
}

static void declared_before(struct loc loc)
{
	unsigned line, col;

	loc_linecol(loc, &line, &col);
	diag_hint("first declared at %s:%u:%u", loc.src->name, line, col);
}

void check_redeclared(const struct script *sc, size_t from)
{
	struct smap seen = {0};

	for (size_t i = 0; i < sc->globals.n; i++) {
		struct symbol *sym = sc->globals.v[i], *old = smap_get(&seen, global_key(sym));

		if (old && i >= from) {
			diag_error(E_REDECLARED, sym->loc, "global \"%s\" is declared twice",
				   sym->name);
			declared_before(old->loc);
		} else if (!old) {
			smap_put(&seen, global_key(sym), sym);
		}
	}
}

static void check_params_of(const struct func *f)
{
	struct smap seen = {0};

	if (f->params.n > MAX_PARAMS)
		diag_error(E_LIMIT, f->loc, "a function has at most %d parameters", MAX_PARAMS);
	for (size_t i = 0; i < f->params.n; i++) {
		struct symbol *p = f->params.v[i], *old = smap_get(&seen, p->name);

		smap_put(&seen, p->name, p);
		if (old)
			diag_error(E_REDECLARED, p->loc, "parameter \"%s\" is declared twice",
				   p->name);
		p->param = (int)i;
	}
}

void use_keys(struct symbol *sym, int nkeys, struct loc loc)
{
	unsigned line, col;

	if (sym->nkeys < 0 && !nkeys && (sym->maxsize || sym->wrap)) {
		diag_error(E_ARITY, loc, "array \"%s\" is used without a key", sym->name);
		return;
	}
	if (sym->nkeys < 0) {
		sym->nkeys = nkeys;
		sym->keys = xalloc((size_t)(nkeys ? nkeys : 1) * sizeof *sym->keys);
		sym->key_locs = xalloc((size_t)(nkeys ? nkeys : 1) * sizeof *sym->key_locs);
		sym->use_loc = loc;
		return;
	}
	if (sym->nkeys == nkeys)
		return;
	if (!nkeys)
		diag_error(E_ARITY, loc, "array \"%s\" is used without a key", sym->name);
	else if (!sym->nkeys)
		diag_error(E_ARITY, loc, "\"%s\" is not an array", sym->name);
	else
		diag_error(E_ARITY, loc, "array \"%s\" has %d key%s, not %d", sym->name, sym->nkeys,
			   sym->nkeys == 1 ? "" : "s", nkeys);
	if (sym->use_loc.src) {
		loc_linecol(sym->use_loc, &line, &col);
		diag_hint("\"%s\" was first used with %d key%s at line %u, column %u", sym->name,
			  sym->nkeys, sym->nkeys == 1 ? "" : "s", line, col);
		diag_also(sym->use_loc);
	}
}

void check_params(const struct script *sc)
{
	for (size_t i = 0; i < sc->funcs.n; i++)
		check_params_of(sc->funcs.v[i]);
}

/* A name that may have been meant: another variable here that has a value, or a global. */
static void suggest_variable(const struct script *sc, const char *name, struct symbol *const *v,
			     size_t n)
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
			diag_warn(W_NEVER_ASSIGNED, v[i]->loc,
				  "local variable \"%s\" is never assigned", v[i]->name);
			suggest_variable(sc, v[i]->name, v, n);
		}
}

static void warn_of_taken(const struct symbol *g)
{
	const struct source *src = file_of(g->taken);
	unsigned line, col;

	loc_linecol(g->taken, &line, &col);
	diag_warn(W_CROSS_FILE, g->loc, "global variable \"%s\" is also used by the tapset library",
		  g->name);
	diag_hint("at %s:%u:%u; rename the script's variable if they should differ", src->name,
		  line, col);
}

void warn_of_globals(const struct script *sc)
{
	for (size_t i = 0; i < sc->globals.n; i++) {
		const struct symbol *g = sc->globals.v[i];

		if (g->taken.src)
			warn_of_taken(g);
		if (g->read && !g->written && !g->loc.src->library)
			diag_warn(W_NEVER_ASSIGNED, g->loc,
				  "global variable \"%s\" is never assigned", g->name);
	}
}

void warn_of_unused(const struct script *sc)
{
	for (size_t i = 0; i < sc->funcs.n; i++)
		if (!sc->funcs.v[i]->mentioned && !sc->funcs.v[i]->library)
			diag_warn(W_UNUSED, sc->funcs.v[i]->loc, "function \"%s\" is never called",
				  sc->funcs.v[i]->name);
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
		diag_error(E_CONTEXT, n->loc, "\"%s\" in a probe's condition is not a global",
			   n->var.name);
		return false;
	case N_CALL:
		diag_error(E_CONTEXT, n->loc, "a probe's condition calls a function");
		return false;
	case N_ASSIGN:
	case N_INCDEC:
		diag_error(E_CONTEXT, n->loc, "a probe's condition changes a variable");
		return false;
	case N_TARGET:
	case N_DEFINED:
		diag_error(E_CONTEXT, n->loc, "a probe's condition uses a target variable");
		return false;
	default:
		return true;
	}
}

void check_condition(struct node *cond) { node_walk(cond, see_condition, NULL, NULL); }
