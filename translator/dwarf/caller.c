/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values at a function's entry, recovered from its caller where the function no longer has them:
 * DW_OP_entry_value and DW_OP_GNU_parameter_ref (DWARF 5, sections 2.5.1.7 and 3.4.2). The caller's
 * call site describes how the argument was computed from values that the caller still has.
 *
 * The frame is unwound at compile time, by its call frame information, when the access is made: the
 * result is an expression over registers and memory at the probe, one for each address that the
 * function can return to.
 */
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "arch/arch.h"

enum { MAX_DEPTH = 4, MAX_OPS = 6000, MAX_CALLERS = 4000 };

/* Callers, their callers and so on that were looked at for one variable. */
static unsigned looked_at;

/* --------------------------------------------------------- registers of callers */

static void copy_reason(struct context *c, const struct context *from)
{
	if (from == c)
		return;
	c->tag = from->tag;
	c->why = from->why;
}

static bool is_register(const Dwarf_Op *op, uint64_t *reg)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*reg = op->number;
	else
		return false;
	return true;
}

/* The value that the rule OPS of frame B gives. */
static bool push_rule(struct context *b, const Dwarf_Op *ops, size_t n, aop_vec *out)
{
	uint64_t reg;

	if (n == 1 && is_register(ops, &reg))
		return push_register(b, out, reg);
	if (ops[n - 1].atom == DW_OP_stack_value)
		return push_expr(b, NULL, ops, n - 1, out);
	if (!push_expr(b, NULL, ops, n, out))
		return false;
	vec_push(out, ((struct aop){.kind = A_DEREF, .size = 8}));
	return true;
}

/* Only these does a function give back as they were, if its call frame information does not say
 * more. */
static bool is_callee_saved(uint64_t reg)
{
	return reg < 64 && arch_target()->convention->saved_regs >> reg & 1;
}

static bool push_rule_of(struct context *b, Dwarf_CFI *cfi, uint64_t reg, aop_vec *out, bool *found)
{
	Dwarf_Op mem[3], *ops;
	Dwarf_Frame *frame;
	size_t n;
	bool ok = false;

	*found = cfi && dwarf_cfi_addrframe(cfi, b->pc, &frame) == 0;
	if (!*found)
		return false;
	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &n) != 0)
		context_fail(b, E_BAD_ELF, "needs a frame rule that cannot be read");
	else if (n)
		ok = push_rule(b, ops, n, out);
	else if (is_callee_saved(reg)) /* libdw takes some that are not mentioned for undefined */
		ok = push_register(b, out, reg);
	else
		context_fail(b, E_OPTIMIZED_OUT,
			     "needs a register of the caller that has been overwritten");
	free(frame);
	return ok;
}

bool push_caller_register(struct context *c, aop_vec *out, uint64_t reg)
{
	struct context *b = c->callee;
	Dwarf_Addr bias;
	bool found, ok;

	if (reg == (uint64_t)arch_target()->sp_reg) {
		ok = push_cfa(b, out);
		copy_reason(c, b);
		return ok;
	}
	if (reg > (uint64_t)arch_target()->pc_reg)
		return context_fail(c, E_OPTIMIZED_OUT, "needs a vector register of the caller");
	ok = push_rule_of(b, dwfl_module_eh_cfi(b->mod->mod, &bias), reg, out, &found);
	if (!found)
		ok = push_rule_of(b, dwfl_module_dwarf_cfi(b->mod->mod, &bias), reg, out, &found);
	if (!found)
		return context_fail(
			c, E_NO_DEBUGINFO,
			"needs unwind information (.eh_frame), which this address does not have");
	copy_reason(c, b);
	return ok;
}

/* -------------------------------------------------------------- call sites */

/* The value to recover: the register or the parameter of the called function. */
struct wanted {
	bool is_register;
	uint64_t reg;
	const Dwarf_Die *param;
};

static bool is_wanted(Dwarf_Die *die, const struct wanted *w)
{
	Dwarf_Attribute a;
	Dwarf_Die of;
	Dwarf_Op *ops;
	size_t n;
	uint64_t reg;

	if (dwarf_tag(die) != DW_TAG_call_site_parameter &&
	    dwarf_tag(die) != DW_TAG_GNU_call_site_parameter)
		return false;
	if (w->is_register)
		return die_location(die, DW_AT_location, &a) &&
		       dwarf_getlocation(&a, &ops, &n) == 0 && n == 1 && is_register(ops, &reg) &&
		       reg == w->reg;
	return (dwarf_attr(die, DW_AT_call_parameter, &a) ||
		dwarf_attr(die, DW_AT_abstract_origin, &a)) &&
	       dwarf_formref_die(&a, &of) && of.addr == w->param->addr;
}

