/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clock, through the vDSO's function: needs neither libc nor a system call. */
#include <asm/unistd.h>
#include <linux/time.h>
#include <linux/time_types.h>

#include "user.h"

typedef int (*clock_fn)(int clock, struct __kernel_timespec *to);

static u64 now(int clock)
{
	struct __kernel_timespec t = {0, 0};

	if (likely(process.clock_gettime))
		((clock_fn)process.clock_gettime)(clock, &t);
	else if (!(process.flags & UST_PROCESS_NO_SYSCALLS))
		system_call(__NR_clock_gettime, clock, (long)&t, 0, 0, 0, 0);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

u64 clock_monotonic(void) { return now(CLOCK_MONOTONIC); }
u64 clock_realtime(void) { return now(CLOCK_REALTIME); }

u64 clock_cycles(void) { return arch_ticks(); }

/* The cycle counter, combined with a counter for calls in the same cycle. */
u32 clock_random(void)
{
	static u64 at;

	return (u32)(random_mix(arch_ticks() +
				__atomic_add_fetch(&at, RANDOM_STEP, __ATOMIC_RELAXED)) >>
		     32);
}
