/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enumerations with data (DW_TAG_variant_part, DWARF 5, section 5.7.10): Rust's enum, Option and
 * Result. The value of one member selects the variant that is present.
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

static void operation(aop_vec *ops, enum aop_kind kind, int64_t a, unsigned size)
{
	vec_push(ops, ((struct aop){.kind = kind, .a = a, .size = (uint8_t)size}));
}

/* Which variant it is: the value of the discriminant, of SIZE bytes; 0 for a variant without
 * one. */
static bool discriminant(struct module *m, Dwarf_Die *part, struct shape *s, uint64_t *size)
{
	Dwarf_Attribute a;
	Dwarf_Die die;
	struct member mb = {0};
	aop_vec ops = {0};

	*size = 8;
	if (!dwarf_attr(part, DW_AT_discr, &a)) {
		operation(&ops, A_CONST, 0, 0);
	} else {
		if (!dwarf_formref_die(&a, &die) || !member_place(m, &die, &mb) || mb.bits ||
		    !type_size(m, &mb.type, size) || !is_load_size(*size))
			return false;
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

const struct shape *variant_shape(struct plan *plan, Dwarf_Die *type, int level)
{
	struct variants v = {.plan = plan, .level = level};
	Dwarf_Die part, die;
	aop_vec self = {0};

	if (plan->nested >= PLAN_NESTED || !plan->left || !variant_part(type, &part) ||
	    dwarf_child(&part, &die) != 0)
		return NULL;
	v.s = xalloc(sizeof *v.s);
	v.s->kind = SHAPE_VARIANT;
	if (!discriminant(plan->m, &part, v.s, &v.size))
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
