/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target variables to C: the values of their index expressions, and what their access reads. */
#include "access_machine.h"

/* Values of the index expressions that are not constant, left to right. */
static struct val *index_values(struct emit *e, struct node *n)
{
	struct val *v = xalloc((n->target.ncomps + 1) * sizeof *v);
	size_t k = 0;

	if (n->target.value) {
		v[k] = expr(e, n->target.value);
		for (size_t j = 0; j < n->target.ncomps; j++)
			if (n->target.comps[j].kind == TC_INDEX)
				v[k] = settle(e, v[k], T_LONG, n->target.comps[j].index);
		k++;
	}
	for (size_t i = 0; i < n->target.ncomps; i++) {
		struct node *x = n->target.comps[i].index;

		if (!n->target.comps[i].computed)
			continue;
		v[k] = expr(e, x);
		for (size_t j = i + 1; j < n->target.ncomps; j++)
			if (n->target.comps[j].kind == TC_INDEX)
				v[k] = settle(e, v[k], T_LONG, n->target.comps[j].index);
		k++;
	}
	return v;
}

struct ctext emit_target_ops(struct emit *e, struct node *n, size_t nops)
{
	struct machine m = {.e = e, .n = n};
	const struct access *a = target_access(e, n);
	struct slot top;

	m.base = a->base;
	m.in_kernel = a->in_kernel;
	m.index = index_values(e, n);
	for (size_t i = 0; i < nops; i++)
		machine_step(&m, &a->ops[i], false);
	top = machine_pop(&m);
	return slot_unsigned(&top);
}

struct val emit_target(struct emit *e, struct node *n)
{
	struct machine m = {.e = e, .n = n};
	struct val v = {0};
	const struct access *a;
	struct slot top;

	if (n->target.access < 0) {
		diag_error(E_UNSUPPORTED, n->loc, "\"%s\" cannot be read here", n->target.name);
		return val_text(C("0"), true);
	}
	a = target_access(e, n);
	m.base = a->base;
	m.in_kernel = a->in_kernel;
	m.index = index_values(e, n);
	top = machine_run(&m, a);
	if (a->nwords) {
		vec_push(&m.st, top);
		return emit_pretty(e, n, a, machine_words(&m, a));
	}
	if (a->shape)
		return emit_pretty(e, n, a, slot_unsigned(&top));
	for (size_t i = 0; i < a->nops; i++)
		if (a->ops[i].kind == A_INDEX)
			reads_add(&v, &m.index[a->ops[i].a]);
	if (top.is_signed) {
		v.c = top.c;
		v.atom = top.atom;
	} else {
		v.c = ctext("(ust_long)%s", top.atom ? top.c : ctext("(%s)", top.c));
	}
	/* it may be about to change */
	return e->u.writes_target ? spill(e, v, T_LONG) : v;
}

bool op_can_fail(const struct aop *op)
{
	switch (op->kind) {
	case A_TLS:
	case A_TLS_MODULE:
	case A_TLS_DESC:
	case A_CALLERS:
	case A_DEREF:
	case A_DIV:
	case A_MOD:
		return true;
	default:
		return false;
	}
}

bool target_can_fail(const struct access *a)
{
	if (a->shape || a->base)
		return true;
	for (size_t i = 0; i < a->nops; i++)
		if (op_can_fail(&a->ops[i]))
			return true;
	return false;
}
