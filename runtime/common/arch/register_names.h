/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers, as scripts give them, and where integer arguments are: arg_at[NARGS]. */
#ifndef USTAP_REGISTER_NAMES_H
#define USTAP_REGISTER_NAMES_H

#include "arch/regs.h"

#if defined(__x86_64__)

enum { NARGS = 6 };

#define AT(field) (unsigned char)__builtin_offsetof(struct ust_regs, field)
static const unsigned char arg_at[NARGS] = {AT(di), AT(si), AT(dx), AT(cx), AT(r8), AT(r9)};

/* Names and sizes are those of the processor's manual, and of SystemTap for what that does not
 * name: xcs, xss, orig_rax, eflags (all of rflags). */
static const struct name {
	char name[9];
	unsigned char at, size; /* in bytes */
} names[] = {
	{"rax", AT(ax), 8},
	{"eax", AT(ax), 4},
	{"ax", AT(ax), 2},
	{"al", AT(ax), 1},
	{"ah", AT(ax) + 1, 1},
	{"rbx", AT(bx), 8},
	{"ebx", AT(bx), 4},
	{"bx", AT(bx), 2},
	{"bl", AT(bx), 1},
	{"bh", AT(bx) + 1, 1},
	{"rcx", AT(cx), 8},
	{"ecx", AT(cx), 4},
	{"cx", AT(cx), 2},
	{"cl", AT(cx), 1},
	{"ch", AT(cx) + 1, 1},
	{"rdx", AT(dx), 8},
	{"edx", AT(dx), 4},
	{"dx", AT(dx), 2},
	{"dl", AT(dx), 1},
	{"dh", AT(dx) + 1, 1},
	{"rsi", AT(si), 8},
	{"esi", AT(si), 4},
	{"si", AT(si), 2},
	{"sil", AT(si), 1},
	{"rdi", AT(di), 8},
	{"edi", AT(di), 4},
	{"di", AT(di), 2},
	{"dil", AT(di), 1},
	{"rbp", AT(bp), 8},
	{"ebp", AT(bp), 4},
	{"bp", AT(bp), 2},
	{"bpl", AT(bp), 1},
	{"rsp", AT(sp), 8},
	{"esp", AT(sp), 4},
	{"sp", AT(sp), 2},
	{"spl", AT(sp), 1},
	{"r8", AT(r8), 8},
	{"r8d", AT(r8), 4},
	{"r8w", AT(r8), 2},
	{"r8b", AT(r8), 1},
	{"r9", AT(r9), 8},
	{"r9d", AT(r9), 4},
	{"r9w", AT(r9), 2},
	{"r9b", AT(r9), 1},
	{"r10", AT(r10), 8},
	{"r10d", AT(r10), 4},
	{"r10w", AT(r10), 2},
	{"r10b", AT(r10), 1},
	{"r11", AT(r11), 8},
	{"r11d", AT(r11), 4},
	{"r11w", AT(r11), 2},
	{"r11b", AT(r11), 1},
	{"r12", AT(r12), 8},
	{"r12d", AT(r12), 4},
	{"r12w", AT(r12), 2},
	{"r12b", AT(r12), 1},
	{"r13", AT(r13), 8},
	{"r13d", AT(r13), 4},
	{"r13w", AT(r13), 2},
	{"r13b", AT(r13), 1},
	{"r14", AT(r14), 8},
	{"r14d", AT(r14), 4},
	{"r14w", AT(r14), 2},
	{"r14b", AT(r14), 1},
	{"r15", AT(r15), 8},
	{"r15d", AT(r15), 4},
	{"r15w", AT(r15), 2},
	{"r15b", AT(r15), 1},
	{"rip", AT(ip), 8},
	{"eip", AT(ip), 4},
	{"ip", AT(ip), 2},
	{"rflags", AT(flags), 8},
	{"eflags", AT(flags), 8},
	{"flags", AT(flags), 2},
	{"orig_rax", AT(orig_ax), 8},
	{"orig_eax", AT(orig_ax), 4},
	{"orig_ax", AT(orig_ax), 2},
	{"xcs", AT(cs), 8},
	{"cs", AT(cs), 2},
	{"xss", AT(ss), 8},
	{"ss", AT(ss), 2},
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
