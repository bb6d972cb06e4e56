/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elide: remove dead stores and statements without effect.
 *
 * Takes the script as resolve left it. Assignments to local variables that nothing reads become
 * their right side; statements without effect, among them target variables and calls of functions
 * without effect, become null, and so do branches and loops of which nothing is left; this is
 * repeated, as removed code reads nothing. So they do not take part in type inference, and missing
 * target variables are not reported there, as in stap. A call of a function that reads the program
 * or the kernel stays unless it is in the tapset library: users of an alias pay only for those of
 * its variables that they use. Elided code of the script is warned about; with -u nothing is
 * elided. In functions, @entry may stand only in what is elided.
 */
#include "passes.h"
#include "sema.h"

struct elide {
	bool changed;
	bool quiet; /* code of the tapset library: no warnings */
};

/* ---------------------------------------------------------------- reading */

static bool is_local(const struct node *n)
{
	return n->kind == N_VAR && n->sym && n->sym->kind != SYM_GLOBAL;
}

/* An assignment that does not need the variable's old value. */
static bool is_set(const struct node *n)
{
	return n->kind == N_ASSIGN && (n->bin.op == OP_SET || n->bin.op == OP_STAT) &&
	       is_local(n->bin.l);
}

static bool count_read(struct node *n, void *arg)
{
	if (is_set(n)) {
		node_walk(n->bin.r, count_read, NULL, arg);
		return false;
	}
	if (n->kind == N_FOREACH) { /* sets its variables */
		for (struct node *key = n->each.slice; key; key = key->next)
			node_walk(key, count_read, NULL, arg);
		node_walk(n->each.limit, count_read, NULL, arg);
		node_walk(n->each.body, count_read, NULL, arg);
		return false;
	}
	if (is_local(n))
		n->sym->reads++;
	return true;
}

static void count_reads(struct node *body, struct symbol *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i]->reads = 0;
	node_walk(body, count_read, NULL, NULL);
}

/* ---------------------------------------------------------------- effects */

struct effects {
	bool found;
	bool spare; /* functions that read the program or the kernel, which may fail, have none */
	func_vec seen;
	int calls; /* around the current node */
};

static bool see_effect(struct node *n, void *arg);

static void see_call(struct effects *e, const struct node *n)
{
	struct func *f = n->call.func;

	if (!f) {
		e->found |= !n->call.builtin ||
			    !(n->call.builtin->flags &
			      (e->spare ? BF_PURE | BF_USER_READ | BF_READ : BF_PURE));
		return;
	}
	for (size_t i = 0; i < e->seen.n; i++)
		if (e->seen.v[i] == f)
			return;
	vec_push(&e->seen, f);
	e->calls++;
	if (f->body)
		node_walk(f->body, see_effect, NULL, e);
	else
		e->found = true;
	e->calls--;
}

/* A run-time error is an effect. */
static bool may_fail(const struct node *n)
{
	if (n->kind == N_STATOP)
		return n->stat.op != ST_COUNT && n->stat.op != ST_SUM;
	return (n->bin.op == OP_DIV || n->bin.op == OP_MOD) &&
	       (n->bin.r->kind != N_NUM || !n->bin.r->num);
}

/* Unknown nodes are assumed to have effects. */
static bool see_effect(struct node *n, void *arg)
{
	struct effects *e = arg;

	switch (n->kind) {
	case N_NUM:
	case N_STR:
	case N_VAR:
	case N_INDEX:
	case N_LOGIC:
	case N_UNARY:
	case N_COND:
	case N_IN:
	case N_ANY:
	case N_BLOCK:
	case N_EXPR:
	case N_NULL:
	case N_IF:
	case N_WHILE:
	case N_FOR:
	case N_FOREACH:
	case N_BREAK:
	case N_CONTINUE:
	case N_RETURN:
	case N_TRY:
	case N_TARGET:
	case N_DEFINED:
	case N_ENTRY:
		break;
	case N_BINARY:
	case N_STATOP:
		e->found |= may_fail(n);
		break;
	case N_EMBEDDED:
		e->found |= !n->embedded.pure;
		return false;
	case N_PRINT:
		e->found |= !(n->print.kind & PR_TO_STRING);
		break;
	case N_CALL:
		see_call(e, n);
		break;
	case N_ASSIGN:
		e->found |= !e->calls || !is_local(n->bin.l);
		break;
	case N_INCDEC:
		e->found |= !e->calls || !is_local(n->inc.e);
		break;
	default:
		e->found = true;
		break;
	}
	return !e->found;
}

/* Locals that a called function changes are its own; those of N's own body count. The tapset
 * library does not read the program for a variable that no handler uses; a script may call a
 * function because it can fail. */
static bool has_effect(struct node *n)
{
	struct effects e = {.spare = n->elided && n->loc.src->library};

	node_walk(n, see_effect, NULL, &e);
	return e.found;
}

/* ---------------------------------------------------------------- eliding */

static void elide_assignment(struct elide *e, struct node *n)
{
	struct node *next = n->next;

	if (!e->quiet && !n->loc.src->library)
		diag_warn(W_UNUSED, n->bin.l->loc, "\"%s\" is assigned, but never read",
			  n->bin.l->sym->name);
	*n = *n->bin.r;
	n->next = next;
	n->elided = true;
	e->changed = true;
}

/* Tapset functions that scripts call for compatibility and that do nothing: asmlinkage(). */
static bool is_courtesy(const struct node *n)
{
	return n->kind == N_CALL && n->call.func && n->call.func->library &&
	       !n->call.func->has_value;
}

