/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of a hit, in the kernel's order of struct pt_regs; see reg_expr() of translator/arch/.
 */
#ifndef USTAP_REGS_H
#define USTAP_REGS_H

#if defined(__x86_64__)
struct ust_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		cs, flags, sp, ss;
};
#else
#error "ustap: no register layout for this architecture yet"
#endif

#endif
