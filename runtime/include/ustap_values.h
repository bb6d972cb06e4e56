/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of ustap_rt.h: regular expressions, statistics, arrays and printing. */
#ifndef USTAP_USTAP_VALUES_H
#define USTAP_USTAP_VALUES_H

#include "ustap_context.h"
#include "ustap_types.h"

/* ---------------------------------------------------- regular expressions */

/* Tables of an automaton; state 0 is dead. Accept: 1 matched, 2 matched if the text ends here. */
struct ust_dfa {
	const unsigned short *next; /* [state * nclasses + class] */
	const unsigned char *accept;
	unsigned short start[2]; /* [1]: where the text begins (read backwards: ends) */
};

enum ust_rx_kind { UST_RX_GROUP, UST_RX_CAT, UST_RX_ALT, UST_RX_STAR, UST_RX_COPY };
/* Division of a span of the text between groups; see translator/regex/plan.c. */
struct ust_rx_step {
	unsigned char kind;
	unsigned short first, last; /* GROUP: its number; COPY: groups [first, last) */
	short left, right;          /* steps for the parts, -1: none */
	const struct ust_dfa *fwd, *bwd;
	const unsigned char *live; /* STAR: [fwd state * stride + bwd state] */
	ust_u32 stride;
};

struct ust_regex {
	const unsigned char *map; /* class of each byte */
	ust_u32 nclasses, ngroups, nsteps;
	const struct ust_dfa *test, *locate, *longest;
	const struct ust_rx_step *steps;
};

/* True if RE matches somewhere in S. Work is charged by bytes; false with an error if the handler
 * is over its limit. */
_Bool ust_regex_test(struct ust_ctx *c, const struct ust_regex *re, const char *s);
/* The same, and the match is kept for ust_matched() and related functions. */
_Bool ust_regex_match(struct ust_ctx *c, const struct ust_regex *re, const char *s);

/* ----------------------------------------------------- counters, statistics */

/* V times WEIGHT, for the number G or its element, which becomes an estimate if WEIGHT is not 1. */
static inline ust_long ust_scaled(struct ust_gvar *g, ust_long v, ust_u32 weight)
{
	if (ust_unlikely(weight > 1))
		g->estimated = 1;
	return ust_mul(v, weight);
}

/* Add V to the counter G: a global that is only added to, with a value for each CPU. Any context,
 * no lock. */
void ust_counter_add(struct ust_gvar *g, ust_long v);
/* The sum over all CPUs; additions in progress may be missed. */
ust_long ust_counter_read(struct ust_gvar *g);
/* Set the number or string G to its initial value. Its lock must be held for writing, if it has
 * one. Additions to a counter that are in progress may be missed. */
void ust_global_reset(struct ust_gvar *g);
/* g <<< V for a scalar statistic. Locks the cell of this CPU. */
void ust_stat_add(struct ust_gvar *g, ust_long v);
/* ust_stat_add() for a statistic with a histogram, a variance or percentiles. */
void ust_stat_add_more(struct ust_gvar *g, ust_long v);
/* ust_stat_add() for a statistic with percentiles and nothing else. */
void ust_stat_add_sketch(struct ust_gvar *g, ust_long v);
/* ust_stat_add() of WEIGHT samples of the value V, for any statistic. */
void ust_stat_add_weighted(struct ust_gvar *g, ust_long v, ust_u32 weight);
/* The sum over the cells of all CPUs. Locks each in turn. */
void ust_stat_read(struct ust_gvar *g, struct ust_stat *st);
/* delete g: no samples. */
void ust_stat_clear(struct ust_gvar *g);
/* min, max and avg of an empty statistic fail with "empty aggregate". */
ust_long ust_stat_min(struct ust_ctx *c, const struct ust_stat *st);
/* See ust_stat_min(). */
ust_long ust_stat_max(struct ust_ctx *c, const struct ust_stat *st);
/* See ust_stat_min(); scripts for SystemTap before 1.5 only. */
ust_long ust_stat_sum(struct ust_ctx *c, const struct ust_stat *st);
/* See ust_stat_min(); rounded toward zero. */
ust_long ust_stat_avg(struct ust_ctx *c, const struct ust_stat *st);

/* Variance, samples in bucket I, and samples in all buckets of the statistic G, or of its element
 * KEY (0: G is not an array). They fail with "empty aggregate"; an invalid bucket with "histogram
 * index out of range". */
ust_long ust_stat_variance(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key);
#define UST_PERCENT 100000ull
/* The PERCENT / UST_PERCENT-th percentile: the smallest sample that so many of 100 samples do not
 * exceed, off by at most 1/128 of its value. Fails as ust_stat_variance(). */
