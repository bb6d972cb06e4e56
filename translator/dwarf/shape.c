/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes: what pretty-printing knows of a type.  An aggregate holds no pointer
 * that is followed, so a shape is finite; where the script asks for one level
 * only, aggregates below it have no parts.
 */
#include <string.h>

#include "dwarf.h"

/* Nobody nests deeper by hand; a broken file might. */
#define MAX_LEVEL 16
/* Larger enumerations show numbers for the rest. */
#define MAX_NAMES 2000

static struct shape *new_shape(enum shape_kind kind, unsigned size)
{
	struct shape *s = xalloc(sizeof *s);

	s->kind = kind;
	s->size = (uint8_t)size;
	return s;
}

/* ------------------------------------------------------------------ scalars */

static unsigned encoding(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Word enc;

	return dwarf_attr(type, DW_AT_encoding, &a) && dwarf_formudata(&a, &enc) == 0 ? (unsigned)enc : 0;
}

static bool is_char(Dwarf_Die *type)
{
	unsigned enc = dwarf_tag(type) == DW_TAG_base_type ? encoding(type) : 0;

	return (enc == DW_ATE_signed_char || enc == DW_ATE_unsigned_char || enc == DW_ATE_UTF) &&
	       dwarf_bytesize(type) == 1;
}

static bool is_number(Dwarf_Die *type)
{
	unsigned enc = encoding(type);

	return dwarf_tag(type) == DW_TAG_enumeration_type || enc == DW_ATE_signed || enc == DW_ATE_unsigned ||
	       enc == DW_ATE_boolean || enc == DW_ATE_UTF || enc == DW_ATE_signed_char ||
	       enc == DW_ATE_unsigned_char;
}


/* float, double, and the long double of x87 */
static const struct shape *floating(Dwarf_Die *type, unsigned size)
{
	bool shown = type_float_encoding(type) == DW_ATE_float && (size == 4 || size == 8 || type_is_extended(type));

	return new_shape(shown ? SHAPE_FLOAT : SHAPE_UNKNOWN, size);
}

static bool fits(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

const struct shape *pointer_shape(struct module *m, Dwarf_Die *to)
{
	Dwarf_Die t;

	return new_shape(to && type_peel(m, to, &t) && is_char(&t) ? SHAPE_STRING : SHAPE_POINTER, 8);
}

/* The names of an enumeration by their values. */
static const struct shape *enumeration(Dwarf_Die *type, struct shape *s)
{
	Dwarf_Die die;
	struct shape_name n;

	if (dwarf_child(type, &die) != 0)
		return s;
	do {
		n.name = dwarf_tag(&die) == DW_TAG_enumerator ? dwarf_diename(&die) : NULL;
		if (n.name && die_constant(&die, &n.value))
			vec_push(&s->names, n);
	} while (s->names.n < MAX_NAMES && dwarf_siblingof(&die, &die) == 0);
	s->kind = s->names.n ? SHAPE_ENUM : SHAPE_NUMBER;
	return s;
}

static const struct shape *scalar(struct module *m, Dwarf_Die *type)
{
	struct shape *s;
	Dwarf_Die to;
	uint64_t size;
	int tag = dwarf_tag(type);

	if (!type_size(m, type, &size) || !(fits(size) || size == 16))
		return new_shape(SHAPE_UNKNOWN, 0);
	if (type_float_encoding(type))
		return floating(type, (unsigned)size);
	if (!fits(size))
		return new_shape(SHAPE_UNKNOWN, 0);
	if (is_char(type))
		return new_shape(SHAPE_CHAR, 1);
	if (tag == DW_TAG_pointer_type)
		return pointer_shape(m, die_type(type, &to) ? &to : NULL);
	if (type_is_pointer(type) || tag == DW_TAG_ptr_to_member_type)
		return new_shape(SHAPE_POINTER, (unsigned)size);
	if (!is_number(type))
		return new_shape(SHAPE_UNKNOWN, 0);
	s = new_shape(SHAPE_NUMBER, (unsigned)size);
	s->is_signed = type_is_signed(type);
	return tag == DW_TAG_enumeration_type ? enumeration(type, s) : s;
}

/* --------------------------------------------------------------- aggregates */

static const struct shape *shape(struct module *m, Dwarf_Die *type, int level, int most);

struct members { struct module *m; struct shape *to; int level, most; };

static void add_member(const struct member *mb, const char *name, void *arg)
{
	struct members *ms = arg;
	Dwarf_Die type = mb->type;
	struct shape_member out = {.name = name, .bit_off = mb->bit_off, .bits = mb->bits};

	if (!strncmp(name, "_vptr", 5))
		return;
	out.shape = shape(ms->m, &type, ms->level + 1, ms->most);
	vec_push(&ms->to->members, out);
}

static const struct shape *structure(struct module *m, Dwarf_Die *type, int level, int most)
{
	struct members ms = {m, new_shape(SHAPE_STRUCT, 0), level, most};

	ms.to->cut = level >= most;
	if (!ms.to->cut)
		type_members(m, type, add_member, &ms);
	return ms.to;
}

static const struct shape *array(struct module *m, Dwarf_Die *type, int level, int most)
{
	struct shape *s = new_shape(SHAPE_ARRAY, 0);
	int64_t counts[16], count = 1;
	int n = array_dims(type, counts, 16);
	Dwarf_Die elem;

	for (int i = 0; i < n; i++)
		count = count < 0 || counts[i] < 0 ? -1 : count * counts[i];
	s->count = n && count < INT32_MAX ? count : -1;
	if (!die_type(type, &elem) || !type_peel(m, &elem, &elem))
		return new_shape(SHAPE_UNKNOWN, 0);
	if (n == 1 && is_char(&elem)) {
		s->kind = SHAPE_CHARS;
		return s;
	}
	s->cut = level >= most;
	if (!s->cut)
		s->elem = shape(m, &elem, level + 1, most);
	return s;
}

static const struct shape *shape(struct module *m, Dwarf_Die *type, int level, int most)
{
	Dwarf_Die t;

	if (level > MAX_LEVEL || !type_peel(m, type, &t))
		return new_shape(SHAPE_UNKNOWN, 0);
	if (type_is_struct(&t))
		return structure(m, &t, level, most);
	if (dwarf_tag(&t) == DW_TAG_array_type)
		return array(m, &t, level, most);
	return scalar(m, &t);
}

const struct shape *type_shape(struct module *m, Dwarf_Die *type, bool deep)
{
	return shape(m, type, 0, deep ? MAX_LEVEL : 1);
}
