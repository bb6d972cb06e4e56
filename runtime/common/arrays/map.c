/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays: hash tables with a list of the elements in order of insertion. All memory is allocated in
 * advance, and an element never moves.
 *
 * An array of numbers or strings is used under its global's lock, or by a handler that runs alone.
 * An array of statistics is used without it: its keys are shared, and each CPU has a cell for each
 * element.
 *
 *   to look up and use own cells the CPU's cells.lock
 *   to insert, to walk map.lock; readers see a complete element
 *                                  because its bucket is written last
 *   to remove map.lock and every CPU's cells.lock
 *
 * If the port can take a lock from an owner that was killed, map_repair() rebuilds all links from
 * the elements: one exists if it has a number, which is set last and cleared first. If such an
 * owner continues after all, walks still end and indices are still in range.
 */
#include "arrays/arrays.h"
#include "common.h"

/* --------------------------------------------------------------- hashing */

/* Compiler barrier: earlier writes of the program come first. */
#define in_order() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#define GOLDEN 0x9e3779b97f4a7c15ull

/* Elements of a bucket that try_add_l() looks at. */
enum { TRY_CHAIN = 8 };

/* Hash of the part of S that an element can hold. */
static u64 hash_string(const char *s)
{
	const char *end = s + string_size - 1;
	u64 h = 0xcbf29ce484222325ull;

	while (s < end && *s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3ull;
	return h;
}

static u32 bucket_of(const struct map *m, const union ust_key *key)
{
	u64 h = 0;
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		u64 k = m->keys[i] == UST_STRING ? hash_string(key[i].s) : (u64)key[i].l;

		h = ((h << 5 | h >> 59) ^ k) * GOLDEN;
	}
	return (u32)(h >> m->shift);
}

/* True if HAVE equals string KEY up to the length that an element can hold. */
static bool same_string(const char *have, const char *key)
{
	u32 n = 0;

	while (have[n] && have[n] == key[n])
		n++;
	return have[n] == key[n] || n == string_size - 1;
}

static bool same_keys(const struct map *m, const struct elem *e, const union ust_key *key)
{
	u32 i;

	for (i = 0; i < m->nkeys; i++)
		if (m->keys[i] == UST_STRING ? !same_string(e->key[i].s, key[i].s)
					     : e->key[i].l != key[i].l)
			return false;
	return true;
}

bool map_in_slice(const struct map *m, const struct elem *e, const union ust_key *key, u32 any)
{
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		if (any >> i & 1)
			continue;
		if (m->keys[i] == UST_STRING ? !same_string(e->key[i].s, key[i].s)
					     : e->key[i].l != key[i].l)
			return false;
	}
	return true;
}

static u32 find(const struct map *m, const union ust_key *key, u32 bucket)
{
	u32 i = smp_load_acquire(&m->buckets[bucket]), left = m->max;

	while (i != MAP_NONE && !same_keys(m, map_elem(m, i), key))
		i = left-- ? map_elem(m, i)->chain : MAP_NONE;
	return i;
}

/* -------------------------------------------------------------- elements */

static void set_keys(const struct map *m, struct elem *e, const union ust_key *key)
{
	u32 i;

	for (i = 0; i < m->nkeys; i++)
		if (m->keys[i] == UST_STRING)
			ust_strcpy((char *)e->key[i].s, key[i].s);
		else
			e->key[i].l = key[i].l;
}

/* The strings of a new element follow its keys. */
static void place_strings(const struct map *m, struct elem *e, bool string_value)
{
	char *at = (char *)(e->key + m->nkeys);
	u32 i;

	for (i = 0; i < m->nkeys; i++)
		if (m->keys[i] == UST_STRING) {
			e->key[i].s = at;
			at += string_size;
		}
	if (string_value)
		e->v.s = at;
}

static void reset_value(const struct ust_gvar *g, struct elem *e)
{
	if (g->type == UST_STRING)
		e->v.s[0] = 0;
	else
		e->v.l = 0;
}

static void clear_cells(struct map *m, u32 i)
{
	struct cells *cells;
	u32 cpu = 0;

	while ((cells = map_next_cells(m, &cpu))) {
		memset(&cells->v[i], 0, sizeof cells->v[i]);
		if (cells->more)
			memset(cells->more + (size_t)i * m->more, 0, m->more * sizeof *cells->more);
		if (cells->sketches)
			sketch_release(cells->sketches, i);
	}
}

