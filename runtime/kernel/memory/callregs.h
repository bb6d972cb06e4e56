/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef USTAP_CALLREGS_H
#define USTAP_CALLREGS_H

#include <linux/ptrace.h>

/* Copy REGS with the arguments of a 32-bit system call moved to the registers of a 64-bit one; see
 * arch/x86/include/asm/syscall.h. */
static inline void callregs_32(struct pt_regs *copy, const struct pt_regs *regs)
{
	*copy = *regs;
	copy->di = (u32)regs->bx;
	copy->si = (u32)regs->cx;
	copy->dx = (u32)regs->dx;
	copy->r10 = (u32)regs->si;
	copy->r8 = (u32)regs->di;
	copy->r9 = (u32)regs->bp;
}

#endif
