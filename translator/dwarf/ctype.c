/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C types in DWARF: the type under typedefs and qualifiers, its size, its members and its spelling.
 * A broken file may hold a type that contains itself, so each descent has a depth limit.
 */
#include <string.h>

#include "values.h"

#define MAX_DEPTH 64

/* --------------------------------------------------------------- plain types */

static bool is_qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		return true;
	}
	return false;
}

bool type_is_struct(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

bool type_is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

/* A struct debug_cache_file in a unit of its own (-fdebug-types-section) leaves only its signature
 * here. */
static bool by_signature(Dwarf_Die *type, Dwarf_Die *out)
{
	Dwarf_Attribute a;
	return dwarf_attr(type, DW_AT_signature, &a) && dwarf_formref_die(&a, out);
}

/* `struct x;` of this unit is defined in some other one: the first that has it. */
static void complete(struct module *m, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die *def = name ? module_definition(m, dwarf_tag(type), name) : NULL;
	if (def)
		*type = *def;
}

/* A subtype, as Ada's Natural, whose values are kept like those of the type that it is a range
 * of. */
static bool is_subtype(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_subrange_type && !dwarf_hasattr(type, DW_AT_byte_size) &&
	       dwarf_hasattr(type, DW_AT_type);
}

bool type_peel(struct module *m, Dwarf_Die *type, Dwarf_Die *out)
{
	Dwarf_Die t = *type;
	int depth = 0;
	while (dwarf_tag(&t) == DW_TAG_typedef || is_qualifier(dwarf_tag(&t)) || is_subtype(&t))
		if (depth++ == MAX_DEPTH || !die_type(&t, &t))
			return false;
	if (!by_signature(&t, &t) && die_is_declaration(&t))
		complete(m, &t);
	*out = t;
	return true;
}

bool type_is_text(Dwarf_Die *type) { return dwarf_tag(type) == DW_TAG_string_type; }

unsigned type_float_encoding(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Word enc;
	if (dwarf_tag(type) != DW_TAG_base_type || !dwarf_attr(type, DW_AT_encoding, &a) ||
	    dwarf_formudata(&a, &enc) != 0)
		return 0;
	return enc == DW_ATE_float || enc == DW_ATE_complex_float ||
			       enc == DW_ATE_imaginary_float || enc == DW_ATE_decimal_float
		       ? (unsigned)enc
		       : 0;
}

bool type_is_extended(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);
	return arch_target()->has_x87 && type_float_encoding(type) == DW_ATE_float &&
	       dwarf_bytesize(type) == 16 && name && !strcmp(name, "long double");
}

/* Does the subtype TYPE, which is kept in another size than the type that it is a range of, hold
 * negative numbers? */
static bool range_is_signed(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	int64_t lower = default_lower_bound(type);
	return dwarf_attr(type, DW_AT_lower_bound, &a) && bound_constant(&a, &lower) && lower < 0;
}

bool type_is_signed(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Word enc;
	Dwarf_Die under;
	int tag = dwarf_tag(type);
	if (tag == DW_TAG_subrange_type)
		return range_is_signed(type);
	if (tag == DW_TAG_enumeration_type) { /* the type it is kept in, where the compiler says */
		for (int depth = 0; depth < MAX_DEPTH && die_type(type, &under); depth++)
			type = &under;
	}
	if (dwarf_tag(type) != DW_TAG_base_type || !dwarf_attr(type, DW_AT_encoding, &a) ||
	    dwarf_formudata(&a, &enc) != 0)
		return false;
	return enc == DW_ATE_signed || enc == DW_ATE_signed_char;
}

/* -------------------------------------------------------------------- sizes */

static bool size_of(struct module *m, Dwarf_Die *type, int depth, uint64_t *size)
{
	Dwarf_Die t, elem;
	int64_t counts[16];
	if (depth == MAX_DEPTH || !type_peel(m, type, &t))
		return false;
	int bytes = dwarf_bytesize(&t);
	if (bytes >= 0 || type_is_pointer(&t)) {
		*size = bytes >= 0 ? (uint64_t)bytes : 8;
		return true;
	}
	if (dwarf_tag(&t) == DW_TAG_enumeration_type)
		return die_type(&t, &elem) && size_of(m, &elem, depth + 1, size);
	if (dwarf_tag(&t) != DW_TAG_array_type || !array_is_plain(&t) || !die_type(&t, &elem) ||
	    !size_of(m, &elem, depth + 1, size))
		return false;
	for (int i = 0, n = array_dims(&t, counts, 16); i < n; i++) {
		if (counts[i] < 0)
			return false;
		*size *= (uint64_t)counts[i];
	}
	return true;
}

bool type_size(struct module *m, Dwarf_Die *type, uint64_t *size)
{
	return size_of(m, type, 0, size);
}

/* ------------------------------------------------------------------ members */

