/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64: detection of processor and kernel features. */
#include <asm/prctl.h>
#include <asm/unistd.h>

#include "user.h"

#define HWCAP2_FSGSBASE 2u

u32 arch_features;
/* Some thread of this process has a thread pointer; then nearly all threads have one. */
static PRIVATE bool tls_ready;

static bool has_rdpid(void)
{
	u32 a = 0, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	if (a < 7)
		return false;
	a = 7;
	c = 0;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return c & 1u << 22;
}

void arch_init(void)
{
	arch_features = has_rdpid() ? ARCH_RDPID : 0;
	if (layout.hwcap2 & HWCAP2_FSGSBASE)
		arch_features |= ARCH_RDFSBASE;
}

/* Without the instruction, which Linux before 5.9 and some hypervisors do not allow. By the ABI the
 * word at the thread pointer holds the pointer itself. A thread whose pointer is 0, or leads
 * nowhere, faults there; so this needs the handler of faults. */
static struct loaded load_thread_pointer(void)
{
	const struct loaded unknown = {0};

	return (tls_ready && process.flags & UST_PROCESS_CATCH_FAULTS) ||
			       unlikely(process.flags & UST_PROCESS_NO_SYSCALLS)
		       ? arch_load_thread()
		       : unknown;
}

unsigned long arch_thread_pointer_loaded(void) { return load_thread_pointer().v; }

/* The kernel is asked where faults are not handled. */
unsigned long arch_thread_pointer_slow(void)
{
	struct loaded l = load_thread_pointer();
	unsigned long v = 0;

	if (likely(l.ok) || process.flags & UST_PROCESS_NO_SYSCALLS)
		return l.v;
	if (system_call(__NR_arch_prctl, ARCH_GET_FS, (long)&v, 0, 0, 0, 0) || !v)
		return 0;
	tls_ready = true;
	return v;
}
