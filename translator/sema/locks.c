/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks: how each global is kept, and what each handler locks.
 *
 * Takes the typed program.  Sets symbol.storage and .norders, the number of
 * every sorted foreach, and probe.locks.
 *
 * A global that handlers only add to is STORE_COUNTER and needs no lock, nor
 * does a statistic.  begin, end and error probes run while no other handler
 * does and take no locks; a global that only they change needs none anywhere.
 * Everything else that a handler mentions, itself or through functions, is
 * locked for its whole run, in the order of program.globals, which is the
 * same for all handlers; so is what conditions read that the handler works out at its end (gate.c).
 * A sorted foreach uses memory of its array: it writes, and this alone makes a handler lock an
 * array of statistics.
 */
#include <string.h>
#include "passes.h"
#include "sema.h"

/* ----------------------------------------------------------- storage */

/* Changes of each global: all, and those that are additions without a value. */
struct changes {
	const struct program *p;
	struct {
		unsigned updates, adds;
		bool other;
	} * g;
};

static int global_number(const struct program *p, const struct symbol *sym)
{
	for (size_t i = 0; i < p->globals.n; i++)
		if (p->globals.v[i] == sym)
			return (int)i;
	return -1;
}

/* The global that N adds to: `c++`, `c += e`; -1 if N is something else. */
static int added_global(const struct program *p, const struct node *n)
{
	const struct node *var = NULL;

	if (n && n->kind == N_INCDEC)
		var = n->inc.e;
	else if (n && n->kind == N_ASSIGN && (n->bin.op == OP_ADD || n->bin.op == OP_SUB))
		var = n->bin.l;
	return var && var->kind == N_VAR ? global_number(p, var->sym) : -1;
}

/* `c += e` where E mentions c must see and change c in one step. */
static bool uses_itself(const struct node *n)
{
	effect_vec used = {0};

	if (n->kind != N_ASSIGN)
		return false;
	effects_of(n->bin.r, &used);
	return effect_find(&used, n->bin.l->sym) != NULL;
}

static void note_discarded(struct changes *c, const struct node *n)
{
	int g = added_global(c->p, n);

	if (g >= 0 && !uses_itself(n))
		c->g[g].adds++;
}

static void note_other(struct changes *c, const struct node *n)
{
	int g = n ? global_number(c->p, n->sym) : -1;

	if (g >= 0)
		c->g[g].other = true;
}

static void note_update(struct changes *c, const struct node *n, const struct node *target)
{
	int g = added_global(c->p, n);

	if (g >= 0)
		c->g[g].updates++;
	else
		note_other(c, target);
}

static bool note_change(struct node *n, void *arg)
{
	struct changes *c = arg;

	switch (n->kind) {
	case N_EXPR:
		note_discarded(c, n->expr.e);
		break;
	case N_FOR:
		note_discarded(c, n->loop.init);
		note_discarded(c, n->loop.step);
		break;
	case N_INCDEC:
		note_update(c, n, n->inc.e);
		break;
	case N_ASSIGN:
		note_update(c, n, n->bin.l);
		break;
	case N_DELETE:
		note_other(c, n->expr.resets ? NULL : n->expr.e);
		break;
	case N_FOREACH:
		for (const struct node *k = n->each.keys; k; k = k->next)
			note_other(c, k);
		note_other(c, n->each.value);
		break;
	case N_TRY:
		note_other(c, n->try_.var);
		break;
	default:
		break;
	}
	return true;
}

/* PRE on all code of the program. */
static void walk_program(struct program *p, bool (*pre)(struct node *, void *), void *arg)
{
	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, pre, NULL, arg);
	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, pre, NULL, arg);
}

/* When a condition becomes true can be said of what is changed under locks. */
static bool is_watched(const struct program *p, const struct symbol *g)
{
	for (size_t i = 0; i < p->gates.n; i++)
		if (gate_reads(p->gates.v[i], g))
			return true;
	return false;
}

static void choose_storage(struct program *p)
{
	struct changes c = {.p = p, .g = xalloc((p->globals.n + 1) * sizeof *c.g)};

	walk_program(p, note_change, &c);
	for (size_t i = 0; i < p->globals.n; i++) {
		struct symbol *g = p->globals.v[i];
		bool only_added = c.g[i].updates && c.g[i].updates == c.g[i].adds &&
				  !c.g[i].other && !is_watched(p, g);

		g->storage = g->type == T_LONG && g->nkeys <= 0 && only_added ? STORE_COUNTER
									      : STORE_PLAIN;
	}
}

/* ------------------------------------------------------ sorted loops */

struct orders {
	VEC(struct node *) loops;
};

/* Copies of one loop, in handlers of one probe, share its number; so do turns of a recursive
 * function, which find their order gone and make it anew. */
static bool number_loop(struct node *n, void *arg)
{
	struct orders *o = arg;

	if (n->kind != N_FOREACH || n->each.sort_col < 0)
		return true;
	for (size_t i = 0; i < o->loops.n; i++) {
		struct node *old = o->loops.v[i];

		if (old->sym == n->sym && old->loc.src == n->loc.src &&
		    old->loc.beg == n->loc.beg) {
			n->each.order = old->each.order;
			return true;
		}
	}
	n->each.order = n->sym->norders++;
	vec_push(&o->loops, n);
	return true;
}

static void number_loops(struct program *p)
{
	struct orders o = {0};

	walk_program(p, number_loop, &o);
}

/* --------------------------------------------------------- lock sets */

static bool lockable(const struct symbol *g, const struct effect *e)
{
	return g->type == T_STAT ? e->sorted : g->storage == STORE_PLAIN;
}

static void lock_probe(const struct program *p, struct probe *probe, const effect_vec *used,
		       const effect_vec *all)
{
	for (size_t i = 0; i < p->globals.n; i++) {
		struct symbol *g = p->globals.v[i];
		const struct effect *e = effect_find(used, g), *any = effect_find(all, g);

		if (e && lockable(g, e) && (any->written || any->sorted))
			vec_push(&probe->locks, ((struct lock){g, e->written || e->sorted}));
	}
}

/* Combined effects of all handlers that do not run alone. */
static void add_effects(effect_vec *all, const effect_vec *v)
{
	for (size_t i = 0; i < v->n; i++) {
		struct effect *e = effect_find(all, v->v[i].sym);

		if (!e) {
			vec_push(all, v->v[i]);
			continue;
		}
		e->read |= v->v[i].read;
		e->written |= v->v[i].written;
		e->sorted |= v->v[i].sorted;
	}
}

void pass_locks(struct session *s)
{
	struct program *p = &s->program;
	effect_vec all = {0};
	effect_vec *used = xalloc((p->probes.n + 1) * sizeof *used);

	gates_find(s);
	overhead_find(s);
	choose_storage(p);
	number_loops(p);
	merge_rules_find(p);
	for (size_t i = 0; i < p->probes.n; i++) {
		effects_of(p->probes.v[i]->body, &used[i]);
		gates_of_handler(p, p->probes.v[i], &used[i]);
		if (probe_runs_alone(p->probes.v[i]))
			used[i] = (effect_vec){0};
		else
			add_effects(&all, &used[i]);
	}
	for (size_t i = 0; i < p->probes.n; i++)
		lock_probe(p, p->probes.v[i], &used[i], &all);
}
