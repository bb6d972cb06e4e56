/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data file of the host's architecture. */
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

/* Measured on kernels: what they refuse, or run wrongly;
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
	check_probed();
	arena_free_all();
	return failed != 0;
}