/* The bytes of a member's offset: a constant, or in DWARF 2 an expression that adds one. */
static bool byte_offset(Dwarf_Die *member, uint64_t *off)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	Dwarf_Word w;
	*off = 0;
	if (!dwarf_attr(member, DW_AT_data_member_location, &a))
		return true; /* members of a union have none */
	if (dwarf_formudata(&a, &w) == 0) {
		*off = w;
		return true;
	}
	if (dwarf_getlocation(&a, &ops, &n) != 0 || n != 1 || ops[0].atom != DW_OP_plus_uconst)
		return false;
	*off = ops[0].number;
	return true;
}

/* Position and width of MEMBER, little-endian: the first bit is the lowest. */
bool member_place(struct module *m, Dwarf_Die *member, struct member *out)
{
	Dwarf_Attribute a;
	Dwarf_Word w;
	uint64_t bytes, unit;
	if (!die_type(member, &out->type) || !byte_offset(member, &bytes))
		return false;
	out->bit_off = bytes * 8;
	out->bits = 0;
	if (dwarf_attr(member, DW_AT_bit_size, &a) && dwarf_formudata(&a, &w) == 0)
		out->bits = (unsigned)w;
	if (dwarf_attr(member, DW_AT_data_bit_offset, &a) && dwarf_formudata(&a, &w) == 0) {
		out->bit_off = w;
	} else if (dwarf_attr(member, DW_AT_bit_offset, &a) && dwarf_formudata(&a, &w) == 0) {
		/* DWARF 2 and 3 count from the highest bit of a unit of byte_size */
		if (dwarf_attr(member, DW_AT_byte_size, &a))
			unit = (uint64_t)dwarf_bytesize(member);
		else if (!type_size(m, &out->type, &unit))
			return false;
		out->bit_off += unit * 8 - w - out->bits;
	}
	return true;
}

/* Members without a name of their own, through which their members are seen. */
static bool is_transparent(struct module *m, Dwarf_Die *die, Dwarf_Die *type)
{
	int tag = dwarf_tag(die);
	if (tag == DW_TAG_member ? dwarf_diename(die) != NULL : tag != DW_TAG_inheritance)
		return false;
	return die_type(die, type) && type_peel(m, type, type) && type_is_struct(type);
}

/* Members that may be looked at for one type: unnamed ones nest, and a file can put ten of each
 * into each. */
#define MAX_MEMBERS 200000

static enum member_found find_member(struct module *m, Dwarf_Die *type, const char *name, int depth,
				     unsigned *left, struct member *out)
{
	Dwarf_Die die, inner;
	struct member outer;
	if (depth == MAX_DEPTH || dwarf_child(type, &die) != 0)
		return MEMBER_NONE;
	do {
		if (!*left)
			return MEMBER_NONE;
		--*left;
		const char *n = dwarf_diename(&die);
		bool is_static = dwarf_tag(&die) == DW_TAG_variable || die_is_declaration(&die);
		if ((dwarf_tag(&die) == DW_TAG_member || dwarf_tag(&die) == DW_TAG_variable) && n &&
		    strcmp(n, name) == 0) {
			if (is_static) {
				out->odd = MEMBER_STATIC;
				out->die = die;
				return MEMBER_NO_OFFSET;
			}
			return member_place(m, &die, out) ? MEMBER_FOUND : MEMBER_NO_OFFSET;
		}
		if (dwarf_tag(&die) == DW_TAG_variant_part || dwarf_tag(&die) == DW_TAG_variant) {
			enum member_found in = find_member(m, &die, name, depth + 1, left, out);
			if (in != MEMBER_NONE)
				return in;
			continue;
		}
		if (!is_transparent(m, &die, &inner))
			continue;
		enum member_found r = find_member(m, &inner, name, depth + 1, left, out);
		if (r == MEMBER_NONE)
			continue;
		bool placed = member_place(m, &die, &outer);
		if (out->odd == MEMBER_STATIC)
			return r;
		if (!placed) { /* the outermost virtual base is the one to go to */
			out->odd = MEMBER_VIRTUAL;
			out->die = die;
			out->bit_off = 0;
			return MEMBER_NO_OFFSET;
		}
		out->bit_off += outer.bit_off;
		return r;
	} while (die_sibling(&die, &die) == 0);
	return MEMBER_NONE;
}

enum member_found type_member(struct module *m, Dwarf_Die *type, const char *name,
			      struct member *out)
{
	unsigned left = MAX_MEMBERS;
	*out = (struct member){0};
	return find_member(m, type, name, 0, &left, out);
}

struct visit {
	void (*fn)(const struct member *, const char *, void *);
	void *arg;
	unsigned left;
};

