/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of locations: operations, pieces, and reasons why a location is missing. */
#include <stdarg.h>
#include <stdio.h>

#include "values.h"
#include "arch/arch.h"

bool context_fail(struct context *c, enum errtag tag, const char *fmt, ...)
{
	struct strbuf sb = {0};
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	sb_add(&sb, text);
	c->tag = tag;
	c->why = sb.s;
	return false;
}

void push_op(aop_vec *v, enum aop_kind kind, int64_t a)
{
	vec_push(v, ((struct aop){.kind = kind, .a = a}));
}

/* Addresses wrap around; a hostile file may ask for that. */
static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

void push_add(aop_vec *v, int64_t n)
{
	if (n == 0)
		return;
	if (v->n == 1 && v->v[0].kind == A_ADDR) {
		v->v[0].a = sum(v->v[0].a, n);
	} else if (v->n >= 3 && v->v[v->n - 1].kind == A_ADD && v->v[v->n - 2].kind == A_CONST) {
		v->v[v->n - 2].a = sum(v->v[v->n - 2].a, n);
	} else {
		push_op(v, A_CONST, n);
		push_op(v, A_ADD, 0);
	}
}

void push_piece(struct place *out, enum piece_kind kind, enum aop_kind op, int64_t reg,
		uint64_t bits)
{
	struct piece p = {.kind = kind, .bits = bits};

	push_op(&p.ops, op, reg);
	vec_push(&out->pieces, p);
}

void push_vector_part(unsigned bits, int64_t reg, struct place *out)
{
	push_piece(out, P_VALUE, A_VECTOR, 2 * reg, bits > 64 ? 64 : bits);
	if (bits > 64)
		push_piece(out, P_VALUE, A_VECTOR, 2 * reg + 1, bits - 64);
}

bool push_result_address(struct context *c, struct place *out)
{
	const struct convention *conv = arch_target()->convention;

	if (!conv->result_address_is_argument)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is in memory whose address the function does not return");
	push_piece(out, P_MEMORY, A_REG, conv->result_regs[0], 0);
	return true;
}
