/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes: layouts of types for pretty-printing. An aggregate holds no pointer that is followed, so
 * a shape is finite; where the script asks for one level only, aggregates below it have no parts.
 */
#include <string.h>

#include "values.h"

/* Sources do not nest types deeper than this; a broken file might. */
#define MAX_LEVEL 16
/* Larger enumerations show numbers for the rest. */
#define MAX_NAMES 2000
/* Types that hold others are shown part by part; a file can nest ten of each in each. */
#define MAX_PARTS 5000

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

	return dwarf_attr(type, DW_AT_encoding, &a) && dwarf_formudata(&a, &enc) == 0
		       ? (unsigned)enc
		       : 0;
}

/* The size of a character in bytes, 2 or 4 for one of UTF-16 or UTF-32; 0 for other types. */
static unsigned char_size(Dwarf_Die *type)
{
	unsigned enc = dwarf_tag(type) == DW_TAG_base_type ? encoding(type) : 0;
	int size = dwarf_bytesize(type);
	bool one = enc == DW_ATE_signed_char || enc == DW_ATE_unsigned_char || enc == DW_ATE_UTF;

	return (one && size == 1) || (enc == DW_ATE_UTF && (size == 2 || size == 4))
		       ? (unsigned)size
		       : 0;
}

/* The same for what strings are made of, which end with a NUL; in Rust characters of four bytes
 * are not. */
static unsigned string_unit(Dwarf_Die *type)
{
	unsigned size = char_size(type);

	return size > 1 && abi_language(type) != LANGUAGE_CXX && abi_language(type) != LANGUAGE_C
		       ? 0
		       : size;
}

static bool is_number(Dwarf_Die *type)
{
	unsigned enc = encoding(type);
	int tag = dwarf_tag(type);

	return tag == DW_TAG_enumeration_type || tag == DW_TAG_subrange_type ||
	       enc == DW_ATE_signed || enc == DW_ATE_unsigned || enc == DW_ATE_boolean ||
	       enc == DW_ATE_UTF || enc == DW_ATE_signed_char || enc == DW_ATE_unsigned_char;
}

/* float, double, and the long double of x87 */
static const struct shape *floating(Dwarf_Die *type, unsigned size)
{
	bool shown = type_float_encoding(type) == DW_ATE_float &&
		     (size == 4 || size == 8 || type_is_extended(type));

	return new_shape(shown ? SHAPE_FLOAT : SHAPE_UNKNOWN, size);
}

/* A complex number: two numbers in a row. */
static const struct shape *complex_number(unsigned size)
{
	static const char *const names[] = {"re", "im"};
	struct shape *s = new_shape(SHAPE_STRUCT, 0);

	for (unsigned i = 0; i < 2; i++) {
		struct shape_member part = {.name = names[i], .bit_off = i * size * 4};

		part.shape = new_shape(SHAPE_FLOAT, size / 2);
		vec_push(&s->members, part);
	}
	return s;
}

const struct shape *pointer_shape(struct module *m, Dwarf_Die *to)
{
	Dwarf_Die t;
	unsigned unit = to && type_peel(m, to, &t) ? string_unit(&t) : 0;
	struct shape *s = new_shape(unit ? SHAPE_STRING : SHAPE_POINTER, 8);

	s->count = unit > 1 ? unit : 0;
	return s;
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
	} while (s->names.n < MAX_NAMES && die_sibling(&die, &die) == 0);
	s->kind = s->names.n ? SHAPE_ENUM : SHAPE_NUMBER;
	return s;
}

