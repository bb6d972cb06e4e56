/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sketches: the counters from which percentiles are estimated.
 *
 * Samples are counted in buckets as in an HDR histogram: 64 of equal width in each octave
 * [2^e, 2^(e+1)) from 64 on, and one for each number below. The midpoint of a bucket differs from
 * each sample in it by at most 1/128 of that sample. A negative sample V has the bucket of ~V below
 * the middle, so buckets ascend by value. The 64 counters of an octave are a block. A statistic
 * that is not an array has all blocks; elements of arrays take a block at their first sample in its
 * octave, from a pool that each CPU allocates at start.
 */
#ifndef USTAP_ARRAYS_SKETCH_H
#define USTAP_ARRAYS_SKETCH_H

#include "port.h"

enum {
	SKETCH_BITS = 6,
	SKETCH_BUCKETS = 1 << SKETCH_BITS, /* of an octave */
	SKETCH_SIGN = 64 - SKETCH_BITS,    /* octaves of one sign, with that of numbers below 64 */
	SKETCH_OCTAVES = 2 * SKETCH_SIGN,
	SKETCH_STRIDE = 128, /* entries of struct sketches.blocks for each element */
	SKETCH_SHARE = 8     /* blocks of the pool for each element of an array */
};

/* One CPU's sketches of all elements of a statistic; used under the lock of the CPU's cells. */
struct sketches {
	u64 *counts;
	/* of each element the first counter of the block of each octave, 0: none; or NULL: counts
	 * has all octaves of one element */
	u32 *blocks;
	u32 used, max; /* blocks of the pool; the first one is not used */
	u32 free;      /* first counter of a released block; its value is that of the next one */
};

/* sketch.c */
/* Memory for the sketch of a statistic that is not an array; NULL if out of memory. May sleep. */
struct sketches *sketch_alloc(void);
/* sketch_alloc() for an array of N elements. */
struct sketches *sketch_alloc_array(u32 n);
void sketch_free(struct sketches *s); /* NULL: does nothing */
/* Give the octave whose entry is AT a block; false if the pool is exhausted. */
bool sketch_take_block(struct sketches *s, u32 *at);
/* Release the blocks of element I of an array. Nothing may read it meanwhile. */
void sketch_release(struct sketches *s, u32 i);
/* Reset the counters of a statistic that is not an array. */
void sketch_reset(struct sketches *s);

/* The bucket of V, from -SKETCH_SIGN * SKETCH_BUCKETS. */
static inline long sketch_bucket(ust_long v)
{
	u64 sign = (u64)(v >> 63), n = (u64)v ^ sign;
	u32 shift = 63 - SKETCH_BITS - (u32)__builtin_clzll(n | (2 * SKETCH_BUCKETS - 1));

	return (long)((((u64)shift << SKETCH_BITS) + (n >> shift)) ^ sign);
}

/* Count WEIGHT samples of the value V of a statistic that is not an array. */
static inline void sketch_put(struct sketches *s, ust_long v, u32 weight)
{
	s->counts[SKETCH_SIGN * SKETCH_BUCKETS + sketch_bucket(v)] += weight;
}

/* Count WEIGHT samples of the value V of element I of an array; false if the pool has no block for
 * it. */
static inline bool sketch_put_element(struct sketches *s, u32 i, ust_long v, u32 weight)
{
	long bucket = sketch_bucket(v);
	u32 *at = s->blocks + (size_t)i * SKETCH_STRIDE + SKETCH_SIGN + (bucket >> SKETCH_BITS);

	if (unlikely(!*at) && !sketch_take_block(s, at))
		return false;
	s->counts[(size_t)*at + (bucket & (SKETCH_BUCKETS - 1))] += weight;
	return true;
}

#endif
