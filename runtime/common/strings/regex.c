/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions: runs the tables that the translator has generated; translator/regex/plan.c
 * defines them. The time is linear in the length of the text.
 *
 * =~ keeps the text; position and groups of the match are computed when the script requests them.
 */
#include "common.h"

#define UNSET 0xffffffffu

/* State of a match in a context, after its frames. */
struct found {
	const struct ust_regex *re;
	char *text;
	u32 len;
	unsigned short *marks; /* one for each position in the text: 0 .. len */
	struct match_span *groups, *steps;
};

/* ---------------------------------------------------------------- memory */

static void found_in(struct ctx *x, struct found *f)
{
	char *at = x->frames + ctx_aligned(ust_program.frame_size + 1);

	f->re = x->match.re;
	f->groups = (struct match_span *)at;
	at += ust_program.match_spans * sizeof(struct match_span);
	f->text = at;
	at += ctx_aligned(string_size);
	f->marks = (unsigned short *)at;
}

/* ---------------------------------------------------------------- running */

static inline u32 step(const struct ust_regex *re, const struct ust_dfa *d, u32 state, char ch)
{
	return d->next[state * re->nclasses + re->map[(unsigned char)ch]];
}

static inline bool accepts(const struct ust_dfa *d, u32 state, bool at_end)
{
	return d->accept[state] & (at_end ? 2 : 1);
}

/* Match from *S on; *S advances to where the result is known. */
static bool is_match(const struct ust_regex *re, const char **s)
{
	const struct ust_dfa *d = re->test;
	u32 state = d->start[1];

	for (; **s; ++*s) {
		if (d->accept[state] & 1)
			return true;
		state = step(re, d, state, **s);
		if (!state)
			return false;
	}
	return accepts(d, state, true);
}

_Bool ust_regex_test(struct ust_ctx *c, const struct ust_regex *re, const char *s)
{
	const char *end = s;
	bool match = is_match(re, &end);

	ctx_work(c, (u64)(end - s));
	return match;
}

/* The last position up to END at which D has matched from BEG; UNSET if none. */
static u32 longest(const struct found *f, const struct ust_dfa *d, u32 beg, u32 end)
{
	u32 state = d->start[beg == 0], p = beg, last = UNSET;

	for (;;) {
		if (accepts(d, state, p == f->len))
			last = p;
		if (p == end || !state)
			return last;
		state = step(f->re, d, state, f->text[p++]);
	}
}

/* Run backwards from END to BEG and store the state at each position in the marks. */
static void mark(const struct found *f, const struct ust_dfa *d, u32 beg, u32 end)
{
	u32 state = d->start[end == f->len], p = end;

	f->marks[p] = (unsigned short)state;
	while (p > beg) {
		state = step(f->re, d, state, f->text[--p]);
		f->marks[p] = (unsigned short)state;
	}
}

static u32 leftmost(const struct found *f)
{
	const struct ust_dfa *d = f->re->locate;
	u32 p = 0;

	mark(f, d, 0, f->len);
	while (p < f->len && !accepts(d, f->marks[p], p == 0))
		p++;
	return p;
}

/* --------------------------------------------------------- dividing spans */

static void give(const struct found *f, int step, u32 beg, u32 end)
{
	if (step >= 0)
		f->steps[step] = (struct match_span){beg, end};
}

/* Make the left part as long as possible such that the right one matches the rest. */
static void divide_cat(const struct found *f, const struct ust_rx_step *s, struct match_span at)
{
	u32 state = s->fwd->start[at.beg == 0], p = at.beg, cut = at.beg;

	mark(f, s->bwd, at.beg, at.end);
	for (;;) {
		if (accepts(s->fwd, state, p == f->len) && accepts(s->bwd, f->marks[p], p == 0))
			cut = p;
		if (p == at.end || !state)
			break;
		state = step(f->re, s->fwd, state, f->text[p++]);
	}
	give(f, s->left, at.beg, cut);
	give(f, s->right, cut, at.end);
}

static bool matches_all(const struct found *f, const struct ust_dfa *d, struct match_span at)
{
	return longest(f, d, at.beg, at.end) == at.end;
}

static void divide_alt(const struct found *f, const struct ust_rx_step *s, struct match_span at)
{
	give(f, matches_all(f, s->fwd, at) ? s->left : s->right, at.beg, at.end);
}

