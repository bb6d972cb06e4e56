/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF expressions of call frame information (DWARF 5, 2.5 and 6.4.2), read from the process. They
 * may contain any bytes: steps and depth are limited, and an unknown or invalid operation ends the
 * evaluation.
 */
#include "unwind/unwind.h"

enum { DEPTH = 16, STEPS = 200 };

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0,
	OP_LIT31 = OP_LIT0 + 31,
	OP_BREG0 = 0x70,
	OP_BREG31 = OP_BREG0 + 31,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96
};

struct machine {
	struct cursor r;
	const struct frame *f;
	u64 v[DEPTH];
	u32 n;
	bool bad;
};

static void push(struct machine *m, u64 v)
{
	if (m->n < DEPTH)
		m->v[m->n++] = v;
	else
		m->bad = true;
}

static u64 pop_value(struct machine *m)
{
	if (m->n)
		return m->v[--m->n];
	m->bad = true;
	return 0;
}

/* The Nth value from the top. */
static u64 peek(struct machine *m, u32 n)
{
	if (n < m->n)
		return m->v[m->n - 1 - n];
	m->bad = true;
	return 0;
}

static void push_register(struct machine *m, u64 reg)
{
	s64 offset = cursor_sleb(&m->r);

	if (reg == REG_RETURN)
		push(m, m->f->pc + (u64)offset);
	else if (reg < REG_RETURN && frame_knows(m->f, (u32)reg))
		push(m, m->f->r[reg] + (u64)offset);
	else
		m->bad = true;
}

static void push_memory(struct machine *m, u32 size)
{
	u64 addr = pop_value(m);

	if (size != 1 && size != 2 && size != 4 && size != 8)
		m->bad = true;
	else
		push(m, target_touch(m->r.c, addr, size));
}

static bool is_literal(struct machine *m, u32 op)
{
	if (op >= OP_LIT0 && op <= OP_LIT31)
		push(m, op - OP_LIT0);
	else if (op >= OP_CONST1U && op <= OP_CONST8S)
		push(m, (op - OP_CONST1U) & 1
				? (u64)cursor_signed(&m->r, 1u << (op - OP_CONST1U) / 2)
				: cursor_fixed(&m->r, 1u << (op - OP_CONST1U) / 2));
	else if (op == OP_ADDR)
		push(m, cursor_fixed(&m->r, 8));
	else if (op == OP_CONSTU)
		push(m, cursor_uleb(&m->r));
	else if (op == OP_CONSTS)
		push(m, (u64)cursor_sleb(&m->r));
	else
		return false;
	return true;
}

static void rotate(struct machine *m)
{
	u64 a = pop_value(m), b = pop_value(m), c = pop_value(m);

	push(m, a);
	push(m, c);
	push(m, b);
}

static void exchange(struct machine *m)
{
	u64 a = pop_value(m), b = pop_value(m);

	push(m, a);
	push(m, b);
}

static bool is_shuffle(struct machine *m, u32 op)
{
	switch (op) {
	case OP_DUP:
		push(m, peek(m, 0));
		return true;
	case OP_DROP:
		pop_value(m);
		return true;
	case OP_OVER:
		push(m, peek(m, 1));
		return true;
	case OP_PICK:
		push(m, peek(m, cursor_u8(&m->r)));
		return true;
	case OP_SWAP:
		exchange(m);
		return true;
	case OP_ROT:
		rotate(m);
		return true;
	}
	return false;
}

static bool is_memory(struct machine *m, u32 op)
{
	if (op >= OP_BREG0 && op <= OP_BREG31)
		push_register(m, op - OP_BREG0);
	else if (op == OP_BREGX)
		push_register(m, cursor_uleb(&m->r));
	else if (op == OP_DEREF)
		push_memory(m, 8);
	else if (op == OP_DEREF_SIZE)
		push_memory(m, cursor_u8(&m->r));
	else
		return false;
	return true;
}

static bool is_unary(struct machine *m, u32 op)
{
	u64 v;

	switch (op) {
	case OP_ABS:
		v = pop_value(m);
		push(m, (s64)v < 0 ? 0 - v : v);
		return true;
	case OP_NEG:
		push(m, 0 - pop_value(m));
		return true;
	case OP_NOT:
		push(m, ~pop_value(m));
		return true;
	case OP_PLUS_UCONST:
		v = pop_value(m);
		push(m, v + cursor_uleb(&m->r));
		return true;
	case OP_NOP:
		return true;
	}
	return false;
}

static u64 divided(struct machine *m, u64 a, u64 b)
{
	if (!b)
		m->bad = true;
	return !b ? 0 : (s64)b == -1 ? 0 - a : (u64)((s64)a / (s64)b);
}

static bool arithmetic(struct machine *m, u32 op, u64 a, u64 b, u64 *to)
{
	switch (op) {
	case OP_AND:
		*to = a & b;
		return true;
	case OP_OR:
		*to = a | b;
		return true;
	case OP_XOR:
		*to = a ^ b;
		return true;
	case OP_PLUS:
		*to = a + b;
		return true;
	case OP_MINUS:
		*to = a - b;
		return true;
	case OP_MUL:
		*to = a * b;
		return true;
	case OP_DIV:
		*to = divided(m, a, b);
		return true;
	case OP_MOD:
		*to = b ? a % b : 0;
		m->bad |= !b;
		return true;
	case OP_SHL:
		*to = b < 64 ? a << b : 0;
		return true;
	case OP_SHR:
		*to = b < 64 ? a >> b : 0;
		return true;
	case OP_SHRA:
		*to = (u64)((s64)a >> (b < 64 ? b : 63));
		return true;
	}
	return false;
}

static bool compared(u32 op, s64 a, s64 b, u64 *to)
{
	switch (op) {
	case OP_EQ:
		*to = a == b;
		return true;
	case OP_NE:
		*to = a != b;
		return true;
	case OP_LT:
		*to = a < b;
		return true;
	case OP_LE:
		*to = a <= b;
		return true;
	case OP_GT:
		*to = a > b;
		return true;
	case OP_GE:
		*to = a >= b;
		return true;
	}
	return false;
}

static void binary(struct machine *m, u32 op)
{
	u64 b = pop_value(m), a = pop_value(m), v = 0;

	if (!arithmetic(m, op, a, b, &v) && !compared(op, (s64)a, (s64)b, &v))
		m->bad = true;
	push(m, v);
}

static bool is_jump(struct machine *m, u32 op)
{
	s64 by;

	if (op != OP_SKIP && op != OP_BRA)
		return false;
	by = cursor_signed(&m->r, 2);
	if (op == OP_SKIP || pop_value(m))
		m->r.at += (u64)by;
	return true;
}

bool cfi_expression(struct ust_ctx *c, u64 at, u32 size, const struct frame *f, const u64 *first,
		    u64 *value)
{
	struct machine m;
	u32 steps = 0;

	m.r = cursor_at(c, at);
	m.f = f;
	m.n = 0;
	m.bad = false;
	if (first)
		push(&m, *first);
	while (m.r.at - at < size && !m.bad && steps++ < STEPS) {
		u32 op = cursor_u8(&m.r);

		if (!is_literal(&m, op) && !is_memory(&m, op) && !is_shuffle(&m, op) &&
		    !is_unary(&m, op) && !is_jump(&m, op))
			binary(&m, op);
	}
	*value = pop_value(&m);
	return !m.bad && m.r.at - at == size;
}