ust_long ust_stat_percentile(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			     ust_u64 percent);
/* I: number of the bucket, from 0. */
ust_long ust_hist_bucket(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			 ust_long i);
/* COUNTS has g->buckets elements, all 0 if the handler is over its limit. */
void ust_hist_read(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
		   ust_long *counts);
/* ust_hist_bucket() that returns 0 instead of failing. */
ust_long ust_hist_count(struct ust_gvar *g, const union ust_key *key, ust_long i);

/* ----------------------------------------------------------------- arrays */

/* KEY holds g->nkeys keys. Returned strings remain valid until the element is removed. */
ust_long ust_map_get(struct ust_gvar *g, const union ust_key *key);      /* 0 if missing */
const char *ust_map_get_s(struct ust_gvar *g, const union ust_key *key); /* "" if missing */
/* Address of the element's value, inserted if missing; 0 and an error if the array is full. */
ust_long *ust_map_ref(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key);
/* As ust_map_ref(), for a string of maxstringlen bytes. */
char *ust_map_ref_s(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key);
/* True if the element exists. */
_Bool ust_map_has(struct ust_gvar *g, const union ust_key *key);
/* Remove the element if it exists. */
void ust_map_del(struct ust_gvar *g, const union ust_key *key);
/* Remove all elements; after ust_map_charge(). */
void ust_map_clear(struct ust_gvar *g);
/* Called before an operation on all elements of G: charges for them, and fails over MAXACTION. */
_Bool ust_map_charge(struct ust_ctx *c, struct ust_gvar *g);
/* Slices: bit N of ANY means that key N may have any value, and KEY[N] is not used. */
_Bool ust_map_has_any(struct ust_gvar *g, const union ust_key *key, ust_u32 any);
/* Remove the elements of the slice; after ust_map_charge(). */
void ust_map_del_any(struct ust_gvar *g, const union ust_key *key, ust_u32 any);
/* Arrays of statistics. */
void ust_map_stat_add(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key, ust_long v);
/* ust_map_stat_add() for statistics with histograms, variances or percentiles. */
void ust_map_stat_add_more(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			   ust_long v);
/* ust_map_stat_add() of WEIGHT samples of the value V, for any statistic. */
void ust_map_stat_add_weighted(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			       ust_long v, ust_u32 weight);
/* Short form of ust_map_stat_add() for one integer key. */
void ust_map_stat_add_l(struct ust_ctx *c, struct ust_gvar *g, ust_long key, ust_long v);
/* ust_map_stat_add_l() for statistics with percentiles and nothing else. */
void ust_map_stat_add_sketch_l(struct ust_ctx *c, struct ust_gvar *g, ust_long key, ust_long v);
/* ust_map_stat_add_l() for a handler that does nothing else that can fail and has taken no context:
 * only a new element takes one, with WHERE as its location. */
void ust_map_stat_add_hit(struct ust_hit *hit, struct ust_gvar *g, ust_long key, ust_long v,
			  ust_u32 where);
/* *ST: the element's samples on all CPUs; all 0 if it is missing. */
void ust_map_stat_read(struct ust_gvar *g, const union ust_key *key, struct ust_stat *st);

enum ust_sort_op {
	UST_BY_COUNT,
	UST_BY_SUM,
	UST_BY_MIN,
	UST_BY_MAX,
	UST_BY_AVG,
	UST_BY_VARIANCE,
	UST_BY_PERCENTILE,
	UST_SORT_OP = 7 /* mask; UST_BY(PERCENT) has the percentile above it */
};
/* Sort by a percentile; PERCENT as of ust_stat_percentile(). */
#define UST_BY(percent) (UST_BY_PERCENTILE | (percent) << 3)
struct ust_iter {
	union ust_key key[UST_MAXKEYS]; /* of the current element */
	ust_long l;                     /* its value */
	const char *s;
	struct ust_stat st;
	/* private */
	struct ust_gvar *g;
	ust_long left, by;
	ust_u64 seq, fill;
	ust_u32 pos, any;
	void *order;
	_Bool sliced;
	union ust_key slice[UST_MAXKEYS];
};
_Static_assert(sizeof(struct ust_iter) == 256 && sizeof(struct ust_stat) == 32 &&
		       sizeof(struct ust_out) == 32,
	       "emit_frame.c");
#define UST_NO_LIMIT 0x7fffffffffffffffll
/* Start a loop over G. COL: -1 in order of insertion, 0 by value, 1.. by key; DIR: +1 ascending, -1
 * descending; OP: the operator on a statistic to sort by; LIMIT: maximum number of elements (<= 0:
 * none; UST_NO_LIMIT); ORDER: number of this sorted loop. */