static void unchain(struct map *m, u32 i)
{
	struct elem *e = map_elem(m, i);
	u32 *link = &m->buckets[e->bucket];

	while (*link != i && *link != MAP_NONE)
		link = &map_elem(m, *link)->chain;
	if (*link == i)
		*link = e->chain;
}

static void remove(struct map *m, u32 i)
{
	struct elem *e = map_elem(m, i);

	e->seq = 0;
	in_order();
	unchain(m, i);
	if (e->prev == MAP_NONE)
		m->first = e->next;
	else
		map_elem(m, e->prev)->next = e->next;
	if (e->next == MAP_NONE)
		m->last = e->prev;
	else
		map_elem(m, e->next)->prev = e->prev;
	clear_cells(m, i);
	e->next = m->free;
	m->free = i;
	m->count--;
}

static u32 take_free(const struct ust_gvar *g, struct map *m)
{
	u32 i = m->free;

	if (i != MAP_NONE) {
		m->free = map_elem(m, i)->next;
		return i;
	}
	i = m->used < m->max ? m->used : m->max - 1;
	place_strings(m, map_elem(m, i), g->type == UST_STRING);
	in_order();
	m->used = i + 1;
	return i;
}

/* Requires a free element. */
static u32 insert(const struct ust_gvar *g, struct map *m, const union ust_key *key, u32 bucket)
{
	u32 i = take_free(g, m);
	struct elem *e = map_elem(m, i);

	set_keys(m, e, key);
	reset_value(g, e);
	in_order();
	e->seq = ++m->seq;
	e->bucket = bucket;
	e->chain = m->buckets[bucket];
	e->prev = m->last;
	e->next = MAP_NONE;
	if (m->last == MAP_NONE)
		m->first = i;
	else
		map_elem(m, m->last)->next = i;
	m->last = i;
	m->count++;
	smp_store_release(&m->buckets[bucket], i);
	return i;
}

/* ---------------------------------------------------------------- repair */

static u32 *next_of(struct map *m, u32 i) { return &map_elem(m, i)->next; }

/* Merge two lists in order of insertion. */
static u32 merge_lists(struct map *m, u32 a, u32 b)
{
	u32 first = MAP_NONE, *end = &first;

	while (a != MAP_NONE && b != MAP_NONE) {
		u32 *from = map_elem(m, a)->seq < map_elem(m, b)->seq ? &a : &b;

		*end = *from;
		end = next_of(m, *from);
		*from = *end;
	}
	*end = a != MAP_NONE ? a : b;
	return first;
}

/* Merge sort: lists of 1, 2, 4 ... elements wait for another of their size. */
static u32 sort_list(struct map *m, u32 list)
{
	u32 waiting[32], i, sorted = MAP_NONE;

	for (i = 0; i < 32; i++)
		waiting[i] = MAP_NONE;
	while (list != MAP_NONE) {
		u32 one = list;

		list = *next_of(m, one);
		*next_of(m, one) = MAP_NONE;
		for (i = 0; waiting[i] != MAP_NONE; i++) {
			one = merge_lists(m, waiting[i], one);
			waiting[i] = MAP_NONE;
		}
		waiting[i] = one;
	}
	for (i = 0; i < 32; i++)
		sorted = merge_lists(m, waiting[i], sorted);
	return sorted;
}

/* Free all elements without a number; returns a list of the others. */
static u32 part_elements(struct map *m)
{
	u32 list = MAP_NONE, i;

	m->free = MAP_NONE;
	m->count = 0;
	for (i = 0; i < m->used; i++) {
		struct elem *e = map_elem(m, i);
		u32 *to = e->seq ? &list : &m->free;

		if (!e->seq)
			clear_cells(m, i);
		m->count += e->seq != 0;
		e->next = *to;
		*to = i;
	}
	return list;
}

static void link_all(struct map *m, u32 list)
{
	u32 i;

	m->first = list;
	m->last = MAP_NONE;
	for (i = 0; i < 1u << (64 - m->shift); i++)
		m->buckets[i] = MAP_NONE;
	for (i = list; i != MAP_NONE; i = map_elem(m, i)->next) {
		struct elem *e = map_elem(m, i);

		e->prev = m->last;
		m->last = i;
		e->bucket = bucket_of(m, e->key);
		e->chain = m->buckets[e->bucket];
		m->buckets[e->bucket] = i;
	}
}

