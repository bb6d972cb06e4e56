/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: a clock tick of 250 Hz like Debian's kernels, because the kernel does not export its
 * own; load average. */
#include <asm/unistd.h>
#include <linux/sysinfo.h>

#include "user.h"

enum { TICKS = 250, ONE = 1 << SI_LOAD_SHIFT };

ust_long ust_jiffies(struct ust_ctx *c)
{
	(void)c;
	return (ust_long)(port_monotonic_ns() / (1000000000 / TICKS));
}
ust_long ust_hz(struct ust_ctx *c)
{
	(void)c;
	return TICKS;
}

ust_long ust_loadavg(struct ust_ctx *c, ust_long i)
{
	struct sysinfo info;

	(void)c;
	if (i < 0 || i > 2 || process.flags & UST_PROCESS_NO_SYSCALLS ||
	    system_call(__NR_sysinfo, (long)&info, 0, 0, 0, 0, 0))
		return 0;
	return (ust_long)((info.loads[i] + ONE / 200) * 100 >> SI_LOAD_SHIFT);
}
