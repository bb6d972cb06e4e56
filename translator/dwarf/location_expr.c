/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compilation of DWARF location expressions (DWARF 5, sections 2.5 and 2.6) to operations of struct
 * aop. The frame base and the canonical frame address are expanded at the probe's address, so that
 * the result needs only registers and memory.
 */
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "arch/arch.h"

static void push_sized(aop_vec *v, enum aop_kind kind, unsigned size, bool sign)
{
	vec_push(v, ((struct aop){.kind = kind, .size = (uint8_t)size, .sign = sign}));
}

bool push_register(struct context *c, aop_vec *out, uint64_t reg)
{
	const struct arch *arch = arch_target();
	if (c->callee)
		return push_caller_register(c, out, reg);
	int vector = reg > 1000 ? -1 : arch->vector_reg((int)reg);
	if (vector >= 0) {
		push_op(out, A_VECTOR, 2 * vector);
		return true;
	}
	if (reg > 1000 || !arch->reg_expr((int)reg))
		return context_fail(c, E_BAD_ACCESS, "is in a register that probes do not save");
	push_op(out, A_REG, (int64_t)reg);
	return true;
}

/* ------------------------------------------------------- frame base and CFA */

static bool push_cfa_by(struct context *c, Dwarf_CFI *cfi, aop_vec *out)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	if (!cfi || dwarf_cfi_addrframe(cfi, c->pc, &frame) != 0)
		return false;
	c->in_cfi = true;
	bool ok = dwarf_frame_cfa(frame, &ops, &n) == 0 && n && push_expr(c, NULL, ops, n, out);
	c->in_cfi = false;
	free(frame);
	return ok;
}

bool push_cfa(struct context *c, aop_vec *out)
{
	Dwarf_Addr bias;
	size_t before = out->n;
	if (c->in_cfi)
		return context_fail(c, E_BAD_ELF, "has a frame rule that refers to itself");
	if (push_cfa_by(c, dwfl_module_eh_cfi(c->mod->mod, &bias), out))
		return true;
	out->n = before;
	if (push_cfa_by(c, dwfl_module_dwarf_cfi(c->mod->mod, &bias), out))
		return true;
	if (c->at_entry && c->mod->is_kernel) {
		push_op(out, A_REG, arch_target()->sp_reg);
		push_add(out, arch_target()->convention->call_pushes);
		return true;
	}
	return context_fail(
		c, E_NO_DEBUGINFO,
		"needs unwind information (.eh_frame), which this address does not have");
}

static bool push_frame_base(struct context *c, aop_vec *out)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	if (!c->frame || !die_location(c->frame, DW_AT_frame_base, &a) ||
	    die_location_at(&a, c->pc, &ops, &n) < 1 || n == 0)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "needs a frame base, which is missing here");
	if (n == 1 && ops[0].atom == DW_OP_fbreg)
		return context_fail(c, E_BAD_ELF, "has a frame base that refers to itself");
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_register(c, out, ops[0].atom - DW_OP_reg0);
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == DW_OP_fbreg)
			return context_fail(c, E_BAD_ELF, "has a frame base that refers to itself");
	return push_expr(c, &a, ops, n, out);
}

/* -------------------------------------------------------------- expressions */

/* DWARF operations that are one operation of ours. */
static const struct {
	uint8_t atom;
	enum aop_kind kind;
} simple[] = {
	{DW_OP_dup, A_DUP},  {DW_OP_drop, A_DROP}, {DW_OP_over, A_OVER}, {DW_OP_swap, A_SWAP},
	{DW_OP_rot, A_ROT},  {DW_OP_and, A_AND},   {DW_OP_div, A_DIV},   {DW_OP_minus, A_SUB},
	{DW_OP_mod, A_MOD},  {DW_OP_mul, A_MUL},   {DW_OP_neg, A_NEG},   {DW_OP_not, A_NOT},
	{DW_OP_or, A_OR},    {DW_OP_plus, A_ADD},  {DW_OP_shl, A_SHL},   {DW_OP_shr, A_SHR},
	{DW_OP_shra, A_SRA}, {DW_OP_xor, A_XOR},   {DW_OP_eq, A_EQ},     {DW_OP_ge, A_GE},
	{DW_OP_gt, A_GT},    {DW_OP_le, A_LE},     {DW_OP_lt, A_LT},     {DW_OP_ne, A_NE},
};