static void each_cells(struct map *m, bool lock)
{
	struct cells *cells;
	u32 cpu = 0;

	while ((cells = map_next_cells(m, &cpu))) {
		if (lock)
			port_lock_nested(&cells->lock);
		else
			port_unlock_nested(&cells->lock);
	}
}

void map_repair(struct ust_gvar *g)
{
	struct map *m = g->impl;

	each_cells(m, true);
	link_all(m, sort_list(m, part_elements(m)));
	each_cells(m, false);
}

void map_lock(struct ust_gvar *g, unsigned long *flags)
{
	struct map *m = g->impl;

	port_lock(&m->lock, *flags);
	if (!port_lock_broken(&m->lock))
		return;
	map_repair(g);
	port_lock_mended(&m->lock);
}

/* --------------------------------------------- arrays of numbers, strings */

static struct elem *lookup(struct ust_gvar *g, const union ust_key *key)
{
	struct map *m = g->impl;
	u32 i = find(m, key, bucket_of(m, key));

	return i == MAP_NONE ? NULL : map_elem(m, i);
}

ust_long ust_map_get(struct ust_gvar *g, const union ust_key *key)
{
	struct elem *e = lookup(g, key);

	return e ? e->v.l : 0;
}

const char *ust_map_get_s(struct ust_gvar *g, const union ust_key *key)
{
	struct elem *e = lookup(g, key);

	return e ? e->v.s : "";
}

static void fail_full(struct ust_ctx *c, const struct ust_gvar *g) { ctx_fail(c, g->full); }

static struct elem *ref(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key)
{
	struct map *m = g->impl;
	u32 bucket = bucket_of(m, key), i = find(m, key, bucket);

	if (likely(i != MAP_NONE))
		return map_elem(m, i);
	if (m->count == m->max) {
		if (!m->wrap) {
			fail_full(c, g);
			return NULL;
		}
		remove(m, m->first);
	}
	return map_elem(m, insert(g, m, key, bucket));
}

ust_long *ust_map_ref(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key)
{
	struct elem *e = ref(c, g, key);

	return e ? &e->v.l : NULL;
}

char *ust_map_ref_s(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key)
{
	struct elem *e = ref(c, g, key);

	return e ? e->v.s : NULL;
}

/* -------------------------------------------------- arrays of statistics */

static void lock_all(struct ust_gvar *g, unsigned long *flags)
{
	map_lock(g, flags);
	each_cells(g->impl, true);
}

static void unlock_all(struct map *m, unsigned long flags)
{
	each_cells(m, false);
	port_unlock(&m->lock, flags);
}

/* Remove the oldest element of a wrapping array that is full. */
static void evict(struct ust_gvar *g)
{
	struct map *m = g->impl;
	unsigned long flags;

	lock_all(g, &flags);
	if (m->count == m->max)
		remove(m, m->first);
	unlock_all(m, flags);
}

/* Add WEIGHT samples of the value V; false if the sketches have no room for it: it is not added. */
static inline bool cell_put(const struct ust_gvar *g, struct cells *cells, u32 i, ust_long v,
			    u32 weight)
{
	if (cells->sketches && !sketch_put_element(cells->sketches, i, v, weight))
		return false;
	stat_put_many(&cells->v[i], v, weight);
	if (cells->more)
		stat_extra_put(g, cells->more + (size_t)i * stat_extra_words(g), v, weight);
	return true;
}

static void fail_sketches(struct ust_ctx *c, const struct ust_gvar *g)
{
	ctx_fail(c, g->percentiles);
}

/* Find or insert the element and add the value, with the map locked; false if the array is full. */
static bool try_insert(struct ust_ctx *c, struct ust_gvar *g, struct map *m,
		       const union ust_key *key, u32 bucket, ust_long v, u32 weight)
{
	bool room = true;
	struct cells *cells;
	unsigned long flags, inner;
	u32 i;

	map_lock(g, &flags);
	i = find(m, key, bucket);
	if (i == MAP_NONE && m->count < m->max)
		i = insert(g, m, key, bucket);
	if (i != MAP_NONE) {
		cells = port_percpu_lock(m->cells, inner);
		room = cell_put(g, cells, i, v, weight);
		port_unlock(&cells->lock, inner);
	}
	port_unlock(&m->lock, flags);
	if (!room)
		fail_sketches(c, g);
	return i != MAP_NONE;
}

