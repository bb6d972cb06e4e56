/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merging: records of globals from other runs of this script, one line at a time. A line belongs to
 * the global, and a line about a statistic to the element, that the lines before it name. They come
 * from other machines: each is checked against what this script declares before it has any effect.
 *
 * A script that replaces a running one takes the records of that one in the same way
 * (UST_MERGE_RELOAD); there, globals that this script does not declare are passed over.
 */
#include "arrays/merge.h"
#include "common.h"
#include "wire_agent.h"

/* The largest number of samples of a run, of all its statistics: the sum over MAX_HOSTS runs does
 * not overflow, also if a run sends the same record again and again. */
#define MOST_SAMPLES (1ull << 48)

static struct {
	struct ust_gvar *g; /* NULL: none yet */
	bool ignored;       /* ... or one that this script does not have */
	bool placed;        /* a statistic was read, of element I: */
	bool full;          /* ... which does not fit */
	u32 i;
	u64 samples, squares, bars, sketched; /* in the lines so far, at most MOST_SAMPLES each */
} taken;

static const char wrong_value[] = "the value does not have the type of the global";
static const char wrong_statistic[] = "the statistic is malformed";

static int merge_bad(const char **why, const char *text)
{
	*why = text;
	return UST_MERGE_BAD;
}

static int merge_full(const char **why, const char *text)
{
	*why = text;
	return UST_MERGE_FULL;
}

/* Add N to TOTAL; false: it is more than a run has. */
static bool add_samples(u64 *total, u64 n)
{
	if (n > MOST_SAMPLES - *total)
		return false;
	*total += n;
	return true;
}

/* ------------------------------------------------------------ declarations */

/* True if OP is to have an effect. */
static bool takes(u32 op) { return op == UST_MERGE_TAKE || op == UST_MERGE_RELOAD; }

/* The rest of a line that still agrees; NULL: it differs. */
static void take_same(void *arg, const char *text)
{
	const char **rest = arg;

	while (*rest && *text)
		*rest = **rest == *text++ ? *rest + 1 : NULL;
}

static bool is_declaration(const struct ust_gvar *g, const char *line, bool *estimated)
{
	const char *rest = line;

	merge_declare(g, take_same, &rest);
	*estimated = rest && !ust_strcmp(rest, " estimated");
	return rest && (!*rest || *estimated);
}

static int take_global(u32 op, const char *line, const char **why)
{
	bool estimated;
	u32 i;

	taken.placed = taken.ignored = false;
	taken.g = NULL;
	for (i = 0; i < ust_program.ngvars; i++) {
		struct ust_gvar *g = ust_program.gvars[i];

		if (!g->merge || !is_declaration(g, line, &estimated))
			continue;
		taken.g = g;
		if (estimated && takes(op))
			g->estimated = true;
		return 0;
	}
	if (op == UST_MERGE_RELOAD) {
		taken.ignored = true;
		return UST_MERGE_ABSENT;
	}
	return merge_bad(why, "the script has no such global");
}

/* ------------------------------------------------------- numbers and strings */

static bool take_keys(const struct ust_gvar *g, char **at, union ust_key *key)
{
	u32 i;

	for (i = 0; i < g->nkeys; i++) {
		if (g->keys[i] != UST_STRING && !merge_long(at, &key[i].l))
			return false;
		if (g->keys[i] == UST_STRING && !(key[i].s = merge_string(at)))
			return false;
	}
	return true;
}

static int say_replaced(struct ust_gvar *g, const char **why)
{
	if (g->replaced)
		return 0;
	g->replaced = true;
	*why = g->name;
	return UST_MERGE_REPLACED;
}

/* TO holds another run's value if IT_HAS. */
static int set_number(struct ust_gvar *g, ust_long *to, bool it_has, ust_long v, const char **why)
{
	bool replaces = it_has && *to != v;

	if (g->merge == UST_MERGE_ADD) {
		*to = ust_add(*to, v);
		return 0;
	}
	*to = v;
	return replaces ? say_replaced(g, why) : 0;
}

static int set_string(struct ust_gvar *g, char *to, bool it_has, const char *v, const char **why)
{
	bool replaces = it_has && ust_strcmp(to, v);

	ust_strcpy(to, v);
	return replaces ? say_replaced(g, why) : 0;
}

static int set_element(struct ust_gvar *g, const union ust_key *key, const union ust_key *v,
		       const char **why)
{
	struct map *m = g->impl;
	bool has = map_find(m, key) != MAP_NONE;
	u32 i = map_take(g, key);

	if (i == MAP_NONE)
		return merge_full(why, g->full);
	return g->type == UST_STRING ? set_string(g, map_elem(m, i)->v.s, has, v->s, why)
				     : set_number(g, &map_elem(m, i)->v.l, has, v->l, why);
}

static int take_value(u32 op, char *at, const char **why)
{
	struct ust_gvar *g = taken.g;
	union ust_key key[UST_MAXKEYS] = {{0}}, v = {0};

	if (!g || g->type == UST_STAT || !take_keys(g, &at, key) ||
	    (g->type == UST_STRING ? !(v.s = merge_string(&at)) : !merge_long(&at, &v.l)) || *at)
		return merge_bad(why, wrong_value);
	if (!takes(op))
		return 0;
	if (g->nkeys)
		return set_element(g, key, &v, why);
	if (g->type == UST_STRING)
		return set_string(g, g->s, ust_strcmp(g->s, g->first_s), v.s, why);
	return set_number(g, &g->l, g->l != g->first_l, v.l, why);
}

/* -------------------------------------------------------------- statistics */

