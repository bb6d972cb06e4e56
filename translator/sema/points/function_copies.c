/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of functions that have target variables.
 *
 * Such a function has the target variables of the probe that calls it, so each site's body calls a
 * copy of its own, in which they are resolved as in the body.  Copies that come out equal are one,
 * so sites whose bodies are equal still share a probe.
 */
#include "dwarf/access.h"
#include "session.h"
#include "target_vars.h"

/* ------------------------------------------------- functions that need copies */

/* Does the meaning of the target variable N depend on the probe? */
static bool is_of_probe(const struct node *n)
{
	switch (n->target.start) {
	case TS_NAME:
	case TS_REGISTER:
		return true;
	case TS_VAR:
	case TS_CAST:
		return !n->target.module;
	default:
		return false;
	}
}

static bool see_need(struct node *n, void *arg)
{
	bool *needs = arg;

	*needs |= (n->kind == N_TARGET && is_of_probe(n)) ||
		  (n->kind == N_CALL && n->call.func && n->call.func->needs_probe);
	return !*needs;
}

void functions_mark(struct script *sc)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < sc->funcs.n; i++) {
			struct func *f = sc->funcs.v[i];

			if (f->needs_probe || !f->resolved || !f->body)
				continue;
			node_walk(f->body, see_need, NULL, &f->needs_probe);
			changed |= f->needs_probe;
		}
	} while (changed);
}

/* ---------------------------------------------------------------- a copy */

static void copy_symbols(struct symbol *const *from, size_t n, struct symmap *map)
{
	for (size_t i = 0; i < n; i++) {
		map[i].from = from[i];
		map[i].to = xalloc(sizeof *map[i].to);
		*map[i].to = *from[i];
	}
}

static struct func *copy_function(const struct func *f)
{
	size_t nparams = f->params.n, nall = nparams + f->locals.n;
	struct symmap *map = xalloc((nall + 1) * sizeof *map);
	struct func *copy = xalloc(sizeof *copy);

	*copy = *f;
	copy->params.v = NULL;
	copy->locals.v = NULL;
	copy->accesses.v = NULL;
	copy->params.n = copy->locals.n = copy->accesses.n = 0;
	copy->params.cap = copy->locals.cap = copy->accesses.cap = 0;
	copy->needs_probe = false;
	copy->is_copy = true;
	copy_symbols(f->params.v, nparams, map);
	copy_symbols(f->locals.v, f->locals.n, map + nparams);
	for (size_t i = 0; i < nall; i++)
		if (i < nparams)
			vec_push(&copy->params, map[i].to);
		else
			vec_push(&copy->locals, map[i].to);
	copy->body = node_clone(f->body, map, nall);
	return copy;
}

/* The earlier copy of F that equals COPY, or COPY. */
static struct func *shared_copy(struct session *s, const struct func *f, struct func *copy,
				const func_vec *calls)
{
	static ARENA_STATE struct smap made;
	struct strbuf key = {0};
	struct func *same;

	sb_printf(&key, "%p ", (const void *)f);
	for (size_t i = 0; i < calls->n; i++)
		sb_printf(&key, "%p ", (const void *)calls->v[i]);
	node_dump(&key, copy->body, 0);
	for (size_t i = 0; i < copy->accesses.n; i++)
		access_key(&key, &copy->accesses.v[i]);
	same = smap_get(&made, key.s);
	if (same)
		return same;
	smap_put(&made, key.s, copy);
	vec_push(&s->program.funcs, copy);
	return copy;
}

/* ------------------------------------------------------------ calls of a body */

struct copying {
	struct site_context *sc;
	resolve_fn *resolve;
};

static struct func *copy_for_site(const struct copying *how, struct func *f)
{
	struct site_context *sc = how->sc, in = *sc;
	func_vec calls = {0};
	struct func *copy;

	for (size_t i = 0; i < sc->copies->n; i++)
		if (sc->copies->v[i].of == f)
			return sc->copies->v[i].is;
	copy = copy_function(f);
	/* calls of itself find this one */
	vec_push(sc->copies, ((struct function_copy){f, copy}));
	in.accesses = &copy->accesses;
	in.calls = &calls;
	in.in_function = true;
	how->resolve(&in, copy->body);
	sc->failed |= in.failed;
	copy = in.failed ? copy : shared_copy(sc->s, f, copy, &calls);
	for (size_t i = 0; i < sc->copies->n; i++)
		if (sc->copies->v[i].of == f)
			sc->copies->v[i].is = copy;
	return copy;
}

static void call_copy(struct node *n, void *arg)
{
	const struct copying *how = arg;

	if (n->kind != N_CALL || !n->call.func || !n->call.func->needs_probe)
		return;
	n->call.func = copy_for_site(how, n->call.func);
	vec_push(how->sc->calls, n->call.func);
}

void functions_copy(struct site_context *sc, struct node *body, resolve_fn *resolve)
{
	struct copying how = {sc, resolve};
	copy_vec copies = {0}, *outer = sc->copies;

	if (!outer)
		sc->copies = &copies;
	node_walk(body, NULL, call_copy, &how);
	sc->copies = outer;
}