static bool push_simple(const Dwarf_Op *op, aop_vec *out)
{
	for (size_t i = 0; i < ARRAY_LEN(simple); i++)
		if (simple[i].atom == op->atom) {
			push_op(out, simple[i].kind, 0);
			return true;
		}
	return false;
}

/* Literals; true if OP is one. */
static bool push_constant(const Dwarf_Op *op, aop_vec *out)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push_op(out, A_CONST, op->atom - DW_OP_lit0);
		return true;
	}
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		push_op(out, A_CONST, (int64_t)op->number);
		return true;
	}
	return false;
}

/* An index into .debug_addr. */
static bool push_indexed(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *op, bool address,
			 aop_vec *out)
{
	Dwarf_Attribute a;
	Dwarf_Addr addr;
	Dwarf_Word w;
	if (!attr || dwarf_getlocation_attr(attr, op, &a) != 0 ||
	    (address ? dwarf_formaddr(&a, &addr) : dwarf_formudata(&a, &w)) != 0)
		return context_fail(c, E_BAD_ELF, "has an address that cannot be read: %s",
				    dwarf_errmsg(-1));
	if (address)
		push_op(out, A_ADDR, (int64_t)addr);
	else
		push_op(out, A_CONST, (int64_t)w);
	return true;
}

/* The value that a register or an expression had when the function was entered: at the entry itself
 * it is the value it has, later what the caller says that it has passed. */
static bool push_entry_value(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *op,
			     aop_vec *out)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	if (!attr || dwarf_getlocation_attr(attr, op, &a) != 0 ||
	    dwarf_getlocation(&a, &ops, &n) != 0 || n == 0)
		return context_fail(c, E_BAD_ELF, "has an entry value that cannot be read");
	if (!c->at_entry || c->callee)
		return push_from_callers(c, ops, n, NULL, out);
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_register(c, out, ops[0].atom - DW_OP_reg0);
	return push_expr(c, &a, ops, n, out);
}

/* A parameter that is no longer passed. */
static bool push_parameter(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *op,
			   aop_vec *out)
{
	Dwarf_Die param;
	if (!attr || dwarf_getlocation_die(attr, op, &param) != 0)
		return context_fail(c, E_BAD_ELF, "has a location that refers to nothing");
	return push_from_callers(c, NULL, 0, &param, out);
}

/* Operations on values with a type: integers are cut to their size. */
static bool push_typed(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *op, aop_vec *out)
{
	Dwarf_Die type;
	Dwarf_Attribute a;
	Dwarf_Word enc;
	bool convert = op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert ||
		       op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
	if (convert && op->number == 0)
		return true; /* to the generic type */
	if (!attr || dwarf_getlocation_die(attr, op, &type) != 0 ||
	    !dwarf_attr(&type, DW_AT_encoding, &a) || dwarf_formudata(&a, &enc) != 0)
		return context_fail(c, E_BAD_ELF, "has a location with an unreadable type");
	int size = dwarf_bytesize(&type);
	if (enc == DW_ATE_float || (size != 1 && size != 2 && size != 4 && size != 8))
		return context_fail(c, E_BAD_ACCESS,
				    "is computed with floating-point or wide "
				    "values, which is not supported yet");
	bool sign = enc == DW_ATE_signed || enc == DW_ATE_signed_char;
	if (op->atom == DW_OP_regval_type || op->atom == DW_OP_GNU_regval_type) {
		if (!push_register(c, out, op->number))
			return false;
	} else if (!convert) {
		push_sized(out, A_DEREF, (unsigned)size, sign);
		return true;
	}
	if (size < 8)
		push_sized(out, A_EXT, (unsigned)size, sign);
	return true;
}

