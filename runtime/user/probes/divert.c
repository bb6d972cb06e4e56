/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Diversions: the tracer stops a thread anywhere in the program, and has it call this code. */
#include "user.h"

extern char arch_divert[];

void divert_init(void)
{
	layout.watches = watch_is_used();
	profile_init();
	layout.divert_entry = layout.watches || layout.nprofiles ? (u64)arch_divert : 0;
	layout.clock_return = (u64)arch_clock_return;
}

void hit_diversion(struct frame *f)
{
	const struct ust_diversion *d = (const struct ust_diversion *)&f->ret;
	struct ust_hit hit = {.regs = &f->regs, .mode = MODE_PROBE};

	if (!is_armed() || !identity_wanted())
		return;
	*regs_pc(&f->regs) = d->ret;
	*regs_sp(&f->regs) = (unsigned long)(d + 1) + UST_DIVERT_RED_ZONE;
	watch_run(d, &hit);
	profile_run(d, &hit);
}