static void visit_members(struct module *m, Dwarf_Die *type, uint64_t bit_off, int depth,
			  struct visit *v)
{
	Dwarf_Die die, inner;
	struct member mb;
	if (depth == MAX_DEPTH || dwarf_child(type, &die) != 0)
		return;
	do {
		if (!v->left)
			return;
		v->left--;
		bool outer = is_transparent(m, &die, &inner);
		bool is_static = dwarf_tag(&die) == DW_TAG_member && die_is_declaration(&die);
		const char *name = dwarf_diename(&die);
		if ((!outer && (dwarf_tag(&die) != DW_TAG_member || !name)) || is_static ||
		    !member_place(m, &die, &mb))
			continue;
		mb.bit_off += bit_off;
		if (outer)
			visit_members(m, &inner, mb.bit_off, depth + 1, v);
		else
			v->fn(&mb, name, v->arg);
	} while (die_sibling(&die, &die) == 0);
}

void type_members(struct module *m, Dwarf_Die *type,
		  void (*fn)(const struct member *, const char *name, void *), void *arg)
{
	visit_members(m, type, 0, 0, &(struct visit){fn, arg, MAX_MEMBERS});
}

static void member_names(struct module *m, Dwarf_Die *type, int depth, unsigned *left,
			 name_vec *out)
{
	Dwarf_Die die, inner;
	if (depth == MAX_DEPTH || dwarf_child(type, &die) != 0)
		return;
	do {
		if (!*left)
			return;
		--*left;
		if (is_transparent(m, &die, &inner))
			member_names(m, &inner, depth + 1, left, out);
		else if (dwarf_tag(&die) == DW_TAG_member && dwarf_diename(&die))
			vec_push(out, dwarf_diename(&die));
	} while (die_sibling(&die, &die) == 0);
}

void type_member_names(struct module *m, Dwarf_Die *type, name_vec *out)
{
	unsigned left = MAX_MEMBERS;
	member_names(m, type, 0, &left, out);
}

/* --------------------------------------------------------------------- text */

static const char *tagged(const char *keyword, Dwarf_Die *type)
{
	Dwarf_Die unit;
	const char *name = dwarf_diename(by_signature(type, &unit) ? &unit : type);
	return name ? xprintf("%s %s", keyword, name) : xprintf("%s {...}", keyword);
}

static const char *text_of(Dwarf_Die *type, int depth);

/* An array after SKIP of its indexes were given. */
static const char *array_of(Dwarf_Die *type, int skip, int depth)
{
	struct strbuf sb = {0};
	int64_t counts[16];
	Dwarf_Die elem;
	sb_printf(&sb, "%s ", text_of(die_type(type, &elem) ? &elem : NULL, depth + 1));
	for (int i = skip, n = array_dims(type, counts, 16); i < n; i++) {
		if (counts[i] < 0)
			sb_add(&sb, "[]");
		else
			sb_printf(&sb, "[%lld]", (long long)counts[i]);
	}
	return sb.s;
}

/* A string as Fortran declares it. */
static const char *text_type(Dwarf_Die *type)
{
	int size = dwarf_bytesize(type);
	return size < 0 || dwarf_hasattr(type, DW_AT_string_length)
		       ? "character(*)"
		       : xprintf("character(%d)", size);
}

static const char *text_of(Dwarf_Die *type, int depth)
{
	Dwarf_Die under;
	if (!type)
		return "void";
	if (depth == MAX_DEPTH)
		return "...";
	const char *name = dwarf_diename(type);
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
		return tagged("struct", type);
	case DW_TAG_union_type:
		return tagged("union", type);
	case DW_TAG_class_type:
		return tagged("class", type);
	case DW_TAG_enumeration_type:
		return tagged("enum", type);
	}
	if (name && *name)
		return name;
	if (dwarf_tag(type) == DW_TAG_array_type)
		return array_of(type, 0, depth);
	if (type_is_text(type))
		return text_type(type);
	bool has = die_type(type, &under);
	const char *to = text_of(has ? &under : NULL, depth + 1);
	if (dwarf_tag(type) == DW_TAG_pointer_type && has &&
	    dwarf_tag(&under) == DW_TAG_subroutine_type)
		return xprintf("%.*s(*)()", (int)strlen(to) - 2, to);
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
		return xprintf("%s%s", to, to[strlen(to) - 1] == '*' ? "*" : " *");
	case DW_TAG_reference_type:
		return xprintf("%s &", to);
	case DW_TAG_rvalue_reference_type:
		return xprintf("%s &&", to);
	case DW_TAG_const_type:
		return xprintf("const %s", to);
	case DW_TAG_volatile_type:
		return xprintf("volatile %s", to);
	case DW_TAG_atomic_type:
		return xprintf("_Atomic %s", to);
	case DW_TAG_subroutine_type:
		return xprintf("%s ()", to);
	}
	return to;
}

const char *type_text(Dwarf_Die *type) { return text_of(type, 0); }
const char *array_text(Dwarf_Die *array, int skip) { return array_of(array, skip, 0); }

const char *ctype_key(const struct ctype *t)
{
	Dwarf_Die die;
	if (!t)
		return "";
	die = t->die;
	return xprintf("%s:%llx:%d:%d", t->mod->path, (unsigned long long)dwarf_dieoffset(&die),
		       t->dim, t->stars);
}
