/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64 (AArch64): registers by DWARF register number (DWARF for the Arm 64-bit Architecture,
 * section 4.1), procedure linkage tables, thread-local storage. It has no runtime yet: scripts
 * are compiled up to the emitted C.
 */
#include <elf.h>
#include <string.h>

#include "arm64.h"
#include "base/util.h"

/* Numbers of our own: what x0 was when the kernel was entered, and which system call it is. */
enum { SP = 31, PC = 32, V0 = 64, SYSCALL_X0 = 1000, SYSCALL_NUMBER };

static const char *reg_expr(int reg)
{
	static const char *const general[] = {
		"hit->regs->regs[0]",  "hit->regs->regs[1]",  "hit->regs->regs[2]",
		"hit->regs->regs[3]",  "hit->regs->regs[4]",  "hit->regs->regs[5]",
		"hit->regs->regs[6]",  "hit->regs->regs[7]",  "hit->regs->regs[8]",
		"hit->regs->regs[9]",  "hit->regs->regs[10]", "hit->regs->regs[11]",
		"hit->regs->regs[12]", "hit->regs->regs[13]", "hit->regs->regs[14]",
		"hit->regs->regs[15]", "hit->regs->regs[16]", "hit->regs->regs[17]",
		"hit->regs->regs[18]", "hit->regs->regs[19]", "hit->regs->regs[20]",
		"hit->regs->regs[21]", "hit->regs->regs[22]", "hit->regs->regs[23]",
		"hit->regs->regs[24]", "hit->regs->regs[25]", "hit->regs->regs[26]",
		"hit->regs->regs[27]", "hit->regs->regs[28]", "hit->regs->regs[29]",
		"hit->regs->regs[30]", "hit->regs->sp",       "hit->regs->pc",
	};

	if (reg == SYSCALL_X0)
		return "hit->regs->orig_x0";
	if (reg == SYSCALL_NUMBER)
		return "hit->regs->syscallno";
	return reg >= 0 && (size_t)reg < ARRAY_LEN(general) ? general[reg] : NULL;
}

static int vector_reg(int reg) { return reg >= V0 && reg < V0 + 32 ? reg - V0 : -1; }

/* The first instruction is where return probes must be: before paciasp signs x30. */
static unsigned entry_skip(const unsigned char *code, size_t len)
{
	(void)code, (void)len;
	return 0;
}

/* ELF handling for thread-local storage, variant I: behind the two words that the thread pointer
 * points to. */
static int64_t tls_block(uint64_t size, uint64_t align)
{
	enum { CONTROL_BLOCK = 16 };

	(void)size;
	return align > CONTROL_BLOCK ? (int64_t)align : CONTROL_BLOCK;
}

/* adrp x16, PAGE; ldr x17, [x16, OFFSET]; add x16, x16, OFFSET; br x17; behind bti c, if it has
 * one */
