/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DWARF numbers of the registers that unwinding knows; RETURN stands for the return address. */
#ifndef USTAP_FRAME_REGS_H
#define USTAP_FRAME_REGS_H

#if defined(__x86_64__)
enum { REG_BX = 3, REG_BP = 6, REG_SP = 7, REG_RETURN = 16, NREGS = 17 };
#endif

#endif
