/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data file of the host's architecture. */
#include <string.h>

#include "ustap.h"

static int failed;

static void check(bool ok, const char *name)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: wrong\n", name);
	failed += !ok;
}

struct entry { const char *name; unsigned char code[8]; size_t len; unsigned skip; };

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

int main(void)
{
	static const char *const regs[] = {"ax", "dx", "cx",  "bx",  "si",  "di",  "bp",  "sp", "r8",
					   "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip"};
	const struct arch *a = &arch_x86_64;
	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		check(a->entry_skip(entries[i].code, entries[i].len) == entries[i].skip,
		      entries[i].name);
	for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
		const char *e = a->reg_expr((int)i);
		check(e && strcmp(e, xprintf("hit->regs->%s", regs[i])) == 0,
		      xprintf("register %zu is %s", i, regs[i]));
	}
	check(!a->reg_expr(17) && !a->reg_expr(-1) && !a->reg_expr(33), "vector registers are not saved");
	check(strcmp(a->reg_expr(a->sp_reg), "hit->regs->sp") == 0, "stack pointer");
	check(strcmp(a->reg_expr(a->pc_reg), "hit->regs->ip") == 0, "program counter");
	check(a->narg_regs == 6 && a->arg_regs[0] == 5 && a->arg_regs[3] == 2, "argument registers");
	/* psABI, "Register Usage": bx bp r12-r15 belong to the caller */
	check(a->call_regs == (0x1ffffu & ~(1u << 3 | 1u << 6 | 0xfu << 12)), "registers that a call may change");
	check(a->user_cflags && strstr(a->user_cflags, "-mgeneral-regs-only"), "no vector registers");
	check(arch_host() == &arch_x86_64, "the host");
	arena_free_all();
	return failed != 0;
}
