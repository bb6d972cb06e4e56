/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location of a variable or parameter at an address. */
#include "values.h"
#include "arch/arch.h"

/* A constant that the compiler put in place of the variable. */
static bool place_of_constant(struct context *c, Dwarf_Die *die, Dwarf_Attribute *a,
			      struct place *out)
{
	struct piece p = {.kind = P_VALUE};
	Dwarf_Block b;
	int64_t value;
	if (die_constant(die, &value)) {
		push_op(&p.ops, A_CONST, value);
	} else if (dwarf_formblock(a, &b) == 0) {
		p.kind = P_BYTES;
		p.bytes = b.data;
		p.nbytes = b.length;
	} else {
		return context_fail(c, E_UNSUPPORTED, "is a constant of an unknown form");
	}
	vec_push(&out->pieces, p);
	return true;
}

/* Where the function is entered: compilers that count the lines of
 * one instruction ("views") give a range without bytes there to what
 * the very first of them sees, which is what the caller passed. */
static bool at_first_view(struct context *c, Dwarf_Attribute *a, Dwarf_Op **ops, size_t *n)
{
	Dwarf_Addr base, lo, hi, entry;
	if (!c->frame || dwarf_entrypc(c->frame, &entry) != 0 || entry != c->pc)
		return false;
	for (ptrdiff_t at = 0; (at = die_locations(a, at, &base, &lo, &hi, ops, n)) > 0;)
		if (lo == hi && lo == c->pc && *n)
			return true;
	return false;
}

/* The location A at c->pc; clang's lists begin behind the endbr64 of a function, where nothing has
 * changed yet. */
static bool location_at(const struct context *c, Dwarf_Attribute *a, Dwarf_Op **ops, size_t *n)
{
	const unsigned char *code;
	size_t len, skip = 0;
	if (die_location_at(a, c->pc, ops, n) == 1 && *n)
		return true;
	if (c->at_entry && (code = module_bytes(c->mod, c->pc, &len)))
		skip = arch_target()->entry_skip(code, len);
	return skip && die_location_at(a, c->pc + skip, ops, n) == 1 && *n;
}

bool place_of_variable(struct context *c, Dwarf_Die *die, struct place *out)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	if (dwarf_attr_integrate(die, DW_AT_const_value, &a))
		return place_of_constant(c, die, &a, out);
	if (!die_location(die, DW_AT_location, &a))
		return c->mod->of_btf && c->at_entry
			       ? place_of_argument(c, die, out)
			       : context_fail(c, E_OPTIMIZED_OUT, "was optimised out");
	if (go_is_result(die) && c->go_abi)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is a result, known only when the function returns");
	if (c->go_abi && dwarf_tag(die) == DW_TAG_formal_parameter)
		return place_of_go_value(c, die, out);
	if (argument_is_unsure(c, die))
		return context_fail(c, E_OPTIMIZED_OUT,
				    "has a location that Go's compiler may not have written");
	if (c->at_entry && argument_is_unstored(c, die, &a))
		return place_of_argument(c, die, out);
	if (!at_first_view(c, &a, &ops, &n) && !location_at(c, &a, &ops, &n))
		return context_fail(c, E_OPTIMIZED_OUT, "was optimised out at this address");
	return place_from_ops(c, &a, ops, n, out);
}
