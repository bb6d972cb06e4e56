/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Diversions: the tracer stops a thread anywhere in the program, and has it call this code. */
#include "probes/handler_stack.h"
#include "user.h"

extern char arch_divert[];

void divert_init(void)
{
	layout.watches = watch_is_used();
	profile_init();
	layout.divert_entry = layout.watches || layout.nprofiles ? (u64)arch_divert : 0;
	layout.clock_return = (u64)arch_clock_return;
}

struct diverted {
	const struct ust_diversion *d;
	struct frame *f;
};

static void run(void *arg)
{
	const struct diverted *v = arg;
	struct ust_hit hit = {.regs = &v->f->regs, .mode = MODE_PROBE};

	watch_run(v->d, &hit);
	profile_run(v->d, &hit);
}

void hit_diversion(struct frame *f, u64 after)
{
	struct diverted v = {(const struct ust_diversion *)(after - sizeof v.d->ret), f};
	u64 sp = (u64)(v.d + 1) + UST_DIVERT_RED_ZONE;

	if (!is_armed() || !identity_wanted())
		return;
	*regs_pc(&f->regs) = v.d->ret;
	*regs_sp(&f->regs) = sp;
	handler_stack_here(sp, run, &v);
}
