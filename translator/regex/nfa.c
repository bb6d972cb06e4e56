/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees to automata: states and edges that take no byte, one byte of a set,
 * or no byte at one edge of the text (^ and $).  Every edge is kept at both of
 * its ends, so that an automaton can be read backwards.
 */
#include "regex.h"

struct builder {
	struct nfa *n;
	int cap;
};

static int new_state(struct builder *b)
{
	struct nfa *n = b->n;

	if (n->nstates == b->cap) {
		int cap = b->cap ? 2 * b->cap : 32;
		struct edge_list *out = xalloc((size_t)cap * sizeof *out),
				 *in = xalloc((size_t)cap * sizeof *in);

		for (int i = 0; i < n->nstates; i++)
			out[i] = n->out[i], in[i] = n->in[i];
		n->out = out;
		n->in = in;
		b->cap = cap;
	}
	return n->nstates++;
}

static void add_edge(struct nfa *n, int from, int to, enum edge_kind kind, const struct rx_set *set)
{
	vec_push(&n->out[from].e, ((struct edge){to, kind, set}));
	vec_push(&n->in[to].e, ((struct edge){from, kind, set}));
}

static int build(struct builder *b, const struct rx *re, int from);

static int to_new(struct builder *b, int from, enum edge_kind kind, const struct rx_set *set)
{
	int to = new_state(b);

	add_edge(b->n, from, to, kind, set);
	return to;
}

/* l | r, or l? where R is NULL */
static int build_choice(struct builder *b, const struct rx *l, const struct rx *r, int from)
{
	int to = new_state(b), end = build(b, l, to_new(b, from, EDGE_FREE, NULL));

	add_edge(b->n, end, to, EDGE_FREE, NULL);
	end = r ? build(b, r, to_new(b, from, EDGE_FREE, NULL)) : from;
	add_edge(b->n, end, to, EDGE_FREE, NULL);
	return to;
}

static int build_loop(struct builder *b, const struct rx *re, int from)
{
	int beg = to_new(b, from, EDGE_FREE, NULL), end = build(b, re->l, beg), to;

	add_edge(b->n, end, beg, EDGE_FREE, NULL);
	to = to_new(b, end, EDGE_FREE, NULL);
	if (re->kind == RX_STAR)
		add_edge(b->n, from, to, EDGE_FREE, NULL);
	return to;
}

/* The states for RE, begun in FROM; gives the one where it has matched. */
static int build(struct builder *b, const struct rx *re, int from)
{
	switch (re->kind) {
	case RX_SET:
		return to_new(b, from, EDGE_SET, &re->set);
	case RX_BOL:
		return to_new(b, from, EDGE_BOL, NULL);
	case RX_EOL:
		return to_new(b, from, EDGE_EOL, NULL);
	case RX_CAT:
		return build(b, re->r, build(b, re->l, from));
	case RX_ALT:
		return build_choice(b, re->l, re->r, from);
	case RX_OPT:
		return build_choice(b, re->l, NULL, from);
	case RX_STAR:
	case RX_PLUS:
		return build_loop(b, re, from);
	case RX_GROUP:
	case RX_COPY:
		return build(b, re->l, from);
	default:
		return from;
	}
}

struct nfa *nfa_new(const struct rx *re)
{
	struct nfa *n = xalloc(sizeof *n);
	struct builder b = {n, 0};

	n->first = new_state(&b);
	n->last = build(&b, re, n->first);
	return n;
}

void nfa_loop(struct nfa *n) { add_edge(n, n->last, n->first, EDGE_FREE, NULL); }