/* One repetition from BEG; returns its end. The marks show where further ones can follow. */
static u32 repetition(const struct found *f, const struct ust_rx_step *s, u32 beg, u32 end)
{
	u32 state = s->fwd->start[beg == 0], p = beg, last = end;

	while (p < end) {
		state = step(f->re, s->fwd, state, f->text[p++]);
		if (!s->live[state * s->stride + f->marks[p]])
			break;
		if (accepts(s->fwd, state, p == f->len) &&
		    (p == end || accepts(s->bwd, f->marks[p], false)))
			last = p;
	}
	return last;
}

static void divide_star(const struct found *f, const struct ust_rx_step *s, struct match_span at)
{
	u32 end;

	if (at.beg == at.end) { /* empty: one repetition, if it can match the empty string */
		if (matches_all(f, s->fwd, at))
			give(f, s->left, at.beg, at.end);
		return;
	}
	mark(f, s->bwd, at.beg, at.end);
	while ((end = repetition(f, s, at.beg, at.end)) != at.end)
		at.beg = end;
	give(f, s->left, at.beg, at.end);
}

static void divide_one(const struct found *f, const struct ust_rx_step *s, struct match_span at)
{
	u32 i;

	switch (s->kind) {
	case UST_RX_GROUP:
		f->groups[s->first] = at;
		give(f, s->left, at.beg, at.end);
		break;
	case UST_RX_CAT:
		divide_cat(f, s, at);
		break;
	case UST_RX_ALT:
		divide_alt(f, s, at);
		break;
	case UST_RX_STAR:
		divide_star(f, s, at);
		break;
	default:
		for (i = s->first; i < s->last; i++)
			f->groups[i].beg = UNSET;
		give(f, s->left, at.beg, at.end);
	}
}

/* Compute the position of the match and its groups. */
static void divide(const struct found *f)
{
	const struct ust_regex *re = f->re;
	u32 i, beg;

	for (i = 0; i < re->ngroups + re->nsteps; i++)
		f->groups[i].beg = UNSET;
	beg = leftmost(f);
	f->groups[0].beg = beg;
	f->groups[0].end = longest(f, re->longest, beg, f->len);
	give(f, re->nsteps ? 0 : -1, beg, f->groups[0].end);
	for (i = 0; i < re->nsteps; i++)
		if (f->steps[i].beg != UNSET)
			divide_one(f, &re->steps[i], f->steps[i]);
}

/* --------------------------------------------------------- for the script */

_Bool ust_regex_match(struct ust_ctx *c, const struct ust_regex *re, const char *s)
{
	struct ctx *x = ctx_of(c);
	struct found f;

	x->match = (struct match){ust_regex_test(c, re, s) ? re : NULL, true, false};
	if (!x->match.re)
		return false;
	found_in(x, &f);
	ust_strcpy(f.text, s);
	return true;
}

/* The last match with its groups; false after an error. */
static bool last_match(struct ust_ctx *c, struct found *f)
{
	struct ctx *x = ctx_of(c);

	if (!x->match.re) {
		ctx_fail(c, x->match.tried ? "no regular expression match: the last =~ failed"
					   : "no regular expression match: no =~ was evaluated");
		return false;
	}
	found_in(x, f);
	f->len = (u32)strlen(f->text);
	f->steps = f->groups + f->re->ngroups;
	if (!x->match.divided)
		divide(f);
	x->match.divided = true;
	return true;
}

const char *ust_matched(struct ust_ctx *c, char *dst, ust_long n)
{
	struct found f;
	u32 len = 0;

	dst[0] = 0;
	if (!last_match(c, &f))
		return dst;
	if (n < 0 || n >= (ust_long)f.re->ngroups) {
		ctx_fail_number(c,
				n < 0 ? "Attempted to get nonexistent subexpression -"
				      : "Attempted to get nonexistent subexpression ",
				n < 0 ? 0 - (u64)n : (u64)n, "");
		return dst;
	}
	if (f.groups[n].beg != UNSET)
		len = f.groups[n].end - f.groups[n].beg;
	memcpy(dst, f.text + (len ? f.groups[n].beg : 0), len);
	dst[len] = 0;
	return dst;
}

const char *ust_matched_str(struct ust_ctx *c, char *dst) { return ust_matched(c, dst, 0); }

ust_long ust_ngroups(struct ust_ctx *c)
{
	struct found f;

	return last_match(c, &f) ? (ust_long)f.re->ngroups : 0;
}
