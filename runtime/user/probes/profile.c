/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples: timer.profile. The tracer interrupts threads that have used CPU time, and has them call
 * the handlers. */
#include "user.h"

static bool is_profile(const struct ust_probe *p) { return p->kind == UST_PROBE_PROFILE; }

static u64 period_of(const struct ust_probe *p)
{
	return p->timer.period > 0 ? (u64)p->timer.period : PORT_TICK_NS;
}

/* Index of the period NS in the layout; nprofiles if it is not there. */
static u32 index_of(u64 ns)
{
	u32 i;

	for (i = 0; i < layout.nprofiles && layout.profile_ns[i] != ns; i++)
		continue;
	return i;
}

void profile_init(void)
{
	u32 i, at;

	layout.nprofiles = 0;
	for (i = 0; i < ust_program.nprobes; i++) {
		if (!is_profile(&ust_program.probes[i]))
			continue;
		at = index_of(period_of(&ust_program.probes[i]));
		if (at == layout.nprofiles && at < UST_PROFILES)
			layout.profile_ns[layout.nprofiles++] = period_of(&ust_program.probes[i]);
	}
}

static bool is_due(const struct ust_probe *p, u64 profiles)
{
	return is_profile(p) && profiles >> index_of(period_of(p)) & 1 &&
	       !(p->gate && READ_ONCE(p->gate->closed));
}

/* The interrupted code may have little stack left, so each handler gets a stack of the runtime. */
void profile_run(const struct ust_diversion *d, struct ust_hit *hit)
{
	const struct ust_probe *p = ust_program.probes, *end = p + ust_program.nprobes;

	hit->site = NULL;
	hit->addr = d->ret;
	for (; p < end && d->profiles && is_armed(); p++)
		if (is_due(p, d->profiles)) {
			hit->probe = p;
			handler_stack_run(hit, p->handler);
		}
}
