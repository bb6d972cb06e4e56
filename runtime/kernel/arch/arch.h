/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architecture interface of the kernel runtime. The header of each architecture defines:
 *
 *   arch_set_args           puts the first ARCH_ARGS arguments of a function into registers
 *   arch_is_compat_call     true if the current system call is a 32-bit one
 *   arch_is_compat_code     true if a program with registers REGS executes 32-bit code
 *   arch_compat_call_regs   registers with its arguments moved to those of a 64-bit call
 *   arch_call_args          moves a system call's arguments to the registers of a function's
 *   arch_set_result         sets the result of a system call
 *   arch_call_number        number of the system call with registers REGS
 *   arch_is_birth           true if call NUMBER returns a second time, in a new task
 *   arch_irqs_were_on       true if interrupts were enabled when REGS were saved
 *   arch_scratch            a word of REGS that is unused at a function's entry
 *   arch_thread_pointer     thread pointer of the current task
 *   arch_is_kernel_address  true if ADDR is in the kernel's half of the address space
 *   arch_uses_mm            true if MM is the loaded memory map
 *   arch_is_ftrace_site     true if the bytes are those of a function entry traced by ftrace
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