/* Push what CALLER says of it; false: it does not. */
static bool push_argument(struct context *c, struct caller *caller, const struct wanted *w,
			  aop_vec *out)
{
	struct context k = {.mod = c->mod,
			    .func = &caller->func,
			    .frame = &caller->func,
			    .pc = caller->ret - 1,
			    .callee = c,
			    .depth = c->depth + 1,
			    .only_asked = c->only_asked};
	Dwarf_Attribute a;
	Dwarf_Die die;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_child(&caller->site, &die) != 0)
		return false;
	do {
		if (!is_wanted(&die, w))
			continue;
		return (die_location(&die, DW_AT_call_value, &a) ||
			die_location(&die, DW_AT_GNU_call_site_value, &a)) &&
		       dwarf_getlocation(&a, &ops, &n) == 0 && n && push_expr(&k, &a, ops, n, out);
	} while (die_sibling(&die, &die) == 0);
	return false;
}

/* ------------------------------------------------------------------- the cases */

/* Callers that have passed the same; lost: it is not known what. */
struct passed {
	aop_vec ops;
	addr_vec returns;
	bool lost;
};
typedef VEC(struct passed) passed_vec;

static bool is_same(const struct passed *p, const aop_vec *ops, bool lost)
{
	return p->lost == lost && p->ops.n == ops->n &&
	       (!ops->n || !memcmp(p->ops.v, ops->v, ops->n * sizeof *ops->v));
}

static void add_passed(passed_vec *all, const aop_vec *ops, bool lost, uint64_t ret)
{
	size_t i = 0;

	while (i < all->n && !is_same(&all->v[i], ops, lost))
		i++;
	if (i == all->n)
		vec_push(all, ((struct passed){.ops = *ops, .lost = lost}));
	vec_push(&all->v[i].returns, ret);
}

struct asked {
	struct context *c;
	uint64_t entry;
	const struct wanted *wanted;
	passed_vec passed;
	unsigned n;
	bool told; /* a caller describes the value */
};

static bool see_caller(struct caller *caller, void *arg)
{
	struct asked *a = arg;
	aop_vec ops = {0};
	bool told;

	if (caller->slot) { /* another module's function may be there, and go on to this one */
		push_op(&ops, A_ADDR, (int64_t)caller->slot);
		vec_push(&ops, ((struct aop){.kind = A_DEREF, .size = 8}));
		push_op(&ops, A_CHECK, (int64_t)a->entry);
	}
	told = push_argument(a->c, caller, a->wanted, &ops);
	if (!told)
		ops = (aop_vec){0};
	add_passed(&a->passed, &ops, !told, caller->ret);
	a->told |= told;
	a->n++;
	return ++looked_at <= MAX_CALLERS && !(told && a->c->only_asked);
}

static void push_cases(const passed_vec *all, aop_vec *out)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct passed *p = &all->v[i];

		for (size_t k = 0; k < p->returns.n; k++)
			push_op(out, A_CALLER, (int64_t)p->returns.v[k]);
		if (p->lost)
			push_op(out, A_LOST, 0);
		for (size_t k = 0; k < p->ops.n; k++)
			vec_push(out, p->ops.v[k]);
	}
	push_op(out, A_CALLERS_END, 0);
}

static bool is_askable(struct context *c, uint64_t *entry)
{
	if (!c->frame || !die_entry(c->frame, entry))
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is known here only as its value at the function's entry");
	if (c->depth >= MAX_DEPTH)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is known only from the arguments of indirect callers");
	if (reaches_itself(c->mod, *entry))
		return context_fail(
			c, E_OPTIMIZED_OUT,
			"is known here only as its value at the function's entry; the caller's "
			"frame does not give it, as tail calls may lead back to this function");
	return true;
}

bool push_from_callers(struct context *c, const Dwarf_Op *ops, size_t nops, const Dwarf_Die *param,
		       aop_vec *out)
{
	struct wanted w = {.is_register = !param, .param = param};
	struct asked asked = {.c = c, .wanted = &w};

	if (!arch_target()->frames)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is here only known by what the caller passed, which is not "
				    "asked on %s",
				    arch_target()->name);
	if (c->mod->is_kernel)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is known here only from the caller's arguments, which are not "
				    "recovered in the kernel");
	if (!param && (nops != 1 || !is_register(ops, &w.reg)))
		return context_fail(
			c, E_OPTIMIZED_OUT,
			"is known here only from a value in memory at the function's entry");
	if (!is_askable(c, &asked.entry))
		return false;
	if (!c->depth)
		looked_at = 0;
	function_callers(c->mod, asked.entry, see_caller, &asked);
	if (looked_at > MAX_CALLERS)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is known here only from the caller's arguments, and the "
				    "function has too many callers");
	if (!asked.told)
		return context_fail(
			c, E_OPTIMIZED_OUT,
			"is known here only as its value at the function's entry, and %s",
			asked.n ? "no caller's debug information describes the argument"
				: "no direct call of the function is known");
	if (!push_cfa(c, out))
		return false;
	push_add(out, arch_target()->frames->return_at);
	push_op(out, A_CALLERS, 0);
	push_cases(&asked.passed, out);
	if (out->n > MAX_OPS)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is known here only from the caller's arguments, which callers "
				    "compute in too many ways");
	return true;
}
