/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector registers of the probed thread: read from the processor if nothing has used them since the
 * thread entered the kernel, else from the area where the kernel saved them.
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <asm/fpu/types.h>
#include <asm/processor.h>

#include "rt.h"
#include "arch/vector.h"

/* Read from the XSAVE area, which omits registers that are all zero. */
static void read_saved(u32 n, u64 v[2])
{
	const union fpregs_state *state = compat_fpregs(current);
	const u32 *from = &state->fxsave.xmm_space[4 * n];

	v[0] = v[1] = 0;
	if (boot_cpu_has(X86_FEATURE_XSAVE) && !(state->xsave.header.xfeatures & XFEATURE_MASK_SSE))
		return;
	v[0] = (u64)from[1] << 32 | from[0];
	v[1] = (u64)from[3] << 32 | from[2];
}

ust_u64 ust_vector(ust_u32 n)
{
	unsigned long flags;
	u64 v[2];

	local_irq_save(flags); /* keeps the scheduler and softirqs from replacing the registers */
	if (test_thread_flag(TIF_NEED_FPU_LOAD))
		read_saved(n / 2, v);
	else
		vector_read(n / 2, v);
	local_irq_restore(flags);
	return v[n & 1];
}
