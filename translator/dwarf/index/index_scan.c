/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scan of units for the index: code, inlined functions, definitions. Most entries are skipped. */
#include "index_scan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH   512
#define MAX_ORIGINS 16

/* --------------------------------------------------------------- lists and maps */

bool list_room(void **v, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 256;
	void *p;

	if (n < *cap)
		return true;
	p = more < UINT32_MAX ? realloc(*v, more * size) : NULL;
	if (!p)
		return false;
	*v = p;
	*cap = more;
	return true;
}

static size_t slot_of(const struct number_map *m, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15;
	size_t i = (h ^ h >> 32) & (m->cap - 1);

	while (m->keys[i] && m->keys[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static bool numbers_grow(struct number_map *m)
{
	struct number_map bigger = {.cap = m->cap ? m->cap * 2 : 1024, .n = m->n};

	bigger.keys = calloc(bigger.cap, sizeof *bigger.keys);
	bigger.vals = malloc(bigger.cap * sizeof *bigger.vals);
	if (!bigger.keys || !bigger.vals) {
		numbers_free(&bigger);
		return false;
	}
	for (size_t i = 0; i < m->cap; i++)
		if (m->keys[i]) {
			size_t to = slot_of(&bigger, m->keys[i]);

			bigger.keys[to] = m->keys[i];
			bigger.vals[to] = m->vals[i];
		}
	numbers_free(m);
	*m = bigger;
	return true;
}

uint32_t *numbers_put(struct number_map *m, uint64_t key, uint32_t value, bool *is_new)
{
	size_t i;

	if (m->n * 3 >= m->cap * 2 && !numbers_grow(m))
		return NULL;
	i = slot_of(m, key);
	*is_new = !m->keys[i];
	if (*is_new) {
		m->keys[i] = key;
		m->vals[i] = value;
		m->n++;
	}
	return &m->vals[i];
}

void numbers_free(struct number_map *m)
{
	free(m->keys);
	free(m->vals);
	*m = (struct number_map){0};
}

void scan_free(struct scan *s)
{
	free(s->strings.v);
	free(s->ranges.v);
	free(s->names.v);
	free(s->pairs.v);
	free(s->defs.v);
	free(s->instances.v);
	numbers_free(&s->string_ids);
	numbers_free(&s->text_ids);
	numbers_free(&s->name_ids);
	numbers_free(&s->def_ids);
}

/* --------------------------------------------------------------------- strings */

uint32_t scan_string(struct scan *s, const char *str)
{
	bool is_new;
	uint32_t *id;

	if (!str || !*str)
		return 0;
	if (!s->strings.n && !list_push(&s->strings, ""))
		s->failed = true;
	id = numbers_put(&s->string_ids, (uintptr_t)str, (uint32_t)s->strings.n, &is_new);
	if (!id || (is_new && !list_push(&s->strings, str)))
		s->failed = true;
	return id ? *id : 0;
}

/* The number of a string that is stored in the entry itself. Many entries can have a copy of the
 * same name: the first one stands for all. */
static uint32_t text_string(struct scan *s, const char *str)
{
	uint64_t h = 0xcbf29ce484222325;
	bool is_new;
	uint32_t *id;

	for (const char *c = str; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3;
	id = numbers_put(&s->text_ids, h | 1, 0, &is_new);
	if (!id) {
		s->failed = true;
		return 0;
	}
	if (is_new)
		*id = scan_string(s, str);
	return *id && !strcmp(s->strings.v[*id], str) ? *id : scan_string(s, str);
}

/* A name of D, as a pointer that is the same for equal strings of the file; NULL: D is unnamed. */
static const char *string_of(struct scan *s, struct raw_unit *u, const struct raw_die *d,
			     enum raw_attr a)
{
	bool there;
	const char *str = d->form[a] ? raw_string(u, d, a, &there) : NULL;
	uint32_t id;

	if (!str || !*str || !there)
		return str && *str ? str : NULL;
	id = text_string(s, str);
	return id ? s->strings.v[id] : NULL;
}

/* The name and, unless LINKAGE is NULL, the linkage name of D, or of what it is an instance or the
 * definition of. */
static void names_of(struct scan *s, struct raw_unit *u, struct raw_die *d, const char **name,
		     const char **linkage)
{
	uint64_t off;

	for (int i = 0; u && i < MAX_ORIGINS; i++) {
		if (!*name)
			*name = string_of(s, u, d, RA_NAME);
		if (linkage && !*linkage)
			*linkage = string_of(s, u, d, RA_LINKAGE);
		if ((!d->form[RA_ORIGIN] && !d->form[RA_SPECIFICATION]) ||
		    (*name && (!linkage || *linkage)))
			return;
		u = raw_reference(u, d, d->form[RA_ORIGIN] ? RA_ORIGIN : RA_SPECIFICATION, &off);
		if (u && !raw_at(u, off, d))
			return;
	}
}

/* A number for STR that no other string has: where it is in .debug_str, as most are, without a look
 * at anything else. */
static uint32_t string_key(struct scan *s, const struct raw_unit *u, const char *str)
{
	const struct raw_section *sec = &u->file->str;
	uintptr_t off = (uintptr_t)str - (uintptr_t)sec->p;

	if (!str)
		return 0;
	return off < sec->n && off < INT32_MAX && !u->file->is_alt ? (uint32_t)off + 1
								   : scan_string(s, str) | 1u << 31;
}

/* ---------------------------------------------------------------- what is found */

/* Entries that share lists of ranges, which those of compilers do not: more than the sections can
 * have. */
static bool is_excessive(const struct scan *s, const struct raw_file *f)
{
	return s->listed > 2 * (uint64_t)(f->rnglists.n + f->ranges.n) + f->info.n;
}

struct ranges_of {
	struct scan *s;
	const struct raw_file *f;
	uint64_t entry;
	uint32_t die;
	bool any, entered;
};

static bool see_range(uint64_t lo, uint64_t hi, void *arg)
{
	struct ranges_of *r = arg;
	struct index_range x = {lo, hi, r->die, 0};

	r->s->listed++;
	if (is_excessive(r->s, r->f)) {
		r->s->failed = true;
		return false;
	}
	if (!r->any && !r->entry)
		r->entry = lo;
	r->any = true;
	if (!lo || hi <= lo) /* 0: in a section that the linker dropped */
		return true;
	if (!r->entered && r->entry >= lo && r->entry < hi) {
		r->entered = true;
		if (r->entry != lo && !list_push(&r->s->ranges, x))
			r->s->failed = true;
		x.lo = r->entry;
		x.flags |= RANGE_ENTRY;
	}
	if (!list_push(&r->s->ranges, x))
		r->s->failed = true;
	return true;
}

static void add_code(struct scan *s, struct raw_unit *u, const struct raw_die *d, uint32_t die)
{
	struct ranges_of r = {.s = s, .f = u->file, .die = die};
	uint64_t entry;

	if (raw_address(u, d, RA_ENTRY_PC, &entry) || raw_address(u, d, RA_LOW_PC, &entry))
		r.entry = entry;
	if (d->form[RA_LOW_PC] || d->form[RA_RANGES])
		raw_ranges(u, d, see_range, &r);
}

/* The function that D is an instance of, as a number of s->names; UINT32_MAX: it has no name. */
static uint32_t name_of_origin(struct scan *s, struct raw_unit *u, struct raw_die *d)
{
	const char *name = NULL, *linkage = NULL;
	struct inlined_name new = {0};
	bool is_new;
	uint32_t *id;

	names_of(s, u, d, &name, &linkage);
	if (!name)
		return UINT32_MAX;
	id = numbers_put(&s->name_ids,
			 (uint64_t)string_key(s, u, name) << 32 | string_key(s, u, linkage),
			 (uint32_t)s->names.n, &is_new);
	if (id && is_new) {
		new.name = scan_string(s, name);
		new.linkage = scan_string(s, linkage);
	}
	if (!id || (is_new && !list_push(&s->names, new)))
		s->failed = true;
	return id ? *id : UINT32_MAX;
}

static void add_instance(struct scan *s, struct raw_unit *u, struct raw_die *d, uint32_t outer)
{
	uint64_t off;
	struct raw_unit *to = raw_reference(u, d, RA_ORIGIN, &off);
	struct origin *o;
	uint64_t key;

	if (!to)
		return;
	key = off << 1 | (to->file != u->file);
	o = &s->origins[(key >> 1) % ORIGINS];
	if (o->key != key)
		*o = (struct origin){key,
				     raw_at(to, off, d) ? name_of_origin(s, to, d) : UINT32_MAX};
	if (o->name == UINT32_MAX || s->failed || s->names.v[o->name].last == outer)
		return;
	s->names.v[o->name].last = outer;
	if (!list_push(&s->pairs, ((struct inlined_pair){o->name, outer})))
		s->failed = true;
}

static void add_def(struct scan *s, struct raw_unit *u, struct raw_die *d, uint32_t die, bool alt)
{
	uint32_t tag = d->abbrev->tag, *id;
	const char *name = NULL;
	bool is_new;

	names_of(s, u, d, &name, NULL);
	if (!name)
		return;
	id = numbers_put(&s->def_ids,
			 (uint64_t)(tag + (alt ? 0x10000 : 0)) << 32 | string_key(s, u, name), 0,
			 &is_new);
	if (!id ||
	    (is_new && !list_push(&s->defs, ((struct def){scan_string(s, name),
							  tag | (alt ? INDEX_ALT : 0), die}))))
		s->failed = true;
}

/* Link-time optimisation writes variables down twice. */
static void add_variable(struct scan *s, struct raw_unit *u, const struct raw_die *d, uint32_t die)
{
	uint64_t off;
	struct raw_unit *to = d->form[RA_ORIGIN] ? raw_reference(u, d, RA_ORIGIN, &off) : NULL;

	if (to && to->file == u->file &&
	    !list_push(&s->instances, ((struct index_instance){(uint32_t)off, die})))
		s->failed = true;
}

/* --------------------------------------------------------------------- the walk */

/* Role of an entry for its children. */
enum scope { S_UNIT, S_SPACE, S_TYPE, S_ENUM, S_CODE, S_OTHER };
struct level {
	enum scope scope;
	uint32_t outer; /* the function with the code, if it has some */
	size_t range;   /* its first in s->ranges */
};
struct walk {
	struct scan *s;
	struct raw_unit *u;
	bool alt;
	int depth;
	struct level levels[MAX_DEPTH];
};

static bool is_definable(unsigned tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_variable:
		return true;
	}
	return false;
}

/* The scope that an entry with A opens below ON. */
static enum scope scope_below(enum scope on, const struct raw_abbrev *a)
{
	bool outside = on == S_UNIT || on == S_SPACE || on == S_TYPE;

	switch (a->tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return on == S_UNIT || on == S_SPACE ? S_SPACE : S_OTHER;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return outside ? S_TYPE : S_OTHER;
	case DW_TAG_enumeration_type:
		return outside ? S_ENUM : S_OTHER;
	case DW_TAG_subprogram:
		return (outside || on == S_CODE) && !a->declares ? S_CODE : S_OTHER;
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
		return on == S_CODE ? S_CODE : S_OTHER;
	}
	return S_OTHER;
}

/* Is there something to be read in an entry with A below L? */
static bool is_wanted(const struct level *l, const struct raw_abbrev *a)
{
	switch (a->tag) {
	case DW_TAG_subprogram:
		return l->scope < S_OTHER && l->scope != S_ENUM && !a->declares;
	case DW_TAG_inlined_subroutine:
		return l->scope == S_CODE && l->outer;
	case DW_TAG_label:
		return l->scope == S_CODE && l->outer;
	case DW_TAG_enumerator:
		return l->scope == S_ENUM;
	}
	return l->scope == S_UNIT && !a->declares && is_definable(a->tag);
}

static void see_function(struct walk *w, struct level *below, const struct raw_die *d, uint32_t off)
{
	below->range = w->s->ranges.n;
	below->outer = d->form[RA_INLINE] ? 0 : off;
	add_code(w->s, w->u, d, off);
}

static void see_entry(struct walk *w, const struct level *on, struct level *below,
		      struct raw_die *d, uint32_t off)
{
	struct scan *s = w->s;

	switch (d->abbrev->tag) {
	case DW_TAG_subprogram:
		see_function(w, below, d, off);
		break;
	case DW_TAG_inlined_subroutine:
		add_instance(s, w->u, d, on->outer);
		break;
	case DW_TAG_label:
		for (size_t i = on->range; d->form[RA_LOW_PC] && i < s->ranges.n; i++)
			if (s->ranges.v[i].die == on->outer)
				s->ranges.v[i].flags |= RANGE_LABELS;
		break;
	case DW_TAG_variable:
		if (!w->alt)
			add_variable(s, w->u, d, off);
		/* fall through */
	default:
		add_def(s, w->u, d, off, w->alt);
	}
}

/* The entry at P, below the last level; what follows it, or NULL. */
static const unsigned char *walk_entry(struct walk *w, const struct raw_abbrev *a,
				       const unsigned char *p, uint32_t off)
{
	const struct level *on = &w->levels[w->depth];
	struct level below = {
		.scope = scope_below(on->scope, a), .outer = on->outer, .range = on->range};
	const unsigned char *behind = a->children && below.scope == S_OTHER
					      ? raw_sibling(w->u, a, p)
					      : NULL;
	struct raw_die d;

	if (is_wanted(on, a)) {
		const unsigned char *next;

		if (!raw_read(w->u, a, p, &d))
			return NULL;
		next = d.next;
		see_entry(w, on, &below, &d, off);
		p = next;
	} else if (!behind) {
		p = raw_pass(w->u, a, p);
	}
	if (behind) /* there is nothing in it that is wanted */
		return behind;
	if (!a->children)
		return p;
	if (++w->depth >= MAX_DEPTH)
		return NULL;
	w->levels[w->depth] = below;
	return p;
}

bool scan_unit(struct scan *s, struct raw_unit *u, bool alt)
{
	const unsigned char *info = u->file->info.p, *p = info + u->first, *end = info + u->end;
	const struct raw_abbrevs *t = raw_abbrevs(u);
	struct walk w = {.s = s, .u = u, .alt = alt, .depth = -1};
	uint64_t code;

	while (t && p && p < end && !s->failed) {
		uint32_t off = (uint32_t)(p - info);
		const struct raw_abbrev *a;

		p = raw_uleb(p, end, &code);
		if (p && !code) {
			if (--w.depth < 0)
				return true;
			continue;
		}
		a = p ? raw_abbrev(t, code) : NULL;
		if (!a)
			return false;
		if (w.depth >= 0) {
			p = walk_entry(&w, a, p, off);
			continue;
		}
		p = raw_pass(u, a, p); /* the unit itself */
		if (!a->children)
			return p != NULL;
		w.levels[++w.depth] = (struct level){.scope = S_UNIT};
	}
	return t && p && !s->failed;
}
