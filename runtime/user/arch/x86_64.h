/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What needs instructions of its own on x86-64. */
#ifndef USTAP_ARCH_H
#define USTAP_ARCH_H

/* Common code of stubs, in x86_64.S. */
extern char arch_common_entry[], arch_common_return[], arch_common_after[], arch_common_entry_full[],
	arch_common_return_full[], arch_common_after_full[];
extern char arch_leave[];               /* a lone return instruction */

/* Found out by arch_init() in the loader, which runs on the same machine. */
enum arch_features { ARCH_RDPID = 1, ARCH_RDFSBASE = 2 };
extern u32 arch_features;
void arch_init(void);

static inline void arch_pause(void)
{
	__asm__ volatile("pause" ::: "memory");
}

/* The kernel keeps node << 12 | CPU where these instructions find it; 0x7b is the selector of that
 * segment (arch/x86/include/asm/segment.h, __CPUNODE_SEG). */
static inline u32 arch_cpu(void)
{
	unsigned long v = 0;

	if (likely(arch_features & ARCH_RDPID))
		__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xc7, 0xf8" : "=a"(v));       /* rdpid %rax */
	else
		__asm__ volatile("lsl %1, %0" : "+r"(v) : "r"(0x7bul) : "cc");
	v &= 0xfff;
	return likely(v < agent.ncpu) ? v : 0;
}

unsigned long arch_thread_pointer_slow(void);

/* 0: not set up yet. */
static inline unsigned long arch_thread_pointer(void)
{
	unsigned long v;

	if (unlikely(!(arch_features & ARCH_RDFSBASE)))
		return arch_thread_pointer_slow();
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0xc0" : "=a"(v));               /* rdfsbase %rax */
	return v;
}

/* -errno on failure. */
static inline long system_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long v;

	__asm__ volatile("syscall" : "=a"(v)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory", "cc");
	return v;
}

#endif
