/* SPDX-License-Identifier: GPL-2.0-or-later */
/* begin, end, error: what happens to the script itself; __stdin: its input; never: checked, but not
 * run. */
#include "probe.h"
#include "sema/points/point.h"
#include "session.h"

/* begin(N): handlers run in ascending N; without one, 0 */
static bool resolve_life(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			 const struct point *pt, bool quiet)
{
	struct probe *p = probe_new(s, k, decl, pt);
	const struct node *arg = pt->comps.v[0].arg;

	(void)quiet;
	p->life.priority = arg ? arg->num : 0;
	if (!target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

/* The library's input.char and input.line. */
static bool resolve_input(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			  const struct point *pt, bool quiet)
{
	struct probe *p = probe_new(s, k, decl, pt);

	(void)quiet;
	if (!target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

const struct probe_kind probe_basics[] = {
	{.pattern = "begin(n?)", .rt = "UST_PROBE_BEGIN", .resolve = resolve_life},
	{.pattern = "end(n?)", .rt = "UST_PROBE_END", .resolve = resolve_life},
	{.pattern = "error(n?)", .rt = "UST_PROBE_ERROR", .resolve = resolve_life},
	{.pattern = "__stdin", .rt = "UST_PROBE_INPUT", .resolve = resolve_input},
	{.pattern = "never", .resolve = resolve_life},
	{0},
};

/* ustap-probes.7, START, END AND TIMERS
.TP
.BR begin ", " begin(\fIN\fP)
When the script starts, before any other probe.
Probes with lower numbers run first; the default is 0.
.TP
.BR end ", " end(\fIN\fP)
When the script ends, after all other probes. They do not run if
.B error()
ended the script.
.TP
.BR error ", " error(\fIN\fP)
When a run-time error has ended the script, before the end probes.
.TP
.B never
Never. The handler is only compiled.
*/
