/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Automata to tables, by subsets; then equivalent states are merged (Moore).
 *
 * ^ and $ are passed only at the edges of the text.  The edge where reading
 * begins decides between the two start states; whether the other edge was
 * reached is asked of the accept table.
 */
#include <string.h>

#include "regex.h"

struct subset {
	uint64_t *set;
	bool at_edge;
}; /* at_edge: nothing read yet, at the edge of the text */

struct subsets {
	const struct nfa *n;
	const struct classes *c;
	const struct edge_list *edges; /* in the direction of reading */
	bool backwards;
	int first, last;
	size_t words;
	VEC(struct subset) all;
	VEC(uint16_t) next;
	VEC(int) stack;
	uint32_t *slots;
	size_t nslots, work; /* edges followed, bounds the time */
};

#define MAX_WORK ((size_t)1 << 27)

void classes_of(struct classes *c, const struct rx *re)
{
	unsigned char map[256];
	struct {
		int from, to;
	} seen[256];

	if (!c->n) {
		*c = (struct classes){.n = 1};
		c->sample[0] = 1;
	}
	if (re->l)
		classes_of(c, re->l);
	if (re->r)
		classes_of(c, re->r);
	if (re->kind != RX_SET || c->n == 255)
		return;
	for (int i = 0; i < 256; i++)
		seen[i].from = seen[i].to = -1;
	memcpy(map, c->map, sizeof map);
	/* a class that is partly in the set is split */
	for (int ch = 1; ch < 256; ch++)
		if (!rx_has(&re->set, (unsigned)ch))
			seen[map[ch]].from = 1;
	for (int ch = 1; ch < 256; ch++) {
		int old = map[ch];

		if (!rx_has(&re->set, (unsigned)ch) || seen[old].from < 0)
			continue;
		if (seen[old].to < 0)
			seen[old].to = c->n++;
		c->map[ch] = (unsigned char)seen[old].to;
	}
	for (int ch = 255; ch > 0; ch--)
		c->sample[c->map[ch]] = (unsigned char)ch;
}

/* ---------------------------------------------------------------- subsets */

static bool has(const uint64_t *set, int i) { return set[i >> 6] >> (i & 63) & 1; }

static void add(struct subsets *s, uint64_t *set, int i)
{
	if (has(set, i))
		return;
	set[i >> 6] |= 1ull << (i & 63);
	vec_push(&s->stack, i);
}

/* Take the edges that need no byte.  NEAR: at the edge where reading begins; FAR: at the other. */
static void close_set(struct subsets *s, uint64_t *set, bool near, bool far)
{
	bool bol = s->backwards ? far : near, eol = s->backwards ? near : far;

	while (s->stack.n) {
		const struct edge_list *l = &s->edges[s->stack.v[--s->stack.n]];

		for (size_t i = 0; i < l->e.n; i++) {
			const struct edge *e = &l->e.v[i];

			if (e->kind == EDGE_FREE || (e->kind == EDGE_BOL && bol) ||
			    (e->kind == EDGE_EOL && eol))
				add(s, set, e->to);
		}
	}
}

static uint64_t *new_set(const struct subsets *s) { return xalloc(s->words * sizeof(uint64_t)); }