static uint64_t plt_slot(const unsigned char *code, size_t len, uint64_t addr, unsigned *skip)
{
	const uint32_t bti_c = 0xd503245f;
	uint32_t adrp, ldr;
	int64_t pages;

	*skip = 0;
	if (len < 20)
		return 0;
	if (arm64_word(code) == bti_c)
		*skip = 4;
	adrp = arm64_word(code + *skip);
	ldr = arm64_word(code + *skip + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	pages = (int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 45) >> 43 | (adrp >> 29 & 3);
	return ((addr + *skip) & ~0xfffull) + ((uint64_t)pages << 12) + (ldr >> 10 & 0xfff) * 8;
}

static void calls(const unsigned char *code, size_t len, uint64_t addr, call_fn *fn, void *arg)
{
	for (size_t i = -addr % 4; i + 4 <= len; i += 4) {
		uint32_t w = arm64_word(code + i);

		if ((w & 0xfc000000) == 0x94000000)
			fn(arm64_branch_target(w, addr + i), addr + i + 4, arg);
	}
}

static void far_targets(const unsigned char *code, size_t len, uint64_t addr, unsigned char *bits)
{
	for (size_t i = -addr % 4; i + 4 <= len; i += 4) {
		uint64_t to = arm64_branch_target(arm64_word(code + i), addr + i) - addr;

		if (to < len)
			bits[to / 8] |= (unsigned char)(1u << to % 8);
	}
}

/* All branches are far ones. */
static bool may_jump_near(const unsigned char *code, size_t len, uint64_t addr, uint64_t lo,
			  uint64_t hi)
{
	(void)code, (void)len, (void)addr, (void)lo, (void)hi;
	return false;
}

/* ldr x16, [x28, #16 or #24], the stack's limit in the goroutine, then cmp and b.ls, b.lo or b.hi
 * close to it. */
static unsigned go_stack_check(const unsigned char *code, size_t len)
{
	enum { MOST = 8 };
	bool limit = false;

	for (size_t at = 0; at + 4 <= len && at < MOST * 4; at += 4) {
		uint32_t w = arm64_word(code + at);

		limit |= (w & 0xfffffbff) == 0xf9400b90 || (w & 0xffffffff) == 0xf9400f90;
		if (limit && (w & 0xff00001f) == 0x54000009)
			return (unsigned)at + 4;
	}
	return 0;
}

/* An Image (Documentation/arm64/booting.rst) is the kernel as it lies in memory, without sections:
 * its BTF is found by the header, which begins at a multiple of 4. */
static bool boot_payload(const char *image, size_t len, size_t *at, size_t *n)
{
	/* magic, version, flags, length of the header */
	static const char head[] = "\x9f\xeb\x01\x00\x18\x00\x00\x00";
	enum { HEAD = 24, SMALLEST = 4096 };
	uint32_t v[4]; /* types: offset, size; strings: offset, size */

	if (len < 64 || memcmp(image + 56, "ARM\x64", 4))
		return false;
	for (*at = 64; *at + HEAD <= len; *at += 4) {
		if (memcmp(image + *at, head, sizeof head - 1))
			continue;
		memcpy(v, image + *at + 8, sizeof v);
		*n = (size_t)HEAD + v[2] + v[3];
		if (!v[0] && v[1] == v[2] && *n >= SMALLEST && *n <= len - *at)
			return true;
	}
	return false;
}

static const int go_regs[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

const struct arch arch_arm64 = {
	.name = "arm64",
	.alias = "aarch64",
	.triplet = "aarch64-linux-gnu",
	.kernel_arch = "arm64",
	.elf_machine = "aarch64",
	.machine = EM_AARCH64,
	.reg_expr = reg_expr,
	.vector_reg = vector_reg,
	.pc_reg = PC,
	.sp_reg = SP,
	.call_regs = 0x7ffffull | 1ull << 30 | 1ull << SP | 1ull << PC, /* x0-x18, x30 */
	.convention = &arm64_convention,
	.relocations = {.jump_slot = R_AARCH64_JUMP_SLOT,
			.glob_dat = R_AARCH64_GLOB_DAT,
			.tls_module = R_AARCH64_TLS_DTPMOD,
			.tls_descriptor = R_AARCH64_TLSDESC,
			.tls_offset = R_AARCH64_TLS_TPREL},
	.tls_block = tls_block,
	.sdt_operand = arm64_sdt_operand,
	.plt_slot = plt_slot,
	.plt_align = 4,
	.calls = calls,
	.call_table = arm64_calls,
	.ncall_table = &arm64_ncalls,
	.syscall_regs = {SYSCALL_NUMBER, SYSCALL_X0, 1, 2, 3, 4, 5},
	.syscall_result = 0,
	.go_regs = go_regs,
	.ngo_regs = ARRAY_LEN(go_regs),
	.go_float = V0,
	.ngo_floats = 16,
	.go_current = 28,
	.go_stack_check = go_stack_check,
	.entry_skip = entry_skip,
	.decode = arm64_decode,
	.is_breakpoint = arm64_is_breakpoint,
	.insn_text = arm64_text,
	.far_targets = far_targets,
	.may_jump_near = may_jump_near,
	.boot_payload = boot_payload,
};
