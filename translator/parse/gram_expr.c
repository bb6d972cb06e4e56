/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions: nodes with operands, lists of nodes and adjacent string literals, for gram.y. */
#include <string.h>
#include "parse/parse.h"

/* A bound on nesting, so that no pass runs out of stack. */
#define MAX_DEPTH 2000

struct lexstr lexstr_join(struct lexstr a, struct lexstr b)
{
	struct lexstr to = a;

	if (!b.len)
		return a;
	if (a.room < b.len) { /* many may follow: twice as much as is needed */
		size_t size = 2 * (a.len + b.len);

		to.s = xalloc(size + 1);
		to.pos = xalloc((size + 1) * sizeof *to.pos);
		to.room = size - a.len;
		memcpy((char *)to.s, a.s, a.len);
		memcpy((uint32_t *)to.pos, a.pos, a.len * sizeof *a.pos);
	}
	memcpy((char *)to.s + a.len, b.s, b.len + 1);
	memcpy((uint32_t *)to.pos + a.len, b.pos, (b.len + 1) * sizeof *b.pos);
	to.len += b.len;
	to.room -= b.len;
	return to;
}

struct nlist nlist_of(struct node *n) { return (struct nlist){n, n, 1}; }

struct nlist nlist_add(struct nlist l, struct node *n)
{
	if (!l.first)
		return nlist_of(n);
	l.last->next = n;
	l.last = n;
	l.n++;
	return l;
}

/* The parser's stack bounds expressions that nest to the right. Those that nest to the left,
 * a + b + c ..., need stack in the passes only, some for each node. */
void node_deepen(struct node *n, const struct node *l, const struct node *r)
{
	unsigned below = l->depth > r->depth ? l->depth : r->depth;

	n->depth = below + (below < MAX_DEPTH);
	if (n->depth == MAX_DEPTH && below < MAX_DEPTH)
		diag_error(E_LIMIT, l->loc, "an expression has at most %d operators in a row",
			   MAX_DEPTH);
}

struct node *binary_node(enum node_kind kind, enum op op, struct node *l, struct node *r,
			 struct loc loc)
{
	struct node *n = node_new(kind, loc);

	node_deepen(n, l, r);
	if (kind != N_ASSIGN)
		refuse_assignment(r, loc);
	n->bin.op = op;
	n->bin.l = l;
	n->bin.r = r;
	return n;
}

void refuse_assignment(const struct node *e, struct loc at)
{
	if (e->kind != N_ASSIGN || e->loc.end != at.end)
		return;
	diag_error(E_SYNTAX, e->loc, "an assignment used as an operand needs parentheses");
}

struct node *unary_node(enum op op, struct node *e, struct loc loc)
{
	struct node *n = node_new(N_UNARY, loc);

	/* A negative literal is one number: -9223372036854775808 has no positive. */
	if (op == OP_NEG && e->kind == N_NUM) {
		e->num = (int64_t)(0 - (uint64_t)e->num);
		e->loc = loc;
		return e;
	}
	refuse_assignment(e, loc);
	n->un.op = op;
	n->un.e = e;
	return n;
}

struct node *incdec_node(struct node *e, int delta, bool post, struct loc loc)
{
	struct node *n = node_new(N_INCDEC, loc);

	n->inc.e = e;
	n->inc.delta = delta;
	n->inc.post = post;
	return n;
}