/* Number of values that OP takes from the expression's stack before it pushes one, or the depth
 * that it reads. */
static uint64_t operands_of(const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_plus_uconst:
	case DW_OP_deref:
	case DW_OP_deref_size:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return 1;
	case DW_OP_pick:
		return op->number < UINT64_MAX ? op->number + 1 : op->number;
	case DW_OP_rot:
		return 3;
	case DW_OP_over:
	case DW_OP_swap:
		return 2;
	case DW_OP_nop:
	case DW_OP_GNU_uninit:
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(simple); i++)
		if (simple[i].atom == op->atom)
			return 2;
	return 0;
}

/* Change of the number of values on the stack by OP. */
static int64_t growth_of(const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_drop:
		return -1;
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_pick:
		return 1;
	case DW_OP_swap:
	case DW_OP_rot:
	case DW_OP_nop:
	case DW_OP_GNU_uninit:
		return 0;
	}
	return 1 - (int64_t)operands_of(op);
}

/* More than any compiler writes: an expression describes where one variable is. */
#define MAX_OPERATIONS 1000

/* Account for OP in the depth of the stack; false: the expression takes more than there is, or has
 * no end. */
static bool operands_there(struct context *c, const Dwarf_Op *op, size_t index, uint64_t *depth)
{
	if (index >= MAX_OPERATIONS)
		return context_fail(c, E_BAD_ELF, "has a location of more than %d DWARF operations",
				    MAX_OPERATIONS);
	if (operands_of(op) > *depth)
		return context_fail(c, E_BAD_ELF,
				    "has a location whose DWARF operation 0x%x lacks an operand",
				    op->atom);
	*depth += (uint64_t)growth_of(op);
	return true;
}

/* The address of the object whose type has the expression. */
static bool push_object_address(struct context *c, aop_vec *out)
{
	if (!c->object)
		return context_fail(c, E_BAD_ACCESS, "needs the address of its object");
	for (size_t i = 0; i < c->object->n; i++)
		vec_push(out, c->object->v[i]);
	return true;
}

static bool push_unknown(struct context *c, const Dwarf_Op *op)
{
	return context_fail(c, E_UNSUPPORTED,
			    "has a location with DWARF operation 0x%x, which is not supported yet",
			    op->atom);
}

static bool push_other(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *op, aop_vec *out)
{
	switch (op->atom) {
	case DW_OP_nop:
	case DW_OP_GNU_uninit:
		return true;
	case DW_OP_addr:
		push_op(out, A_ADDR, (int64_t)op->number);
		return true;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return push_thread_local(c, out);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_indexed(c, attr, op, true, out);
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return push_indexed(c, attr, op, false, out);
	case DW_OP_fbreg:
		if (!push_frame_base(c, out))
			return false;
		push_add(out, (int64_t)op->number);
		return true;
	case DW_OP_bregx:
		if (!push_register(c, out, op->number))
			return false;
		push_add(out, (int64_t)op->number2);
		return true;
	case DW_OP_call_frame_cfa:
		return push_cfa(c, out);
	case DW_OP_push_object_address:
		return push_object_address(c, out);
	case DW_OP_plus_uconst:
		push_add(out, (int64_t)op->number);
		return true;
	case DW_OP_pick:
		push_op(out, A_PICK, (int64_t)op->number);
		return true;
	case DW_OP_deref:
		push_sized(out, A_DEREF, 8, false);
		return true;
	case DW_OP_deref_size:
		if (!is_load_size(op->number))
			return context_fail(c, E_BAD_ELF,
					    "has a location that reads a value of %llu bytes",
					    (unsigned long long)op->number);
		push_sized(out, A_DEREF, (unsigned)op->number, false);
		return true;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(c, attr, op, out);
	case DW_OP_GNU_parameter_ref:
		return push_parameter(c, attr, op, out);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return push_typed(c, attr, op, out);
	}
	return push_unknown(c, op);
}

