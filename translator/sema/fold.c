/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fold: compute constant expressions and remove branches that are never taken.
 *
 * Takes the typed program, so dead code has been checked. Results are those of run time: numbers
 * wrap, shift counts are taken modulo 64; a division by zero stays, as an error of run time. A
 * string that would be cut at run time stays too. Not done with -u. Another run of prune removes
 * what only dead code used.
 */
#include <string.h>
#include "passes.h"
#include "sema.h"

struct fold {
	int64_t maxstringlen;
	bool changed;
};

/* Replace the contents of N by those of MADE. */
static void replace(struct fold *f, struct node *n, const struct node *made)
{
	struct node *next = n->next;

	*n = *made;
	n->next = next;
	f->changed = true;
}

static void set_number(struct fold *f, struct node *n, int64_t value)
{
	struct node made = {.kind = N_NUM, .type = T_LONG, .loc = n->loc};

	made.num = value;
	replace(f, n, &made);
}

static bool is_number(const struct node *n) { return n->kind == N_NUM; }

/* One that is at run time what is written: no NUL in it, and not too long. */
static bool is_string(const struct fold *f, const struct node *n)
{
	return n->kind == N_STR && strlen(n->str.s) == n->str.len &&
	       (int64_t)n->str.len < f->maxstringlen;
}

/* ---------------------------------------------------------------- operators */

static bool compare(enum op op, int order)
{
	switch (op) {
	case OP_EQ:
		return order == 0;
	case OP_NE:
		return order != 0;
	case OP_LT:
		return order < 0;
	case OP_LE:
		return order <= 0;
	case OP_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

static bool is_comparison(enum op op) { return op >= OP_EQ && op <= OP_GE; }

/* False where the result is an error. */
static bool divide(enum op op, int64_t a, int64_t b, int64_t *result)
{
	if (!b)
		return false;
	if (b == -1) /* INT64_MIN / -1 wraps */
		*result = op == OP_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
	else
		*result = op == OP_DIV ? a / b : a % b;
	return true;
}

bool fold_numbers(enum op op, int64_t a, int64_t b, int64_t *result)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case OP_ADD:
		*result = (int64_t)(x + y);
		return true;
	case OP_SUB:
		*result = (int64_t)(x - y);
		return true;
	case OP_MUL:
		*result = (int64_t)(x * y);
		return true;
	case OP_AND:
		*result = a & b;
		return true;
	case OP_OR:
		*result = a | b;
		return true;
	case OP_XOR:
		*result = a ^ b;
		return true;
	case OP_SHL:
		*result = (int64_t)(x << (y & 63));
		return true;
	case OP_SHR:
		*result = a >> (y & 63);
		return true;
	case OP_USHR:
		*result = (int64_t)(x >> (y & 63));
		return true;
	case OP_DIV:
	case OP_MOD:
		return divide(op, a, b, result);
	default:
		*result = compare(op, a < b ? -1 : a > b);
		return is_comparison(op);
	}
}

static void join(struct fold *f, struct node *n)
{
	const struct node *l = n->bin.l, *r = n->bin.r;
	struct node made = {.kind = N_STR, .type = T_STRING, .loc = n->loc};

	if ((int64_t)(l->str.len + r->str.len) >= f->maxstringlen)
		return;
	made.str.s = xprintf("%s%s", l->str.s, r->str.s);
	made.str.len = l->str.len + r->str.len;
	replace(f, n, &made);
}

static void fold_binary(struct fold *f, struct node *n)
{
	int64_t value;

	if (is_number(n->bin.l) && is_number(n->bin.r)) {
		if (fold_numbers(n->bin.op, n->bin.l->num, n->bin.r->num, &value))
			set_number(f, n, value);
	} else if (is_string(f, n->bin.l) && is_string(f, n->bin.r)) {
		if (n->bin.op == OP_CONCAT)
			join(f, n);
		else if (is_comparison(n->bin.op))
			set_number(f, n,
				   compare(n->bin.op, strcmp(n->bin.l->str.s, n->bin.r->str.s)));
	}
}

static void fold_logic(struct fold *f, struct node *n)
{
	bool is_and = n->bin.op == OP_LAND;

	if (!is_number(n->bin.l))
		return;
	if (is_and ? !n->bin.l->num : n->bin.l->num != 0)
		set_number(f, n, !is_and);
	else if (is_number(n->bin.r))
		set_number(f, n, n->bin.r->num != 0);
}

static void fold_unary(struct fold *f, struct node *n)
{
	int64_t v = n->un.e->num;

	if (!is_number(n->un.e))
		return;
	switch (n->un.op) {
	case OP_NEG:
		set_number(f, n, (int64_t)(0 - (uint64_t)v));
		break;
	case OP_PLUS:
		set_number(f, n, v);
		break;
	case OP_NOT:
		set_number(f, n, !v);
		break;
	case OP_COMPL:
		set_number(f, n, ~v);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------- branches */

static void set_nothing(struct fold *f, struct node *n)
{
	struct node made = {.kind = N_NULL, .loc = n->loc};

	replace(f, n, &made);
}

static void fold_if(struct fold *f, struct node *n)
{
	struct node *taken = n->cond.c->num ? n->cond.t : n->cond.f;

	if (taken)
		replace(f, n, taken);
	else
		set_nothing(f, n);
}

/* A loop that is never entered leaves what comes before it. */
static void fold_loop(struct fold *f, struct node *n)
{
	struct node made = {.kind = N_EXPR, .loc = n->loc};

	if (!n->loop.cond || !is_number(n->loop.cond) || n->loop.cond->num)
		return;
	if (!n->loop.init) {
		set_nothing(f, n);
		return;
	}
	made.expr.e = n->loop.init;
	replace(f, n, &made);
}

static void fold_node(struct node *n, void *arg)
{
	switch (n->kind) {
	case N_BINARY:
		fold_binary(arg, n);
		break;
	case N_LOGIC:
		fold_logic(arg, n);
		break;
	case N_UNARY:
		fold_unary(arg, n);
		break;
	case N_COND:
		if (is_number(n->cond.c))
			replace(arg, n, n->cond.c->num ? n->cond.t : n->cond.f);
		break;
	case N_IF:
		if (is_number(n->cond.c))
			fold_if(arg, n);
		break;
	case N_WHILE:
	case N_FOR:
		fold_loop(arg, n);
		break;
	default:
		break;
	}
}

void pass_fold(struct session *s)
{
	struct fold f = {.maxstringlen = s->lim.maxstringlen};
	struct program *p = &s->program;

	if (s->opt.unoptimized)
		return;
	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, NULL, fold_node, &f);
	for (size_t i = 0; i < p->funcs.n; i++)
		if (p->funcs.v[i]->body)
			node_walk(p->funcs.v[i]->body, NULL, fold_node, &f);
	if (f.changed)
		pass_prune(s);
}
