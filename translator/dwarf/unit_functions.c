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

/* The innermost function below PARENT whose code holds ENTRY. */
static void find_nested(struct unit *one, Dwarf_Die *parent, uint64_t entry, int depth)
{
	Dwarf_Die die;
	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		if (die_haspc(&die, entry) != 1)
			continue;
		find_nested(one, &die, entry, depth + 1);
		if (!one->funcs.n && dwarf_tag(&die) == DW_TAG_subprogram)
			add_function(one, &die);
		return;
	} while (die_sibling(&die, &die) == 0);
}

/* A function inside a function: not in the index, found through the code around it. */
static struct unit_func *nested_function(struct unit *u, uint64_t entry)
{
	struct unit one = {0};
	find_nested(&one, &u->die, entry, 0);
	return one.funcs.n && one.funcs.v[0].entry == entry ? &one.funcs.v[0] : NULL;
}

struct unit_func *unit_function(struct module *m, uint64_t entry)
{
	struct unit_func key = {.entry = entry}, *f;
	struct unit *u;
	if (module_index(m))
		return index_function(m, entry);
	u = unit_at(m, entry);
	if (!u)
		return NULL;
	unit_index(u);
	f = u->funcs.n ? bsearch(&key, u->funcs.v, u->funcs.n, sizeof key, func_cmp) : NULL;
	return f ? f : nested_function(u, entry);
}

struct unit_func *unit_function_around(struct module *m, uint64_t addr)
{
	struct unit *u;
	size_t lo;
	if (module_index(m))
		return index_function_around(m, addr);
	u = unit_at(m, addr);
	if (!u)
		return NULL;
	unit_index(u);
	lo = BISECT(mid, u->funcs.n, u->funcs.v[mid].entry <= addr);
	if (lo && addr - u->funcs.v[lo - 1].entry < u->funcs.v[lo - 1].size)
		return &u->funcs.v[lo - 1];
	for (size_t i = 0; i < u->funcs.n; i++) /* a part of it that lies elsewhere */
		if (die_haspc(&u->funcs.v[i].die, addr) == 1)
			return &u->funcs.v[i];
	return NULL;
}
