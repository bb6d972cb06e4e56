/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of all globals of a run, for the run that merges them: at the end, when no handler runs,
 * or by handlers of their own while the script runs (--interval). Each of these locks its global;
 * they cannot wait for space, and an array of statistics is locked for one element at a time.
 */
#include "arrays/merge.h"
#include "common.h"
#include "wire_records.h"

/* The set of records that is being written, by one thread at a time. */
static struct {
	bool running; /* handlers run, and this one holds locks */
	u64 lines;
	u32 globals;
	u32 n; /* bytes that are not written yet */
	char text[4096];
} sent;

static void send_rest(void)
{
	if (sent.n)
		port_write(UST_REC_GLOBALS, sent.text, sent.n, !sent.running);
	sent.n = 0;
}

static void send_text(void *arg, const char *text)
{
	(void)arg;
	for (; *text; text++) {
		if (sent.n == sizeof sent.text)
			send_rest();
		sent.lines += *text == '\n';
		sent.text[sent.n++] = *text;
	}
}

/* ------------------------------------------------------------------- words */

static void put_unsigned(void (*put)(void *arg, const char *text), void *arg, const char *before,
			 u64 v)
{
	char digits[24];

	digits[fmt_decimal(digits, v)] = 0;
	put(arg, before);
	put(arg, digits);
}

static void put_long(void (*put)(void *arg, const char *text), void *arg, ust_long v)
{
	put_unsigned(put, arg, v < 0 ? " -" : " ", v < 0 ? 0 - (u64)v : (u64)v);
}

static void send_string(const char *s)
{
	char text[4];
	u32 left = string_size;

	send_text(NULL, " =");
	for (; left-- && *s; s++) {
		merge_escape(text, (unsigned char)*s);
		send_text(NULL, text);
	}
}

static void send_keys(const struct ust_gvar *g, const union ust_key *key)
{
	u32 i;

	for (i = 0; i < g->nkeys; i++)
		if (g->keys[i] == UST_STRING)
			send_string(key[i].s);
		else
			put_long(send_text, NULL, key[i].l);
}

/* ------------------------------------------------------------ declarations */

static const char *merge_kind(const struct ust_gvar *g)
{
	if (g->type == UST_STAT)
		return " statistic ";
	if (g->type == UST_STRING)
		return " string ";
	return g->merge == UST_MERGE_ADD ? " sum " : " number ";
}

static void put_histogram(const struct ust_gvar *g, void (*put)(void *arg, const char *text),
			  void *arg)
{
	if (g->hist == UST_HIST_LOG)
		put(arg, " log");
	if (g->hist != UST_HIST_LINEAR)
		return;
	put(arg, " linear");
	put_long(put, arg, g->low);
	put_long(put, arg, g->step);
	put_unsigned(put, arg, " ", g->buckets);
}

void merge_declare(const struct ust_gvar *g, void (*put)(void *arg, const char *text), void *arg)
{
	u32 i;

	put(arg, "global ");
	put(arg, g->name);
	put(arg, merge_kind(g));
	if (!g->nkeys)
		put(arg, "-");
	for (i = 0; i < g->nkeys; i++)
		put(arg, g->keys[i] == UST_STRING ? "s" : "i");
	if (g->variance)
		put(arg, " variance");
	put_histogram(g, put, arg);
	if (g->percentiles)
		put(arg, " percentiles");
}

/* ------------------------------------------------------------- statistics */

static void sum_words(u64 *to, const u64 *from, u32 n)
{
	while (n--)
		to[n] += from[n];
}

/* Words FIRST to FIRST + N - 1 of element I, or of a statistic that is not an array. */
static void read_extra(struct ust_gvar *g, u32 i, stat_extra_fn fn, u64 *to, u32 first, u32 n)
{
	if (g->storage == UST_AGG)
		stat_extra_read(g, NULL, fn, to, first, n);
	else
		map_extra(g, i, fn, to, first, n);
}

static void send_variance(struct ust_gvar *g, u32 i)
{
	u64 words[VARIANCE_WORDS] = {0};
	u32 n;

	read_extra(g, i, variance_merge, words, 0, VARIANCE_WORDS);
	send_text(NULL, "variance");
	for (n = 0; n < VARIANCE_WORDS; n++)
		put_unsigned(send_text, NULL, " ", words[n]);
	send_text(NULL, "\n");
}

/* A bucket with N samples, the SENT-th of its element: a line has no more than BUCKETS of them. */
static void send_bucket(const char *record, u32 *before, u32 bucket, u64 n)
{
	enum { BUCKETS = 64 };

	if (!n)
		return;
	if (*before % BUCKETS == 0) {
		send_text(NULL, *before ? "\n" : "");
		send_text(NULL, record);
	}
	++*before;
	put_unsigned(send_text, NULL, " ", bucket);
	put_unsigned(send_text, NULL, ":", n);
}

static void send_histogram(struct ust_gvar *g, u32 i)
{
	u32 before = 0, bucket, first = stat_extra_words(g) - g->buckets;

	for (bucket = 0; bucket < g->buckets; bucket++) {
		u64 n = 0;

		read_extra(g, i, sum_words, &n, first + bucket, 1);
		send_bucket("histogram", &before, bucket, n);
	}
	send_text(NULL, before ? "\n" : "");
}

static void send_sketch(const struct ust_gvar *g, u32 i)
{
	u32 before = 0, octave, bucket;

	for (octave = 0; octave < SKETCH_OCTAVES; octave++) {
		if (!sketch_count(g, i, octave, 0, SKETCH_BUCKETS))
			continue;
		for (bucket = 0; bucket < SKETCH_BUCKETS; bucket++)
			send_bucket("sketch", &before, octave * SKETCH_BUCKETS + bucket,
				    sketch_count(g, i, octave, bucket, bucket + 1));
	}
	send_text(NULL, before ? "\n" : "");
}

