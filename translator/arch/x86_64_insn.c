/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64 instructions, as far as it matters where a probe is put: what an instruction changes,
 * where it goes, and whether kernels emulate it.
 *
 * Kernels from 5.10 on emulate push of a general register, nop without prefixes, and relative jumps
 * and calls (arch/x86/kernel/uprobes.c); everything else they single-step.  Others that newer ones
 * emulate do not count.
 */
#include <string.h>
#include <Zydis/Zydis.h>

#include "x86_64.h"
#include "base/util.h"

static const ZydisDecoder *decoder(void)
{
	static ZydisDecoder d;
	static bool made;

	if (!made)
		made = ZYAN_SUCCESS(
			ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
	return made ? &d : NULL;
}

/* push of a general register, without and with REX.B */
bool x86_64_is_push(const unsigned char *p, size_t len)
{
	if (len >= 2 && p[0] == 0x41)
		p++, len--;
	return len >= 1 && p[0] >= 0x50 && p[0] <= 0x57;
}

static bool is_emulated(const unsigned char *p, size_t len)
{
	return x86_64_is_push(p, len) || p[0] == 0x90 || p[0] == 0xe8 || p[0] == 0xe9 ||
	       p[0] == 0xeb || (p[0] & 0xf0) == 0x70 ||
	       (len > 1 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80);
}

/* The DWARF register that REG is a part of; -1: none that handlers see. */
static int dwarf_register(ZydisRegister reg)
{
	static const signed char numbers[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
	ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return ZydisRegisterGetClass(full) == ZYDIS_REGCLASS_GPR64
		       ? numbers[ZydisRegisterGetId(full)]
		       : -1;
}

static bool is_common(ZydisRegisterClass c)
{
	return c == ZYDIS_REGCLASS_GPR8 || c == ZYDIS_REGCLASS_GPR16 || c == ZYDIS_REGCLASS_GPR32 ||
	       c == ZYDIS_REGCLASS_GPR64 || c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM ||
	       c == ZYDIS_REGCLASS_FLAGS || c == ZYDIS_REGCLASS_IP;
}

/* May an instruction of this kind be left to run first, if its operands allow it?  Division can
 * fault. */
static bool is_harmless(const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_CET:
		return z->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
	case ZYDIS_CATEGORY_BINARY:
		return z->mnemonic != ZYDIS_MNEMONIC_DIV && z->mnemonic != ZYDIS_MNEMONIC_IDIV;
	case ZYDIS_CATEGORY_DATAXFER:
		return z->mnemonic != ZYDIS_MNEMONIC_XCHG;
	case ZYDIS_CATEGORY_MISC:
		return z->mnemonic == ZYDIS_MNEMONIC_LEA;
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_CONVERT:
		return true;
	default:
		return false;
	}
}

/* See one operand; false: it is not one of those that say all of what an instruction does. */
static bool see_operand(const ZydisDecodedOperand *op, struct machine_insn *out)
{
	bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	int reg;

	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return op->mem.type == ZYDIS_MEMOP_TYPE_AGEN;
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return true;
	if (!is_common(ZydisRegisterGetClass(op->reg.value)))
		return false;
	reg = writes ? dwarf_register(op->reg.value) : -1;
	if (reg >= 0)
		out->writes |= 1ull << reg;
	return true;
}

static void see_branch(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops,
		       uint64_t addr, struct machine_insn *out)
{
	bool jump = z->meta.category == ZYDIS_CATEGORY_COND_BR ||
		    z->meta.category == ZYDIS_CATEGORY_UNCOND_BR;

	out->returns = z->meta.category == ZYDIS_CATEGORY_RET;
	out->always_jumps = out->returns || z->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
	if (!jump && z->meta.category != ZYDIS_CATEGORY_CALL)
		return;
	out->jumps = jump && ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	if (ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[0].imm.is_relative)
		out->target = addr + z->length + (uint64_t)ops[0].imm.value.s;
	else
		out->indirect = jump;
}

/* lea of an address relative to the program counter, and mov of a number. */
static uint64_t made_address(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops,
			     uint64_t addr)
{
	const ZydisDecodedOperand *from = &ops[1];

	if (z->operand_count_visible != 2)
		return 0;
	if (z->mnemonic == ZYDIS_MNEMONIC_LEA && from->mem.base == ZYDIS_REGISTER_RIP)
		return addr + z->length + (uint64_t)from->mem.disp.value;
	if (z->mnemonic == ZYDIS_MNEMONIC_MOV && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return from->imm.value.u;
	return 0;
}

static bool is_rsp(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == ZYDIS_REGISTER_RSP;
}

static void see_stack(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops,
		      struct machine_insn *out)
{
	const ZydisDecodedOperand *from = &ops[1];
	const ZydisDecodedOperandMem *m = &from->mem;

	for (unsigned i = 0; i < z->operand_count; i++)
		out->changes_sp |= is_rsp(&ops[i]) &&
				   ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	out->loads_sp = z->mnemonic == ZYDIS_MNEMONIC_MOV && is_rsp(&ops[0]);
	if (z->operand_count_visible != 2 || from->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    m->base != ZYDIS_REGISTER_RSP || m->index != ZYDIS_REGISTER_NONE)
		return;
	out->reads_return = z->mnemonic == ZYDIS_MNEMONIC_MOV && !m->disp.value;
	out->takes_caller_sp = z->mnemonic == ZYDIS_MNEMONIC_LEA && m->disp.value == 8;
}

static void see_memory(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops,
		       struct machine_insn *out)
{
	out->base = -1;
	for (unsigned i = 0; i < z->operand_count_visible; i++) {
		const ZydisDecodedOperandMem *m = &ops[i].mem;

		if (ops[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		out->indexed |= m->index != ZYDIS_REGISTER_NONE;
		if (out->indexed || m->base == ZYDIS_REGISTER_NONE)
			continue;
		out->base = dwarf_register(m->base);
		out->disp = m->disp.value;
	}
	/* barriers and probes of the stack add nothing to a word of it */
	out->only_touches = z->mnemonic == ZYDIS_MNEMONIC_LEA ||
			    ((z->mnemonic == ZYDIS_MNEMONIC_ADD ||
			      z->mnemonic == ZYDIS_MNEMONIC_OR) &&
			     ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !ops[1].imm.value.u);
}

/* Searches the ModRM byte of an operand at the stack pointer or the frame pointer without an index,
 * the SIB byte that the first one has, and the displacement. */
bool x86_64_may_use(const unsigned char *code, size_t len, int reg, int32_t disp)
{
	enum { DWARF_RSP = 7, OTHER_BITS = 0x38, BYTE = 0x40, WORD = 0x80 };
	enum { SIB = 4, OF_RSP = 0x24, OF_RBP = 5 };
	bool rsp = reg == DWARF_RSP, byte = disp == (int8_t)disp, none = rsp && !disp;
	unsigned char mode = (none ? 0 : byte ? BYTE : WORD) | (rsp ? SIB : OF_RBP);
	size_t size = none ? 0 : byte ? 1 : sizeof disp, skip = rsp ? 2 : 1;

	for (size_t i = 0; i + skip + size <= len; i++)
		if ((code[i] & ~OTHER_BITS) == mode && (!rsp || code[i + 1] == OF_RSP) &&
		    !memcmp(code + i + skip, &disp, size))
			return true;
	return false;
}

bool x86_64_is_breakpoint(const unsigned char *code, size_t len) { return len && *code == 0xcc; }

bool x86_64_decode(const unsigned char *code, size_t len, uint64_t addr, struct machine_insn *out)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

	*out = (struct machine_insn){0};
	if (!decoder() || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder(), code, len, &z, ops)))
		return false;
	out->len = z.length;
	out->refused = x86_64_refused(code, z.length);
	out->emulated = !out->refused && is_emulated(code, len);
	/* a call that crosses a page cannot be written at once */
	out->call_sized = z.mnemonic == ZYDIS_MNEMONIC_NOP && z.length == 5 &&
			  (addr & 0xfff) <= 0x1000 - 5;
	see_branch(&z, ops, addr, out);
	out->calls = z.meta.category == ZYDIS_CATEGORY_CALL;
	out->makes = made_address(&z, ops, addr);
	see_stack(&z, ops, out);
	see_memory(&z, ops, out);
	out->adds = z.mnemonic == ZYDIS_MNEMONIC_ADD;
	out->plain = is_harmless(&z) || z.mnemonic == ZYDIS_MNEMONIC_NOP;
	for (unsigned i = 0; i < z.operand_count && z.mnemonic != ZYDIS_MNEMONIC_NOP; i++)
		out->plain &= see_operand(&ops[i], out);
	return true;
}

const char *x86_64_text(const unsigned char *code, size_t len, uint64_t addr)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisFormatter f;
	char text[96];

	if (!decoder() || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder(), code, len, &z, ops)) ||
	    !ZYAN_SUCCESS(ZydisFormatterInit(&f, ZYDIS_FORMATTER_STYLE_ATT)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&f, &z, ops, z.operand_count_visible,
							  text, sizeof text, addr, NULL)))
		return "?";
	return xstrdup(text);
}

