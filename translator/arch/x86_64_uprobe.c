/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64: instructions that kernels refuse to probe in a program, or run wrongly.
 *
 * A kernel runs a copy of a probed instruction, or emulates it (arch/x86/kernel/uprobes.c). The
 * refused instructions were measured on 5.10, 6.1, 6.12, 6.18 and 7.2, which agree on these;
 * testsuite/ustap.security/uprobe_instructions.stp runs each class. Opcodes that only some
 * kernels can decode are not here: the runtime has the kernel look at each site.
 *
 * Kernels look at the opcode byte alone, also where a VEX, EVEX or XOP prefix gives it another
 * meaning.  So vmovdqa (7f) to memory is emulated as the jump that is 7f without the prefix, and
 * stores nothing.
 */
#include <stdint.h>

#include "x86_64.h"

/* Opcodes of one byte that are refused, a bit for each: word OPCODE / 64, bit OPCODE % 64. */
static const uint64_t refused_opcodes[4] = {
	1ull << 0x06 | 1ull << 0x07 | 1ull << 0x0e | 1ull << 0x16 | 1ull << 0x17 | 1ull << 0x1e |
		1ull << 0x1f | 1ull << 0x27 | 1ull << 0x2f | 1ull << 0x37 | 1ull << 0x3f,
	1ull << (0x60 - 64) | 1ull << (0x61 - 64) | 1ull << (0x62 - 64) |
		0xfull << (0x6c - 64), /* ins, outs */
	1ull << (0x82 - 128) | 1ull << (0x9a - 128),
	1ull << (0xc4 - 192) | 1ull << (0xc5 - 192) |
		0xfull << (0xcc - 192) |                        /* int3, int, into, iret */
		7ull << (0xd4 - 192) | 0xfull << (0xe4 - 192) | /* in, out */
		1ull << (0xea - 192) | 0xfull << (0xec - 192) | 1ull << (0xf1 - 192) |
		1ull << (0xf4 - 192) | 1ull << (0xfa - 192) | 1ull << (0xfb - 192),
};

/* Without a prefix these jump, call, return, change flags or do nothing, and kernels see to that
 * themselves. */
static bool is_taken_for_another(unsigned char op)
{
	return (op & 0xf0) == 0x70 || op == 0x0f || op == 0x90 || op == 0x9d || op == 0xc2 ||
	       op == 0xc3 || op == 0xca || op == 0xcb || op == 0xe8 || op == 0xe9 || op == 0xeb ||
	       op == 0xff;
}

/* movs, cmps, stos, lods, scas: with a rep prefix each repetition is a step, at which the probe
 * fires again. */
static bool is_string(unsigned char op)
{
	return (op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf);
}

static bool is_refused_opcode(unsigned char op) { return refused_opcodes[op / 64] >> op % 64 & 1; }

/* Which of the prefixes that are refused is C?  NULL: none. */
static const char *refused_prefix(unsigned char c)
{
	switch (c) {
	case 0xf0:
		return "it has a lock prefix";
	case 0x26:
		return "it has an es prefix";
	case 0x2e:
		return "it has a cs prefix";
	case 0x36:
		return "it has an ss prefix";
	case 0x3e:
		return "it has a ds prefix";
	}
	return NULL;
}

static bool is_prefix(unsigned char c)
{
	return c == 0x66 || c == 0x67 || c == 0xf2 || c == 0xf3 || c == 0x64 || c == 0x65 ||
	       refused_prefix(c);
}

/* Where the opcode of a VEX, EVEX or XOP instruction that begins at P is; 0 if it is not one. */
static size_t vector_opcode(const unsigned char *p, size_t len)
{
	if (len > 2 && p[0] == 0xc5)
		return 2;
	if (len > 3 && (p[0] == 0xc4 || (p[0] == 0x8f && (p[1] & 0x1f) >= 8)))
		return 3;
	return len > 4 && p[0] == 0x62 ? 4 : 0;
}

static const char *refused_vector(unsigned char op, bool moves_ss)
{
	if (is_taken_for_another(op))
		return "kernels decode this vector instruction as another one";
	return is_refused_opcode(op) || moves_ss ? "kernels do not probe this vector instruction"
						 : NULL;
}

const char *x86_64_refused(const unsigned char *code, size_t len)
{
	size_t at = 0, opcode;
	unsigned char rex = 0;
	bool wide = false, repeated = false;

	for (; at < len && is_prefix(code[at]); at++) {
		if (refused_prefix(code[at]))
			return refused_prefix(code[at]);
		wide |= code[at] == 0x66;
		repeated |= code[at] == 0xf2 || code[at] == 0xf3;
	}
	if (at < len && (code[at] & 0xf0) == 0x40)
		rex = code[at++];
	if (at >= len)
		return NULL;
	if (rex && (is_prefix(code[at]) || (code[at] & 0xf0) == 0x40))
		return "it has a prefix after one that must be the last";
	opcode = vector_opcode(code + at, len - at);
	if (opcode)
		return refused_vector(code[at + opcode],
				      code[at + opcode] == 0x8e &&
					      (code[at + opcode + 1] & 0x38) == 0x10);
	if (is_refused_opcode(code[at]))
		return "kernels do not probe its opcode";
	if (code[at] == 0x8e && at + 1 < len && (code[at + 1] & 0x38) == 0x10)
		return "it changes the stack segment";
	if (repeated && is_string(code[at]))
		return "a probe there would fire once for each repetition";
	if (repeated && code[at] == 0x90)
		return "kernels from 7.2 on kill a process at a probed pause instruction";
	if (code[at] == 0x0f && at + 1 < len && (code[at + 1] == 0x05 || code[at + 1] == 0x34))
		return "a system call cannot be single-stepped reliably";
	if (code[at] == 0x90 && rex & 1)
		return "kernels decode this exchange of registers as a nop";
	if (wide &&
	    ((code[at] & 0xf0) == 0x70 || code[at] == 0xe8 || code[at] == 0xe9 || code[at] == 0xeb))
		return "it is a branch with an operand-size prefix";
	if (wide && code[at] == 0x0f && at + 1 < len && (code[at + 1] & 0xf0) == 0x80)
		return "it is a branch with an operand-size prefix";
	return NULL;
}
