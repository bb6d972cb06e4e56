/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of stopped threads.  A file for each architecture defines, for struct user_regs_struct:
 *
 *   regs_pc, regs_set_pc, regs_sp
 *   regs_thread      thread pointer
 *   regs_is_wide     the thread runs 64-bit code
 *   regs_are_of_worker    the thread is a worker of the kernel and runs no code of its process
 *   regs_arg         argument 0 to 5 of the system call that it is in
 *   regs_set_args    all six
 *   regs_adds_shadow_stack         the system call would give the thread a shadow stack
 *   regs_call, regs_set_call       number of the system call that it is in; CALL_NONE: of none
 *   regs_result, regs_set_result   of the system call
 *   regs_repeat_call have it make the call again that the kernel would restart
 *   regs_make_call   have it make call NR at a system call instruction at PC when it goes on
 *   result_word      offset of the result for PTRACE_PEEKUSER
 *   is_frame_state   do three words begin with what a signal's frame has from the program counter
 * on?
 *
 * and RED_ZONE (bytes below the stack pointer that belong to the function), SYSCALL_SIZE (of the
 * instruction), FRAME_SP (from the program counter in a signal's frame to the stack pointer in it),
 * breakpoint_insn, syscall_insn, JUMP, JUMP_BYTES, BREAKPOINT (what patches begin with),
 * JUMP_PREFIX, JUMP_PREFIXES (what a punned jump may begin with, and how many of them), jump_put,
 * jump_put_behind, PATCH_BYTES, STUB_BYTES, PAD_BYTES (sizes), TRAP_PC_OFFSET (from a breakpoint to
 * the program counter of its signal), SECCOMP_ARCH, FOREIGN_CALLS (the first number of calls that
 * are not of this architecture), CALL_EPOLL_WAIT and CALL_VFORK (number of epoll_wait() and
 * vfork(), or one of no call where there is only epoll_pwait() and clone()), ELF_MACHINE and the
 * relocations RELATIVE and NO_RELOCATION.
 */
#ifndef USTAP_INJECT_REGS_H
#define USTAP_INJECT_REGS_H

#if defined(__x86_64__)
#include "regs_x86_64.h"
#else
#error "ustap: staprun does not know this architecture yet; see doc/adding.md"
#endif

#endif
