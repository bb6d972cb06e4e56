/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics, arrays and loops over them. */
#ifndef USTAP_ARRAYS_ARRAYS_H
#define USTAP_ARRAYS_ARRAYS_H

#include "arrays/sketch.h"
#include "port.h"

/* --------------------------------------------------------------------- stat */

/* One CPU's cell of a statistic that is not an array. */
struct stat_cell {
	port_lock_t lock; /* first, for port_percpu_lock() */
	struct ust_stat st;
	u64 *more;                 /* stat_extra_words(), if any */
	struct sketches *sketches; /* if the script asks for percentiles */
};

/* percpu_cells.c */
/* The copy of the per-CPU object BASE that belongs to the first CPU from number *CPU on, and *CPU
 * becomes the number behind it; NULL: all have been returned. */
static inline void *percpu_next(void *base, u32 *cpu)
{
	while (*cpu < port_ncpus()) {
		u32 i = (*cpu)++;

		if (port_cpu_exists(i))
			return port_percpu(base, i);
	}
	return 0;
}

/* Allocate the per-CPU cells of the statistic G; false if out of memory. May sleep. stat_free()
 * frees them. */
bool stat_init(struct ust_gvar *g);
void stat_free(struct ust_gvar *g);
/* As percpu_next(), for the cells of G. The caller takes the cell's lock. */
struct stat_cell *stat_next_cell(const struct ust_gvar *g, u32 *cpu);

/* stat.c */
/* Add the samples that FROM counts to TO. */
void stat_merge(struct ust_stat *to, const struct ust_stat *from);
/* Add the sample V; the sum wraps. The caller holds the lock of the cell. */
static inline void stat_put(struct ust_stat *st, ust_long v)
{
	if (!st->count++) {
		st->sum = st->min = st->max = v;
		return;
	}
	st->sum = ust_add(st->sum, v);
	if (v < st->min)
		st->min = v;
	if (v > st->max)
		st->max = v;
}
/* Add WEIGHT samples of the value V, as stat_put(). */
static inline void stat_put_many(struct ust_stat *st, ust_long v, u32 weight)
{
	stat_put(st, v);
	st->count += weight - 1;
	st->sum = ust_add(st->sum, ust_mul(v, weight - 1));
}
/* The value of ST by OP of enum ust_sort_op, to sort by; 0 for the average of no samples. */
ust_long stat_value(const struct ust_stat *st, int op);

/* Additional words of a statistic: first those for its variance, then the buckets of its
 * histogram. */
enum { VARIANCE_SQUARES, VARIANCE_SUM = 3, VARIANCE_COUNT = 5, VARIANCE_WORDS };
/* Number of additional words of G. */
static inline u32 stat_extra_words(const struct ust_gvar *g)
{
	return (g->variance ? VARIANCE_WORDS : 0) + g->buckets;
}
/* True if cells of G hold more than count, sum, min and max. Such a statistic has no cells of
 * threads. */
static inline bool stat_has_more(const struct ust_gvar *g)
{
	return g->percentiles || stat_extra_words(g);
}
/* Adds N words of one cell to TO. */
typedef void (*stat_extra_fn)(u64 *to, const u64 *from, u32 n);
/* Call FN for each CPU's cell of the statistic G or its element KEY: N words from word FIRST on. */
void stat_extra_read(struct ust_gvar *g, const union ust_key *key, stat_extra_fn fn, u64 *to,
		     u32 first, u32 n);

/* variance.c */
/* Add WEIGHT samples of the value V to the VARIANCE_WORDS words at M. variance_merge() adds those
 * at FROM to TO; it is a stat_extra_fn and does not use N. */
void variance_put(u64 *m, ust_long v, u32 weight);
void variance_merge(u64 *to, const u64 *from, u32 n);
/* The variance of the samples, rounded down; 0 with fewer than two, INT64_MAX if it does not fit.
 */
ust_long variance_value(const u64 *m);

/* sketch.c: the value below or at which PERCENT (as of ust_stat_percentile()) of the samples of
 * element I are; ST is what all CPUs have counted. *WORK grows by the counters read. Called with
 * the map locked. */
ust_long sketch_percentile(struct ust_gvar *g, u32 i, const struct ust_stat *st, u64 percent,
			   u64 *work);

/* Samples of element I in buckets FROM to TO - 1 of OCTAVE, on all CPUs. */
u64 sketch_count(const struct ust_gvar *g, u32 i, u32 octave, u32 from, u32 to);

