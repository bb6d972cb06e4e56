/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lookup of variables in namespaces of C++ and modules of Fortran, and of static members of
 * classes. The name alone is enough in code of the same namespaces, or if only one variable of the
 * unit has it; otherwise as many enclosing names as distinguish it from others (`space::name').
 */
#include <stdlib.h>
#include <string.h>

#include "values.h"

#define MAX_DEPTH 16

struct space_search {
	const char *name;            /* the last word of what is looked for */
	name_vec given;              /* the words before it, the outermost first */
	name_vec around;             /* the namespaces that the code is in */
	const char *path[MAX_DEPTH]; /* where the search is; "" is a namespace without a name */
	int depth;
	Dwarf_Die best;
	int rank;     /* of the best: -1 none yet, 0 elsewhere, more the nearer it is */
	bool several; /* are there others of this rank? */
};

static void split(struct space_search *s, const char *text)
{
	for (const char *end; (end = strstr(text, "::")); text = end + 2)
		if (end > text)
			vec_push(&s->given, xstrndup(text, (size_t)(end - text)));
	s->name = text;
}

static bool holds_variables(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return is_space(tag) || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* The namespaces and classes around FUNC, where it was declared. */
static void note_around(struct space_search *s, Dwarf_Die *func)
{
	Dwarf_Die die = *func, *scopes;
	Dwarf_Attribute a;
	int n;
	for (int i = 0; dwarf_attr(&die, DW_AT_abstract_origin, &a) ||
			dwarf_attr(&die, DW_AT_specification, &a);
	     i++)
		if (i == MAX_DEPTH || !dwarf_formref_die(&a, &die))
			return;
	n = die_scopes(&die, &scopes);
	for (int i = n - 1; i > 0; i--)
		if (holds_variables(&scopes[i]))
			vec_push(&s->around,
				 dwarf_diename(&scopes[i]) ? dwarf_diename(&scopes[i]) : "");
}

/* Does the path end with the names of the script? They need not include unnamed namespaces. */
static bool path_fits(const struct space_search *s)
{
	size_t left = s->given.n;
	for (int i = s->depth; i-- > 0 && left;)
		if (*s->path[i] && strcmp(s->path[i], s->given.v[--left]) != 0)
			return false;
	return !left;
}

/* Number of namespaces that the variable shares with the code; 0 if one of its own does not enclose
 * the code. */
static int rank_of(const struct space_search *s)
{
	if ((size_t)s->depth > s->around.n)
		return 0;
	for (int i = 0; i < s->depth; i++)
		if (strcmp(s->path[i], s->around.v[i]) != 0)
			return 0;
	return s->depth;
}

static void look_at(struct space_search *s, Dwarf_Die *die)
{
	int tag = dwarf_tag(die), rank;
	bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_member || tag == DW_TAG_constant;
	const char *n = is_variable ? dwarf_diename(die) : NULL;
	if (!n || strcmp(n, s->name) != 0 || (tag == DW_TAG_member && !die_is_declaration(die)) ||
	    !path_fits(s))
		return;
	rank = rank_of(s);
	s->several = rank == s->rank;
	if (rank <= s->rank)
		return;
	s->rank = rank;
	s->best = *die;
}

static void search(struct space_search *s, Dwarf_Die *space)
{
	Dwarf_Die die;
	if (dwarf_child(space, &die) != 0)
		return;
	do {
		if (s->depth)
			look_at(s, &die);
		if (!holds_variables(&die) || s->depth == MAX_DEPTH)
			continue;
		s->path[s->depth++] = dwarf_diename(&die) ? dwarf_diename(&die) : "";
		search(s, &die);
		s->depth--;
	} while (die_sibling(&die, &die) == 0);
}

/* The definition of DECL below SPACE: it says where the variable is. */
static bool definition_of(Dwarf_Die *space, Dwarf_Die *decl, int depth, Dwarf_Die *out)
{
	Dwarf_Attribute a;
	Dwarf_Die die, what;
	if (dwarf_child(space, &die) != 0)
		return false;
	do {
		if (is_space(dwarf_tag(&die)) && depth < MAX_DEPTH &&
		    definition_of(&die, decl, depth + 1, out))
			return true;
		if (dwarf_tag(&die) != DW_TAG_variable ||
		    !dwarf_attr(&die, DW_AT_specification, &a) || !dwarf_formref_die(&a, &what) ||
		    dwarf_dieoffset(&what) != dwarf_dieoffset(decl))
			continue;
		*out = die;
		return true;
	} while (die_sibling(&die, &die) == 0);
	return false;
}

bool find_in_namespaces(Dwarf_Die *unit, Dwarf_Die *func, const char *name, Dwarf_Die *out)
{
	static ARENA_STATE struct smap absent; /* from UNIT, whatever function asks */
	const char *key = xprintf("%p %s", unit->addr, name);
	struct space_search s = {.rank = -1};

	if (smap_get(&absent, key))
		return false;
	split(&s, name);
	if (func)
		note_around(&s, func);
	search(&s, unit);
	if (s.rank < 0)
		smap_put(&absent, key, (void *)key);
	if (s.rank < 0 || s.several)
		return false;
	if (!die_is_declaration(&s.best) || !definition_of(unit, &s.best, 0, out))
		*out = s.best;
	return true;
}
