/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locations of arguments at a function's entry, by the architecture's calling convention, as far as
 * C and C++ need it.
 *
 * They are needed because debug information describes some parameters only by the stack slot that
 * the prologue copies them to: all of unoptimised code, and in optimised code those whose address
 * is taken. At the entry that slot is not yet written.
 */
#include "values.h"
#include "arch/arch.h"

/* Registers and bytes of stack that the arguments so far occupy. */
struct taken {
	int regs, vectors;
	int64_t stack;
};

/* Where one argument is: registers for its parts, or at OFF from the frame's CFA. */
struct where {
	struct abi abi;
	bool in_memory;
	int reg[ABI_PARTS];
	int64_t off;
};

static int count(const struct abi *abi, enum abi_class class)
{
	int n = 0;

	for (int i = 0; i < ABI_PARTS; i++)
		n += abi->part[i] == class;
	return n;
}

/* Does it get registers?  Those that it leaves may be lost for others. */
static bool takes_registers(struct taken *t, const struct abi *abi)
{
	const struct convention *conv = arch_target()->convention;
	int regs = count(abi, ABI_INTEGER), vectors = count(abi, ABI_VECTOR);

	if (abi->part[0] == ABI_MEMORY || count(abi, ABI_UNSAVED))
		return false;
	if (conv->even_pairs && regs && abi->align > 8)
		t->regs += t->regs & 1;
	if (t->regs + regs <= conv->narg_regs && t->vectors + vectors <= conv->nvector_args)
		return true;
	if (conv->overflow_ends_registers && regs)
		t->regs = conv->narg_regs;
	if (conv->overflow_ends_registers && vectors)
		t->vectors = conv->nvector_args;
	return false;
}

/* Account for one argument. */
static void take(struct taken *t, struct where *w)
{
	const struct convention *conv = arch_target()->convention;

	w->in_memory = !takes_registers(t, &w->abi);
	if (w->in_memory) {
		if (w->abi.align > 8)
			t->stack = (t->stack + 15) & ~15;
		w->off = t->stack;
		t->stack += (int64_t)(w->abi.size + 7) & ~7;
		return;
	}
	for (int i = 0; i < ABI_PARTS; i++)
		if (w->abi.part[i] != ABI_NONE)
			w->reg[i] = w->abi.part[i] == ABI_VECTOR ? t->vectors++
								 : conv->arg_regs[t->regs++];
}

/* Does the caller pass a hidden pointer to where the result goes?  False: that is not known. */
static bool hidden_pointer(struct module *m, Dwarf_Die *func, bool cxx, int *n)
{
	Dwarf_Die type;
	struct abi abi;

	*n = 0;
	if (!die_type(func, &type) || !type_peel(m, &type, &type))
		return true;
	abi = abi_of_type(m, &type, cxx);
	*n = arch_target()->convention->result_address_is_argument &&
	     (abi.part[0] == ABI_MEMORY || abi.reference);
	return abi.part[0] != ABI_UNKNOWN;
}

/* Go through the parameters of FUNC up to UPTO, or all; false if the place of one is not known. */
static bool walk_arguments(struct module *m, Dwarf_Die *func, Dwarf_Die *upto, struct where *w)
{
	enum abi_language language = abi_language(func);
	bool cxx = language == LANGUAGE_CXX;
	struct taken t = {0};
	Dwarf_Die p, type;
	Dwarf_Attribute a;
	Dwarf_Word how;

	if ((language != LANGUAGE_C && !cxx) || !hidden_pointer(m, func, cxx, &t.regs))
		return false;
	/* clang marks functions whose callers know more than the ABI */
	if (dwarf_attr_integrate(func, DW_AT_calling_convention, &a) &&
	    dwarf_formudata(&a, &how) == 0 && how != DW_CC_normal)
		return false;
	if (dwarf_child(func, &p) != 0)
		return !upto;
	do {
		if (dwarf_tag(&p) != DW_TAG_formal_parameter)
			continue;
		*w = (struct where){0};
		if (!die_type(&p, &type))
			return false;
		w->abi = abi_of_type(m, &type, cxx);
		if (w->abi.part[0] == ABI_UNKNOWN)
			return false;
		take(&t, w);
		if (upto && dwarf_dieoffset(&p) == dwarf_dieoffset(upto))
			return true;
	} while (die_sibling(&p, &p) == 0);
	return !upto;
}

