/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Site names: several probe points of one declaration that name one address make one site.
 *
 * libc's open and open64 are one function: a probe of both is to run once for a call. A site
 * is identified by its declaration, the process it is limited to, its file, address and
 * direction, and by what makes one address several events: the inlined instance whose code
 * begins there, or the SDT marker.
 */
#include <stdlib.h>
#include <string.h>
#include "dwarf/code_locations.h"
#include "sema/program.h"

struct slot {
	struct site_key key;
	struct probe *probe;
	size_t index;
};
struct slot_table {
	struct slot **v;
	size_t n, size;
};

/* The sites of all declarations; open addressing, a power of two, at most half full. */
static ARENA_STATE struct slot_table table;

static uint64_t mix(uint64_t h, uint64_t word) { return (h ^ word) * 0x9e3779b97f4a7c15ull; }

static uint64_t hash_text(uint64_t h, const char *s)
{
	while (*s)
		h = mix(h, (unsigned char)*s++);
	return h;
}

static size_t hash_key(const struct site_key *k)
{
	uint64_t h = mix(mix((uintptr_t)k->decl, (uint64_t)k->pid), k->site->is_return);

	if (k->site->symbol)
		h = hash_text(mix(h, k->site->offset), k->site->symbol);
	else
		h = mix(mix(h, (uintptr_t)k->site->mod), k->site->pc);
	return (size_t)(h ^ h >> 32);
}

/* True if A and B, sites at one address, are the same event: the same inlined function, the same
 * SDT marker, or neither. */
static bool same_event(const struct site *a, const struct site *b)
{
	bool inlined = a->f->outer, marked = a->mark;

	if (inlined != !!b->f->outer || marked != !!b->mark)
		return false;
	if (inlined && !function_same_instance(a->f, b->f))
		return false;
	return !marked || (!strcmp(a->mark->provider, b->mark->provider) &&
			   !strcmp(a->mark->name, b->mark->name));
}

static bool same_site(const struct site_key *a, const struct site_key *b)
{
	const struct site *s = a->site, *t = b->site;

	if (a->decl != b->decl || a->pid != b->pid || s->is_return != t->is_return ||
	    !s->symbol != !t->symbol)
		return false;
	if (a->kind->is_trace != b->kind->is_trace || a->kind->is_syscall != b->kind->is_syscall)
		return false;
	if (s->watch.length != t->watch.length || s->watch.reads != t->watch.reads)
		return false;
	if (s->symbol)
		return !strcmp(s->symbol, t->symbol) && s->offset == t->offset &&
		       s->addr == t->addr;
	return s->mod == t->mod && s->pc == t->pc && same_event(s, t);
}

/* Where KEY is in TABLE, or would be. */
static struct slot **find_slot(const struct slot_table *t, const struct site_key *key)
{
	size_t i = hash_key(key);

	while (t->v[i & (t->size - 1)] && !same_site(&t->v[i & (t->size - 1)]->key, key))
		i++;
	return &t->v[i & (t->size - 1)];
}

static void grow(void)
{
	struct slot_table new = {.n = table.n, .size = table.size ? 2 * table.size : 64};

	new.v = xalloc(new.size * sizeof *new.v);
	for (size_t i = 0; i < table.size; i++)
		if (table.v[i])
			*find_slot(&new, &table.v[i]->key) = table.v[i];
	table = new;
}

struct site *site_of_key(const struct site_key *key)
{
	const struct slot *s = table.size ? *find_slot(&table, key) : NULL;

	return s ? &s->probe->sites.v[s->index] : NULL;
}

void site_set_key(const struct site_key *key, struct probe *p, size_t index)
{
	struct slot *s = xalloc(sizeof *s);
	struct site *copy = xalloc(sizeof *copy);

	*copy = *key->site;
	*s = (struct slot){.key = *key, .probe = p, .index = index};
	s->key.site = copy;
	if (2 * (table.n + 1) > table.size)
		grow();
	*find_slot(&table, key) = s;
	table.n++;
}

void site_add_name(struct site *site, const struct point *pt, const char *pp)
{
	if (site->pt == pt && !strcmp(site->pp, pp))
		return;
	if (!site->also)
		site->also = xalloc(sizeof *site->also);
	for (size_t i = 0; i < site->also->v.n; i++)
		if (site->also->v.v[i].pt == pt && !strcmp(site->also->v.v[i].pp, pp))
			return;
	vec_push(&site->also->v, ((struct site_name){pt, pp}));
}
