/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreach. Unsorted loops iterate in order of insertion; for arrays of statistics this is the order
 * in which the elements first appeared on any CPU.
 *
 * A sorted loop builds a heap of references, in memory that the array has for each such loop of the
 * script, and takes the smallest element in each iteration, so that a loop with a limit sorts no
 * more than necessary. Equal elements are in order of insertion. Handlers with sorted loops lock
 * their arrays, those of statistics too; if the locks had to be dropped and another handler used
 * the memory, the heap is rebuilt from the remaining elements.
 *
 * Arrays of statistics may change during a loop. A removed element is skipped; sequence numbers
 * show that. Its strings remain in the array's memory and are always terminated, so the worst
 * effect of a race is a string mixed from two.
 */
#include "arrays/arrays.h"
#include "common.h"

/* --------------------------------------------------------------- ordering */

static int compare(struct order *o, const char *a, const char *b)
{
	u32 n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	o->work += n;
	return (unsigned char)a[n] - (unsigned char)b[n];
}

/* True if reference A comes before B. */
static bool before(const struct ust_gvar *g, struct order *o, const struct ref *a,
		   const struct ref *b)
{
	const struct map *m = g->impl;
	const struct elem *x = map_elem(m, a->at), *y = map_elem(m, b->at);
	int cmp;

	o->work++;
	if (o->col > 0 && m->keys[o->col - 1] == UST_STRING)
		cmp = compare(o, x->key[o->col - 1].s, y->key[o->col - 1].s);
	else if (o->col == 0 && g->type == UST_STRING)
		cmp = compare(o, x->v.s, y->v.s);
	else
		cmp = a->by < b->by ? -1 : a->by > b->by;
	if (cmp)
		return o->dir > 0 ? cmp < 0 : cmp > 0;
	return a->seq < b->seq;
}

static void sift_down(const struct ust_gvar *g, struct order *o, u32 i)
{
	struct ref moved = o->v[i];

	for (;;) {
		u32 child = 2 * i + 1;

		if (child >= o->n)
			break;
		if (child + 1 < o->n && before(g, o, &o->v[child + 1], &o->v[child]))
			child++;
		if (!before(g, o, &o->v[child], &moved))
			break;
		o->v[i] = o->v[child];
		i = child;
	}
	o->v[i] = moved;
}

static struct ref pop_ref(const struct ust_gvar *g, struct order *o)
{
	struct ref top = o->v[0];

	o->v[0] = o->v[--o->n];
	if (o->n)
		sift_down(g, o, 0);
	return top;
}

static ust_long variance(struct ust_gvar *g, u32 i)
{
	u64 moments[VARIANCE_WORDS] = {0};

	map_extra(g, i, variance_merge, moments, 0, VARIANCE_WORDS);
	return variance_value(moments);
}

static ust_long sort_value(struct ust_gvar *g, u32 i, struct order *o)
{
	struct map *m = g->impl;
	struct ust_stat st;

	if (o->col > 0)
		return map_elem(m, i)->key[o->col - 1].l;
	if (!m->cells)
		return map_elem(m, i)->v.l;
	if (o->op == UST_BY_VARIANCE)
		return variance(g, i);
	map_merge(m, i, &st);
	if (o->op == UST_BY_PERCENTILE)
		return st.count ? sketch_percentile(g, i, &st, o->percent, &o->work) : 0;
	return stat_value(&st, o->op);
}

static bool in_slice(const struct ust_iter *it, u32 i)
{
	const struct map *m = it->g->impl;

	return !it->sliced || map_in_slice(m, map_elem(m, i), it->slice, it->any);
}

/* Build the heap of the elements after LAST, or of all elements. */
static void fill_order(struct ust_iter *it, const struct ref *last)
{
	struct order *o = it->order;
	struct map *m = it->g->impl;
	u32 i;

	o->n = 0;
	for (i = m->first; i != MAP_NONE && o->n < m->max; i = map_elem(m, i)->next) {
		struct ref *r = &o->v[o->n];

		if (!in_slice(it, i))
			continue;
		r->by = sort_value(it->g, i, o);
		r->seq = map_elem(m, i)->seq;
		r->at = i;
		if (!last || (r->seq != last->seq && before(it->g, o, last, r)))
			o->n++;
	}
	for (i = o->n / 2; i-- > 0;)
		sift_down(it->g, o, i);
	it->fill = ++o->fill;
}