static uint32_t hash_set(const struct subsets *s, const uint64_t *set, bool at_edge)
{
	uint64_t h = at_edge;

	for (size_t i = 0; i < s->words; i++)
		h = (h ^ set[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
	return (uint32_t)(h ^ h >> 32);
}

/* The number of a subset, new or known. */
static int number_of(struct subsets *s, const uint64_t *set, bool at_edge)
{
	uint32_t slot = hash_set(s, set, at_edge) & (s->nslots - 1);
	struct subset sub;

	for (; s->slots[slot]; slot = (slot + 1) & (s->nslots - 1)) {
		const struct subset *old = &s->all.v[s->slots[slot] - 1];

		if (old->at_edge == at_edge && !memcmp(old->set, set, s->words * sizeof *set))
			return (int)s->slots[slot] - 1;
	}
	sub = (struct subset){new_set(s), at_edge};
	memcpy(sub.set, set, s->words * sizeof *set);
	vec_push(&s->all, sub);
	s->slots[slot] = (uint32_t)s->all.n;
	return (int)s->all.n - 1;
}

static void step(struct subsets *s, const uint64_t *from, unsigned ch, uint64_t *to)
{
	memset(to, 0, s->words * sizeof *to);
	for (size_t w = 0; w < s->words; w++)
		for (uint64_t bits = from[w]; bits; bits &= bits - 1) {
			const struct edge_list
				*l = &s->edges[w * 64 + (size_t)__builtin_ctzll(bits)];

			s->work += 1 + l->e.n;
			for (size_t k = 0; k < l->e.n; k++)
				if (l->e.v[k].kind == EDGE_SET && rx_has(l->e.v[k].set, ch))
					add(s, to, l->e.v[k].to);
		}
	s->work += s->words;
	close_set(s, to, false, false);
}

static bool explore(struct subsets *s)
{
	uint64_t *to = new_set(s);

	for (size_t i = 0; i < s->all.n; i++)
		for (int k = 0; k < s->c->n; k++) {
			step(s, s->all.v[i].set, s->c->sample[k], to);
			vec_push(&s->next, (uint16_t)number_of(s, to, false));
			if (s->all.n > RX_MAX_STATES || s->work > MAX_WORK)
				return false;
		}
	return true;
}

static int start(struct subsets *s, bool at_edge)
{
	uint64_t *set = new_set(s);

	add(s, set, s->first);
	close_set(s, set, at_edge, false);
	return number_of(s, set, at_edge);
}

static uint8_t accepts(struct subsets *s, const struct subset *sub)
{
	uint64_t *set = new_set(s);
	uint8_t flags = has(sub->set, s->last) ? DFA_ACCEPT | DFA_ACCEPT_END : 0;

	for (int i = 0; i < s->n->nstates; i++)
		if (has(sub->set, i))
			add(s, set, i);
	close_set(s, set, sub->at_edge, true);
	return has(set, s->last) ? flags | DFA_ACCEPT_END : flags;
}

/* ------------------------------------------------------------ minimisation */

/* The class of each state, by the class that it had and those of what follows it. */
static int refine(const struct dfa *d, const uint16_t *old, uint16_t *new)
{
	size_t nslots = 16384, n = 0;
	static uint32_t slots[16384];
	int *first = xalloc((size_t)d->nstates * sizeof *first);

	memset(slots, 0, sizeof slots);
	for (int i = 0; i < d->nstates; i++) {
		const uint16_t *row = d->next + (size_t)i * (size_t)d->nclasses;
		uint64_t h = old[i];
		size_t slot;

		for (int k = 0; k < d->nclasses; k++)
			h = (h ^ old[row[k]]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
		for (slot = h & (nslots - 1); slots[slot]; slot = (slot + 1) & (nslots - 1)) {
			int j = first[slots[slot] - 1], k = 0;
			const uint16_t *other = d->next + (size_t)j * (size_t)d->nclasses;

			while (k < d->nclasses && old[row[k]] == old[other[k]])
				k++;
			if (old[i] == old[j] && k == d->nclasses)
				break;
		}
		if (!slots[slot]) {
			first[n] = i;
			slots[slot] = (uint32_t)++n;
		}
		new[i] = (uint16_t)(slots[slot] - 1);
	}
	return (int)n;
}

/* Keep one state of each class; classes are numbered in order of their first states, so that 0
 * stays dead. */
static void merge(struct dfa *d, const uint16_t *class, int n)
{
	int done = 0;

	for (int i = 0; i < d->nstates; i++) {
		if (class[i] != done)
			continue;
		for (int k = 0; k < d->nclasses; k++)
			d->next[done * d->nclasses + k] = class[d->next[i * d->nclasses + k]];
		d->accept[done++] = d->accept[i];
	}
	d->start[0] = class[d->start[0]];
	d->start[1] = class[d->start[1]];
	d->nstates = n;
}

static void minimise(struct dfa *d)
{
	uint16_t *old = xalloc((size_t)d->nstates * sizeof *old),
		 *new = xalloc((size_t)d->nstates * sizeof *new), *t;
	int n = 0, before;

	for (int i = 0; i < d->nstates; i++)
		old[i] = d->accept[i];
	do {
		before = n;
		n = refine(d, old, new);
		t = old, old = new, new = t;
	} while (n != before);
	merge(d, old, n);
}

/* --------------------------------------------------------------- all of it */

static struct dfa *table(struct subsets *s, const uint16_t *starts, bool keep)
{
	struct dfa *d = xalloc(sizeof *d);
	const uint64_t **sets = xalloc(s->all.n * sizeof *sets);

	d->nstates = (int)s->all.n;
	d->nclasses = s->c->n;
	d->next = s->next.v;
	d->accept = xalloc(s->all.n);
	d->start[0] = starts[0];
	d->start[1] = starts[1];
	for (size_t i = 0; i < s->all.n; i++) {
		d->accept[i] = accepts(s, &s->all.v[i]);
		sets[i] = s->all.v[i].set;
	}
	if (keep)
		d->sets = sets;
	else
		minimise(d);
	return d;
}

struct dfa *dfa_new(const struct nfa *n, const struct classes *c, bool backwards, bool keep)
{
	struct subsets s = {
		.n = n,
		.c = c,
		.backwards = backwards,
		.edges = backwards ? n->in : n->out,
		.first = backwards ? n->last : n->first,
		.last = backwards ? n->first : n->last,
		.words = ((size_t)n->nstates + 63) / 64,
		.nslots = 16384,
	};
	uint16_t starts[2];

	s.slots = xalloc(s.nslots * sizeof *s.slots);
	number_of(&s, new_set(&s), false); /* the dead state */
	starts[0] = (uint16_t)start(&s, false);
	starts[1] = (uint16_t)start(&s, true);
	return explore(&s) ? table(&s, starts, keep) : NULL;
}
