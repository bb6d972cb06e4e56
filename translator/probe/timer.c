/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timer.*: periodic probes.  Periods are kept in nanoseconds, or in jiffies, as is what
 * .randomize() says. */
#include <inttypes.h>
#include <string.h>
#include "probe.h"
#include "sema/points/point.h"
#include "session.h"

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

/* .randomize(M): what may be added to or taken from the period, in its unit. */
static bool read_spread(struct probe *p, const struct point *pt)
{
	const struct point_comp *c = point_comp(pt, "randomize");

	if (!c)
		return true;
	if (c->arg->num < 0 || c->arg->num > pt->comps.v[1].arg->num) {
		diag_error(E_PROBE_POINT, c->arg->loc,
			   "the randomize() of a timer must be from 0 to its period, %" PRId64
			   ", not %" PRId64,
			   pt->comps.v[1].arg->num, c->arg->num);
		return false;
	}
	p->timer.spread = c->arg->num * unit_ns(pt->comps.v[1].name);
	return true;
}

static bool resolve_timer(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			  const struct point *pt, bool quiet)
{
	const struct point_comp
		*c = &pt->comps.v[strcmp(pt->comps.v[1].name, "profile") ? 1 : pt->comps.n - 1];
	struct probe *p = probe_new(s, k, decl, pt);

	(void)quiet;
	p->timer.period = c->arg ? period(c) : 0;
	if ((c->arg && !p->timer.period) || !read_spread(p, pt) || !target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

#define TIMER(text)                                                                \
	{                                                                          \
		.pattern = text, .rt = "UST_PROBE_TIMER_NS", .holds = HOLDS_TIMER, \
		.resolve = resolve_timer                                           \
	}
#define PROFILE(text)                                                                             \
	{                                                                                         \
		.pattern = text, .rt = "UST_PROBE_PROFILE", .holds = HOLDS_TIMER, .in_irq = true, \
		.is_profile = true, .resolve = resolve_timer                                      \
	}
const struct probe_kind probe_timers[] = {
	TIMER("timer.s(n)"),
	TIMER("timer.s(n).randomize(n)"),
	TIMER("timer.sec(n)"),
	TIMER("timer.sec(n).randomize(n)"),
	TIMER("timer.ms(n)"),
	TIMER("timer.ms(n).randomize(n)"),
	TIMER("timer.msec(n)"),
	TIMER("timer.msec(n).randomize(n)"),
	TIMER("timer.us(n)"),
	TIMER("timer.us(n).randomize(n)"),
	TIMER("timer.usec(n)"),
	TIMER("timer.usec(n).randomize(n)"),
	TIMER("timer.ns(n)"),
	TIMER("timer.ns(n).randomize(n)"),
	TIMER("timer.nsec(n)"),
	TIMER("timer.nsec(n).randomize(n)"),
	TIMER("timer.hz(n)"),
	{.pattern = "timer.jiffies(n)",
	 .rt = "UST_PROBE_TIMER_JIFFIES",
	 .holds = HOLDS_TIMER,
	 .resolve = resolve_timer},
	{.pattern = "timer.jiffies(n).randomize(n)",
	 .rt = "UST_PROBE_TIMER_JIFFIES",
	 .holds = HOLDS_TIMER,
	 .resolve = resolve_timer},
	PROFILE("timer.profile"),
	PROFILE("timer.profile.tick"),
	PROFILE("timer.profile.freq.hz(n)"),
	{0},
};

/* ustap-probes.7, START, END AND TIMERS
.TP
.B timer.s(\fIN\fP)
.TQ
.B timer.sec(\fIN\fP)
.TQ
.B timer.ms(\fIN\fP)
.TQ
.B timer.msec(\fIN\fP)
.TQ
.B timer.us(\fIN\fP)
.TQ
.B timer.usec(\fIN\fP)
.TQ
.B timer.ns(\fIN\fP)
.TQ
.B timer.nsec(\fIN\fP)
Every
.I N
seconds, milli\-, micro\-, nanoseconds.
.TP
.B timer.jiffies(\fIN\fP)
Every
.I N
ticks of the kernel's timer.
.TP
.B timer.hz(\fIN\fP)
.I N
times a second, at most 1,000,000.
.TP
.B timer.s(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.sec(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.ms(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.msec(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.us(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.usec(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.ns(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.nsec(\fIN\fP).randomize(\fIM\fP)
.TQ
.B timer.jiffies(\fIN\fP).randomize(\fIM\fP)
The same with a random deviation of at most
.IR M ,
which must not exceed
.IR N .
.TP
.BR timer.profile ", " timer.profile.tick
In the kernel runtime, at each timer tick of every CPU, in interrupt context. In the user runtime,
in each thread of the traced processes after each 4 ms of CPU time.
.B user_mode()
returns whether the tick interrupted a program or the kernel;
.BR uaddr() ,
.B print_ubacktrace()
and similar functions describe the program,
.BR addr() ,
.B print_backtrace()
the kernel.
The user runtime keeps the processes traced, so that no debugger can attach, and looks at the
CPU time of their threads at most 1000 times a second. It samples a thread in the program's code, or
at the return of a system call; one that blocks in a system call is not interrupted. A sample stops
the thread for some tens of microseconds.
.TP
.BI timer.profile.freq.hz( N )
The same
.I N
times per second on every CPU, or for each second of CPU time of a thread.
*/