void ust_iter_begin(struct ust_ctx *c, struct ust_iter *it, struct ust_gvar *g, int col, int dir,
		    int op, ust_long limit, ust_u32 order);
/* ust_iter_begin() over a slice. Strings of KEY must stay valid until the loop ends. */
void ust_iter_begin_slice(struct ust_ctx *c, struct ust_iter *it, struct ust_gvar *g, int col,
			  int dir, int op, ust_long limit, ust_u32 order, const union ust_key *key,
			  ust_u32 any);
/* Set the key and value of the next element. False: no more elements, or the handler is over its
 * limit. */
_Bool ust_iter_next(struct ust_ctx *c, struct ust_iter *it);

/* --------------------------------------------------------------- merging */

/* Write records of G, whose lock the handler holds; for probes of the kind UST_PROBE_SEND. */
void ust_send_global(struct ust_gvar *g);

/* --------------------------------------------------------------- printing */

enum ust_fmt_flags {
	UST_F_MINUS = 1,
	UST_F_ZERO = 2,
	UST_F_PLUS = 4,
	UST_F_SPACE = 8,
	UST_F_ALT = 16
};
struct ust_spec {
	char conv;
	unsigned char flags;
	int width, prec;
}; /* -1: none */
/* CALL with its own conversion `spec`: its width or precision is an argument. */
#define UST_FORMATTED(call, ...)                          \
	({                                                \
		const struct ust_spec spec = __VA_ARGS__; \
		call;                                     \
	})

/* Write text to a string of maxstringlen bytes (sprintf): start, pieces, finish. */
void ust_out_string(struct ust_out *o, char *dst);
void ust_out_finish(struct ust_out *o); /* NUL-terminates */
/* Append LEN bytes; what does not fit is dropped in a string, and makes the print buffer be
 * written. */
void ust_put(struct ust_out *o, const char *text, ust_u32 len);
/* ust_put() of a literal of a few bytes. */
static inline void ust_put_short(struct ust_out *o, const char *text, ust_u32 len)
{
	char *p = o->p;

	if (ust_unlikely((ust_u64)(o->end - p) < len)) {
		ust_put(o, text, len);
		return;
	}
	__builtin_memcpy(p, text, len);
	o->p = p + len;
}
/* Room for the text of a print statement that reads strings of the probed process in place. */
#define UST_PRINT_ROOM 4096
/* Write the print buffer, and leave it empty. */
void ust_print_flush(struct ust_ctx *c);
/* Begin a print statement of at most ROOM bytes, at most UST_PRINT_ROOM. Returns where its text
 * begins in the print buffer. */
static inline char *ust_print_start(struct ust_ctx *c, ust_u32 room)
{
	if (ust_unlikely((ust_u64)(c->out.end - c->out.p) < room))
		ust_print_flush(c);
	return c->out.p;
}
/* Append the string at ADDR of the probed process to the print buffer. On a fault set the error,
 * and take back what follows START, the result of ust_print_start(). */
void ust_put_user_string(struct ust_ctx *c, char *start, ust_long addr);
void ust_put_d(struct ust_out *o, ust_long v);                              /* %d */
void ust_put_s(struct ust_out *o, const char *s);                           /* %s */
void ust_put_l(struct ust_out *o, const struct ust_spec *spec, ust_long v); /* d i u o x X p c b */
/* %s with flags, width and precision. */
void ust_put_str(struct ust_out *o, const struct ust_spec *spec, const char *s);
/* %m, %M: the first one fails if the second one could not read. */
void ust_check_memory(struct ust_ctx *c, const struct ust_spec *spec, ust_long addr);
/* SPEC: the precision is the number of bytes, the width a minimum of columns. ADDR: in the probed
 * process. */
void ust_put_memory(struct ust_ctx *c, struct ust_out *o, const struct ust_spec *spec,
		    ust_long addr);
/* Print the chart of a histogram with these counts, bars WIDTH columns wide; at most AROUND
 * consecutive empty buckets are shown beside others, all if it is negative. */
void ust_put_hist(struct ust_out *o, const struct ust_gvar *g, const ust_long *counts,
		  ust_u32 width, int around);
/* Print it as one line of bars from the first to the last bucket that is not empty, between the
 * values of these two. Neighbouring buckets share a bar if there are many. */
void ust_put_bars(struct ust_out *o, const struct ust_gvar *g, const ust_long *counts);

#endif
