/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timer.*: periodic probes.  Periods are kept in nanoseconds, or in jiffies. */
#include <inttypes.h>
#include <string.h>
#include "probe/probe.h"

static const struct unit {
	const char *name;
	int64_t ns;
} units[] = {
    {"s", 1000000000}, {"sec", 1000000000}, {"ms", 1000000}, {"msec", 1000000}, {"us", 1000},
    {"usec", 1000},    {"ns", 1},           {"nsec", 1},     {"jiffies", 1},
};

static int64_t unit_ns(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(units[i].name, name))
			return units[i].ns;
	return 1;
}

/* The period that component C stands for, or 0 after an error. */
static int64_t period(const struct point_comp *c)
{
	int64_t n = c->arg->num, ns = unit_ns(c->name);

	if (n <= 0 || n > INT64_MAX / ns) {
		diag_error(E_PROBE_POINT, c->arg->loc,
			   "a timer's %s must be positive%s, not %" PRId64,
			   strcmp(c->name, "hz") ? "period" : "frequency",
			   n > 0 ? " and below 292 years" : "", n);
		return 0;
	}
	if (strcmp(c->name, "hz"))
		return n * ns;
	if (n > 1000000) {
		diag_error(E_PROBE_POINT, c->arg->loc,
			   "a timer runs at most 1000000 times a second");
		return 0;
	}
	return 1000000000 / n;
}

static bool resolve_timer(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			  const struct point *pt, bool quiet)
{
	struct probe *p = probe_new(s, k, decl, pt);

	(void)quiet;
	p->value = pt->comps.v[1].arg ? period(&pt->comps.v[1]) : 0;
	if ((pt->comps.v[1].arg && !p->value) || !target_forbid(p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

#define TIMER(text)                                                                                \
	{                                                                                          \
		.pattern = text, .rt = "UST_PROBE_TIMER_NS", .resolve = resolve_timer              \
	}
const struct probe_kind probe_timers[] = {
    TIMER("timer.s(n)"),
    TIMER("timer.sec(n)"),
    TIMER("timer.ms(n)"),
    TIMER("timer.msec(n)"),
    TIMER("timer.us(n)"),
    TIMER("timer.usec(n)"),
    TIMER("timer.ns(n)"),
    TIMER("timer.nsec(n)"),
    TIMER("timer.hz(n)"),
    {.pattern = "timer.jiffies(n)", .rt = "UST_PROBE_TIMER_JIFFIES", .resolve = resolve_timer},
    {.pattern = "timer.profile",
     .rt = "UST_PROBE_PROFILE",
     .in_irq = true,
     .lacking = 1u << RT_USER,
     .resolve = resolve_timer},
    {0},
};
