/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by address: of the unit that holds it, or by the index of names. */
#include <stdlib.h>

#include "dwarf.h"
#include "bisect.h"

#define MAX_DEPTH 64

static void add_function(struct unit *u, Dwarf_Die *die)
{
	struct unit_func f = {.die = *die};
	if (unit_func_fill(&f))
		vec_push(&u->funcs, f);
}

/* Code is defined in units, namespaces and, in some languages, in types. */
static void index_children(struct unit *u, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	if (depth > 32 || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_function(u, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			index_children(u, &die, depth + 1);
			break;
		}
	} while (die_sibling(&die, &die) == 0);
}

static int func_cmp(const void *a, const void *b)
{
	const struct unit_func *x = a, *y = b;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void unit_index(struct unit *u)
{
	if (u->indexed)
		return;
	u->indexed = true;
	index_children(u, &u->die, 0);
	if (u->funcs.n)
		qsort(u->funcs.v, u->funcs.n, sizeof u->funcs.v[0], func_cmp);
}

/* Functions inside of functions, below PARENT. Their code need not be inside of that of the outer
 * one. */
static void index_nested(struct unit *u, Dwarf_Die *parent, bool inside, int depth)
{
	Dwarf_Die die;
	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		struct unit_func f = {.die = die};
		if (tag == DW_TAG_subprogram && inside && unit_func_fill(&f))
			vec_push(&u->nested, f);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
		    tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		    tag == DW_TAG_catch_block || is_space(tag))
			index_nested(u, &die, inside || tag == DW_TAG_subprogram, depth + 1);
	} while (die_sibling(&die, &die) == 0);
}

/* The functions inside of functions of U, which are read once. */
static void unit_index_nested(struct unit *u)
{
	if (u->nested_indexed)
		return;
	u->nested_indexed = true;
	index_nested(u, &u->die, false, 0);
	if (u->nested.n)
		qsort(u->nested.v, u->nested.n, sizeof u->nested.v[0], func_cmp);
}

/* The function of V, which is sorted, that begins at ENTRY; NULL: not found. */
static struct unit_func *function_of(const unit_func_vec *v, uint64_t entry)
{
	struct unit_func key = {.entry = entry};
	return v->n ? bsearch(&key, v->v, v->n, sizeof key, func_cmp) : NULL;
}

struct unit_func *unit_function(struct module *m, uint64_t entry)
{
	struct unit_func *f;
	struct unit *u;
	if (module_index(m))
		return index_function(m, entry);
	u = unit_at(m, entry);
	if (!u)
		return NULL;
	unit_index(u);
	f = function_of(&u->funcs, entry);
	if (f)
		return f;
	unit_index_nested(u);
	return function_of(&u->nested, entry);
}

/* The function of V, which is sorted, whose code holds ADDR; NULL: not found. */
static struct unit_func *function_around(const unit_func_vec *v, uint64_t addr)
{
	size_t lo = BISECT(mid, v->n, v->v[mid].entry <= addr);
	if (lo && addr - v->v[lo - 1].entry < v->v[lo - 1].size)
		return &v->v[lo - 1];
	for (size_t i = 0; i < v->n; i++) /* a part of it that lies elsewhere */
		if (die_haspc(&v->v[i].die, addr) == 1)
			return &v->v[i];
	return NULL;
}

struct unit_func *unit_function_around(struct module *m, uint64_t addr)
{
	struct unit_func *f;
	struct unit *u;
	if (module_index(m))
		return index_function_around(m, addr);
	u = unit_at(m, addr);
	if (!u)
		return NULL;
	unit_index(u);
	f = function_around(&u->funcs, addr);
	if (f)
		return f;
	unit_index_nested(u);
	return function_around(&u->nested, addr);
}
