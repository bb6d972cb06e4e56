/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of a hit by what they are for. */
#ifndef USTAP_COMMON_REGS_H
#define USTAP_COMMON_REGS_H

#include "ustap_rt.h"

#if defined(__x86_64__)

/* regs_*(): address of the saved register with that role, to read or to change it. The registers
 * are those of a hit, or of a system call. */
static inline unsigned long *regs_pc(struct ust_regs *r) { return &r->ip; }
static inline unsigned long *regs_sp(struct ust_regs *r) { return &r->sp; }
static inline unsigned long *regs_result(struct ust_regs *r) { return &r->ax; }
/* of a function that is entered, N from 0 to 5 */
static inline __attribute__((always_inline)) unsigned long *regs_arg(struct ust_regs *r, unsigned n)
{
	switch (n) {
	case 0:
		return &r->di;
	case 1:
		return &r->si;
	case 2:
		return &r->dx;
	case 3:
		return &r->cx;
	case 4:
		return &r->r8;
	default:
		return &r->r9;
	}
}
/* of a system call, whose number is where its result will be */
static inline __attribute__((always_inline)) unsigned long *regs_call_arg(struct ust_regs *r,
									  unsigned n)
{
	return n == 3 ? &r->r10 : regs_arg(r, n);
}
/* The number of the system call; its result is in the same register. */
static inline unsigned long *regs_call_number(struct ust_regs *r) { return &r->ax; }
/* a word of the saved registers that no handler reads as a register */
static inline unsigned long *regs_spare(struct ust_regs *r) { return &r->ss; }

#endif

#endif
