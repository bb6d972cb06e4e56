/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64: the names of `struct ust_regs` by DWARF register number (System V
 * psABI for AMD64, figure "DWARF Register Number Mapping"), and entries.
 */
#include <elf.h>
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

static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

static unsigned entry_skip(const unsigned char *code, size_t len)
{
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

/* The payload of a bzImage, where the boot protocol's header says (offsets 0x1f1, 0x248 and
 * 0x24c). */
static bool boot_payload(const char *image, size_t len, size_t *at, size_t *n)
{
	uint32_t offset, size;
	size_t setup;

	if (len < 0x260 || memcmp(image + 0x202, "HdrS", 4))
		return false;
	setup = (unsigned char)image[0x1f1] ? (unsigned char)image[0x1f1] : 4;
	memcpy(&offset, image + 0x248, sizeof offset);
	memcpy(&size, image + 0x24c, sizeof size);
	*at = (setup + 1) * 512 + offset;
	*n = size;
	return *at < len && *n <= len - *at;
}

static const int go_regs[] = {0, 3, 2, 5, 4, 8, 9, 10, 11}; /* ax bx cx di si r8-r11 */
static const struct frame_rules frames = {.fp_reg = 6, .return_reg = 16, .return_at = -8};

/* ELF handling for thread-local storage, 3.4.6, variant II: just below the thread pointer. */
static int64_t tls_block(uint64_t size, uint64_t align)
{
	return -(int64_t)((size + align - 1) / align * align);
}

/* An entry of a PLT jumps by ff 25 disp32, behind endbr64 and bnd, if it has them (System V ABI for
 * AMD64, 5.2; with -fcf-protection in .plt.sec). */
static uint64_t plt_slot(const unsigned char *code, size_t len, uint64_t addr, unsigned *skip)
{
	unsigned at;
	int32_t disp;

	*skip = len >= sizeof endbr64 && !memcmp(code, endbr64, sizeof endbr64) ? 4 : 0;
	at = *skip + (len > *skip && code[*skip] == 0xf2);
	if (len < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	memcpy(&disp, code + at + 2, 4);
	return addr + at + 6 + (uint64_t)(int64_t)disp;
}

/* e8 disp32 (call), and ff 15 disp32 (call through a word of memory) */
static void calls(const unsigned char *code, size_t len, uint64_t addr, call_fn *fn, void *arg)
{
	for (size_t i = 0; i + 5 <= len; i++) {
		bool through = code[i] == 0xff && code[i + 1] == 0x15 && i + 6 <= len;
		uint64_t ret = addr + i + (through ? 6 : 5);
		int32_t disp;

		if (code[i] != 0xe8 && !through)
			continue;
		memcpy(&disp, code + i + (through ? 2 : 1), 4);
		fn(ret + (uint64_t)(int64_t)disp, ret, arg);
	}
}

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.triplet = "x86_64-linux-gnu",
	.kernel_arch = "x86",
	.elf_machine = "x86_64",
	.machine = EM_X86_64,
	.has_runtime = true,
	.has_x87 = true,
	.reg_expr = reg_expr,
	.vector_reg = vector_reg,
	.pc_reg = 16,
	.sp_reg = 7,
	.call_regs = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | /* ax dx cx si di */
		     1u << 8 | 1u << 9 | 1u << 10 | 1u << 11 |         /* r8-r11 */
		     1u << 7 | 1u << 16,                               /* sp ip */
	.user_cflags = "-mgeneral-regs-only -fcf-protection=none "
		       "-mmemcpy-strategy=libcall:-1:noalign -mmemset-strategy=libcall:-1:noalign",
	.convention = &x86_64_convention,
	.relocations = {.jump_slot = R_X86_64_JUMP_SLOT,
			.glob_dat = R_X86_64_GLOB_DAT,
			.tls_module = R_X86_64_DTPMOD64,
			.tls_descriptor = R_X86_64_TLSDESC,
			.tls_offset = R_X86_64_TPOFF64},
	.frames = &frames,
	.tls_block = tls_block,
	.sdt_operand = x86_64_sdt_operand,
	.plt_slot = plt_slot,
	.plt_align = 8,
	.calls = calls,
	.call_table = x86_64_calls,
	.ncall_table = &x86_64_ncalls,
	.syscall_regs = {SYSCALL_NUMBER, 5, 4, 1, 10, 8, 9}, /* di si dx r10 r8 r9 */
	.syscall_result = 0,
	.go_regs = go_regs,
	.ngo_regs = ARRAY_LEN(go_regs),
	.go_float = 17,
	.ngo_floats = 15,
	.go_current = 14,
	.go_stack_check = go_stack_check,
	.entry_skip = entry_skip,
	.decode = x86_64_decode,
	.is_breakpoint = x86_64_is_breakpoint,
	.insn_text = x86_64_text,
	.far_targets = x86_64_far_targets,
	.may_jump_near = x86_64_may_jump_near,
	.near_reach = 130,
	.may_use = x86_64_may_use,
	.boot_payload = boot_payload,
};
