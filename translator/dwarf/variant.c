/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variants (DW_TAG_variant_part, DWARF 5, section 5.7.10). The value of one member selects the
 * variant that is present. Enumerations with data, as Rust's Option and Result, are nothing but
 * their variants; records of Ada have other members, too.
 */
#include <string.h>

#include "values.h"

/* The one variant part of TYPE. */
static bool variant_part(Dwarf_Die *type, Dwarf_Die *out)
{
	if (dwarf_child(type, out) != 0)
		return false;
	do {
		if (dwarf_tag(out) == DW_TAG_variant_part)
			return true;
	} while (die_sibling(out, out) == 0);
	return false;
}

bool has_variants(Dwarf_Die *type)
{
	Dwarf_Die part;
	return variant_part(type, &part);
}

static void operation(aop_vec *ops, enum aop_kind kind, int64_t a, unsigned size)
{
	vec_push(ops, ((struct aop){.kind = kind, .a = a, .size = (uint8_t)size}));
}

/* Which variant it is: the value of the discriminant, of SIZE bytes, and whether it is signed; 0
 * for a variant without one. */
static bool discriminant(struct module *m, Dwarf_Die *part, struct shape *s, uint64_t *size,
			 bool *sign)
{
	Dwarf_Attribute a;
	Dwarf_Die die;
	struct member mb = {0};
	aop_vec ops = {0};

	*size = 8;
	*sign = true;
	if (!dwarf_attr(part, DW_AT_discr, &a)) {
		operation(&ops, A_CONST, 0, 0);
	} else {
		if (!dwarf_formref_die(&a, &die) || !member_place(m, &die, &mb) || mb.bits ||
		    !type_peel(m, &mb.type, &mb.type) || !type_size(m, &mb.type, size) ||
		    !is_load_size(*size))
			return false;
		*sign = type_is_signed(&mb.type);
		operation(&ops, A_INDEX, OPERAND_SELF, 0);
		operation(&ops, A_CONST, (int64_t)(mb.bit_off / 8), 0);
		operation(&ops, A_ADD, 0, 0);
		operation(&ops, A_DEREF, 0, (unsigned)*size);
	}
	s->parts[PART_COUNT] = (struct shape_ops){ops.v, ops.n};
	return true;
}

struct variants {
	struct plan *plan;
	struct shape *s;
	uint64_t size;
	int level;
	bool has_default;
	struct shape_member other;
};

/* The shape of a variant's contents, one level of which is shown as part of the value. */
static const struct shape *payload(struct variants *v, Dwarf_Die *type)
{
	struct ctype t = {v->plan->m, *type, 0, 0};
	const struct shape *shape;
	int level = v->level >= v->plan->most ? v->plan->most - 1 : v->level;

	v->plan->nested++;
	shape = ctype_shape(v->plan, &t, level);
	v->plan->nested--;
	return shape;
}

static void add_variant(struct variants *v, Dwarf_Die *variant)
{
	struct shape_member m = {0};
	struct shape_name value = {0};
	struct member mb = {0};
	Dwarf_Attribute a;
	Dwarf_Die die;
	Dwarf_Sword discr = 0;

	if (dwarf_child(variant, &die) != 0 || dwarf_tag(&die) != DW_TAG_member ||
	    !dwarf_diename(&die) || !member_place(v->plan->m, &die, &mb))
		return;
	m.name = dwarf_diename(&die);
	m.bit_off = mb.bit_off;
	m.shape = payload(v, &mb.type);
	if (!dwarf_attr(variant, DW_AT_discr_value, &a)) {
		v->has_default = true;
		v->other = m;
		return;
	}
	if (dwarf_formsdata(&a, &discr) != 0)
		return;
	value = (struct shape_name){m.name,
				    v->size < 8 ? discr & ((1ll << v->size * 8) - 1) : discr};
	vec_push(&v->s->members, m);
	vec_push(&v->s->names, value);
}

/* -------------------------------------------------------------------- records */

/* A struct of the members of TYPE and of its VARIANT, which may be NULL. */
static const struct shape *record_with(struct plan *plan, Dwarf_Die *type, Dwarf_Die *variant,
				       int level)
{
	struct shape *s = xalloc(sizeof *s);
	Dwarf_Die inner;

	s->kind = SHAPE_STRUCT;
	/* variants of a variant */
	s->cut = variant && variant_part(variant, &inner);
	shape_add_members(plan, s, type, type, level);
	if (variant)
		shape_add_members(plan, s, type, variant, level);
	return s;
}

/* Values of a discriminant that are known apart; a file may say more. */
enum { MOST_VALUES = 256 };

/* A value of the discriminant that means SHAPE. */
static void add_value(struct shape *s, int64_t value, uint64_t size, const struct shape *shape)
{
	if (size < 8)
		value &= (1ll << size * 8) - 1;
	vec_push(&s->members, ((struct shape_member){.shape = shape}));
	vec_push(&s->names, ((struct shape_name){"", value}));
}

