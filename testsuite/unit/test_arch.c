/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The architecture description of the host. */
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"

static int failed;

static void check(bool ok, const char *name)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: wrong\n", name);
	failed += !ok;
}

struct entry {
	const char *name;
	unsigned char code[8];
	size_t len;
	unsigned skip;
};

static const struct entry entries[] = {
	{"push", {0x55, 0x48, 0x89, 0xe5}, 4, 0},
	{"endbr64 push rbp", {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48}, 6, 4},
	{"endbr64 push r12", {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x54}, 6, 4},
	{"endbr64 sub", {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08}, 8, 0},
	{"endbr64 rex without push", {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x89}, 6, 0},
	{"endbr64 rex cut short", {0xf3, 0x0f, 0x1e, 0xfa, 0x41}, 5, 0},
	{"endbr64 pop", {0xf3, 0x0f, 0x1e, 0xfa, 0x58}, 5, 0},
	{"endbr64 alone", {0xf3, 0x0f, 0x1e, 0xfa}, 4, 0},
	{"endbr32 push", {0xf3, 0x0f, 0x1e, 0xfb, 0x55}, 5, 0},
	{"nothing", {0}, 0, 0},
};

/* Bits of writes are DWARF numbers: ax 0, dx 1, cx 2, bx 3, si 4, di 5, bp 6, sp 7. */
struct sample {
	const char *name;
	unsigned char code[8];
	size_t len;
	bool emulated, plain, indirect;
	uint64_t writes, target;
};

/* As gdb disassembles them, at address 0x1000;
 * emulated: arch/x86/kernel/uprobes.c of Linux 5.10. */
static const struct sample known[] = {
	{"push %rbx", {0x53}, 1, true, false, false, 0, 0},
	{"push %r12", {0x41, 0x54}, 2, true, false, false, 0, 0},
	{"nop", {0x90}, 1, true, true, false, 0, 0},
	{"xchg %ax,%ax", {0x66, 0x90}, 2, false, true, false, 0, 0},
	{"nopl 0(%rax)", {0x0f, 0x1f, 0x40, 0x00}, 4, false, true, false, 0, 0},
	{"jmp 8", {0xeb, 0x10}, 2, true, false, false, 0, 0x1012},
	{"je 32", {0x0f, 0x84, 0xfa, 0xff, 0xff, 0xff}, 6, true, false, false, 0, 0x1000},
	{"call", {0xe8, 0x00, 0x01, 0x00, 0x00}, 5, true, false, false, 0, 0x1105},
	{"data16 call", {0x66, 0xe8, 0x00, 0x01, 0x00, 0x00}, 6, false, false, false, 0, 0x1106},
	{"jmp *%rax", {0xff, 0xe0}, 2, false, false, true, 0, 0},
	{"call *%rax", {0xff, 0xd0}, 2, false, false, false, 0, 0},
	{"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, 4, false, true, false, 0, 0},
	{"mov %edi,%eax", {0x89, 0xf8}, 2, false, true, false, 1 << 0, 0},
	{"mov (%rdi),%eax", {0x8b, 0x07}, 2, false, false, false, 1 << 0, 0},
	{"mov %al,%bh", {0x88, 0xc7}, 2, false, true, false, 1 << 3, 0},
	{"lea 4(%rdi),%rsi", {0x48, 0x8d, 0x77, 0x04}, 4, false, true, false, 1 << 4, 0},
	{"test %rdi,%rdi", {0x48, 0x85, 0xff}, 3, false, true, false, 0, 0},
	{"sub $8,%rsp", {0x48, 0x83, 0xec, 0x08}, 4, false, true, false, 1 << 7, 0},
	{"div %rcx", {0x48, 0xf7, 0xf1}, 3, false, false, false, 1 << 0 | 1 << 1, 0},
	{"xorps %xmm0,%xmm0", {0x0f, 0x57, 0xc0}, 3, false, true, false, 0, 0},
	{"movq %rdi,%xmm0", {0x66, 0x48, 0x0f, 0x6e, 0xc7}, 5, false, true, false, 0, 0},
	{"pop %rbx", {0x5b}, 1, false, false, false, 1 << 3 | 1 << 7, 0},
	{"ret", {0xc3}, 1, false, false, false, 1 << 7, 0},
	{"syscall", {0x0f, 0x05}, 2, false, false, false, 0, 0},
	{"cpuid", {0x0f, 0xa2}, 2, false, false, false, 0, 0},
	{"mov %fs,%eax", {0x8c, 0xe0}, 2, false, false, false, 0, 0},
	{"hlt", {0xf4}, 1, false, false, false, 0, 0},
};

static void check_insns(void)
{
	struct machine_insn out;

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		const struct sample *k = &known[i];
		bool ok = arch_target()->decode(k->code, k->len, 0x1000, &out) &&
			  out.len == k->len && out.emulated == k->emulated &&
			  out.plain == k->plain && out.indirect == k->indirect &&
			  out.target == k->target && (!k->plain || out.writes == k->writes);

		check(ok, k->name);
	}
	check(!arch_target()->decode(known[7].code, 3, 0x1000, &out), "a call cut short");
}

