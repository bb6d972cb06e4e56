/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers, as scripts give them, and where integer arguments are: arg_at[NARGS]. */
#ifndef USTAP_REGISTER_NAMES_H
#define USTAP_REGISTER_NAMES_H

#include "arch/regs.h"

#if defined(__x86_64__)

enum { NARGS = 6 };

#define AT(field) (unsigned char)__builtin_offsetof(struct ust_regs, field)
static const unsigned char arg_at[NARGS] = {AT(di), AT(si), AT(dx), AT(cx), AT(r8), AT(r9)};

/* A register's plain name means all 64 bits; a name with an e means the lower 32. */
static const struct name {
	char name[9];
	unsigned char at, size;
} names[] = {
	{"rax", AT(ax), 8},
	{"ax", AT(ax), 8},
	{"eax", AT(ax), 4},
	{"rbx", AT(bx), 8},
	{"bx", AT(bx), 8},
	{"ebx", AT(bx), 4},
	{"rcx", AT(cx), 8},
	{"cx", AT(cx), 8},
	{"ecx", AT(cx), 4},
	{"rdx", AT(dx), 8},
	{"dx", AT(dx), 8},
	{"edx", AT(dx), 4},
	{"rsi", AT(si), 8},
	{"si", AT(si), 8},
	{"esi", AT(si), 4},
	{"rdi", AT(di), 8},
	{"di", AT(di), 8},
	{"edi", AT(di), 4},
	{"rbp", AT(bp), 8},
	{"bp", AT(bp), 8},
	{"ebp", AT(bp), 4},
	{"rsp", AT(sp), 8},
	{"sp", AT(sp), 8},
	{"esp", AT(sp), 4},
	{"rip", AT(ip), 8},
	{"ip", AT(ip), 8},
	{"eip", AT(ip), 4},
	{"r8", AT(r8), 8},
	{"r8d", AT(r8), 4},
	{"r9", AT(r9), 8},
	{"r9d", AT(r9), 4},
	{"r10", AT(r10), 8},
	{"r10d", AT(r10), 4},
	{"r11", AT(r11), 8},
	{"r11d", AT(r11), 4},
	{"r12", AT(r12), 8},
	{"r12d", AT(r12), 4},
	{"r13", AT(r13), 8},
	{"r13d", AT(r13), 4},
	{"r14", AT(r14), 8},
	{"r14d", AT(r14), 4},
	{"r15", AT(r15), 8},
	{"r15d", AT(r15), 4},
	{"flags", AT(flags), 4},
	{"eflags", AT(flags), 4},
	{"rflags", AT(flags), 8},
	{"orig_rax", AT(orig_ax), 8},
	{"orig_ax", AT(orig_ax), 8},
	{"orig_eax", AT(orig_ax), 4},
	{"xcs", AT(cs), 8},
	{"cs", AT(cs), 8},
	{"xss", AT(ss), 8},
	{"ss", AT(ss), 8},
};

/* Stack arguments: the seventh argument is above the return address. */
static inline u64 regs_stack_arg(const struct ust_regs *r, u64 n)
{
	return r->sp + 8 * (n - NARGS);
}

#else
#error "ustap: the runtime does not know this architecture yet; see doc/adding.md"
#endif

#endif