/* hist.c: the bucket of V */
u32 hist_bucket(const struct ust_gvar *g, ust_long v);

/* Add WEIGHT samples of the value V to the additional words MORE. The caller holds the lock of the
 * cell. */
static inline void stat_extra_put(const struct ust_gvar *g, u64 *more, ust_long v, u32 weight)
{
	if (g->variance)
		variance_put(more, v, weight);
	if (g->hist)
		more[(g->variance ? VARIANCE_WORDS : 0) + hist_bucket(g, v)] += weight;
}

/* -------------------------------- map.c, map_memory.c, map_read.c, sort.c */

#define MAP_NONE 0xffffffffu

struct elem {
	u32 chain;      /* next in its bucket */
	u32 prev, next; /* in order of insertion */
	u32 bucket;
	u64 seq; /* number of its insertion, 0 while it is free */
	union {
		ust_long l;
		char *s;
	} v;
	union ust_key key[]; /* strings point to after the keys */
};

/* An array of statistics: each CPU has a cell for each element. */
struct cells {
	port_lock_t lock; /* held to use the cells, and to look elements up */
	struct ust_stat *v;
	u64 *more;                 /* stat_extra_words() for each element, if any */
	struct sketches *sketches; /* if the script asks for percentiles */
};

/* Memory of one sorted loop. */
struct ref {
	ust_long by;
	u64 seq;
	u32 at;
};
struct order {
	int col, dir, op;
	u64 percent; /* for UST_BY_PERCENTILE */
	u64 fill;    /* number of times it was filled, by any handler */
	u64 work;    /* comparisons, and bytes of strings in them, not charged yet */
	u32 n;
	struct ref *v; /* a heap */
};

struct map {
	struct port_glock glock; /* first; for arrays of statistics used in sorted loops only */
	port_lock_t lock;        /* arrays of statistics: insert, remove, walk */
	void *cells;             /* per-CPU struct cells, or 0 */
	u64 seq;
	u32 first, last, count, used, free, max;
	u32 *buckets, shift;
	u32 nkeys, stride;
	bool wrap;
	u8 keys[UST_MAXKEYS];
	u32 more; /* stat_extra_words() */
	char *elems;
	struct order *orders;
	u32 norders;
};

/* Element number I, below m->max. */
static inline struct elem *map_elem(const struct map *m, u32 i)
{
	return (struct elem *)(m->elems + (size_t)i * m->stride);
}
/* True if E's keys equal those of KEY, except those whose bit N of ANY is set. */
bool map_in_slice(const struct map *m, const struct elem *e, const union ust_key *key, u32 any);
/* Allocate the array G with all of its elements, so that handlers need not allocate. May sleep.
 * False if out of memory; map_free() must still be called. */
bool map_init(struct ust_gvar *g);
void map_free(struct ust_gvar *g);
/* Lock an array of statistics to insert or walk. */
void map_lock(struct ust_gvar *g, unsigned long *flags);
/* Repair G, which is locked, after its holder was killed during a change: all elements become
 * complete and linked again; the one being inserted or removed exists or not. */
void map_repair(struct ust_gvar *g);
/* As percpu_next(), for the cells of M, if its values are statistics. */
static inline struct cells *map_next_cells(struct map *m, u32 *cpu)
{
	return m->cells ? percpu_next(m->cells, cpu) : 0;
}
/* The element with these keys, or MAP_NONE; called with the map locked. */
u32 map_find(const struct map *m, const union ust_key *key);
/* The same, which is inserted if it is missing; MAP_NONE: the array is full. Called while no
 * handler runs. */
u32 map_take(struct ust_gvar *g, const union ust_key *key);
/* map_read.c: sum the cells of element I over all CPUs; called with the map locked. */
void map_merge(struct map *m, u32 i, struct ust_stat *st);
/* stat_extra_read() for element I; called with the map locked. */
void map_extra(struct ust_gvar *g, u32 i, stat_extra_fn fn, u64 *to, u32 first, u32 n);
/* sketch_percentile() for the element KEY, and ST; 0 if it is missing. Takes the lock of the map.
 */
ust_long map_percentile(struct ust_gvar *g, const union ust_key *key, struct ust_stat *st,
			u64 percent, u64 *work);
/* stat_extra_read() for the element KEY; takes the lock of the map. */
void map_extra_read(struct ust_gvar *g, const union ust_key *key, stat_extra_fn fn, u64 *to,
		    u32 first, u32 n);

#endif