/* Measured on kernels: instructions that they refuse, or execute wrongly;
 * testsuite/ustap.security/uprobe_instructions.stp runs others. */
struct kernel_sample {
	const char *name;
	unsigned char code[10];
	size_t len;
	bool refused;
};

static const struct kernel_sample probed[] = {
	{"lock incl", {0xf0, 0xff, 0x07}, 3, true},
	{"data16 lock incl", {0x66, 0xf0, 0xff, 0x07}, 4, true},
	{"cs nopw", {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, 10, true},
	{"notrack jmp", {0x3e, 0xff, 0xe0}, 3, true},
	{"jump with a hint", {0x2e, 0x74, 0x02}, 3, true},
	{"mov from fs", {0x64, 0x8b, 0x07}, 3, false},
	{"mov from gs", {0x65, 0x8b, 0x07}, 3, false},
	{"int3", {0xcc}, 1, true},
	{"hlt", {0xf4}, 1, true},
	{"in", {0xe4, 0x80}, 2, true},
	{"outsb", {0x6e}, 1, true},
	{"mov to ss", {0x8e, 0xd0}, 2, true},
	{"mov to ds", {0x8e, 0xd8}, 2, false},
	{"data16 jump", {0x66, 0x74, 0x02}, 3, true},
	{"xchg with r8", {0x41, 0x90}, 2, true},
	{"xchg with rcx", {0x48, 0x91}, 2, false},
	{"rep movsb", {0xf3, 0xa4}, 2, true},
	{"movsb", {0xa4}, 1, false},
	{"pause", {0xf3, 0x90}, 2, true},
	{"repz ret", {0xf3, 0xc3}, 2, false},
	{"syscall", {0x0f, 0x05}, 2, true},
	{"ud2", {0x0f, 0x0b}, 2, false},
	{"vmovdqa to memory", {0xc5, 0xf9, 0x7f, 0x07}, 4, true},
	{"vpor", {0xc5, 0xf9, 0xeb, 0xc1}, 4, true},
	{"vcmpps", {0xc5, 0xf8, 0xc2, 0xc1, 0x01}, 5, true},
	{"vaddsd", {0xc5, 0xfb, 0x58, 0xc1}, 4, false},
	{"vmovdqu64", {0x62, 0xf1, 0xfe, 0x48, 0x7f, 0x07}, 6, true},
};

static void check_probed(void)
{
	struct machine_insn out;

	for (size_t i = 0; i < ARRAY_LEN(probed); i++)
		check(arch_target()->decode(probed[i].code, probed[i].len, 0x1000, &out) &&
			      !out.refused == !probed[i].refused,
		      xprintf("uprobe on %s", probed[i].name));
}

/* ------------------------------------------------------------------------- arm64 */

struct arm64_sample {
	const char *name;
	uint32_t word;
	bool emulated, plain, indirect, refused;
	uint64_t writes, target;
};

/* As binutils assembles them, and the treatment by kernels: arch/arm64/kernel/probes/decode-insn.c
 * of Linux 6.1. */
static const struct arm64_sample arm64_known[] = {
	{"nop", 0xd503201f, false, true, false, false, 0, 0},
	{"bti c", 0xd503245f, false, true, false, false, 0, 0},
	{"paciasp", 0xd503233f, false, false, false, false, 0, 0},
	{"yield", 0xd503203f, false, false, false, true, 0, 0},
	{"autiasp", 0xd50323bf, false, false, false, true, 0, 0},
	{"b .+8", 0x14000002, true, false, false, false, 0, 0x1008},
	{"bl .-4", 0x97ffffff, true, false, false, false, 0, 0xffc},
	{"b.eq .+16", 0x54000080, true, false, false, false, 0, 0x1010},
	{"cbz x0, .+32", 0xb4000100, true, false, false, false, 0, 0x1020},
	{"tbnz w3, #2, .-8", 0x3717ffc3, true, false, false, false, 0, 0xff8},
	{"br x16", 0xd61f0200, true, false, true, false, 0, 0},
	{"blr x1", 0xd63f0020, true, false, false, false, 0, 0},
	{"ret", 0xd65f03c0, true, false, false, false, 0, 0},
	{"retaa", 0xd65f0bff, false, false, false, true, 0, 0},
	{"adrp x3, .", 0x90000003, true, false, false, false, 0, 0},
	{"mov x0, x1", 0xaa0103e0, false, true, false, false, 1 << 0, 0},
	{"add x5, x6, #4", 0x910010c5, false, true, false, false, 1 << 5, 0},
	{"sub sp, sp, #32", 0xd10083ff, false, true, false, false, 1ull << 31, 0},
	{"cmp w0, #3", 0x71000c1f, false, true, false, false, 0, 0},
	{"stp x29, x30, [sp, #-16]!", 0xa9bf7bfd, false, false, false, false, 0, 0},
	{"ldr x0, [x1]", 0xf9400020, false, false, false, false, 0, 0},
	{"ldr x0, .+8", 0x58000040, false, false, false, true, 0, 0},
	{"ldr d0, .+8", 0x5c000040, false, false, false, true, 0, 0},
	{"ldxr w0, [x1]", 0x885f7c20, false, false, false, true, 0, 0},
	{"stlxr w2, w0, [x1]", 0x8802fc20, false, false, false, true, 0, 0},
	{"ldar w0, [x1]", 0x88dffc20, false, false, false, false, 0, 0},
	{"ldadd w0, w1, [x2]", 0xb8200041, false, false, false, false, 0, 0},
	{"svc #0", 0xd4000001, false, false, false, true, 0, 0},
};

static void put_word(unsigned char *code, uint32_t word)
{
	for (int i = 0; i < 4; i++)
		code[i] = (unsigned char)(word >> 8 * i);
}

static void check_arm64_insns(void)
{
	struct machine_insn out;
	unsigned char code[4];

	for (size_t i = 0; i < ARRAY_LEN(arm64_known); i++) {
		const struct arm64_sample *k = &arm64_known[i];

		put_word(code, k->word);
		check(arch_arm64.decode(code, 4, 0x1000, &out) && out.len == 4 &&
			      out.emulated == k->emulated && out.plain == k->plain &&
			      out.indirect == k->indirect && !out.refused == !k->refused &&
			      out.writes == k->writes && out.target == k->target &&
			      out.returns == !strncmp(k->name, "ret", 3),
		      xprintf("arm64: %s", k->name));
	}
	put_word(code, 0);
	check(!arch_arm64.decode(code, 4, 0, &out), "arm64: udf");
}

/* Operands that cannot be read; those that can be are in testsuite/arm64/arm64. */
static void check_operands(void)
{
	static const char *const wrong[] = {
		"",           "x31",
		"w",          "[w0]",
		"[xzr]",      "[x0",
		"[x0, ]",     "[x0, 4",
		"[x0, sp]",   "[x0, x1, lsl 64]",
		"[x0, x1, ]", "[x0, x1, ror 2]",
		"[x0, x1 2]", "[x0, :got:a]",
		"[x0], 4",    "v32",
		"5 6",        "%rax",
	};
	struct sdt_operand o;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		check(arch_arm64.sdt_operand(wrong[i], &o) != NULL,
		      xprintf("arm64: operand \"%s\" is refused", wrong[i]));
	check(!arch_arm64.sdt_operand("wzr", &o) && o.kind == SDT_CONSTANT && !o.number,
	      "arm64: zero register");
	check(!arch_arm64.sdt_operand("d7", &o) && o.kind == SDT_VECTOR && o.reg == 7,
	      "arm64: part of a vector register");
	check(!arch_arm64.sdt_operand("[x3, #-8]", &o) && o.base == 3 && o.number == -8,
	      "arm64: negative offset");
	check(!arch_arm64.sdt_operand("[x3, #:lo12:half+4]", &o) && !o.has_base &&
		      o.symbol_len == 4 && o.number == 4,
	      "arm64: symbol");
}

/* `adrp x16, 0x11000; ldr x17, [x16, #4048]; add x16, x16, #4048; br x17' at 0x5f0, as ld writes it
 */
static void check_arm64_tables(void)
{
	static const uint32_t entry[] = {0xd503245f, 0xf0000070, 0xf947ea11, 0x913f4210,
					 0xd61f0220};
	unsigned char code[sizeof entry];
	unsigned skip;

	for (size_t i = 0; i < ARRAY_LEN(entry); i++)
		put_word(code + 4 * i, entry[i]);
	check(arch_arm64.plt_slot(code, sizeof code, 0x1ff0, &skip) == 0x10fd0 && skip == 4,
	      "arm64: PLT entry behind bti c, its adrp counts from its own page");
	check(!arch_arm64.plt_slot(code + 8, 12, 0x5f8, &skip), "arm64: not a PLT entry");
	check(arch_arm64.tls_block(100, 8) == 16 && arch_arm64.tls_block(100, 64) == 64,
	      "arm64: thread-local storage is behind the control block");
	check(arch_x86_64.tls_block(100, 8) == -104, "x86_64: it is below the thread pointer");
	check(arch_of_machine(183) == &arch_arm64 && arch_of_machine(62) == &arch_x86_64 &&
		      !arch_of_machine(3),
	      "machine numbers");
	check(arch_set_target("aarch64") && arch_target() == &arch_arm64 &&
		      !arch_set_target("vax") && arch_set_target("x86_64"),
	      "-a");
}

/* Operands in memory at the stack pointer (7) or the frame pointer (6). */
static const struct operand {
	const char *name;
	unsigned char code[12];
	size_t len;
	int base;
	int32_t disp;
	bool indexed, touches;
} operands[] = {
	{"mov (%rsp),%rcx", {0x48, 0x8b, 0x0c, 0x24}, 4, 7, 0, false, false},
	{"mov 0x28(%rsp),%rdx", {0x48, 0x8b, 0x54, 0x24, 0x28}, 5, 7, 0x28, false, false},
	{"movq 0x128(%rsp),%xmm0",
	 {0xf3, 0x0f, 0x7e, 0x84, 0x24, 0x28, 0x01, 0, 0},
	 9,
	 7,
	 0x128,
	 false,
	 false},
	{"push 0x8(%rsp)", {0xff, 0x74, 0x24, 0x08}, 4, 7, 8, false, false},
	{"mov 0x8(%rbp),%rdi", {0x48, 0x8b, 0x7d, 0x08}, 4, 6, 8, false, false},
	{"mov -0x88(%rbp),%rax",
	 {0x48, 0x8b, 0x85, 0x78, 0xff, 0xff, 0xff},
	 7,
	 6,
	 -0x88,
	 false,
	 false},
	{"lea 0x8(%rsp),%rsp", {0x48, 0x8d, 0x64, 0x24, 0x08}, 5, 7, 8, false, true},
	{"lock orl $0x0,(%rsp)", {0xf0, 0x83, 0x0c, 0x24, 0x00}, 5, 7, 0, false, true},
	{"addl $0x1,(%rsp)", {0x83, 0x04, 0x24, 0x01}, 4, 7, 0, false, false},
	{"mov 0x8(%rsp,%rax,8),%rax", {0x48, 0x8b, 0x44, 0xc4, 0x08}, 5, -1, 0, true, false},
	{"jmp *0x1000(,%rax,8)", {0xff, 0x24, 0xc5, 0x00, 0x10, 0, 0}, 7, -1, 0, true, false},
	{"jmp *0x2f72(%rip)", {0xff, 0x25, 0x72, 0x2f, 0, 0}, 6, -1, 0, false, false},
	{"push %rbp", {0x55}, 1, -1, 0, false, false},
};

static void check_memory(void)
{
	for (size_t i = 0; i < ARRAY_LEN(operands); i++) {
		const struct operand *o = &operands[i];
		struct machine_insn out;
		bool decoded = arch_x86_64.decode(o->code, o->len, 0x1000, &out);

		check(decoded && out.base == o->base && out.indexed == o->indexed &&
			      (out.base < 0 || out.disp == o->disp) &&
			      out.only_touches == o->touches,
		      o->name);
		if (o->base < 0)
			continue;
		check(arch_x86_64.may_use(o->code, o->len, o->base, o->disp),
		      xprintf("%s is found", o->name));
		check(!arch_x86_64.may_use(o->code, o->len, o->base, o->disp + 16) &&
			      !arch_x86_64.may_use(o->code, o->len - 1, o->base, 0x1234),
		      xprintf("%s alone", o->name));
	}
}

int main(void)
{
	static const char *const regs[] = {"ax",  "dx",  "cx",  "bx",  "si",  "di",
					   "bp",  "sp",  "r8",  "r9",  "r10", "r11",
					   "r12", "r13", "r14", "r15", "ip"};
	const struct arch *a = &arch_x86_64;
	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		check(a->entry_skip(entries[i].code, entries[i].len) == entries[i].skip,
		      entries[i].name);
	for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
		const char *e = a->reg_expr((int)i);
		check(e && strcmp(e, xprintf("hit->regs->%s", regs[i])) == 0,
		      xprintf("register %zu is %s", i, regs[i]));
	}
	check(!a->reg_expr(17) && !a->reg_expr(-1) && !a->reg_expr(33),
	      "vector registers are not saved");
	check(strcmp(a->reg_expr(a->sp_reg), "hit->regs->sp") == 0, "stack pointer");
	check(strcmp(a->reg_expr(a->pc_reg), "hit->regs->ip") == 0, "program counter");
	check(a->convention->narg_regs == 6 && a->convention->arg_regs[0] == 5 &&
		      a->convention->arg_regs[3] == 2,
	      "argument registers");
	/* psABI, "Register Usage": bx bp r12-r15 belong to the caller */
	check(a->call_regs == (0x1ffffu & ~(1u << 3 | 1u << 6 | 0xfu << 12)),
	      "registers that a call may change");
	check(a->user_cflags && strstr(a->user_cflags, "-mgeneral-regs-only"),
	      "no vector registers");
	check(arch_target() == &arch_x86_64, "the host");
	check_insns();
	check_memory();
	check_probed();
	check_arm64_insns();
	check_arm64_tables();
	check_operands();
	arena_free_all();
	return failed != 0;
}
