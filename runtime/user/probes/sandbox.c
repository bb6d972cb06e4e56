/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sandboxes that the process enters while it is traced, by seccomp(2) or prctl(2). If the filter
 * may end it for a system call of the runtime, the runtime makes none from then on.
 */
#include <asm/unistd.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/time_types.h>

#include "sandbox.h"
#include "user.h"

static bool fetch(const void *from, u32 i, struct sock_filter *to)
{
	return umem_read(to, *(const u64 *)from + i * sizeof *to, sizeof *to);
}

/* The program's own dispositions of signals return while that is still possible. */
static void confine(u32 flags)
{
	faults_release();
	__atomic_fetch_or(&process.flags, flags | UST_PROCESS_NO_SYSCALLS, __ATOMIC_SEQ_CST);
}

/* Wait, for a second at most, until no other thread can be about to make a call for a handler:
 * those that have seen the flag before confine() end. A hit that has just begun looks for the
 * thread's id before it takes a context: it gets a moment to run. */
static void drain(void)
{
	const struct __kernel_timespec moment = {0, 50000000};
	u64 until = clock_monotonic() + 1000000000;

	system_call(__NR_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	contexts_pass(until);
	handler_stacks_pass(until);
}

/* The call that will add the filter PROGRAM, a struct sock_fprog, fails if that cannot be read:
 * programs try so whether there is seccomp. ALL: other threads will have the filter, too. */
static void enter_filter(u64 program, bool all)
{
	struct {
		u16 length;
		u64 filter;
	} p;

	if (process.flags & UST_PROCESS_NO_SYSCALLS || !umem_read(&p, program, sizeof p) ||
	    !p.length || sandbox_is_harmless(fetch, &p.filter, p.length, ARCH_SECCOMP))
		return;
	confine(0);
	if (all)
		drain();
}

void sandbox_prctl(u64 option, u64 mode, u64 program)
{
	if (likely((u32)option != PR_SET_SECCOMP))
		return;
	if (mode == SECCOMP_MODE_STRICT)
		confine(UST_PROCESS_NO_TICKS);
	else if (mode == SECCOMP_MODE_FILTER)
		enter_filter(program, false);
}

void sandbox_call(u64 number, u64 a, u64 b, u64 c)
{
	if (number == __NR_prctl)
		sandbox_prctl(a, b, c);
	if (likely(number != __NR_seccomp))
		return;
	if ((u32)a == SECCOMP_SET_MODE_STRICT && !b && !c)
		confine(UST_PROCESS_NO_TICKS);
	else if ((u32)a == SECCOMP_SET_MODE_FILTER)
		enter_filter(c, b & SECCOMP_FILTER_FLAG_TSYNC);
}
