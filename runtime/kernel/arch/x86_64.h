/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 in the kernel runtime; arch.h says what for. */
#ifndef USTAP_KERNEL_X86_64_H
#define USTAP_KERNEL_X86_64_H

#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/processor.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

/* -------------------------------------------------------------- functions */

enum { ARCH_ARGS = 6 };

/* Set the registers of the first arguments of a function that is entered (psABI, 3.2.3). Any
 * context, as all of this file unless said otherwise. */
static __always_inline void arch_set_args(struct pt_regs *regs, const unsigned long a[ARCH_ARGS])
{
	regs->di = a[0];
	regs->si = a[1];
	regs->dx = a[2];
	regs->cx = a[3];
	regs->r8 = a[4];
	regs->r9 = a[5];
}

/* True if interrupts were enabled where the hit was. */
static __always_inline bool arch_irqs_were_on(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_IF;
}

/* A word of REGS in a kernel probe that no handler reads and that the runtime may overwrite. */
static __always_inline unsigned long *arch_scratch(struct pt_regs *regs) { return &regs->orig_ax; }

/* Xen and the kernel itself have several selectors of 64-bit code, and one of 32-bit code. */
static __always_inline bool arch_is_compat_code(const struct pt_regs *regs)
{
	return regs->cs == __USER32_CS;
}

/* ----------------------------------------------------------- system calls */

/* True if the current system call is one of 32-bit programs (int 0x80, sysenter). */
static __always_inline bool arch_is_compat_call(void) { return in_ia32_syscall(); }

/* See arch/x86/include/asm/syscall.h. */
static inline void arch_compat_call_regs(struct pt_regs *copy, const struct pt_regs *regs)
{
	*copy = *regs;
	copy->di = (u32)regs->bx;
	copy->si = (u32)regs->cx;
	copy->dx = (u32)regs->dx;
	copy->r10 = (u32)regs->si;
	copy->r8 = (u32)regs->di;
	copy->r9 = (u32)regs->bp;
}

/* Move the fourth argument of a system call to where functions have it. */
static __always_inline void arch_call_args(struct pt_regs *regs) { regs->cx = regs->r10; }
/* Set the result of a system call that returns, and its number: arch_call_number() reads the
 * latter. */
static __always_inline void arch_set_result(struct pt_regs *regs, long v) { regs->ax = v; }
/* The number of the system call; -1 if REGS are not of one. */
static inline long arch_call_number(const struct pt_regs *regs) { return regs->orig_ax; }

/* True if system call NUMBER (of 32-bit programs if COMPAT) may create a process or thread. */
static inline bool arch_is_birth(long number, bool compat)
{
	/* numbers of arch/x86/entry/syscalls/syscall_32.tbl */
	return compat ? number == 120 || number == 2 || number == 190 || number == 435
		      : number == __NR_clone || number == __NR_fork || number == __NR_vfork ||
				number == __NR_clone3;
}

/* ----------------------------------------------------------------- memory */

/* The base of segment register fs, which the kernel itself does not use. */
static inline u64 arch_thread_pointer(void)
{
	u32 low, high;

	asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(0xc0000100));
	return (u64)high << 32 | low;
}

/* True for addresses in the kernel's half. A non-canonical address raises a general protection
 * fault instead of a page fault, and the kernel warns about that. */
static inline bool arch_is_kernel_address(unsigned long addr)
{
	return (long)addr >> (boot_cpu_data.x86_virt_bits - 1) == -1;
}

/* True if the CPU has loaded the page tables of MM, so that user memory may be read. */
static inline bool arch_uses_mm(struct mm_struct *mm) { return read_cr3_pa() == __pa(mm->pgd); }

/* ----------------------------------------------------------------- ftrace */

enum { ARCH_LANDING_PAD = 4 }; /* endbr64, which may precede an ftrace site */

/* True if ftrace can trace ADDR: a NOP of five bytes or a call. Reads code without faults. */
static inline bool arch_is_ftrace_site(unsigned long addr)
{
	/* the nops that kernels put there, by processor, while no tracer is active */
	static const u8 nops[][5] = {{0x0f, 0x1f, 0x44, 0x00, 0x00},
				     {0x66, 0x66, 0x66, 0x66, 0x90}};
	u8 code[5];

	return !copy_from_kernel_nofault(code, (void *)addr, sizeof code) &&
	       (!memcmp(code, nops[0], sizeof code) || !memcmp(code, nops[1], sizeof code) ||
		code[0] == 0xe8);
}

#endif
