/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return locations of structs, tuples and enums in Rust.
 *
 * The ABI is not a promise, but these rules have held from Rust 1.48 to 1.95: a type larger than
 * two words is in memory, as C returns it; a value of one or two scalar parts is in one or two
 * registers; any other type that fits into one word is in a register. Between one word and two,
 * versions differ, so that is refused.
 */
#include "values.h"

enum { WORD = 8, MAX_DEPTH = 32, MOST_PARTS = 3 };

struct part {
	uint64_t off, size;
	bool is_float;
};
struct parts {
	struct part v[MOST_PARTS];
	unsigned n;
	bool floats, unknown;
};

static void add_type(struct module *m, Dwarf_Die *type, uint64_t off, struct parts *out, int depth);

/* Variants of an enum share parts. */
static void add_part(struct parts *out, uint64_t off, uint64_t size, bool is_float)
{
	out->floats |= is_float;
	for (unsigned i = 0; i < out->n; i++)
		if (out->v[i].off == off && out->v[i].size == size &&
		    out->v[i].is_float == is_float)
			return;
	if (out->n < MOST_PARTS)
		out->v[out->n++] = (struct part){off, size, is_float};
}

static void add_members(struct module *m, Dwarf_Die *type, uint64_t off, struct parts *out,
			int depth)
{
	Dwarf_Die die;
	struct member mb = {0};
	int tag;

	if (depth > MAX_DEPTH) {
		out->unknown = true;
		return;
	}
	if (dwarf_child(type, &die) != 0)
		return;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_variant_part || tag == DW_TAG_variant)
			add_members(m, &die, off, out, depth + 1);
		else if (tag == DW_TAG_member && member_place(m, &die, &mb))
			add_type(m, &mb.type, off + mb.bit_off / 8, out, depth + 1);
		else
			out->unknown |= tag == DW_TAG_member;
	} while (die_sibling(&die, &die) == 0);
}

static void add_type(struct module *m, Dwarf_Die *type, uint64_t off, struct parts *out, int depth)
{
	Dwarf_Die t;
	uint64_t size;

	if (!type_peel(m, type, &t) || !type_size(m, &t, &size)) {
		out->unknown = true;
		return;
	}
	switch (dwarf_tag(&t)) {
	case DW_TAG_structure_type:
		add_members(m, &t, off, out, depth);
		break;
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_enumeration_type:
		if (size)
			add_part(out, off, size, type_float_encoding(&t) != 0);
		break;
	default:
		out->unknown |= size != 0;
	}
}

static void push_part(struct place *out, const struct part *part, int *ints, int *floats)
{
	const struct convention *conv = arch_target()->convention;
	struct piece p = {.kind = P_VALUE, .bits = part->size * 8};

	if (part->is_float)
		push_op(&p.ops, A_VECTOR, 2 * (*floats)++);
	else
		push_op(&p.ops, A_REG, conv->result_regs[(*ints)++]);
	vec_push(&out->pieces, p);
}

static void push_gap(struct place *out, uint64_t bytes)
{
	if (bytes)
		vec_push(&out->pieces, ((struct piece){.kind = P_NONE, .bits = bytes * 8}));
}

/* One or two parts, in the order of their offsets;
 * false: they overlap, so that the value is not a pair. */
static bool push_parts(const struct parts *parts, uint64_t size, struct place *out)
{
	bool swap = parts->n == 2 && parts->v[1].off < parts->v[0].off;
	uint64_t at = 0;
	int ints = 0, floats = 0;

	if (parts->n == 2 && parts->v[!swap].off < parts->v[swap].off + parts->v[swap].size)
		return false;
	for (unsigned i = 0; i < parts->n; i++) {
		const struct part *part = &parts->v[swap ? 1 - i : i];

		push_gap(out, part->off - at);
		push_part(out, part, &ints, &floats);
		at = part->off + part->size;
	}
	push_gap(out, size - at);
	return true;
}

bool place_of_rust_return(struct context *c, Dwarf_Die *type, struct place *out)
{
	struct parts parts = {0};
	struct piece p = {.kind = P_VALUE};
	uint64_t size;

	if (!type_size(c->mod, type, &size))
		return context_fail(c, E_UNSUPPORTED,
				    "is of a type whose return location is not known");
	if (!size)
		return context_fail(c, E_BAD_ACCESS, "is empty");
	if (size > 2 * WORD)
		return push_result_address(c, out);
	add_type(c->mod, type, 0, &parts, 0);
	if (!parts.unknown && parts.n && parts.n < MOST_PARTS && push_parts(&parts, size, out))
		return true;
	if (parts.unknown || parts.floats || size > WORD)
		return context_fail(c, E_UNSUPPORTED,
				    "is returned in a way that differs between versions of Rust");
	push_op(&p.ops, A_REG, arch_target()->convention->result_regs[0]);
	vec_push(&out->pieces, p);
	return true;
}
