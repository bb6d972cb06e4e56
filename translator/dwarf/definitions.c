/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Definitions of types and variables by name, in all units of a module. */
#include <string.h>

#include "dwarf.h"

/* At the top of UNIT or of what it imports, which with dwz lies in another file. */
static bool find_definition(Dwarf_Die *unit, int tag, const char *name, int depth, Dwarf_Die *out)
{
	Dwarf_Die die, imported;
	if (depth > 4 || dwarf_child(unit, &die) != 0)
		return false;
	do {
		if (die_import(&die, &imported) &&
		    find_definition(&imported, tag, name, depth + 1, out))
			return true;
		if (dwarf_tag(&die) != tag || die_is_declaration(&die))
			continue;
		const char *n = dwarf_diename(&die);
		if (n && strcmp(n, name) == 0) {
			*out = die;
			return true;
		}
	} while (die_sibling(&die, &die) == 0);
	return false;
}

static bool is_indexed(int tag)
{
	static const int tags[] = {DW_TAG_base_type,  DW_TAG_structure_type,   DW_TAG_class_type,
				   DW_TAG_union_type, DW_TAG_enumeration_type, DW_TAG_typedef,
				   DW_TAG_variable};
	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (tags[i] == tag)
			return true;
	return false;
}

static Dwarf_Die *own_definition(struct module *m, int tag, const char *name)
{
	static Dwarf_Die none; /* looked for and not there */
	const char *key = xprintf("%d %s", tag, name);
	Dwarf_Die *found = smap_get(&m->definitions, key), die;
	Dwarf_CU *cu = NULL;
	if (found)
		return found == &none ? NULL : found;
	found = &none;
	if (is_indexed(tag) && module_index(m)) {
		if (index_die(m, tag, name, &die)) {
			found = xalloc(sizeof die);
			*found = die;
		}
		smap_put(&m->definitions, key, found);
		return found == &none ? NULL : found;
	}
	while (module_dwarf(m) && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);
		if (!find_definition(&unit, tag, name, 0, &die))
			continue;
		found = xalloc(sizeof die);
		*found = die;
		break;
	}
	smap_put(&m->definitions, key, found);
	return found == &none ? NULL : found;
}

Dwarf_Die *module_definition(struct module *m, int tag, const char *name)
{
	Dwarf_Die *own = own_definition(m, tag, name);
	return !own && m->kernel ? own_definition(m->kernel, tag, name) : own;
}

/* Link-time optimisation writes variables down
 * twice: as the source has them, and where they are. */
bool variable_instance(struct module *m, Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, var, origin;
	Dwarf_Attribute a;
	if (module_index(m) && dwarf_cu_getdwarf(die->cu) == m->dw)
		return index_variable(m, die, out);
	while (module_dwarf(m) && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		Dwarf_Die full = unit_full(&unit);
		if (dwarf_child(&full, &var) != 0)
			continue;
		do {
			if (dwarf_tag(&var) != DW_TAG_variable ||
			    !dwarf_attr(&var, DW_AT_abstract_origin, &a) ||
			    !dwarf_formref_die(&a, &origin) || origin.addr != die->addr)
				continue;
			*out = var;
			return true;
		} while (die_sibling(&var, &var) == 0);
	}
	return false;
}