static void elide_statement(struct elide *e, struct node *n)
{
	if (has_effect(n->expr.e))
		return;
	if (!e->quiet && !n->loc.src->library && !n->expr.e->elided && !is_courtesy(n->expr.e))
		diag_warn(W_NO_EFFECT, n->expr.e->loc, "statement without effect");
	n->kind = N_NULL;
	e->changed = true;
}

static bool is_empty(const struct node *n)
{
	const struct node *inner = n && n->kind == N_BLOCK ? n->block.body : NULL;

	for (; inner; inner = inner->next)
		if (!is_empty(inner))
			return false;
	return !n || n->kind == N_NULL || n->kind == N_BLOCK;
}

static void elide_whole(struct elide *e, struct node *n)
{
	n->kind = N_NULL;
	e->changed = true;
}

/* An `if' without statements leaves its condition. */
static void elide_if(struct elide *e, struct node *n)
{
	struct node *c = n->cond.c;

	if (!is_empty(n->cond.t) || !is_empty(n->cond.f))
		return;
	n->kind = N_EXPR;
	n->expr.e = c;
	e->changed = true;
	if (!has_effect(c))
		elide_whole(e, n);
}

static bool is_pure(struct node *n) { return !n || !has_effect(n); }

static void elide_loop(struct elide *e, struct node *n)
{
	if (is_empty(n->loop.body) && is_pure(n->loop.init) && is_pure(n->loop.cond) &&
	    is_pure(n->loop.step))
		elide_whole(e, n);
}

static bool is_read(const struct node *list)
{
	for (; list; list = list->next)
		if (!is_local(list) || list->sym->reads)
			return true;
	return false;
}

/* The last key stays in the variables of a foreach. */
static void elide_foreach(struct elide *e, struct node *n)
{
	if (!is_empty(n->each.body) || !is_pure(n->each.limit) || is_read(n->each.keys) ||
	    is_read(n->each.value))
		return;
	for (struct node *key = n->each.slice; key; key = key->next)
		if (!is_pure(key))
			return;
	elide_whole(e, n);
}

static void elide_node(struct node *n, void *arg)
{
	if (is_set(n) && !n->bin.l->sym->reads)
		elide_assignment(arg, n);
	else if (n->kind == N_EXPR)
		elide_statement(arg, n);
	else if (n->kind == N_IF)
		elide_if(arg, n);
	else if (n->kind == N_WHILE || n->kind == N_FOR)
		elide_loop(arg, n);
	else if (n->kind == N_FOREACH)
		elide_foreach(arg, n);
	else if (n->kind == N_TRY && is_empty(n->try_.body))
		elide_whole(arg, n);
}

static bool elide_body(struct node *body, struct symbol *const *locals, size_t nlocals,
		       struct symbol *const *params, size_t nparams, bool quiet)
{
	struct elide e = {.quiet = quiet};

	for (size_t i = 0; i < nparams; i++)
		params[i]->reads = 0;
	count_reads(body, locals, nlocals);
	node_walk(body, NULL, elide_node, &e);
	return e.changed;
}

/* P, and what its points stand for. */
static bool elide_probe(struct probe_decl *p)
{
	bool changed = p->resolved &&
		       elide_body(p->body, p->locals.v, p->locals.n, NULL, 0, p->src->library);

	for (size_t i = 0; i < p->points.n; i++)
		for (size_t k = 0; k < p->points.v[i]->subs.n; k++)
			changed |= elide_probe(p->points.v[i]->subs.v[k]);
	return changed;
}

static bool elide_all(struct script *sc)
{
	bool changed = false;

	for (size_t i = 0; i < sc->probes.n; i++)
		changed |= elide_probe(sc->probes.v[i]);
	for (size_t i = 0; i < sc->funcs.n; i++) {
		struct func *f = sc->funcs.v[i];

		if (f->mentioned && f->body)
			changed |= elide_body(f->body, f->locals.v, f->locals.n, f->params.v,
					      f->params.n, f->library);
	}
	return changed;
}

/* The functions that P, and what its points stand for, still call. */
static void find_calls(const struct probe_decl *p, func_vec *out)
{
	if (p->resolved)
		calls_of(p->body, out);
	for (size_t i = 0; i < p->points.n; i++)
		for (size_t k = 0; k < p->points.v[i]->subs.n; k++)
			find_calls(p->points.v[i]->subs.v[k], out);
}

static void mark_elided(const struct script *sc)
{
	func_vec called = {0};

	for (size_t i = 0; i < sc->probes.n; i++)
		find_calls(sc->probes.v[i], &called);
	for (size_t i = 0; i < sc->funcs.n; i++) {
		struct func *f = sc->funcs.v[i];

		f->elided = f->mentioned && f->body && !f->library && !func_find(&called, f);
	}
}

/* -------------------------------------------------- @entry in functions */

static void refuse_entry(struct node *n, void *arg)
{
	(void)arg;
	if (n->kind != N_ENTRY)
		return;
	diag_error(E_CONTEXT, n->loc, "@entry in a function");
	diag_hint("only return probes have it; pass the value as an argument");
}

/* In what is never run, the value itself has the type that is judged. */
static void replace_entry(struct node *n, void *arg)
{
	struct node *next = n->next;

	(void)arg;
	if (n->kind != N_ENTRY)
		return;
	*n = *n->entry.e;
	n->next = next;
}

static void judge_entries(const struct script *sc)
{
	for (size_t i = 0; i < sc->funcs.n; i++) {
		struct func *f = sc->funcs.v[i];

		if (f->mentioned && f->body)
			node_walk(f->body, NULL, f->elided ? replace_entry : refuse_entry, NULL);
	}
}

void pass_elide(struct session *s)
{
	if (!s->opt.unoptimized) {
		while (elide_all(&s->script))
			;
		mark_elided(&s->script);
	}
	judge_entries(&s->script);
}