static const struct shape *scalar(struct module *m, Dwarf_Die *type)
{
	struct shape *s;
	Dwarf_Die to;
	uint64_t size;
	int tag = dwarf_tag(type);

	if (!type_size(m, type, &size) || !(is_load_size(size) || size == 16))
		return new_shape(SHAPE_UNKNOWN, 0);
	if (type_float_encoding(type) == DW_ATE_complex_float && (size == 8 || size == 16))
		return complex_number((unsigned)size);
	if (type_float_encoding(type))
		return floating(type, (unsigned)size);
	if (!is_load_size(size))
		return new_shape(SHAPE_UNKNOWN, 0);
	if (char_size(type))
		return new_shape(SHAPE_CHAR, char_size(type));
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

static const struct shape *shape(struct plan *plan, Dwarf_Die *type, int level);

struct members {
	struct plan *plan;
	struct shape *to;
	uint64_t size;
	int level;
};

/* Does the member lie in its structure of SIZE bytes?  Offsets are what a file says, and may be
 * negative. */
static bool lies_inside(struct module *m, const struct member *mb, Dwarf_Die *type, uint64_t size)
{
	uint64_t bytes = 0;

	if (mb->bits)
		return mb->bits <= 64 && mb->bit_off < size * 8 &&
		       mb->bits <= size * 8 - mb->bit_off;
	if (!type_size(m, type, &bytes))
		bytes = 0;
	return mb->bit_off / 8 <= size && bytes <= size - mb->bit_off / 8;
}

static void add_member(const struct member *mb, const char *name, void *arg)
{
	struct members *ms = arg;
	Dwarf_Die type = mb->type;
	struct shape_member out = {.name = name, .bit_off = mb->bit_off, .bits = mb->bits};

	if (!strncmp(name, "_vptr", 5))
		return;
	if (!ms->plan->left || !lies_inside(ms->plan->m, mb, &type, ms->size)) {
		ms->to->cut = true;
		return;
	}
	ms->plan->left--;
	ms->plan->is_member = !(mb->bits || mb->bit_off % 8);
	ms->plan->member_at = (int64_t)(mb->bit_off / 8);
	out.shape = shape(ms->plan, &type, ms->level + 1);
	vec_push(&ms->to->members, out);
}

static const struct shape *structure(struct plan *plan, Dwarf_Die *type, int level)
{
	struct shape *s = new_shape(SHAPE_STRUCT, 0);

	s->cut = level >= plan->most || has_variants(type);
	shape_add_members(plan, s, type, type, level);
	return s;
}

void shape_add_members(struct plan *plan, struct shape *to, Dwarf_Die *type, Dwarf_Die *from,
		       int level)
{
	struct members ms = {plan, to, 0, level};

	if (!type_size(plan->m, type, &ms.size)) {
		/* computed when the program runs */
		to->cut |= !dwarf_hasattr(type, DW_AT_byte_size);
		ms.size = INT32_MAX / 8;
	}
	to->cut |= ms.size > INT32_MAX / 8;
	if (!to->cut)
		type_members(plan->m, from, add_member, &ms);
}

static void set_part(struct shape *s, enum shape_part which, const aop_vec *ops)
{
	s->parts[which] = (struct shape_ops){ops->v, ops->n};
}

/* An array whose object is a descriptor, as of allocatable ones of Fortran, or whose bounds are
 * other members of its structure; NULL: it is another one. */
static const struct shape *described_array(struct plan *plan, Dwarf_Die *type, Dwarf_Die *elem,
					   int level, const int64_t *member_at)
{
	struct shape *s = new_shape(SHAPE_ITEMS, 0);
	aop_vec count = {0}, address = {0}, self = {0};

	if (!plan->left || level >= plan->most ||
	    !array_elements(plan->m, type, member_at, &count, &address) || !part_runs(&count) ||
	    !part_runs(&address))
		return NULL;
	plan->left--;
	if (string_unit(elem) == 1 && array_is_plain(type)) {
		s->kind = SHAPE_TEXT;
		s->size = 1;
		push_op(&self, A_INDEX, OPERAND_SELF);
		set_part(s, PART_FIRST, &self);
		set_part(s, PART_COUNT, &count);
		return s;
	}
	set_part(s, PART_COUNT, &count);
	set_part(s, PART_VALUE, &address);
	s->elem = shape(plan, elem, level + 1);
	return s;
}

static const struct shape *array(struct plan *plan, Dwarf_Die *type, int level,
				 const int64_t *member_at)
{
	struct shape *s = new_shape(SHAPE_ARRAY, 0);
	const struct shape *described;
	int64_t counts[16], count = 1;
	int n = array_dims(type, counts, 16);
	Dwarf_Die elem;

	for (int i = 0; i < n; i++)
		count = count < 0 || counts[i] < 0 ||
					__builtin_mul_overflow(count, counts[i], &count)
				? -1
				: count;
	s->count = n && count < INT32_MAX && array_is_plain(type) ? count : -1;
	if (!die_type(type, &elem) || !type_peel(plan->m, &elem, &elem))
		return new_shape(SHAPE_UNKNOWN, 0);
	described = described_array(plan, type, &elem, level, member_at);
	if (described)
		return described;
	if (n == 1 && string_unit(&elem) && array_is_plain(type)) {
		s->kind = SHAPE_CHARS;
		s->size = string_unit(&elem) > 1 ? (int)string_unit(&elem) : 0;
		return s;
	}
	s->cut = level >= plan->most;
	if (!s->cut)
		s->elem = shape(plan, &elem, level + 1);
	return s;
}

/* A string of Fortran of constant length, which no NUL ends. */
static const struct shape *text(Dwarf_Die *type)
{
	int size = dwarf_bytesize(type);
	struct shape *s;

	if (size < 0 || dwarf_hasattr(type, DW_AT_string_length) ||
	    dwarf_hasattr(type, DW_AT_data_location))
		return new_shape(SHAPE_UNKNOWN, 0);
	s = new_shape(SHAPE_CHARS, 0);
	s->count = size;
	return s;
}

/* Pointers with a name are types of a language: Box<T> of Rust. */
static bool is_described(Dwarf_Die *type)
{
	return type_is_struct(type) ||
	       (dwarf_tag(type) == DW_TAG_pointer_type && dwarf_diename(type));
}

static const struct shape *shape(struct plan *plan, Dwarf_Die *type, int level)
{
	const struct shape *described;
	int64_t at = plan->member_at, *member_at = plan->is_member ? &at : NULL;
	Dwarf_Die t;

	plan->is_member = false;
	if (level > MAX_LEVEL || !type_peel(plan->m, type, &t))
		return new_shape(SHAPE_UNKNOWN, 0);
	described = is_described(&t) ? summary_shape(plan, &t, level) : NULL;
	if (!described && type_is_struct(&t))
		described = variant_shape(plan, &t, level);
	if (described)
		return described;
	if (type_is_struct(&t))
		return structure(plan, &t, level);
	if (dwarf_tag(&t) == DW_TAG_array_type)
		return array(plan, &t, level, member_at);
	if (type_is_text(&t))
		return text(&t);
	return scalar(plan->m, &t);
}

const struct shape *type_shape(struct module *m, Dwarf_Die *type, bool deep)
{
	struct plan plan = {.m = m, .most = deep ? MAX_LEVEL : 1, .left = MAX_PARTS};

	return shape(&plan, type, 0);
}

/* Append the read of word N of the object to a part of a shape. */
static void push_word(aop_vec *part, int64_t n)
{
	push_op(part, A_INDEX, OPERAND_SELF);
	push_add(part, 8 * n);
	vec_push(part, ((struct aop){.kind = A_DEREF, .size = 8}));
}

const struct shape *text_shape(void)
{
	struct shape *s = new_shape(SHAPE_TEXT, 1);
	aop_vec first = {0}, count = {0};

	push_word(&first, 0);
	push_word(&count, 1);
	set_part(s, PART_FIRST, &first);
	set_part(s, PART_COUNT, &count);
	return s;
}

const struct shape *row_shape(struct module *m, Dwarf_Die *elem, bool deep)
{
	struct plan plan = {.m = m, .most = deep ? MAX_LEVEL : 1, .left = MAX_PARTS};
	struct shape *s = new_shape(SHAPE_ITEMS, 0);
	aop_vec count = {0}, address = {0};
	Dwarf_Die type;

	if (type_peel(m, elem, &type) && string_unit(&type) == 1)
		return text_shape();
	push_word(&count, 1);
	push_word(&address, 0);
	push_op(&address, A_INDEX, OPERAND_INDEX);
	push_word(&address, 2);
	push_op(&address, A_MUL, 0);
	push_op(&address, A_ADD, 0);
	set_part(s, PART_COUNT, &count);
	set_part(s, PART_VALUE, &address);
	s->elem = shape(&plan, elem, 1);
	return s;
}

const struct shape *ctype_shape(struct plan *plan, const struct ctype *t, int level)
{
	Dwarf_Die die = t->die;

	if (t->stars)
		return pointer_shape(t->mod, t->stars == 1 ? &die : NULL);
	return t->dim ? new_shape(SHAPE_UNKNOWN, 0) : shape(plan, &die, level);
}
