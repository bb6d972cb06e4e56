/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of sketches, and the value of a rank over the sketches of all CPUs.
 *
 * A reader takes no CPU's lock. Blocks are released only where readers are excluded, by the lock of
 * the array; those of a scalar statistic never are.
 */
#include "arrays/sketch.h"
#include "arrays/arrays.h"
#include "common.h"

/* ------------------------------------------------------------- memory */

struct sketches *sketch_alloc(void)
{
	struct sketches *s = port_alloc(sizeof *s);

	if (!s)
		return NULL;
	s->counts = port_alloc(SKETCH_OCTAVES * SKETCH_BUCKETS * sizeof *s->counts);
	if (s->counts)
		return s;
	sketch_free(s);
	return NULL;
}

/* Blocks for N elements, so that few elements have one for each octave. */
static u32 pool_size(u32 n)
{
	const u64 most = 0xffffffffu / SKETCH_BUCKETS - 1;
	u64 shared = (u64)n * SKETCH_SHARE + SKETCH_OCTAVES, all = (u64)n * SKETCH_OCTAVES;
	u64 size = shared < all ? shared : all;

	return (u32)(size < most ? size : most);
}

struct sketches *sketch_alloc_array(u32 n)
{
	struct sketches *s = port_alloc(sizeof *s);

	if (!s)
		return NULL;
	s->max = pool_size(n);
	s->counts = port_alloc(((size_t)s->max + 1) * SKETCH_BUCKETS * sizeof *s->counts);
	s->blocks = port_alloc((size_t)n * SKETCH_STRIDE * sizeof *s->blocks);
	if (s->counts && s->blocks)
		return s;
	sketch_free(s);
	return NULL;
}

void sketch_free(struct sketches *s)
{
	if (!s)
		return;
	port_free(s->counts);
	port_free(s->blocks);
	port_free(s);
}

noinline bool sketch_take_block(struct sketches *s, u32 *at)
{
	u32 block = s->free;

	if (block) {
		s->free = (u32)s->counts[block];
		s->counts[block] = 0;
	} else if (s->used < s->max) {
		block = ++s->used * SKETCH_BUCKETS;
	} else {
		return false;
	}
	smp_store_release(at, block);
	return true;
}

void sketch_reset(struct sketches *s)
{
	memset(s->counts, 0, SKETCH_OCTAVES * SKETCH_BUCKETS * sizeof *s->counts);
}

void sketch_release(struct sketches *s, u32 i)
{
	u32 *blocks = s->blocks + (size_t)i * SKETCH_STRIDE, octave;

	for (octave = 0; octave < SKETCH_OCTAVES; octave++) {
		u32 block = blocks[octave];

		if (!block)
			continue;
		blocks[octave] = 0;
		memset(s->counts + block, 0, SKETCH_BUCKETS * sizeof *s->counts);
		s->counts[block] = s->free;
		s->free = block;
	}
}

/* ------------------------------------------------------------ reading */

/* One element's sketches on all CPUs. */
struct sketch_view {
	const struct ust_gvar *g;
	u32 i;
	u64 work; /* counters read */
};

static const struct sketches *sketches_on(const struct ust_gvar *g, u32 cpu)
{
	const struct map *m = g->impl;

	if (g->storage == UST_AGG_ARRAY)
		return ((const struct cells *)port_percpu(m->cells, cpu))->sketches;
	return ((const struct stat_cell *)port_percpu(g->impl, cpu))->sketches;
}

/* The counters of OCTAVE on CPU, or NULL. */
static const u64 *counters(const struct sketch_view *view, u32 octave, u32 cpu)
{
	const struct sketches *s;
	const u32 *at;
	u32 block;

	if (!port_cpu_exists(cpu))
		return NULL;
	s = sketches_on(view->g, cpu);
	if (!s->blocks)
		return s->counts + octave * SKETCH_BUCKETS;
	at = &s->blocks[(size_t)view->i * SKETCH_STRIDE + octave];
	block = smp_load_acquire(at);
	return block ? s->counts + block : NULL;
}

/* Samples in buckets FROM to TO - 1 of OCTAVE. */
static u64 count_samples(struct sketch_view *view, u32 octave, u32 from, u32 to)
{
	u64 n = 0;
	u32 cpu, bucket;

	for (cpu = 0; cpu < port_ncpus(); cpu++) {
		const u64 *c = counters(view, octave, cpu);

		if (!c)
			continue;
		for (bucket = from; bucket < to; bucket++)
			n += READ_ONCE(c[bucket]);
		view->work += to - from;
	}
	return n;
}

u64 sketch_count(const struct ust_gvar *g, u32 i, u32 octave, u32 from, u32 to)
{
	struct sketch_view view = {.g = g, .i = i};

	return count_samples(&view, octave, from, to);
}

/* The midpoint of a bucket. */
static ust_long bucket_value(u32 octave, u32 bucket)
{
	bool negative = octave < SKETCH_SIGN;
	u32 size = negative ? SKETCH_SIGN - 1 - octave : octave - SKETCH_SIGN;
	u64 v = negative ? SKETCH_BUCKETS - 1 - bucket : bucket;

	if (size)
		v = ((SKETCH_BUCKETS + v) << (size - 1)) + ((1ull << (size - 1)) - 1) / 2;
	return (ust_long)(negative ? ~v : v);
}

/* The value of the RANK-th sample of OCTAVE, from 1. */
static ust_long value_in_octave(struct sketch_view *view, u32 octave, u64 rank)
{
	u32 bucket;

	for (bucket = 0; bucket < SKETCH_BUCKETS - 1; bucket++) {
		u64 n = count_samples(view, octave, bucket, bucket + 1);

		if (n >= rank)
			break;
		rank -= n;
	}
	return bucket_value(octave, bucket);
}

/* ceil(COUNT * PERCENT / 100), without overflow; PERCENT as of ust_stat_percentile(). */
static u64 rank_of(u64 count, u64 percent)
{
	const u64 whole = 100ull * UST_PERCENT;

	return count / whole * percent + (count % whole * percent + whole - 1) / whole;
}

ust_long sketch_percentile(struct ust_gvar *g, u32 i, const struct ust_stat *st, u64 percent,
			   u64 *work)
{
	struct sketch_view view = {.g = g, .i = i};
	u64 rank = rank_of((u64)st->count, percent);
	ust_long v = st->max;
	u32 octave;

	if (rank <= 1)
		return st->min;
	if (rank >= (u64)st->count)
		return st->max;
	for (octave = 0; octave < SKETCH_OCTAVES; octave++) {
		u64 n = count_samples(&view, octave, 0, SKETCH_BUCKETS);

		if (n >= rank) {
			v = value_in_octave(&view, octave, rank);
			break;
		}
		rank -= n;
	}
	*work += view.work;
	return v < st->min ? st->min : v > st->max ? st->max : v;
}
