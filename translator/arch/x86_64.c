/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64: the names of `struct ust_regs` by DWARF register number (System V
 * psABI for AMD64, figure "DWARF Register Number Mapping"), and entries.
 */
#include <string.h>

#include "x86_64.h"
#include "base/util.h"

/* A number of our own: what rax was when the kernel was entered. */
enum { SYSCALL_NUMBER = 1000 };

static const char *reg_expr(int reg)
{
	static const char *const names[] = {
		"hit->regs->ax",  "hit->regs->dx",  "hit->regs->cx",  "hit->regs->bx",
		"hit->regs->si",  "hit->regs->di",  "hit->regs->bp",  "hit->regs->sp",
		"hit->regs->r8",  "hit->regs->r9",  "hit->regs->r10", "hit->regs->r11",
		"hit->regs->r12", "hit->regs->r13", "hit->regs->r14", "hit->regs->r15",
		"hit->regs->ip",
	};
	if (reg == SYSCALL_NUMBER)
		return "hit->regs->orig_ax";
	return reg >= 0 && (size_t)reg < ARRAY_LEN(names) ? names[reg] : NULL;
}

/* xmm0 to xmm15 */
static int vector_reg(int reg) { return reg >= 17 && reg <= 32 ? reg - 17 : -1; }

static unsigned entry_skip(const unsigned char *code, size_t len)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	if (len <= sizeof endbr64 || memcmp(code, endbr64, sizeof endbr64) != 0)
		return 0;
	return x86_64_is_push(code + sizeof endbr64, len - sizeof endbr64) ? sizeof endbr64 : 0;
}

/* cmp N(%REG), %REG with the stack's limit, which is 16 or 24 bytes into the goroutine */
static bool is_limit_compare(const unsigned char *p, size_t len)
{
	return len > 4 && (p[0] & 0xf8) == 0x48 && p[1] == 0x3b && (p[2] & 0xc0) == 0x40 &&
	       (p[2] & 7) != 4 && (p[3] == 0x10 || p[3] == 0x18);
}

/* The comparison is one of the first instructions, a jbe follows it. */
static unsigned go_stack_check(const unsigned char *code, size_t len)
{
	enum { COMPARE_LEN = 4, MOST_BEFORE = 5 };
	struct machine_insn insn;
	size_t at = 0;

	for (int i = 0; i <= MOST_BEFORE && at < len; i++, at += insn.len) {
		const unsigned char *then = code + at + COMPARE_LEN;

		if (is_limit_compare(code + at, len - at) && len - at > COMPARE_LEN + 6)
			return then[0] == 0x76                      ? (unsigned)at + COMPARE_LEN + 2
			       : then[0] == 0x0f && then[1] == 0x86 ? (unsigned)at + COMPARE_LEN + 6
								    : 0;
		if (!x86_64_decode(code + at, len - at, at, &insn) || insn.returns)
			return 0;
	}
	return 0;
}

static const int go_regs[] = {0, 3, 2, 5, 4, 8, 9, 10, 11}; /* ax bx cx di si r8-r11 */
static const int arg_regs[] = {5, 4, 1, 2, 8, 9};           /* di si dx cx r8 r9 */

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.elf_name = "elf64-x86-64",
	.reg_expr = reg_expr,
	.vector_reg = vector_reg,
	.pc_reg = 16,
	.sp_reg = 7,
	.call_regs = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | /* ax dx cx si di */
		     1u << 8 | 1u << 9 | 1u << 10 | 1u << 11 |         /* r8-r11 */
		     1u << 7 | 1u << 16,                               /* sp ip */
	.user_cflags = "-mgeneral-regs-only -fcf-protection=none "
		       "-mmemcpy-strategy=libcall:-1:noalign -mmemset-strategy=libcall:-1:noalign",
	.arg_regs = arg_regs,
	.narg_regs = ARRAY_LEN(arg_regs),
	.syscall_regs = {SYSCALL_NUMBER, 5, 4, 1, 10, 8, 9}, /* di si dx r10 r8 r9 */
	.result_reg = 0,
	.go_regs = go_regs,
	.ngo_regs = ARRAY_LEN(go_regs),
	.go_float = 17,
	.ngo_floats = 15,
	.go_current = 14,
	.go_stack_check = go_stack_check,
	.entry_skip = entry_skip,
	.decode = x86_64_decode,
	.insn_text = x86_64_text,
	.far_targets = x86_64_far_targets,
	.may_jump_near = x86_64_may_jump_near,
	.near_reach = 130,
};