/* ------------------------------------------------------------- whole texts */

/* Where a far jump or call whose first byte is at FROM would go; 0 for other
 * instructions. */
static uint64_t far_target(const unsigned char *code, size_t len, size_t from, uint64_t addr)
{
	size_t n = (code[from] & 0xfe) == 0xe8                                               ? 5
		   : code[from] == 0x0f && from + 1 < len && (code[from + 1] & 0xf0) == 0x80 ? 6
											     : 0;
	int32_t d;

	if (!n || from + n > len)
		return 0;
	memcpy(&d, code + from + n - 4, 4);
	return addr + from + n + (uint64_t)(int64_t)d;
}

/* Any byte that could begin a branch counts, so that a yes may be wrong and a no is right. */
void x86_64_far_targets(const unsigned char *code, size_t len, uint64_t addr, unsigned char *bits)
{
	for (size_t i = 0; i < len; i++) {
		uint64_t to = far_target(code, len, i, addr) - addr;

		if (to < len)
			bits[to / 8] |= (unsigned char)(1u << to % 8);
	}
}

bool x86_64_may_jump_near(const unsigned char *code, size_t len, uint64_t addr, uint64_t lo,
			  uint64_t hi)
{
	for (size_t i = 0; i + 1 < len; i++) {
		bool near = code[i] == 0xeb || (code[i] & 0xf0) == 0x70 || (code[i] & 0xfc) == 0xe0;
		uint64_t to = addr + i + 2 + (uint64_t)(int64_t)(signed char)code[i + 1];

		if (near && to > lo && to <= hi)
			return true;
	}
	return false;
}