static noinline void add_new(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			     u32 bucket, ust_long v, u32 weight)
{
	struct map *m = g->impl;

	while (!try_insert(c, g, m, key, bucket, v, weight)) {
		if (!m->wrap) {
			fail_full(c, g);
			return;
		}
		evict(g);
	}
}

/* Inlined, so that MORE and WEIGHT cost nothing if they are not used. */
static inline __attribute__((always_inline)) void add_stat(struct ust_ctx *c, struct ust_gvar *g,
							   const union ust_key *key, ust_long v,
							   bool more, u32 weight)
{
	struct map *m = g->impl;
	u32 bucket = bucket_of(m, key), i;
	struct cells *cells;
	unsigned long flags;
	bool room = true;

	cells = port_percpu_lock(m->cells, flags);
	i = find(m, key, bucket);
	if (likely(i != MAP_NONE) && more)
		room = cell_put(g, cells, i, v, weight);
	else if (likely(i != MAP_NONE))
		stat_put(&cells->v[i], v);
	port_unlock(&cells->lock, flags);
	if (unlikely(i == MAP_NONE))
		add_new(c, g, key, bucket, v, weight);
	else if (unlikely(!room))
		fail_sketches(c, g);
}

void ust_map_stat_add(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key, ust_long v)
{
	add_stat(c, g, key, v, false, 1);
}

void ust_map_stat_add_more(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			   ust_long v)
{
	add_stat(c, g, key, v, true, 1);
}

void ust_map_stat_add_weighted(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			       ust_long v, ust_u32 weight)
{
	if (weight > 1)
		g->estimated = true;
	add_stat(c, g, key, v, true, weight);
}

static noinline void add_new_l(struct ust_ctx *c, struct ust_gvar *g, ust_long key, ust_long v)
{
	union ust_key k;

	k.l = key;
	add_new(c, g, &k, bucket_of(g->impl, &k), v, 1);
}

/* Continue a look-up after the first element of a bucket. */
static noinline u32 find_behind_l(const struct map *m, u32 i, ust_long key)
{
	u32 left = m->max;

	while (i != MAP_NONE && map_elem(m, i)->key[0].l != key)
		i = left-- ? map_elem(m, i)->chain : MAP_NONE;
	return i;
}

enum added { ADDED, IS_NEW, NO_ROOM };

/* Add V to the element KEY if it exists. Inlined, so that SKETCH costs nothing if it is not used.
 */
static inline __attribute__((always_inline)) enum added add_l(struct ust_gvar *g, ust_long key,
							      ust_long v, bool sketch)
{
	struct map *m = g->impl;
	u32 bucket = (u32)((u64)key * GOLDEN >> m->shift), i;
	struct cells *cells;
	unsigned long flags;
	bool room = true;

	cells = port_percpu_lock(m->cells, flags);
	i = smp_load_acquire(&m->buckets[bucket]);
	if (i != MAP_NONE && unlikely(map_elem(m, i)->key[0].l != key))
		i = find_behind_l(m, i, key);
	if (likely(i != MAP_NONE) && sketch)
		room = sketch_put_element(cells->sketches, i, v, 1);
	if (likely(i != MAP_NONE && room))
		stat_put(&cells->v[i], v);
	port_unlock(&cells->lock, flags);
	return likely(i != MAP_NONE) ? likely(room) ? ADDED : NO_ROOM : IS_NEW;
}

void ust_map_stat_add_l(struct ust_ctx *c, struct ust_gvar *g, ust_long key, ust_long v)
{
	if (unlikely(add_l(g, key, v, false) == IS_NEW))
		add_new_l(c, g, key, v);
}

void ust_map_stat_add_sketch_l(struct ust_ctx *c, struct ust_gvar *g, ust_long key, ust_long v)
{
	enum added how = add_l(g, key, v, true);

	if (unlikely(how == IS_NEW))
		add_new_l(c, g, key, v);
	else if (unlikely(how == NO_ROOM))
		fail_sketches(c, g);
}

static noinline void add_hit_slowly(struct ust_hit *hit, struct ust_gvar *g, ust_long key,
				    ust_long v, u32 where)
{
	struct ust_ctx *c = ust_enter(hit);

	if (!c)
		return;
	c->where = where;
	ust_map_stat_add_l(c, g, key, v);
	ust_leave(c);
}