/* Another handler has used the heap meanwhile, because this one's locks were dropped to read a page
 * in. */
static noinline void fill_rest(struct ust_iter *it)
{
	struct ref last = {it->by, it->seq, it->pos};

	fill_order(it, it->pos == MAP_NONE ? NULL : &last);
}

/* Charge the work of sorting since the last time; called with the array's locks held. */
static bool charge_order(struct ust_ctx *c, struct order *o)
{
	u64 work = o->work;

	o->work = 0;
	return ctx_work(c, work);
}

void ust_iter_begin(struct ust_ctx *c, struct ust_iter *it, struct ust_gvar *g, int col, int dir,
		    int op, ust_long limit, ust_u32 order)
{
	ust_iter_begin_slice(c, it, g, col, dir, op, limit, order, NULL, 0);
}

void ust_iter_begin_slice(struct ust_ctx *c, struct ust_iter *it, struct ust_gvar *g, int col,
			  int dir, int op, ust_long limit, ust_u32 order, const union ust_key *key,
			  ust_u32 any)
{
	struct map *m = g->impl;
	unsigned long flags = 0;
	struct order *o;

	it->g = g;
	it->left = limit;
	it->order = NULL;
	it->seq = 0;
	it->pos = MAP_NONE;
	it->sliced = key;
	it->any = any;
	if (key)
		memcpy(it->slice, key, g->nkeys * sizeof *key);
	if ((col >= 0 || key) && !ust_map_charge(c, g))
		it->left = 0;
	if (col < 0 || it->left <= 0)
		return;
	it->order = o = &m->orders[order];
	if (m->cells)
		map_lock(g, &flags);
	o->col = col;
	o->dir = dir;
	o->op = op & UST_SORT_OP;
	o->percent = (u32)op / (UST_SORT_OP + 1);
	o->work = 0;
	fill_order(it, NULL);
	if (!charge_order(c, o))
		it->left = 0;
	if (m->cells)
		port_unlock(&m->lock, flags);
}

/* ----------------------------------------------------------------- turns */

static void give(struct ust_iter *it, u32 i)
{
	struct map *m = it->g->impl;
	const struct elem *e = map_elem(m, i);
	u32 k;

	for (k = 0; k < m->nkeys; k++)
		it->key[k] = e->key[k];
	it->seq = e->seq;
	it->pos = i;
	if (m->cells)
		map_merge(m, i, &it->st);
	else if (it->g->type == UST_STRING)
		it->s = e->v.s;
	else
		it->l = e->v.l;
}

static bool next_sorted(struct ust_ctx *c, struct ust_iter *it)
{
	struct map *m = it->g->impl;
	struct order *o = it->order;

	if (unlikely(it->fill != o->fill))
		fill_rest(it);
	while (o->n) {
		struct ref r = pop_ref(it->g, o);

		if (!charge_order(c, o))
			return false;
		if (map_elem(m, r.at)->seq == r.seq) {
			give(it, r.at);
			it->by = r.by;
			return true;
		}
	}
	return false;
}

static bool next_unsorted(struct ust_iter *it)
{
	struct map *m = it->g->impl;
	u32 i = m->first, left;

	if (it->pos != MAP_NONE && map_elem(m, it->pos)->seq == it->seq)
		i = map_elem(m, it->pos)->next;
	else
		while (i != MAP_NONE && map_elem(m, i)->seq <= it->seq)
			i = map_elem(m, i)->next;
	for (left = m->max; i != MAP_NONE && !in_slice(it, i); i = map_elem(m, i)->next)
		if (!left--)
			return false;
	if (i == MAP_NONE)
		return false;
	give(it, i);
	return true;
}

_Bool ust_iter_next(struct ust_ctx *c, struct ust_iter *it)
{
	struct map *m = it->g->impl;
	unsigned long flags = 0;
	bool got;

	if (it->left <= 0)
		return false;
	it->left--;
	if (m->cells)
		map_lock(it->g, &flags);
	got = it->order ? next_sorted(c, it) : next_unsorted(it);
	if (m->cells)
		port_unlock(&m->lock, flags);
	return got;
}
