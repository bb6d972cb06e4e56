// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instruction relocation: makes displaced instructions work at another address.
 *
 * Relocated calls push the original return address, so that unwinding, longjmp and return probes
 * see the original function. No register or flag changes on the way.
 */
#include "inject/arch/insn.h"

#include <string.h>

void emit_bytes(struct emit *e, const void *bytes, unsigned n)
{
	if (e->n + n > e->size) {
		e->why = "its trampoline would be too long";
		return;
	}
	memcpy(e->code + e->n, bytes, n);
	e->n += n;
}

void emit_u8(struct emit *e, uint8_t b) { emit_bytes(e, &b, 1); }

static bool near(uint64_t to, uint64_t from)
{
	int64_t d = (int64_t)(to - from);

	return d == (int32_t)d;
}

static void emit_i32(struct emit *e, int32_t v) { emit_bytes(e, &v, 4); }

void emit_disp(struct emit *e, uint64_t addr, unsigned tail)
{
	uint64_t from = e->base + e->n + 4 + tail;

	if (!near(addr, from))
		e->why = "its rip-relative operand is out of range of the trampoline";
	emit_i32(e, (int32_t)(addr - from));
}

/* Emit OPCODE with a memory operand at rip + disp32 that holds VALUE; the constant follows the
 * code. */
static void emit_with_const(struct emit *e, uint8_t opcode, uint8_t modrm, uint64_t value)
{
	emit_u8(e, opcode);
	emit_u8(e, modrm);
	if (e->nconst == FIX_MAX) {
		e->why = "its trampoline would be too long";
		return;
	}
	e->consts[e->nconst].at = e->n;
	e->consts[e->nconst++].value = value;
	emit_i32(e, 0);
}

static void emit_push(struct emit *e, uint64_t value) { emit_with_const(e, 0xff, 0x35, value); }

void emit_jump(struct emit *e, uint64_t to)
{
	if (near(to, e->base + e->n + 5)) {
		emit_u8(e, 0xe9);
		emit_disp(e, to, 0);
	} else {
		emit_with_const(e, 0xff, 0x25, to);
	}
}

/* ---------------------------------------------------------------- branches */

/* True if TO is a displaced instruction of the window. The first one remains reachable at its
 * address: that is a hit. */
static bool is_local(const struct window *w, uint64_t to)
{
	return to > w->addr && to < w->addr + w->len;
}

static void emit_local(struct emit *e, uint64_t to)
{
	if (e->nlocal == FIX_MAX) {
		e->why = "its trampoline would be too long";
		return;
	}
	e->locals[e->nlocal].at = e->n;
	e->locals[e->nlocal++].target = to;
	emit_i32(e, 0);
}

static void emit_jmp(struct emit *e, const struct window *w, uint64_t to)
{
	if (is_local(w, to)) {
		emit_u8(e, 0xe9);
		emit_local(e, to);
	} else {
		emit_jump(e, to);
	}
}

/* Resolve the rel8 at offset AT to the current position. */
static void emit_over(struct emit *e, unsigned at)
{
	if (!e->why)
		e->code[at] = e->n - at - 1;
}

static void emit_jcc(struct emit *e, const struct window *w, const struct insn *i)
{
	unsigned over;

	if (is_local(w, i->target) || near(i->target, e->base + e->n + 6)) {
		emit_u8(e, 0x0f);
		emit_u8(e, 0x80 | i->condition);
		if (is_local(w, i->target))
			emit_local(e, i->target);
		else
			emit_disp(e, i->target, 0);
		return;
	}
	emit_u8(e, 0x70 | (i->condition ^ 1));
	over = e->n;
	emit_u8(e, 0);
	emit_jump(e, i->target);
	emit_over(e, over);
}

/* These have only short forms: loop 1f; jmp 2f; 1: jmp target; 2: */
static void emit_loop(struct emit *e, const struct window *w, const struct insn *i)
{
	unsigned over;

	emit_bytes(e, i->bytes, i->len - 1);
	emit_u8(e, 2);
	emit_u8(e, 0xeb);
	over = e->n;
	emit_u8(e, 0);
	emit_jmp(e, w, i->target);
	emit_over(e, over);
}

/* ------------------------------------------------------------------ memory */

/* Emit the instruction with a new displacement of its operand, and a new modrm byte. */
static void emit_rip(struct emit *e, const struct insn *i, uint8_t modrm)
{
	unsigned tail = i->len - i->disp_at - 4;

	emit_bytes(e, i->bytes, i->modrm_at);
	emit_u8(e, modrm);
	emit_disp(e, i->target, tail);
	emit_bytes(e, i->bytes + i->disp_at + 4, tail);
}

