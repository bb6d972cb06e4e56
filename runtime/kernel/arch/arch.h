/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between architectures in the kernel runtime.  A header for each defines:
 *
 *   arch_set_args           puts the first ARCH_ARGS arguments of a function into registers
 *   arch_is_compat_call     is the current system call one of a 32-bit program?
 *   arch_compat_call_regs   registers with such a call's arguments where others have them
 *   arch_call_args          moves a system call's arguments to where a function has them
 *   arch_set_result         of a system call
 *   arch_call_number        of the system call that REGS are of
 *   arch_is_birth           does call NUMBER return a second time, in a new task?
 *   arch_irqs_were_on       were interrupts enabled where REGS were saved?
 *   arch_scratch            a word of REGS that means nothing at a function's entry
 *   arch_thread_pointer     of the current task
 *   arch_is_kernel_address  could ADDR be mapped in the kernel?
 *   arch_uses_mm            is MM the address space in use?
 *   arch_is_ftrace_site     is there what kernels have at the entry of a function for ftrace?
 *
 * and ust_vector() in a file of its own.
 */
#ifndef USTAP_KERNEL_ARCH_H
#define USTAP_KERNEL_ARCH_H

#if defined(__x86_64__)
#include "x86_64.h"
#else
#error "ustap: the kernel runtime does not know this architecture yet; see doc/adding.md"
#endif

#endif
