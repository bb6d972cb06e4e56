/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of stopped threads on x86-64; regs.h says what for. */
#ifndef USTAP_INJECT_REGS_X86_64_H
#define USTAP_INJECT_REGS_X86_64_H

#include <elf.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>

enum {
	RED_ZONE = 128,
	SYSCALL_SIZE = 2,
	TRAP_PC_OFFSET = 1,
	USER_CODE_64 = 0x33,        /* code segment of 64-bit programs; 0x23 of 32-bit ones */
	FOREIGN_CALLS = 0x40000000, /* those of x32 */
	ELF_MACHINE = EM_X86_64,
	RELATIVE = R_X86_64_RELATIVE,
	NO_RELOCATION = R_X86_64_NONE,
};
#define CALL_NONE       (~0ul)
#define CALL_EPOLL_WAIT SYS_epoll_wait
#define CALL_VFORK      SYS_vfork
#define SECCOMP_ARCH    AUDIT_ARCH_X86_64

/* Opcodes of patches: jmp with a 32-bit displacement, and int3. */
enum { JUMP = 0xe9, JUMP_BYTES = 5, BREAKPOINT = 0xcc };
/* The prefix cs, which a jump ignores, and the most of them before a punned jump. */
enum { JUMP_PREFIX = 0x2e, JUMP_PREFIXES = 3 };
/* Sizes of patches: bytes of a program that one changes at most, its trampoline, a jump between the
 * two. */
enum { PATCH_BYTES = 24, STUB_BYTES = 320, PAD_BYTES = JUMP_BYTES };
static const uint8_t syscall_insn[] __attribute__((unused)) = {0x0f, 0x05};
static const uint8_t breakpoint_insn[] __attribute__((unused)) = {BREAKPOINT};

/* Write a jump over DISTANCE bytes from its end. */
static inline void jump_put(uint8_t to[JUMP_BYTES], int32_t distance)
{
	to[0] = JUMP;
	memcpy(to + 1, &distance, sizeof distance);
}

/* As jump_put(), after PREFIXES prefixes. */
static inline void jump_put_behind(uint8_t *to, unsigned prefixes, int32_t distance)
{
	memset(to, JUMP_PREFIX, prefixes);
	jump_put(to + prefixes, distance);
}

/* Debug registers, Intel SDM volume 3, 17.2: addresses in 0 to 3, what has fired, control bits. */
enum { DEBUG_REGISTERS = 4, DEBUG_STATUS = 6, DEBUG_CONTROL = 7 };
/* Control bits for LENGTH bytes (1, 2, 4, 8) at the address in register I: local enable, condition
 * (1: write, 3: write or read), length (8 bytes: 2). */
static inline uint64_t debug_control(unsigned i, unsigned length, bool reads)
{
	const uint64_t kind = reads ? 3 : 1, size = length == 8 ? 2 : length - 1;

	return 1ull << 2 * i | (kind | size << 2) << (16 + 4 * i);
}

/* regs_*(): a register of a stopped thread by its role, and regs_set_*() to change it in the copy;
 * the tracer writes the copy back. regs_is_wide() is false for 32-bit code. */
static inline uint64_t regs_pc(const struct user_regs_struct *r) { return r->rip; }
static inline void regs_set_pc(struct user_regs_struct *r, uint64_t pc) { r->rip = pc; }
static inline uint64_t regs_sp(const struct user_regs_struct *r) { return r->rsp; }
static inline void regs_set_sp(struct user_regs_struct *r, uint64_t sp) { r->rsp = sp; }
static inline uint64_t regs_thread(const struct user_regs_struct *r) { return r->fs_base; }
static inline bool regs_is_wide(const struct user_regs_struct *r) { return r->cs == USER_CODE_64; }

/* The kernel has zeros for its workers, so that debuggers recognise them (copy_thread() in
 * arch/x86/kernel/process.c). */
static inline bool regs_are_of_worker(const struct user_regs_struct *r)
{
	return !r->rip && !r->rsp;
}

/* regs_call(), regs_set_call(): the number of the system call that the thread is in, CALL_NONE if
 * it is in none; regs_result(), regs_set_result(): its result, -errno for an error. */
static inline unsigned long regs_call(const struct user_regs_struct *r) { return r->orig_rax; }
static inline void regs_set_call(struct user_regs_struct *r, unsigned long nr) { r->orig_rax = nr; }
static inline long regs_result(const struct user_regs_struct *r) { return (long)r->rax; }
static inline void regs_set_result(struct user_regs_struct *r, long v)
{
	r->rax = (unsigned long)v;
}
/* The kernel will restart the system call that the thread is in: ERESTARTSYS and related codes of
 * linux/errno.h. */
static inline bool regs_restarts(const struct user_regs_struct *r)
{
	return (long)regs_call(r) >= 0 && regs_result(r) <= -512 && regs_result(r) >= -516;
}
/* Make the thread do by itself what regs_restarts() means; what remains of a time limit is lost. */
static inline void regs_repeat_call(struct user_regs_struct *r)
{
	enum { RESTART_BLOCK = -516 };

	r->rax = (long)r->rax == RESTART_BLOCK ? SYS_restart_syscall : r->orig_rax;
	r->orig_rax = CALL_NONE;
	r->rip -= SYSCALL_SIZE;
}
enum { result_word = offsetof(struct user_regs_struct, rax) };

/* Argument N, 0 to 5, of the system call. */
static inline unsigned long regs_arg(const struct user_regs_struct *r, unsigned n)
{
	const unsigned long v[] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};

	return v[n];
}

/* asm/prctl.h, since Linux 6.6 */
enum { SHADOW_STACK_ENABLE = 0x5001, SHADOW_STACK = 1 };
/* The thread is about to get a shadow stack: a return to a replaced address would end it. */
static inline bool regs_adds_shadow_stack(const struct user_regs_struct *r)
{
	return regs_call(r) == SYS_arch_prctl && regs_arg(r, 0) == SHADOW_STACK_ENABLE &&
	       regs_arg(r, 1) & SHADOW_STACK;
}
/* In /proc/PID/status, the line of threads' features, and the one for a shadow stack; the variable
 * of GLIBC_TUNABLES that requests one. */
#define FEATURES_FIELD       "x86_Thread_features"
#define SHADOW_STACK_FEATURE "shstk"
#define SHADOW_STACK_TUNABLE "glibc.cpu.x86_shstk"

/* Set the arguments of a system call to be made. */
static inline void regs_set_args(struct user_regs_struct *r, const uint64_t v[6])
{
	r->rdi = v[0];
	r->rsi = v[1];
	r->rdx = v[2];
	r->r10 = v[3];
	r->r8 = v[4];
	r->r9 = v[5];
}

/* The thread will execute the SYSCALL instruction at PC with number NR. */
static inline void regs_make_call(struct user_regs_struct *r, uint64_t pc, long nr)
{
	r->rip = pc;
	r->rax = (unsigned long)nr;
	r->orig_rax = CALL_NONE; /* no call of its own to restart */
}

/* In the kernel's struct rt_sigframe the stack pointer is before the program counter. */
enum { FRAME_SP = -8 };

/* Flags and code segment follow the program counter
 * (arch/x86/include/asm/sigframe.h, uapi/asm/sigcontext.h). */
static inline bool is_frame_state(const uint64_t v[3])
{
	enum { FLAGS_FIXED = 2, FLAGS_BITS = 22 };

	return (v[1] & FLAGS_FIXED) && !(v[1] >> FLAGS_BITS) && (v[2] & 0xffff) == USER_CODE_64 &&
	       !(v[0] >> 47);
}

#endif