static void send_statistic(struct ust_gvar *g, u32 i, const union ust_key *key)
{
	struct ust_stat st;

	if (g->storage == UST_AGG)
		ust_stat_read(g, &st);
	else
		map_merge(g->impl, i, &st);
	if (!st.count)
		return;
	send_text(NULL, "statistic");
	send_keys(g, key);
	put_long(send_text, NULL, st.count);
	put_long(send_text, NULL, st.sum);
	put_long(send_text, NULL, st.min);
	put_long(send_text, NULL, st.max);
	send_text(NULL, "\n");
	if (g->variance)
		send_variance(g, i);
	if (g->hist)
		send_histogram(g, i);
	if (g->percentiles)
		send_sketch(g, i);
}

/* ----------------------------------------------------------------- globals */

static void send_element(struct ust_gvar *g, u32 i)
{
	const struct elem *e = map_elem(g->impl, i);

	if (g->type == UST_STAT) {
		send_statistic(g, i, e->key);
		return;
	}
	send_text(NULL, "value");
	send_keys(g, e->key);
	if (g->type == UST_STRING)
		send_string(e->v.s);
	else
		put_long(send_text, NULL, e->v.l);
	send_text(NULL, "\n");
}

/* The element behind number SEQ, that of element I unless this was removed. */
static u32 element_after(const struct map *m, u32 i, u64 seq)
{
	u32 left = m->max;

	if (i != MAP_NONE && map_elem(m, i)->seq == seq)
		return map_elem(m, i)->next;
	for (i = m->first; i != MAP_NONE && map_elem(m, i)->seq <= seq; i = map_elem(m, i)->next)
		if (!left--)
			return MAP_NONE;
	return i;
}

/* Send the first element behind number *SEQ, of element *I, with the array locked; false: no such
 * element has a number up to LAST. */
static bool send_next(struct ust_gvar *g, u32 *i, u64 *seq, u64 last)
{
	*i = element_after(g->impl, *i, *seq);
	if (*i == MAP_NONE || map_elem(g->impl, *i)->seq > last)
		return false;
	*seq = map_elem(g->impl, *i)->seq;
	send_element(g, *i);
	return true;
}

/* Other handlers insert and remove elements meanwhile. Elements that are inserted after the start
 * are not sent, so no key is sent twice. */
static void send_changing_array(struct ust_gvar *g)
{
	struct map *m = g->impl;
	u64 seq = 0, last = 0;
	unsigned long flags;
	u32 i = MAP_NONE;
	bool more;

	map_lock(g, &flags);
	if (m->last != MAP_NONE)
		last = map_elem(m, m->last)->seq;
	port_unlock(&m->lock, flags);
	do {
		map_lock(g, &flags);
		more = send_next(g, &i, &seq, last);
		port_unlock(&m->lock, flags);
	} while (more);
}

/* In order of insertion, which the merged array keeps. */
static void send_array(struct ust_gvar *g)
{
	const struct map *m = g->impl;
	u32 i = m->first, left = m->max;

	if (m->cells && sent.running) {
		send_changing_array(g);
		return;
	}

	for (; i != MAP_NONE && left; left--) {
		send_element(g, i);
		i = map_elem(m, i)->next;
	}
}

/* Send the sum of the additions since the start, or a new value. */
static void send_number(struct ust_gvar *g)
{
	ust_long v = g->storage == UST_COUNTER ? ust_counter_read(g) : g->l;

	if (v == g->first_l)
		return;
	send_text(NULL, "value");
	put_long(send_text, NULL, g->merge == UST_MERGE_ADD ? ust_sub(v, g->first_l) : v);
	send_text(NULL, "\n");
}

static void send_scalar_string(const struct ust_gvar *g)
{
	if (!ust_strcmp(g->s, g->first_s))
		return;
	send_text(NULL, "value");
	send_string(g->s);
	send_text(NULL, "\n");
}

static void send_global(struct ust_gvar *g)
{
	sent.globals++;
	merge_declare(g, send_text, NULL);
	send_text(NULL, g->estimated ? " estimated\n" : "\n");
	if (g->nkeys)
		send_array(g);
	else if (g->type == UST_STAT)
		send_statistic(g, 0, NULL);
	else if (g->type == UST_STRING)
		send_scalar_string(g);
	else
		send_number(g);
}

static u32 merged_globals(void)
{
	u32 i, n = 0;

	for (i = 0; i < ust_program.ngvars; i++)
		n += !!ust_program.gvars[i]->merge;
	return n;
}

static void start_set(bool running)
{
	sent.running = running;
	sent.lines = 0;
	sent.globals = 0;
	sent.n = 0;
}

/* A handler that could not take its locks has sent nothing. */
static void end_set(void)
{
	struct ust_globals_end end = {.lines = sent.lines, .running = sent.running};

	end.complete = sent.globals == merged_globals();
	sent.running = false;
	send_rest();
	port_write(UST_REC_GLOBALS_END, (const char *)&end, sizeof end, true);
}

void merge_send(void)
{
	u32 i;

	start_set(false);
	for (i = 0; i < ust_program.ngvars; i++)
		if (ust_program.gvars[i]->merge)
			send_global(ust_program.gvars[i]);
	end_set();
}

void merge_send_running(void (*run)(enum ust_probe_kind kind))
{
	start_set(true);
	run(UST_PROBE_SEND);
	end_set();
}

void ust_send_global(struct ust_gvar *g) { send_global(g); }
