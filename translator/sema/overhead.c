/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overhead: what --max-overhead may do to each probe with sites.
 *
 * Takes the program of the pass "locks", before the locks are chosen. Sets symbol.is_count of
 * numbers that handlers of such probes only add to, and do not read: a hit that stands for N hits
 * adds N times as much. Other globals that such a probe writes and one of them reads are state. A
 * probe that writes state cannot be sampled, because its hits depend on each other
 * (probe.keeps_state); it and the probes that use the same state have one number, probe.group, and
 * are switched off together.
 */
#include "sema.h"
#include "session.h"

/* Uses of a global. */
struct use {
	bool adds, other;   /* ++ and += whose value is not used; other changes */
	bool read, written; /* by handlers of probes with sites, other than by these additions */
	size_t user;        /* 1 + the first probe that uses it */
};

struct overhead {
	const struct program *p;
	struct use *uses;
	size_t *parent;                   /* of probes, in the forest of groups */
	VEC(const struct node *) skipped; /* targets of additions, which do not read */
};

static struct use *use_of(const struct overhead *o, const struct symbol *sym)
{
	for (size_t i = 0; sym && i < o->p->globals.n; i++)
		if (o->p->globals.v[i] == sym)
			return &o->uses[i];
	return NULL;
}

static bool is_limited(const struct probe *p) { return p->sites.n > 0; }

/* ---------------------------------------------------------------- additions */

/* The variable that the expression N adds to, whatever becomes of the result; or NULL. */
static struct node *target_of_addition(const struct node *n)
{
	struct node *to = NULL;

	if (n && n->kind == N_INCDEC && n->inc.delta > 0)
		to = n->inc.e;
	else if (n && n->kind == N_ASSIGN && n->bin.op == OP_ADD)
		to = n->bin.l;
	return to && (to->kind == N_VAR || to->kind == N_INDEX) && to->type == T_LONG ? to : NULL;
}

static bool uses_itself(const struct node *n, const struct symbol *sym)
{
	effect_vec used = {0};

	if (n->kind != N_ASSIGN)
		return false;
	effects_of(n->bin.r, &used);
	return effect_find(&used, sym) != NULL;
}

static bool is_constant(const struct node *n)
{
	return n->kind == N_NUM || (n->kind == N_UNARY && n->un.e->kind == N_NUM);
}

static void note_changed(const struct overhead *o, const struct symbol *sym)
{
	struct use *u = use_of(o, sym);

	if (u)
		u->other = true;
}

static void note_discarded(struct overhead *o, const struct node *n)
{
	struct node *to = target_of_addition(n);
	struct use *u = to ? use_of(o, to->sym) : NULL;

	if (!u || uses_itself(n, to->sym))
		return;
	u->adds = true;
	vec_push(&o->skipped, to);
}

static bool is_skipped(const struct overhead *o, const struct node *n)
{
	for (size_t i = o->skipped.n; i-- > 0;)
		if (o->skipped.v[i] == n)
			return true;
	return false;
}

static bool note_change(struct node *n, void *arg)
{
	struct overhead *o = arg;

	switch (n->kind) {
	case N_EXPR:
		note_discarded(o, n->expr.e);
		break;
	case N_FOR:
		note_discarded(o, n->loop.init);
		note_discarded(o, n->loop.step);
		break;
	case N_INCDEC:
		if (!is_skipped(o, n->inc.e))
			note_changed(o, n->inc.e->sym);
		break;
	case N_ASSIGN:
		if (!is_skipped(o, n->bin.l) && !(n->bin.op == OP_SET && is_constant(n->bin.r)))
			note_changed(o, n->bin.l->sym);
		break;
	case N_FOREACH:
		for (const struct node *k = n->each.keys; k; k = k->next)
			note_changed(o, k->sym);
		if (n->each.value)
			note_changed(o, n->each.value->sym);
		break;
	case N_TRY:
		if (n->try_.var)
			note_changed(o, n->try_.var->sym);
		break;
	default:
		break;
	}
	return true;
}