bool arguments_known(struct module *m, Dwarf_Die *func)
{
	struct where w;
	return walk_arguments(m, func, NULL, &w);
}

unsigned argument_words(const struct function *f)
{
	unsigned n = 0;
	Dwarf_Die p, type;

	if (!f->die || dwarf_child(f->die, &p) != 0)
		return 0;
	do
		if (dwarf_tag(&p) == DW_TAG_formal_parameter && die_type(&p, &type))
			n += (unsigned)((abi_of_type(f->mod, &type, false).size + 7) / 8);
	while (die_sibling(&p, &p) == 0);
	return n;
}

static void push_registers(const struct where *w, struct place *out)
{
	unsigned bits = abi_part_bits(&w->abi);

	for (int i = 0; i < ABI_PARTS && w->abi.part[i] != ABI_NONE; i++) {
		struct piece p = {.kind = w->abi.reference ? P_MEMORY : P_VALUE, .bits = bits};

		if (w->abi.part[i] == ABI_VECTOR) {
			push_vector_part(bits, w->reg[i], out);
			continue;
		}
		push_op(&p.ops, A_REG, w->reg[i]);
		vec_push(&out->pieces, p);
	}
}

bool place_of_argument(struct context *c, Dwarf_Die *param, struct place *out)
{
	struct where w = {0};
	struct piece p = {.kind = P_MEMORY};
	if (c->changed & CHANGED_ARGUMENTS || !walk_arguments(c->mod, c->func, param, &w))
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is passed in a way that the debug information does not "
				    "describe at the function's entry");
	if (!w.in_memory && w.abi.part[0] == ABI_NONE)
		return context_fail(c, E_BAD_ACCESS, "is empty");
	if (!w.in_memory) {
		push_registers(&w, out);
		return true;
	}
	if (!push_cfa(c, &p.ops))
		return false;
	push_add(&p.ops, w.off);
	if (w.abi.reference)
		vec_push(&p.ops, ((struct aop){.kind = A_DEREF, .size = 8}));
	vec_push(&out->pieces, p);
	return true;
}

/* The expression for all of the function; false if there is a list, or none. */
static bool is_cfa_alone(Dwarf_Attribute *a)
{
	Dwarf_Block b;
	return dwarf_formblock(a, &b) == 0 && b.length == 1 && b.data[0] == DW_OP_call_frame_cfa;
}

bool frame_is_cfa(Dwarf_Die *func)
{
	Dwarf_Attribute a;
	return die_location(func, DW_AT_frame_base, &a) &&
	       (is_cfa_alone(&a) || dwarf_whatform(&a) == DW_FORM_sec_offset ||
		dwarf_whatform(&a) == DW_FORM_loclistx || dwarf_whatform(&a) == DW_FORM_data4);
}

static bool has_list(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	return die_location(die, DW_AT_location, &a) && dwarf_whatform(&a) != DW_FORM_exprloc;
}

/* Where Go's compiler describes parameters in registers by lists
 * of places, others are where the caller puts them; where it makes
 * no lists, all seem to be in memory that it need not have filled. */
bool argument_is_unsure(struct context *c, Dwarf_Die *die)
{
	Dwarf_Die p;
	if (dwarf_tag(die) != DW_TAG_formal_parameter || !c->func ||
	    abi_language(c->func) != LANGUAGE_GO || has_list(die) || dwarf_child(c->func, &p) != 0)
		return false;
	do {
		if (dwarf_tag(&p) == DW_TAG_formal_parameter && has_list(&p))
			return false;
	} while (die_sibling(&p, &p) == 0);
	return true;
}

bool argument_is_unstored(struct context *c, Dwarf_Die *die, Dwarf_Attribute *a)
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
	       ((Dwarf_Sword)ops[0].number < 0 || !frame_is_cfa(c->func));
}
