/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointers: infer the types that script variables point to, so that -> and [] work on them.
 *
 * Takes the typed program. Values whose C type is known ($variables, @var, @cast, and members of
 * them) are followed through assignments, parameters and results of functions, elements of
 * arrays and ?:, until nothing new is learnt; each `v->member` whose v is known by then gets its
 * access. A variable that points to different types at different locations is an error only
 * where it is used as a pointer. A plain number has no influence: `v = 0` is allowed.
 */
#include <string.h>
#include "passes.h"
#include "sema/points/point.h"

struct pointer {
	const struct ctype *type, *other; /* other: where the program contradicts itself */
	struct loc loc, other_loc;
};

struct pointers {
	struct probe *probe; /* the code being walked: one of these */
	struct func *func;
	bool changed;
};

/* ------------------------------------------------------------ learning */

static bool join(struct pointer *p, const struct pointer *from)
{
	if (from->type && !p->type) {
		p->type = from->type;
		p->loc = from->loc;
		return true;
	}
	if (p->other || !from->type)
		return false;
	if (from->other) {
		p->other = from->other;
		p->other_loc = from->other_loc;
		return true;
	}
	if (ctype_equal(p->type, from->type))
		return false;
	p->other = from->type;
	p->other_loc = from->loc;
	return true;
}

static void learn(struct pointers *ps, struct pointer **slot, const struct pointer *from,
		  struct loc loc)
{
	struct pointer here = *from;

	if (!from->type)
		return;
	if (!*slot)
		*slot = xalloc(sizeof **slot);
	if (!here.other)
		here.loc = loc;
	ps->changed |= join(*slot, &here);
}

static access_vec *accesses(struct pointers *ps)
{
	return ps->probe ? &ps->probe->accesses : &ps->func->accesses;
}

/* ------------------------------------------------- what a value points to */

static struct pointer pointer_of(struct pointers *ps, struct node *n);

static void report(const struct var_error *err)
{
	static ARENA_STATE struct smap said;
	const char *key = xprintf("%p:%u:%d", (const void *)err->loc.src, err->loc.beg, err->tag);

	if (smap_get(&said, key))
		return;
	smap_put(&said, key, (void *)key);
	diag_error(err->tag, err->loc, "%s", err->msg);
	if (err->hint)
		diag_hint("%s", err->hint);
}

enum { UNKNOWN = -1, WRONG = -2 };

/* The path N, now that its pointer is known. */
static void resolve_path(struct pointers *ps, struct node *n, const struct ctype *type)
{
	struct var_error err;
	struct access acc = {0};

	if (!cast_access(NULL, type, n, &acc, &err)) {
		n->target.access = WRONG;
		return;
	}
	vec_push(accesses(ps), acc);
	target_set_access(n, accesses(ps)->n - 1);
	ps->changed = true;
}

static struct pointer pointer_of_path(struct pointers *ps, struct node *n)
{
	struct pointer p = {0};

	if (n->target.access == UNKNOWN && n->target.start == TS_POINTER) {
		p = pointer_of(ps, n->target.value);
		if (p.type && !p.other)
			resolve_path(ps, n, p.type);
		p = (struct pointer){0};
	}
	if (n->target.access >= 0) {
		p.type = accesses(ps)->v[n->target.access].points_to;
		p.loc = n->loc;
	}
	return p;
}

static struct pointer pointer_of(struct pointers *ps, struct node *n)
{
	const struct pointer *known = NULL;
	struct pointer p = {0}, other;

	switch (n->kind) {
	case N_TARGET:
		return pointer_of_path(ps, n);
	case N_VAR:
	case N_INDEX:
		known = n->sym->pointer;
		break;
	case N_CALL:
		known = n->call.func ? n->call.func->pointer : NULL;
		break;
	case N_ASSIGN:
		return n->bin.op == OP_SET ? pointer_of(ps, n->bin.r) : p;
	case N_COND:
		p = pointer_of(ps, n->cond.t);
		other = pointer_of(ps, n->cond.f);
		join(&p, &other);
		return p;
	default:
		break;
	}
	return known ? *known : p;
}

static void learn_arguments(struct pointers *ps, struct node *n)
{
	struct func *f = n->call.func;
	size_t i = 0;

	for (struct node *a = n->call.args; f && a && i < f->params.n; a = a->next, i++) {
		struct pointer p = pointer_of(ps, a);

		learn(ps, &f->params.v[i]->pointer, &p, a->loc);
	}
}

