/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: jiffies, load average, random numbers. */
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched/loadavg.h>

#include "rt.h"

ust_long ust_jiffies(struct ust_ctx *c) { return (ust_long)jiffies; }
ust_long ust_hz(struct ust_ctx *c) { return HZ; }

/* Load average in hundredths, rounded like /proc/loadavg. */
ust_long ust_loadavg(struct ust_ctx *c, ust_long i)
{
	return i < 0 || i > 2 ? 0 : (ust_long)((avenrun[i] + FIXED_1 / 200) * 100 >> FSHIFT);
}

/* ------------------------------------------------------------ random numbers */

/* The kernel's generator takes locks that a handler may have interrupted. A single addition to a
 * per-CPU word cannot be interrupted halfway. */
static DEFINE_PER_CPU(unsigned long, random_at);

void random_seed(void)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		get_random_bytes(per_cpu_ptr(&random_at, cpu), sizeof(unsigned long));
}

u64 random_next(void) { return random_mix(this_cpu_add_return(random_at, RANDOM_STEP)); }
