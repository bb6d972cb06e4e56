/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hardware watchpoints: handlers of accesses to watched data. */
#include "user.h"

bool watch_is_used(void)
{
	bool any = false;
	u32 i;

	for (i = 0; i < ust_program.nsites && !any; i++)
		any = site_is_watch(&ust_program.sites[i]);
	return any;
}

/* The tracer names the first site of each register that has fired. */
static bool has_fired(const struct ust_diversion *d, const struct ust_site *s)
{
	u32 i;

	for (i = 0; i < sizeof d->sites / sizeof *d->sites; i++) {
		u32 n = d->sites[i];

		if (n && n <= ust_program.nsites && site_same_watch(s, &ust_program.sites[n - 1]))
			return true;
	}
	return false;
}

/* An access is rare and costs a stop of the thread, so each handler gets a stack of the runtime. */
void watch_run(const struct ust_diversion *d, struct ust_hit *hit)
{
	const struct ust_site *s = ust_program.sites, *end = s + ust_program.nsites;

	for (; s < end && is_armed(); s++)
		if (site_is_watch(s) && has_fired(d, s)) {
			hit->site = s;
			hit->addr = d->base + s->addr;
			handler_stack_run(hit, s->handler);
		}
}