static void visit(struct node *n, void *arg)
{
	struct pointers *ps = arg;
	struct pointer p;

	switch (n->kind) {
	case N_TARGET:
		pointer_of_path(ps, n);
		break;
	case N_CALL:
		learn_arguments(ps, n);
		break;
	case N_ASSIGN:
		if (n->bin.op != OP_SET || !n->bin.l->sym)
			break;
		p = pointer_of(ps, n->bin.r);
		learn(ps, &n->bin.l->sym->pointer, &p, n->loc);
		break;
	case N_FOREACH:
		if (n->each.value && n->sym->pointer)
			learn(ps, &n->each.value->sym->pointer, n->sym->pointer,
			      n->each.value->loc);
		break;
	case N_RETURN:
		if (!n->expr.e || !ps->func)
			break;
		p = pointer_of(ps, n->expr.e);
		learn(ps, &ps->func->pointer, &p, n->loc);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------ what stays unknown */

static const char *value_name(const struct node *v)
{
	switch (v->kind) {
	case N_VAR:
		return xprintf("\"%s\"", v->var.name);
	case N_INDEX:
		return xprintf("the elements of \"%s\"", v->index.name);
	case N_CALL:
		return xprintf("the result of \"%s\"", v->call.name);
	case N_TARGET:
		return v->target.start == TS_NAME || v->target.start == TS_VAR ? v->target.name
									       : "this";
	default:
		return "this";
	}
}

static void contradiction(const struct node *n, const struct pointer *p)
{
	unsigned line[2], col[2];

	loc_linecol(p->loc, &line[0], &col[0]);
	loc_linecol(p->other_loc, &line[1], &col[1]);
	report(&(struct var_error){E_TYPE_MISMATCH, n->loc,
				   xprintf("%s points to %s and to %s", value_name(n->target.value),
					   ctype_text(p->type), ctype_text(p->other)),
				   xprintf("to %s since line %u, column %u, to %s since line %u, "
					   "column %u; select one with @cast",
					   ctype_text(p->type), line[0], col[0],
					   ctype_text(p->other), line[1], col[1]),
				   NULL});
}

/* An index of a local variable that holds no pointer may be meant for an array. */
static void unknown(const struct node *n)
{
	const struct node *v = n->target.value;

	if (n->target.text)
		report(&(struct var_error){
			E_UNKNOWN_ARRAY, n->loc,
			xprintf("\"%s\" is a %s; only globals can be arrays", n->target.text,
				v->sym->kind == SYM_PARAM ? "parameter" : "local variable"),
			"nor is it known to be a pointer", NULL});
	else
		report(&(struct var_error){
			E_UNRESOLVED_TYPE, n->loc,
			xprintf("the type that %s points to is not known", value_name(v)),
			"cast it: @cast(value, \"type\", \"module\")->member", NULL});
}

/* Errors come last: types that are met later may contradict those of the first. */
static void report_wrong(struct node *n, void *arg)
{
	struct var_error err;
	struct access acc;
	struct pointer p;

	if (n->kind != N_TARGET || n->target.start != TS_POINTER)
		return;
	p = pointer_of(arg, n->target.value);
	if (p.other)
		contradiction(n, &p);
	else if (n->target.access == UNKNOWN)
		unknown(n);
	else if (n->target.access == WRONG && !cast_access(NULL, p.type, n, &acc, &err))
		report(&err);
}

/* --------------------------------------------------------------- the pass */

static void walk(struct session *s, struct pointers *ps, void (*f)(struct node *, void *))
{
	for (size_t i = 0; i < s->program.probes.n; i++) {
		ps->probe = s->program.probes.v[i];
		node_walk(ps->probe->body, NULL, f, ps);
	}
	ps->probe = NULL;
	for (size_t i = 0; i < s->program.funcs.n; i++) {
		ps->func = s->program.funcs.v[i];
		node_walk(ps->func->body, NULL, f, ps);
	}
	ps->func = NULL;
}

void pass_pointers(struct session *s)
{
	struct pointers ps = {0};

	for (size_t i = 0; i < s->program.funcs.n; i++)
		target_resolve_function(s->program.funcs.v[i]);
	do {
		ps.changed = false;
		walk(s, &ps, visit);
	} while (ps.changed);
	walk(s, &ps, report_wrong);
}