static bool uses_rsp(const struct insn *i)
{
	uint8_t modrm = i->bytes[i->modrm_at];
	/* a REX prefix directly precedes the one-byte opcode */
	uint8_t rex = i->modrm_at >= 2 ? i->bytes[i->modrm_at - 2] : 0;

	if ((rex & 0xf0) == 0x40 && rex & 1)
		return false;
	if (modrm >> 6 == 3)
		return (modrm & 7) == 4;
	return (modrm & 7) == 4 && (i->bytes[i->modrm_at + 1] & 7) == 4;
}

static int32_t displacement(const struct insn *i)
{
	uint8_t mod = i->bytes[i->modrm_at] >> 6;
	int32_t d = 0;

	if (mod == 1)
		d = (int8_t)i->bytes[i->disp_at];
	else if (mod == 2)
		memcpy(&d, i->bytes + i->disp_at, 4);
	return d;
}

/* call r/m: push the return address, then jmp r/m; an operand relative to rsp is 8 bytes further up
 * then. */
static void emit_call_rm(struct emit *e, const struct insn *i)
{
	uint8_t modrm = i->bytes[i->modrm_at];
	uint8_t jmp = (modrm & ~0x38) | 4 << 3;
	int32_t d;

	emit_push(e, i->addr + i->len);
	if (i->rip) {
		emit_rip(e, i, jmp);
	} else if (!uses_rsp(i)) {
		emit_bytes(e, i->bytes, i->modrm_at);
		emit_u8(e, jmp);
		emit_bytes(e, i->bytes + i->modrm_at + 1, i->len - i->modrm_at - 1);
	} else if (modrm >> 6 == 3 || __builtin_add_overflow(displacement(i), 8, &d)) {
		e->why = "a call through an operand relative to rsp";
	} else {
		emit_bytes(e, i->bytes, i->modrm_at);
		emit_u8(e, (jmp & 0x3f) | 0x80);
		emit_u8(e, i->bytes[i->modrm_at + 1]);
		emit_i32(e, d);
	}
}

static void emit_insn(struct emit *e, const struct window *w, const struct insn *i)
{
	switch ((enum insn_kind)i->kind) {
	case INSN_CALL:
		emit_push(e, i->addr + i->len);
		emit_jmp(e, w, i->target);
		break;
	case INSN_CALL_RM:
		emit_call_rm(e, i);
		break;
	case INSN_JMP:
		emit_jmp(e, w, i->target);
		break;
	case INSN_JCC:
		emit_jcc(e, w, i);
		break;
	case INSN_LOOP:
		emit_loop(e, w, i);
		break;
	case INSN_XBEGIN:
		emit_bytes(e, i->bytes, i->len - 4);
		if (is_local(w, i->target))
			emit_local(e, i->target);
		else
			emit_disp(e, i->target, 0);
		break;
	case INSN_FIXED:
		e->why = i->why;
		break;
	case INSN_PLAIN:
	case INSN_JMP_RM:
	case INSN_END:
		if (i->rip)
			emit_rip(e, i, i->bytes[i->modrm_at]);
		else
			emit_bytes(e, i->bytes, i->len);
	}
}

void emit_window(struct emit *e, struct window *w, uint64_t back)
{
	unsigned i;

	for (i = 0; i < w->n; i++) {
		w->moved[i] = e->n;
		emit_insn(e, w, &w->insns[i]);
	}
	if (!w->ends)
		emit_jump(e, back);
}

/* ------------------------------------------------------------------- ending */

static void resolve(struct emit *e, unsigned at, unsigned to)
{
	int32_t d = (int32_t)to - (int32_t)(at + 4);

	memcpy(e->code + at, &d, 4);
}

static void resolve_local(struct emit *e, const struct window *w, unsigned at, uint64_t target)
{
	unsigned i;

	for (i = 0; i < w->n; i++) {
		if (w->insns[i].addr == target) {
			resolve(e, at, w->moved[i]);
			return;
		}
	}
	e->why = "it branches into the middle of an instruction";
}

void emit_finish(struct emit *e, const struct window *w)
{
	unsigned i;

	for (i = 0; i < e->nlocal && !e->why; i++)
		resolve_local(e, w, e->locals[i].at, e->locals[i].target);
	if (e->nconst)
		while (e->n % 8 && !e->why)
			emit_u8(e, 0xcc);
	for (i = 0; i < e->nconst && !e->why; i++) {
		resolve(e, e->consts[i].at, e->n);
		emit_bytes(e, &e->consts[i].value, 8);
	}
}
