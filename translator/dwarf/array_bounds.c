/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds and layouts of array types (DWARF 5, sections 5.5 and 5.13): the first index that a
 * language or a program gives an array, the order of its elements, and what is known only at run
 * time.
 */
#include "values.h"

/* Types of indexes that build on others: subtypes of Ada. */
#define MAX_SUBTYPES 8

int array_ranges(Dwarf_Die *array, Dwarf_Die *ranges, int max)
{
	Dwarf_Die die;
	int n = 0;
	if (dwarf_child(array, &die) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&die);
		if ((tag == DW_TAG_subrange_type || tag == DW_TAG_enumeration_type) && n < max)
			ranges[n++] = die;
	} while (die_sibling(&die, &die) == 0);
	return n;
}

bool range_attribute(Dwarf_Die *range, unsigned code, Dwarf_Attribute *a)
{
	Dwarf_Die r = *range;
	for (int i = 0; i < MAX_SUBTYPES; i++) {
		if (dwarf_attr(&r, code, a))
			return true;
		if (!die_type(&r, &r) || dwarf_tag(&r) != DW_TAG_subrange_type)
			break;
	}
	return false;
}

bool bound_constant(Dwarf_Attribute *a, int64_t *value)
{
	Dwarf_Word u;
	Dwarf_Sword s;
	unsigned form = dwarf_whatform(a);
	bool is_signed = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
	if (is_signed ? dwarf_formsdata(a, &s) != 0 : dwarf_formudata(a, &u) != 0)
		return false;
	*value = is_signed ? (int64_t)s : (int64_t)u;
	return true;
}

static int language_of(Dwarf_Die *die)
{
	Dwarf_Die cu;
	return dwarf_diecu(die, &cu, NULL, NULL) ? dwarf_srclang(&cu) : 0;
}

int64_t default_lower_bound(Dwarf_Die *range)
{
	Dwarf_Sword lower;
	return dwarf_tag(range) == DW_TAG_subrange_type &&
			       dwarf_default_lower_bound(language_of(range), &lower) == 0
		       ? (int64_t)lower
		       : 0;
}

static int64_t enumerators(Dwarf_Die *type)
{
	Dwarf_Die die;
	int64_t n = 0;
	if (dwarf_child(type, &die) != 0)
		return -1;
	do
		n += dwarf_tag(&die) == DW_TAG_enumerator;
	while (die_sibling(&die, &die) == 0);
	return n;
}

int64_t range_count(Dwarf_Die *range)
{
	Dwarf_Attribute a;
	int64_t n, lower = default_lower_bound(range);
	if (dwarf_tag(range) == DW_TAG_enumeration_type)
		return enumerators(range);
	if (range_attribute(range, DW_AT_count, &a))
		return bound_constant(&a, &n) ? n : -1;
	if (range_attribute(range, DW_AT_lower_bound, &a) && !bound_constant(&a, &lower))
		return -1;
	if (!range_attribute(range, DW_AT_upper_bound, &a) || !bound_constant(&a, &n) ||
	    __builtin_sub_overflow(n, lower, &n) || __builtin_add_overflow(n, 1, &n))
		return -1;
	return n > 0 ? n : 0;
}

int array_dims(Dwarf_Die *array, int64_t *counts, int max)
{
	Dwarf_Die ranges[ARRAY_DIMS];
	int n = array_ranges(array, ranges, max < ARRAY_DIMS ? max : ARRAY_DIMS);
	for (int i = 0; i < n; i++)
		counts[i] = range_count(&ranges[i]);
	return n;
}

bool array_is_dense(Dwarf_Die *array)
{
	Dwarf_Die ranges[ARRAY_DIMS];
	int n = array_ranges(array, ranges, ARRAY_DIMS);
	bool strides = dwarf_hasattr(array, DW_AT_byte_stride) ||
		       dwarf_hasattr(array, DW_AT_bit_stride);
	for (int i = 0; i < n && !strides; i++)
		strides = dwarf_hasattr(&ranges[i], DW_AT_byte_stride) ||
			  dwarf_hasattr(&ranges[i], DW_AT_bit_stride);
	return !strides;
}

bool array_is_plain(Dwarf_Die *array)
{
	return array_is_dense(array) && !dwarf_hasattr(array, DW_AT_data_location);
}

bool array_is_column_major(Dwarf_Die *array)
{
	Dwarf_Attribute a;
	int64_t order;
	if (dwarf_attr(array, DW_AT_ordering, &a) && bound_constant(&a, &order))
		return order == DW_ORD_col_major;
	switch (language_of(array)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case 0x2d: /* DW_LANG_Fortran18, not in every dwarf.h */
		return true;
	}
	return false;
}