static void find_changes(struct overhead *o)
{
	for (size_t i = 0; i < o->p->probes.n; i++)
		node_walk(o->p->probes.v[i]->body, note_change, NULL, o);
	for (size_t i = 0; i < o->p->funcs.n; i++)
		node_walk(o->p->funcs.v[i]->body, note_change, NULL, o);
}

/* ---------------------------------------------------------- uses in handlers */

/* Reads of a handler. `x = e' and `delete' do not read x: they change its skipped node. */
static bool note_read(struct node *n, void *arg)
{
	struct overhead *o = arg;
	struct use *u;

	if (n->kind == N_ASSIGN && n->bin.op == OP_SET)
		vec_push(&o->skipped, n->bin.l);
	else if (n->kind == N_DELETE)
		vec_push(&o->skipped, n->expr.e);
	if (n->kind != N_VAR && n->kind != N_INDEX && n->kind != N_IN && n->kind != N_FOREACH)
		return true;
	u = use_of(o, n->sym);
	if (u && !is_skipped(o, n))
		u->read = true;
	return true;
}

/* NODES of a handler and of the functions that it calls. */
static void walk_handler(struct probe *p, bool (*pre)(struct node *, void *), void *arg)
{
	func_vec funcs = {0};

	calls_of(p->body, &funcs);
	node_walk(p->body, pre, NULL, arg);
	for (size_t i = 0; i < funcs.n; i++)
		node_walk(funcs.v[i]->body, pre, NULL, arg);
}

static void note_writes(struct overhead *o, struct probe *p)
{
	effect_vec used = {0};

	effects_of(p->body, &used);
	for (size_t i = 0; i < used.n; i++) {
		struct use *u = use_of(o, used.v[i].sym);

		if (u)
			u->written |= used.v[i].written;
	}
}

/* A number that is not a count reads its old value when it is added to. */
static bool is_state(const struct symbol *sym, const struct use *u)
{
	return sym->type != T_STAT && !sym->is_count && u->written && (u->read || u->adds);
}

/* ------------------------------------------------------------------- groups */

static size_t root_of(const struct overhead *o, size_t i)
{
	while (o->parent[i] != i)
		i = o->parent[i];
	return i;
}

static void join(struct overhead *o, size_t i)
{
	struct probe *p = o->p->probes.v[i];
	effect_vec used = {0};

	effects_of(p->body, &used);
	for (size_t k = 0; k < used.n; k++) {
		struct use *u = use_of(o, used.v[k].sym);

		if (!u || !is_state(used.v[k].sym, u))
			continue;
		p->keeps_state |= used.v[k].written;
		if (u->user)
			o->parent[root_of(o, i)] = root_of(o, u->user - 1);
		else
			u->user = i + 1;
	}
}

void overhead_find(struct session *s)
{
	struct program *p = &s->program;
	struct overhead o = {.p = p};

	if (!s->opt.max_overhead)
		return;
	o.uses = xalloc((p->globals.n + 1) * sizeof *o.uses);
	o.parent = xalloc((p->probes.n + 1) * sizeof *o.parent);
	find_changes(&o);
	for (size_t i = 0; i < p->probes.n; i++) {
		o.parent[i] = i;
		if (!is_limited(p->probes.v[i]))
			continue;
		walk_handler(p->probes.v[i], note_read, &o);
		note_writes(&o, p->probes.v[i]);
	}
	for (size_t i = 0; i < p->globals.n; i++)
		p->globals.v[i]->is_count = p->globals.v[i]->type == T_LONG && o.uses[i].adds &&
					    !o.uses[i].other && !o.uses[i].read;
	for (size_t i = 0; i < p->probes.n; i++)
		if (is_limited(p->probes.v[i]))
			join(&o, i);
	for (size_t i = 0; i < p->probes.n; i++)
		p->probes.v[i]->group = root_of(&o, i) + 1;
}
