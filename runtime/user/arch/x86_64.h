/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inline assembly and constants for x86-64. */
#ifndef USTAP_ARCH_H
#define USTAP_ARCH_H

#include "wire_process.h"

extern struct ust_process process; /* private, at the very start */

/* Common code of trampolines, in x86_64.S. */
extern char arch_common_entry[], arch_common_return[], arch_common_after[],
	arch_common_entry_full[], arch_common_return_full[], arch_common_after_full[],
	arch_common_call_return[], arch_common_call_after[], arch_common_entry_switched[];
/* Call FN(ARG) on the stack that ends at TOP, a multiple of 16. */
void arch_call_on(void *top, void (*fn)(void *), void *arg);
/* Call FN(CLOCK, TO), a function of the vDSO. While it runs, its return address, arch_clock_return,
 * is on the stack, and at no other time. */
void arch_call_clock(int clock, void *to, void *fn);
extern char arch_clock_return[];
extern char arch_leave[]; /* a lone return instruction */
/* Handler of SIGTRAP, and its restorer. */
extern char arch_trap[], arch_trap_restorer[];
/* UST_FAULTS handlers of SIGSEGV and SIGBUS, at intervals of UST_FAULT_BYTES. */
extern char arch_faults[];

/* Detected by arch_init() in the loader, which runs on the same machine. */
enum arch_features { ARCH_RDPID = 1, ARCH_RDFSBASE = 2 };
extern u32 arch_features;
/* Detect instructions of the CPU (RDPID, RDFSBASE) once, when the agent starts. */
void arch_init(void);

/* linux/audit.h: AUDIT_ARCH_X86_64, as seccomp filters see this machine. */
#define ARCH_SECCOMP 0xc000003eu

/* A function that restores all registers but that of its result. It must not call other ones: it
 * would have to save all registers that these may change. */
#define ARCH_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))

/* Hint that the CPU spins. */
static inline void arch_pause(void) { __asm__ volatile("pause" ::: "memory"); }

/* The kernel stores node << 12 | CPU for these instructions; 0x7b is the selector of that segment
 * (arch/x86/include/asm/segment.h, __CPUNODE_SEG). */
static inline u32 arch_cpu(void)
{
	unsigned long v = 0;

	if (likely(arch_features & ARCH_RDPID))
		__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xc7, 0xf8" : "=a"(v)); /* rdpid %rax */
	else
		__asm__ volatile("lsl %1, %0" : "+r"(v) : "r"(0x7bul) : "cc");
	v &= 0xfff;
	return likely(v < layout.ncpu) ? v : 0;
}

/* A counter that is fast to read and advances evenly; 0 where the process may not read it. */
static inline u64 arch_ticks(void)
{
	u32 low, high;

	if (unlikely(process.flags & UST_PROCESS_NO_TICKS))
		return 0;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (u64)high << 32 | low;
}

/* Return *COUNTER and add 1: one instruction, which signals of this thread cannot divide. Other
 * threads must not change it. */
static inline u64 arch_claim(u64 *counter)
{
	u64 v = 1;

	__asm__ volatile("xadd %0, %1" : "+r"(v), "+m"(*counter)::"cc");
	return v;
}

/* Add V to *TO: one instruction, which signals of this thread cannot divide. Other threads must not
 * change it. */
static inline void arch_add(u64 *to, u64 v)
{
	__asm__ volatile("add %1, %0" : "+m"(*to) : "r"(v) : "cc");
}

/* The thread pointer without RDFSBASE; 0 if it is not set up yet. */
unsigned long arch_thread_pointer_slow(void);

/* The thread pointer without RDFSBASE and without a system call; 0: not known, or not one of the
 * ABI's. */
unsigned long arch_thread_pointer_loaded(void);

/* Returns 0 before it is set up, or without RDFSBASE where faults are not handled. */
static inline unsigned long arch_thread_pointer_quick(void)
{
	unsigned long v;

	if (unlikely(!(arch_features & ARCH_RDFSBASE)))
		return arch_thread_pointer_loaded();
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0xc0" : "=a"(v)); /* rdfsbase %rax */
	return v;
}

/* Returns 0 before it is set up. */
static inline unsigned long arch_thread_pointer(void)
{
	if (unlikely(!(arch_features & ARCH_RDFSBASE)))
		return arch_thread_pointer_slow();
	return arch_thread_pointer_quick();
}

/* Offset of the stack pointer in a jmp_buf; glibc mangles it (PTR_MANGLE) with a word of the
 * thread's control block. */
#define ARCH_ENV_SP 48

/* Undo the pointer mangling of glibc (PTR_DEMANGLE), for jmp_buf. */
static inline u64 arch_demangle(u64 v)
{
	u64 thread = arch_thread_pointer();

	return thread ? (v >> 17 | v << 47) ^ *(const u64 *)(thread + 0x30) : v;
}

/* Returns -errno on failure. */
static inline long system_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long v;

	__asm__ volatile("syscall"
			 : "=a"(v)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory", "cc");
	return v;
}

/* x86_64_load.S */
struct loaded {
	u64 v, ok;
};
/* arch_load_*(): load 1, 2, 4 or 8 bytes at ADDR, zero-extended. .ok is 0 if that faulted: the
 * handler of SIGSEGV continues at arch_load_failed. */
struct loaded arch_load_1(u64 addr);
struct loaded arch_load_2(u64 addr);
struct loaded arch_load_4(u64 addr);
struct loaded arch_load_8(u64 addr);
/* The word at the thread pointer, which is the pointer itself by the ABI; 0 if it is another word,
 * as in Go. .ok is 0 if that faulted. */
struct loaded arch_load_thread(void);
/* arch_load_8() for a caller that keeps its values in registers: it changes only those of its
 * result. The compiler does not see the call, so the red zone is skipped. */
static inline struct loaded arch_load_word(u64 addr)
{
	struct loaded l;

	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tcall arch_load_8\n\tlea 128(%%rsp), %%rsp"
			 : "=a"(l.v), "=d"(l.ok)
			 : "D"(addr)
			 : "memory", "cc");
	return l;
}
extern char arch_load_begin[], arch_load_end[], arch_load_failed[];

/* Length of the breakpoint that ends with these two bytes: int3, or int $3; 0: they are none. */
static inline u32 arch_breakpoint_length(const u8 text[2])
{
	return text[1] == 0xcc ? 1 : text[0] == 0xcd && text[1] == 3 ? 2 : 0;
}

/* The program counter in a struct ucontext: after 5 words follow r8 to r15, rdi, rsi, rbp, rbx,
 * rdx, rax, rcx, rsp (arch/x86/include/uapi/asm/sigcontext.h). */
static inline u64 *arch_context_pc(void *context) { return (u64 *)context + 5 + 16; }

/* Continue after the instruction of arch_ticks(), at the program counter, with the result 0. False:
 * it is another one. */
static inline bool arch_skip_ticks(void *context)
{
	u64 *rdx = (u64 *)context + 5 + 12, *pc = arch_context_pc(context);
	const u8 *code = (const u8 *)*pc;

	if (code[0] != 0x0f || code[1] != 0x31)
		return false;
	rdx[0] = rdx[1] = 0; /* rdx, rax */
	*pc += 2;
	return true;
}

/* ... and the signal mask: after the 32 words of struct sigcontext. */
static inline u64 *arch_context_mask(void *context) { return (u64 *)context + 5 + 32; }

/* The end of user address space with five levels of page tables: addresses beyond 2^47 are readable
 * only there. */
#define ARCH_USER_END 0xfffffffffff000ull

#endif