/* One CPU's cell of the current element. */
static struct ust_stat *take_cell(struct ust_gvar *g, u64 **more)
{
	u32 cpu = 0;

	if (g->storage == UST_AGG) {
		struct stat_cell *cell = stat_next_cell(g, &cpu);

		*more = cell->more;
		return &cell->st;
	} else {
		struct map *m = g->impl;
		struct cells *cells = map_next_cells(m, &cpu);

		*more = cells->more ? cells->more + (size_t)taken.i * m->more : NULL;
		return &cells->v[taken.i];
	}
}

static int take_statistic(u32 op, char *at, const char **why)
{
	struct ust_gvar *g = taken.g;
	union ust_key key[UST_MAXKEYS] = {{0}};
	struct ust_stat st;
	u64 *more;

	taken.placed = false;
	if (!g || g->type != UST_STAT)
		return merge_bad(why, wrong_value);
	if (!take_keys(g, &at, key) || !merge_long(&at, &st.count) || !merge_long(&at, &st.sum) ||
	    !merge_long(&at, &st.min) || !merge_long(&at, &st.max) || *at || st.count <= 0 ||
	    !add_samples(&taken.samples, (u64)st.count) || st.min > st.max)
		return merge_bad(why, wrong_statistic);
	taken.placed = true;
	taken.full = false;
	if (!takes(op))
		return 0;
	taken.i = g->nkeys ? map_take(g, key) : 0;
	taken.full = taken.i == MAP_NONE;
	if (taken.full)
		return merge_full(why, g->full);
	stat_merge(take_cell(g, &more), &st);
	return 0;
}

static int take_variance(u32 op, char *at, const char **why)
{
	u64 words[VARIANCE_WORDS], *more;
	u32 i;

	if (!taken.placed || !taken.g->variance)
		return merge_bad(why, wrong_statistic);
	for (i = 0; i < VARIANCE_WORDS; i++)
		if (!merge_unsigned(&at, &words[i]))
			return merge_bad(why, wrong_statistic);
	if (*at || !add_samples(&taken.squares, words[VARIANCE_COUNT]))
		return merge_bad(why, wrong_statistic);
	if (!takes(op) || taken.full)
		return 0;
	take_cell(taken.g, &more);
	variance_merge(more, words, VARIANCE_WORDS);
	return 0;
}

static bool add_histogram(u64 bucket, u64 n)
{
	const struct ust_gvar *g = taken.g;
	u64 *more;

	take_cell(taken.g, &more);
	more[stat_extra_words(g) - g->buckets + bucket] += n;
	return true;
}

/* The counter of BUCKET of the current element; NULL: the pool of this CPU is exhausted. */
static u64 *take_counter(struct sketches *s, u32 bucket)
{
	u32 *at = s->blocks + (size_t)taken.i * SKETCH_STRIDE + bucket / SKETCH_BUCKETS;

	if (!*at && !sketch_take_block(s, at))
		return NULL;
	return &s->counts[*at + bucket % SKETCH_BUCKETS];
}

/* The blocks of all CPUs are available, since readers add them. */
static bool add_sketch(u64 bucket, u64 n)
{
	struct ust_gvar *g = taken.g;
	struct cells *cells;
	u64 *counter = NULL;
	u32 cpu = 0;

	if (g->storage == UST_AGG)
		counter = &stat_next_cell(g, &cpu)->sketches->counts[bucket];
	while (!counter && (cells = map_next_cells(g->impl, &cpu)))
		counter = take_counter(cells->sketches, (u32)bucket);
	if (counter)
		*counter += n;
	return counter;
}

/* A line of buckets, below MOST, with TOTAL samples before; ADD returns false if it does not fit.
 */
static int take_buckets(u32 op, char *at, u64 most, u64 *total, bool (*add)(u64 bucket, u64 n),
			const char **why)
{
	bool full = false;

	if (!taken.placed || !most)
		return merge_bad(why, wrong_statistic);
	while (*at) {
		u64 bucket, n;

		if (!merge_bucket(&at, &bucket, &n) || bucket >= most || !n ||
		    !add_samples(total, n))
			return merge_bad(why, wrong_statistic);
		if (takes(op) && !taken.full && !add(bucket, n))
			full = true;
	}
	return full ? merge_full(why, taken.g->percentiles) : 0;
}

/* ------------------------------------------------------------------- lines */

static int merge_take(u32 op, char *line, const char **why)
{
	const char *record;
	char *at = line;

	if (op == UST_MERGE_OPEN) {
		memset(&taken, 0, sizeof taken);
		return 0;
	}
	if (line[0] == 'g')
		return take_global(op, line, why);
	if (taken.ignored)
		return 0;
	record = merge_word(&at);
	if (record && !ust_strcmp(record, "value"))
		return take_value(op, at, why);
	if (record && !ust_strcmp(record, "statistic"))
		return take_statistic(op, at, why);
	if (record && !ust_strcmp(record, "variance"))
		return take_variance(op, at, why);
	if (record && !ust_strcmp(record, "histogram"))
		return take_buckets(op, at, taken.g ? taken.g->buckets : 0, &taken.bars,
				    add_histogram, why);
	if (record && !ust_strcmp(record, "sketch"))
		return take_buckets(
			op, at,
			taken.g && taken.g->percentiles ? SKETCH_OCTAVES * SKETCH_BUCKETS : 0,
			&taken.sketched, add_sketch, why);
	return merge_bad(why, "the line is not a record of a global");
}

const struct ust_merge ust_merge = {
	.send = merge_send, .send_running = merge_send_running, .take = merge_take};
