/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions: POSIX ERE, compiled to tables.
 *
 *   parse.c    text -> struct rx, a tree
 *   nfa.c      tree -> states and edges
 *   dfa.c      states and edges -> tables, in either direction
 *   plan.c     tree -> the tables of a search, and the steps that find the groups
 *   ../emit_regex.c   tables -> C, for runtime/common/strings/regex.c
 *
 * Bytes are matched, not characters.  A text holds no byte 0.
 */
#ifndef REGEX_H
#define REGEX_H

#include "base/diag.h"

#define RX_MAX_STATES 4000  /* of one table */
#define RX_MAX_SIZE   20000 /* of a tree with its repetitions written out */
#define RX_MAX_NODES  250   /* steps that find groups */
#define RX_MAX_REPEAT 1000

struct rx_set {
	uint64_t bits[4];
};
/* True if the set has byte CH (0-255). */
static inline bool rx_has(const struct rx_set *s, unsigned ch)
{
	return s->bits[ch >> 6] >> (ch & 63) & 1;
}
/* Add byte CH (0-255). */
static inline void rx_add(struct rx_set *s, unsigned ch) { s->bits[ch >> 6] |= 1ull << (ch & 63); }

enum rx_kind {
	RX_EMPTY,
	RX_SET,
	RX_BOL,
	RX_EOL,
	RX_CAT,
	RX_ALT, /* l, r */
	RX_STAR,
	RX_PLUS,
	RX_OPT,   /* l */
	RX_GROUP, /* l; number: first */
	RX_COPY   /* l, once more: its groups [first, last) are those of the last copy */
};

struct rx {
	enum rx_kind kind;
	struct rx *l, *r;
	struct rx_set set;
	int first, last;
	size_t size; /* bounds the states that it needs */
	int fixed;   /* bytes that it matches, -1 if not always the same */
	bool groups; /* has some */
};

/* A mistake: what, and at which byte of the text; TAG: E_REGEX, E_LIMIT. */
struct rx_error {
	const char *msg, *hint;
	size_t at;
	enum errtag tag;
};

/* NULL and ERR for what is no ERE; NGROUPS counts the whole match as one. */
struct rx *rx_parse(const char *text, size_t len, int *ngroups, struct rx_error *err);
/* A tree node in the arena with bounds of its size; L and R may be NULL. */
struct rx *rx_new(enum rx_kind kind, struct rx *l, struct rx *r);

/* ------------------------------------------------------------------ nfa.c */

enum edge_kind { EDGE_FREE, EDGE_BOL, EDGE_EOL, EDGE_SET };
struct edge {
	int to;
	enum edge_kind kind;
	const struct rx_set *set;
};
struct nfa {
	int nstates, first, last; /* begins in first, has matched in last */
	struct edge_list {
		VEC(struct edge) e;
	} * out, *in;
};
/* The automaton of RE (Thompson's construction), in the arena. It refers to the byte sets of RE. */
struct nfa *nfa_new(const struct rx *re);
void nfa_loop(struct nfa *n); /* the matched part may be repeated */

/* ------------------------------------------------------------------ dfa.c */

/* Byte classes: bytes that all sets of a regular expression treat alike. */
struct classes {
	unsigned char map[256], sample[256];
	int n;
};
/* Refine C, which is zeroed before the first call, by all sets of RE. Ends at 255 classes. */
void classes_of(struct classes *c, const struct rx *re);

enum { DFA_ACCEPT = 1, DFA_ACCEPT_END = 2 }; /* has matched; would have if the text ended here */
struct dfa {
	int nstates, nclasses;
	uint16_t *next; /* [state * nclasses + class]; 0 is the dead state */
	uint8_t *accept;
	uint16_t start[2];           /* [1]: at the edge of the text */
	const uint64_t *const *sets; /* of NFA states, if asked for */
	int number;                  /* for the code that emits it */
};
/* Read forwards from first to last, or BACKWARDS; KEEP: states stay as they are, with their sets.
 * NULL: more than RX_MAX_STATES. */
struct dfa *dfa_new(const struct nfa *n, const struct classes *c, bool backwards, bool keep);

/* ----------------------------------------------------------------- plan.c */

enum { RX_STEP_GROUP, RX_STEP_CAT, RX_STEP_ALT, RX_STEP_STAR, RX_STEP_COPY };
struct rx_step {
	int kind, first, last, left, right; /* numbers of steps, -1: none */
	struct dfa *fwd, *bwd;
	uint8_t *live; /* STAR: [fwd state * bwd states + bwd state] */
};
struct rx_plan {
	struct classes classes;
	int ngroups;
	VEC(struct dfa *) dfas;
	struct dfa *test;             /* forwards: is there a match anywhere */
	struct dfa *locate, *longest; /* backwards: where one begins; forwards: where it ends */
	VEC(struct rx_step) steps;    /* each after the one that names it */
};
/* The tables for RE; those for positions and groups only if CAPTURE.  NULL: too large. */
struct rx_plan *rx_plan_new(struct rx *re, int ngroups, bool capture);

#endif
