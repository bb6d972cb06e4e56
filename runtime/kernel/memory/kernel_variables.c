/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of kernel variables. KASLR moves the kernel as a whole, so the distance of a variable
 * from a symbol that the module links against is the one in the file.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "rt.h"

ust_u64 ust_kernel_data(ust_long distance)
{
	return (u64)(unsigned long)register_kprobe + (u64)distance;
}

/* Address of a per-CPU variable on the current CPU, which a handler does not leave. */
ust_u64 ust_kernel_percpu(ust_long distance)
{
	return (u64)(unsigned long)raw_cpu_ptr(&this_cpu_off) + (u64)distance;
}