/* Read a number at *P, before END, and step over it; false: it is cut or too large. */
static bool leb128_read(const unsigned char **p, const unsigned char *end, bool sign,
			int64_t *value)
{
	uint64_t v = 0;
	unsigned shift = 0;
	unsigned char c;

	do {
		if (*p == end || shift > 63)
			return false;
		c = *(*p)++;
		v |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80);
	if (sign && c & 0x40 && shift < 64)
		v |= ~0ull << shift;
	*value = (int64_t)v;
	return true;
}

/* The values in the list A, which begin as DW_DSC_ says, mean SHAPE; false: they are too many. */
static bool add_values(struct shape *s, Dwarf_Attribute *a, bool sign, uint64_t size,
		       const struct shape *shape)
{
	const unsigned char *p, *end;
	Dwarf_Block b;

	if (dwarf_formblock(a, &b) != 0)
		return false;
	for (p = b.data, end = p + b.length; p < end;) {
		bool range = *p++ == DW_DSC_range;
		int64_t lo, hi;

		if (!leb128_read(&p, end, sign, &lo) || (range && !leb128_read(&p, end, sign, &hi)))
			return false;
		if (!range)
			hi = lo;
		if (hi < lo)
			continue;
		if (s->names.n >= MOST_VALUES ||
		    (uint64_t)hi - (uint64_t)lo >= MOST_VALUES - s->names.n)
			return false;
		for (uint64_t n = (uint64_t)hi - (uint64_t)lo + 1; n; n--)
			add_value(s, lo++, size, shape);
	}
	return true;
}

/* A struct with further members that depend on one of them. */
static const struct shape *record(struct plan *plan, Dwarf_Die *type, Dwarf_Die *part, int level)
{
	struct shape *s = xalloc(sizeof *s);
	const struct shape *other = NULL, *shape;
	aop_vec self = {0};
	Dwarf_Attribute a;
	Dwarf_Die die;
	Dwarf_Sword value;
	uint64_t size;
	bool sign;

	if (level >= plan->most || !dwarf_hasattr(part, DW_AT_discr) ||
	    !discriminant(plan->m, part, s, &size, &sign) || dwarf_child(part, &die) != 0)
		return NULL;
	s->kind = SHAPE_VARIANT;
	s->cut = true; /* the last one is for all other values */
	operation(&self, A_INDEX, OPERAND_SELF, 0);
	s->parts[PART_VALUE] = (struct shape_ops){self.v, self.n};
	do {
		if (!plan->left || dwarf_tag(&die) != DW_TAG_variant)
			continue;
		shape = record_with(plan, type, &die, level);
		if (dwarf_attr(&die, DW_AT_discr_list, &a)) {
			if (!add_values(s, &a, sign, size, shape))
				return NULL;
		} else if (!dwarf_attr(&die, DW_AT_discr_value, &a)) {
			other = shape;
		} else if (dwarf_formsdata(&a, &value) == 0) {
			add_value(s, value, size, shape);
		}
	} while (die_sibling(&die, &die) == 0);
	add_value(s, 0, size, other ? other : record_with(plan, type, NULL, level));
	return plan->left && s->names.n <= MOST_VALUES ? s : NULL;
}

/* Does the struct TYPE have members outside of its variants? */
static bool has_own_members(Dwarf_Die *type)
{
	Dwarf_Die die;

	if (dwarf_child(type, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_member)
			return true;
	} while (die_sibling(&die, &die) == 0);
	return false;
}

const struct shape *variant_shape(struct plan *plan, Dwarf_Die *type, int level)
{
	struct variants v = {.plan = plan, .level = level};
	Dwarf_Die part, die;
	aop_vec self = {0};
	bool sign;

	if (plan->nested >= PLAN_NESTED || !plan->left || !variant_part(type, &part) ||
	    dwarf_child(&part, &die) != 0)
		return NULL;
	if (has_own_members(type))
		return record(plan, type, &part, level);
	v.s = xalloc(sizeof *v.s);
	v.s->kind = SHAPE_VARIANT;
	if (!discriminant(plan->m, &part, v.s, &v.size, &sign))
		return NULL;
	plan->left--;
	operation(&self, A_INDEX, OPERAND_SELF, 0);
	v.s->parts[PART_VALUE] = (struct shape_ops){self.v, self.n};
	do {
		if (dwarf_tag(&die) == DW_TAG_variant)
			add_variant(&v, &die);
	} while (plan->left && die_sibling(&die, &die) == 0);
	if (v.has_default) {
		vec_push(&v.s->members, v.other);
		vec_push(&v.s->names, ((struct shape_name){v.other.name, 0}));
	}
	v.s->cut = v.has_default;
	return v.s->members.n ? v.s : NULL;
}