static bool push_one(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *op, aop_vec *out)
{
	if (push_constant(op, out) || push_simple(op, out))
		return true;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		if (!push_register(c, out, op->atom - DW_OP_breg0))
			return false;
		push_add(out, (int64_t)op->number);
		return true;
	}
	return push_other(c, attr, op, out);
}

/* An expression that finds DEPTH values on its stack. */
static bool push_expr_on(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nops,
			 uint64_t depth, aop_vec *out)
{
	for (size_t i = 0; i < nops; i++)
		if (!operands_there(c, &ops[i], i, &depth) || !push_one(c, attr, &ops[i], out))
			return false;
	return depth > 0 || context_fail(c, E_BAD_ELF, "has a location without a value");
}

bool push_expr(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nops,
	       aop_vec *out)
{
	return push_expr_on(c, attr, ops, nops, 0, out);
}

/* ------------------------------------------------------------------- places */

/* Operations that say what kind of place it is; true if OP is one. */
static bool piece_op(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *op, struct piece *p,
		     bool *ok)
{
	Dwarf_Block b;
	*ok = true;
	if ((op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) || op->atom == DW_OP_regx) {
		uint64_t reg = op->number; /* DW_OP_regx */
		if (op->atom != DW_OP_regx)
			reg = op->atom - DW_OP_reg0;
		p->kind = P_VALUE;
		*ok = push_register(c, &p->ops, reg);
		return true;
	}
	switch (op->atom) {
	case DW_OP_stack_value:
		p->kind = P_VALUE;
		return true;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		p->kind = P_POINTER;
		p->off = (int64_t)op->number2;
		*ok = (attr && dwarf_getlocation_die(attr, op, &p->to) == 0) ||
		      context_fail(c, E_BAD_ELF, "points to a value that cannot be read");
		return true;
	case DW_OP_implicit_value:
		p->kind = P_BYTES;
		*ok = attr && dwarf_getlocation_implicit_value(attr, op, &b) == 0;
		if (*ok) {
			p->bytes = b.data;
			p->nbytes = b.length;
		} else {
			context_fail(c, E_BAD_ELF, "has an unreadable value");
		}
		return true;
	}
	return false;
}

static const struct piece empty_piece = {.kind = P_MEMORY};

/* The piece begins at bit N of its register. */
static bool skip_bits(struct piece *p, uint64_t n)
{
	if (p->kind != P_VALUE || n > 63)
		return false;
	push_op(&p->ops, A_CONST, (int64_t)n);
	push_op(&p->ops, A_SHR, 0);
	return true;
}

bool place_from_ops(struct context *c, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nops,
		    struct place *out)
{
	struct piece p = empty_piece;
	size_t begin = 0;
	uint64_t depth = 0;
	for (size_t i = 0; i < nops; i++) {
		bool ok;
		const Dwarf_Op *op = &ops[i];
		if (op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece) {
			if (op->atom == DW_OP_bit_piece && op->number2 != 0 &&
			    !skip_bits(&p, op->number2))
				return push_unknown(c, op);
			if (i == begin)
				p.kind = P_NONE;
			p.bits = op->atom == DW_OP_piece ? op->number * 8 : op->number;
			vec_push(&out->pieces, p);
			p = empty_piece;
			begin = i + 1;
			depth = 0;
		} else if (piece_op(c, attr, op, &p, &ok)) {
			if (!ok)
				return false;
		} else if (!operands_there(c, op, i, &depth) || !push_one(c, attr, op, &p.ops)) {
			return false;
		}
	}
	if (begin < nops)
		vec_push(&out->pieces, p);
	if (out->pieces.n == 0)
		return context_fail(c, E_OPTIMIZED_OUT, "was optimised out here");
	return true;
}

bool place_of_base(struct context *c, Dwarf_Die *die, aop_vec *out)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	return dwarf_attr(die, DW_AT_data_member_location, &a) &&
	       dwarf_getlocation(&a, &ops, &n) == 0 && n && push_expr_on(c, &a, ops, n, 1, out);
}
