/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes of entries of debug information (DIEs): where code begins, where it is declared, what
 * it is an instance of.
 */
#include <string.h>

#include "values.h"

#define IMPORT_STEPS 5 /* the time that the look-up of a unit takes */

bool die_is_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	bool flag = false;
	return dwarf_attr(die, DW_AT_declaration, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

bool is_space(int tag) { return tag == DW_TAG_namespace || tag == DW_TAG_module; }

bool die_import(Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	if (dwarf_tag(die) != DW_TAG_imported_unit)
		return false;
	work_charge(die->cu, IMPORT_STEPS);
	return dwarf_attr(die, DW_AT_import, &a) && dwarf_formref_die(&a, unit);
}

bool die_entry(Dwarf_Die *die, uint64_t *entry)
{
	Dwarf_Addr base, hi;
	return dwarf_entrypc(die, entry) == 0 || die_ranges(die, 0, &base, entry, &hi) > 0;
}

bool file_tail_match(const char *pattern, const char *path)
{
	size_t n = strlen(pattern), len = strlen(path);
	if (is_glob(pattern)) {
		const char *base = strrchr(path, '/');
		return glob_match(pattern, path) || (base && glob_match(pattern, base + 1));
	}
	if (n > len || strcmp(path + len - n, pattern) != 0)
		return false;
	return n == len || path[len - n - 1] == '/' || pattern[0] == '/';
}

/* As dwarf_decl_file(), which aborts on units split off from their line table. */
const char *die_file(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Word i;
	Dwarf_Die cu;
	Dwarf_Files *files;
	const char *name = NULL;
	size_t n;
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &a) || dwarf_formudata(&a, &i) != 0 ||
	    !dwarf_cu_die(a.cu, &cu, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    unit_file(&cu, i, &name))
		return name;
	if (dwarf_getsrcfiles(&cu, &files, &n) != 0 || i >= n)
		return NULL;
	return dwarf_filesrc(files, i, NULL, NULL);
}

/* Go writes locations in a form that libdw does not
 * take since DWARF 4; both begin with a length. */
bool die_location(Dwarf_Die *die, unsigned code, Dwarf_Attribute *a)
{
	Dwarf_Block b;
	if (!dwarf_attr_integrate(die, code, a))
		return false;
	if (dwarf_whatform(a) == DW_FORM_block1 && dwarf_formblock(a, &b) == 0 && b.length < 128)
		a->form = DW_FORM_exprloc;
	return true;
}

bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute a;
	work_charge(die->cu, 1);
	return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, type);
}

const char *die_linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &a) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		return NULL;
	return dwarf_formstring(&a);
}

/* The DIE that DIE is an instance or the definition of. */
static bool origin_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute a;

	return (dwarf_attr(die, DW_AT_abstract_origin, &a) ||
		dwarf_attr(die, DW_AT_specification, &a)) &&
	       dwarf_formref_die(&a, out);
}

bool die_is_instance_of(const Dwarf_Die *die, const Dwarf_Die *what)
{
	Dwarf_Die d = *die, origin;

	for (int depth = 0; depth < 8; depth++, d = origin) {
		if (d.addr == what->addr)
			return true;
		if (!origin_of(&d, &origin))
			break;
	}
	return false;
}

enum abi_language abi_language(Dwarf_Die *func)
{
	Dwarf_Die cu;

	if (!dwarf_diecu(func, &cu, NULL, NULL))
		return LANGUAGE_OTHER;
	switch (dwarf_srclang(&cu)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* DW_LANG_C17, not in every dwarf.h */
	case 0x3e: /* DW_LANG_C23 */
		return LANGUAGE_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* DW_LANG_C_plus_plus_17 */
	case 0x2b: /* DW_LANG_C_plus_plus_20 */
	case 0x3a: /* DW_LANG_C_plus_plus_23 */
		return LANGUAGE_CXX;
	case DW_LANG_Rust:
		return LANGUAGE_RUST;
	case DW_LANG_Go:
		return LANGUAGE_GO;
	}
	return LANGUAGE_OTHER;
}