/* Add V to an element that exists, without a call, so that a hit saves no registers. */
static inline bool try_add_l(struct ust_gvar *g, ust_long key, ust_long v)
{
	const struct map *m = g->impl;
	u32 bucket = (u32)((u64)key * GOLDEN >> m->shift), i, left = TRY_CHAIN;
	struct cells *cells;
	unsigned long flags;

	cells = port_percpu_trylock(m->cells, flags);
	if (unlikely(!cells))
		return false;
	i = smp_load_acquire(&m->buckets[bucket]);
	while (i != MAP_NONE && unlikely(map_elem(m, i)->key[0].l != key))
		i = --left ? map_elem(m, i)->chain : MAP_NONE;
	if (likely(i != MAP_NONE))
		stat_put(&cells->v[i], v);
	port_unlock(&cells->lock, flags);
	return i != MAP_NONE;
}

void ust_map_stat_add_hit(struct ust_hit *hit, struct ust_gvar *g, ust_long key, ust_long v,
			  ust_u32 where)
{
	if (unlikely(!try_add_l(g, key, v)))
		add_hit_slowly(hit, g, key, v, where);
}

u32 map_find(const struct map *m, const union ust_key *key)
{
	return find(m, key, bucket_of(m, key));
}

u32 map_take(struct ust_gvar *g, const union ust_key *key)
{
	struct map *m = g->impl;
	u32 bucket = bucket_of(m, key), i = find(m, key, bucket);

	if (i != MAP_NONE)
		return i;
	if (m->count == m->max && !m->wrap)
		return MAP_NONE;
	if (m->count == m->max)
		remove(m, m->first);
	return insert(g, m, key, bucket);
}

/* -------------------------------------------------------------- any array */

_Bool ust_map_has(struct ust_gvar *g, const union ust_key *key)
{
	struct map *m = g->impl;
	unsigned long flags;
	u32 bucket = bucket_of(m, key);
	bool has;

	if (!m->cells)
		return find(m, key, bucket) != MAP_NONE;
	map_lock(g, &flags);
	has = find(m, key, bucket) != MAP_NONE;
	port_unlock(&m->lock, flags);
	return has;
}

void ust_map_del(struct ust_gvar *g, const union ust_key *key)
{
	struct map *m = g->impl;
	unsigned long flags = 0;
	u32 i;

	if (m->cells)
		lock_all(g, &flags);
	i = find(m, key, bucket_of(m, key));
	if (i != MAP_NONE)
		remove(m, i);
	if (m->cells)
		unlock_all(m, flags);
}

_Bool ust_map_charge(struct ust_ctx *c, struct ust_gvar *g)
{
	const struct map *m = g->impl;

	return ctx_work(c, READ_ONCE(m->count));
}

/* The first element of a slice from index I on, or MAP_NONE. */
static u32 find_any(const struct map *m, u32 i, const union ust_key *key, u32 any)
{
	u32 left = m->max;

	while (i != MAP_NONE && !map_in_slice(m, map_elem(m, i), key, any))
		i = left-- ? map_elem(m, i)->next : MAP_NONE;
	return i;
}

_Bool ust_map_has_any(struct ust_gvar *g, const union ust_key *key, ust_u32 any)
{
	struct map *m = g->impl;
	unsigned long flags = 0;
	bool has;

	if (m->cells)
		map_lock(g, &flags);
	has = find_any(m, m->first, key, any) != MAP_NONE;
	if (m->cells)
		port_unlock(&m->lock, flags);
	return has;
}

void ust_map_del_any(struct ust_gvar *g, const union ust_key *key, ust_u32 any)
{
	struct map *m = g->impl;
	unsigned long flags = 0;
	u32 i, next, left = m->max;

	if (m->cells)
		lock_all(g, &flags);
	for (i = find_any(m, m->first, key, any); i != MAP_NONE && left; left--) {
		next = find_any(m, map_elem(m, i)->next, key, any);
		remove(m, i);
		i = next;
	}
	if (m->cells)
		unlock_all(m, flags);
}

void ust_map_clear(struct ust_gvar *g)
{
	struct map *m = g->impl;
	unsigned long flags = 0;
	u32 left;

	if (m->cells)
		lock_all(g, &flags);
	for (left = m->max; m->first != MAP_NONE && left; left--)
		remove(m, m->first);
	if (m->cells)
		unlock_all(m, flags);
}
