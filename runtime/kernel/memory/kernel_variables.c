/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where variables of the kernel are.  It is loaded anywhere, as a whole: their distance from what
 * we are linked with is that of the file.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "rt.h"

ust_u64 ust_kernel_data(ust_long distance)
{
	return (u64)(unsigned long)register_kprobe + (u64)distance;
}

/* That of the processor where we are, which in a probe we do not leave. */
ust_u64 ust_kernel_percpu(ust_long distance)
{
	return (u64)(unsigned long)raw_cpu_ptr(&this_cpu_off) + (u64)distance;
}
