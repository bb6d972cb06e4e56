/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hardware watchpoints: the tracer has a thread call this code after a watched access. */
#include "user.h"

extern char arch_watch[];

void watch_init(void)
{
	u32 i;

	layout.watch_entry = 0;
	for (i = 0; i < ust_program.nsites; i++)
		if (site_is_watch(&ust_program.sites[i]))
			layout.watch_entry = (u64)arch_watch;
}

/* The tracer names the first site of each register that has fired. */
static bool has_fired(const struct ust_watch_call *call, const struct ust_site *s)
{
	u32 i;

	for (i = 0; i < sizeof call->sites / sizeof *call->sites; i++) {
		u32 n = call->sites[i];

		if (n && n <= ust_program.nsites && site_same_watch(s, &ust_program.sites[n - 1]))
			return true;
	}
	return false;
}

/* An access is rare and costs a stop of the thread, so each handler gets a stack of the runtime. */
void hit_watch(struct frame *f)
{
	const struct ust_watch_call *call = (const struct ust_watch_call *)&f->ret;
	const struct ust_site *s = ust_program.sites, *end = s + ust_program.nsites;
	struct ust_hit hit = {.regs = &f->regs, .mode = MODE_PROBE};

	if (!is_armed() || !identity_wanted())
		return;
	*regs_pc(&f->regs) = call->ret;
	*regs_sp(&f->regs) = (unsigned long)(call + 1) + UST_WATCH_RED_ZONE;
	for (; s < end && is_armed(); s++)
		if (site_is_watch(s) && has_fired(call, s)) {
			hit.site = s;
			hit.addr = call->base + s->addr;
			handler_stack_run(&hit, s->handler);
		}
}
