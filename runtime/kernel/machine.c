/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: the kernel's tick, and how busy the machine is. */
#include <linux/jiffies.h>
#include <linux/sched/loadavg.h>

#include "rt.h"

ust_long ust_jiffies(struct ust_ctx *c) { return (ust_long)jiffies; }
ust_long ust_hz(struct ust_ctx *c) { return HZ; }

/* In hundredths, rounded as in /proc/loadavg. */
ust_long ust_loadavg(struct ust_ctx *c, ust_long i)
{
	return i < 0 || i > 2 ? 0 : (ust_long)((avenrun[i] + FIXED_1 / 200) * 100 >> FSHIFT);
}
