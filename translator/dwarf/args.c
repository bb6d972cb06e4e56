/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a caller puts arguments: System V psABI for AMD64, section 3.2.3, as
 * far as C and C++ need it for scalars and for structs passed in memory.
 *
 * It is needed because debug information describes some parameters only by the
 * stack slot that the prologue copies them to: all of unoptimised code, and in
 * optimised code those whose address is taken.  At the entry that slot holds rubbish.
 */
#include "dwarf.h"

enum arg_class { ARG_INTEGER, ARG_SSE, ARG_MEMORY, ARG_UNKNOWN };
#define SSE_REGS 8

/* What the arguments so far have taken. */
struct taken { int regs, sse; int64_t stack; };

static bool is_c(Dwarf_Die *func, bool *cxx)
{
	Dwarf_Die cu;
	*cxx = false;
	if (!dwarf_diecu(func, &cu, NULL, NULL))
		return false;
	switch (dwarf_srclang(&cu)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c:                               /* DW_LANG_C17, not in every dwarf.h */
	case 0x3e:                               /* DW_LANG_C23 */
		return true;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a:                               /* DW_LANG_C_plus_plus_17 */
	case 0x2b:                               /* DW_LANG_C_plus_plus_20 */
	case 0x3a:                               /* DW_LANG_C_plus_plus_23 */
		*cxx = true;
		return true;
	}
	return false;
}

static enum arg_class class_of_struct(Dwarf_Die *type, uint64_t size, bool cxx)
{
	Dwarf_Attribute a;
	Dwarf_Word how = 0;
	if (dwarf_attr(type, DW_AT_calling_convention, &a))
		dwarf_formudata(&a, &how);
	if (how == DW_CC_pass_by_reference)
		return ARG_INTEGER;
	/* up to 16 bytes it depends on each member; older C++ does not say how it is passed */
	if (size <= 16 || (cxx && how != DW_CC_pass_by_value) ||
	    dwarf_hasattr(type, DW_AT_alignment))
		return ARG_UNKNOWN;
	return ARG_MEMORY;
}

static enum arg_class class_of(struct module *m, Dwarf_Die *type, bool cxx, uint64_t *size)
{
	Dwarf_Attribute a;
	Dwarf_Word enc;
	Dwarf_Die t;
	if (!type_peel(m, type, &t) || !type_size(m, &t, size))
		return ARG_UNKNOWN;
	if (type_is_struct(&t))
		return class_of_struct(&t, *size, cxx);
	switch (dwarf_tag(&t)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_enumeration_type:
		return *size <= 8 ? ARG_INTEGER : ARG_UNKNOWN;
	case DW_TAG_base_type:
		break;
	default:
		return ARG_UNKNOWN;
	}
	if (*size > 8 || !dwarf_attr(&t, DW_AT_encoding, &a) || dwarf_formudata(&a, &enc) != 0)
		return ARG_UNKNOWN;
	return enc == DW_ATE_float || enc == DW_ATE_decimal_float ? ARG_SSE
	       : enc == DW_ATE_complex_float			  ? ARG_UNKNOWN
								  : ARG_INTEGER;
}

/* Account for one argument: its register in *REG, or -1 and its offset from the
 * frame's CFA in *OFF. */
static void take(struct taken *t, enum arg_class class, uint64_t size, int *reg, int64_t *off)
{
	const struct arch *arch = arch_host();
	*reg = -1;
	*off = t->stack;
	if (class == ARG_INTEGER && t->regs < arch->narg_regs)
		*reg = arch->arg_regs[t->regs++];
	else if (class == ARG_SSE && t->sse < SSE_REGS)
		t->sse++;
	else
		t->stack += (int64_t)(size + 7) & ~7;
}

/* Does the caller pass a hidden pointer to where the result goes? */
static bool returns_in_memory(struct module *m, Dwarf_Die *func)
{
	const Dwarf_Op *ops;
	int n = dwfl_module_return_value_location(m->mod, func, &ops);
	return n == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31;
}

/* Go through the parameters of FUNC up to UPTO, whose class and place it returns, or all;
 * ARG_UNKNOWN if one of them is. */
static enum arg_class walk_arguments(struct module *m, Dwarf_Die *func, Dwarf_Die *upto, int *reg,
			   int64_t *off)
{
	struct taken t = {.regs = returns_in_memory(m, func)};
	Dwarf_Die p, type;
	bool cxx;
	enum arg_class class = upto ? ARG_UNKNOWN : ARG_INTEGER;
	if (!is_c(func, &cxx))
		return ARG_UNKNOWN;
	if (dwarf_child(func, &p) != 0)
		return class;
	do {
		uint64_t size = 8;
		if (dwarf_tag(&p) != DW_TAG_formal_parameter)
			continue;
		class = die_type(&p, &type) ? class_of(m, &type, cxx, &size) : ARG_UNKNOWN;
		if (class == ARG_UNKNOWN)
			return ARG_UNKNOWN;
		take(&t, class, size, reg, off);
		if (upto && dwarf_dieoffset(&p) == dwarf_dieoffset(upto))
			return class;
	} while (dwarf_siblingof(&p, &p) == 0);
	return upto ? ARG_UNKNOWN : class;
}

bool arguments_known(struct module *m, Dwarf_Die *func)
{
	int reg;
	int64_t off;
	return walk_arguments(m, func, NULL, &reg, &off) != ARG_UNKNOWN;
}

bool place_of_argument(struct context *c, Dwarf_Die *param, struct place *out)
{
	struct piece p = {.kind = P_VALUE};
	int reg = -1;
	int64_t off = 0;
	enum arg_class class = walk_arguments(c->mod, c->func, param, &reg, &off);
	if (class == ARG_SSE)
		return context_fail(c, E_BAD_ACCESS,
				    "is a floating-point number in a register that probes do not save");
	if (class == ARG_UNKNOWN)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is passed in a way that the debug information does not tell "
				    "at the function's entry");
	if (reg >= 0) {
		push_op(&p.ops, A_REG, reg);
	} else {
		p.kind = P_MEMORY;
		if (!push_cfa(c, &p.ops))
			return false;
		push_add(&p.ops, off);
	}
	vec_push(&out->pieces, p);
	return true;
}

/* Is the frame base the CFA, which holds from the first instruction on?  A
 * register is only one after the prologue has set it. */
static bool frame_is_cfa(struct context *c)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	return dwarf_attr_integrate(c->func, DW_AT_frame_base, &a) &&
	       dwarf_getlocation_addr(&a, c->pc, &ops, &n, 1) == 1 && n == 1 &&
	       (ops[0].atom == DW_OP_call_frame_cfa || dwarf_whatform(&a) == DW_FORM_sec_offset ||
		dwarf_whatform(&a) == DW_FORM_loclistx || dwarf_whatform(&a) == DW_FORM_data4);
}

bool argument_unstored(struct context *c, Dwarf_Die *die, Dwarf_Attribute *a)
{
	Dwarf_Op *ops;
	size_t n;
	if (dwarf_tag(die) != DW_TAG_formal_parameter || !c->func)
		return false;
	/* a single expression for all of the function, by the frame or by a register */
	if (dwarf_getlocation(a, &ops, &n) != 0 || n == 0)
		return false;
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		return true;
	return ops[0].atom == DW_OP_fbreg &&
	       ((Dwarf_Sword)ops[0].number < 0 || !frame_is_cfa(c));
}
