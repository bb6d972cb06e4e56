/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process(PID).statement(ADDRESS).absolute: an instruction by its address in that process, or in
 * that of -x. The code mapped at ADDRESS is probed, without a check that an instruction begins
 * there, and without variables.
 */
#include <inttypes.h>
#include <string.h>
#include "process_point.h"
#include "base/proc_maps.h"
#include "session.h"

/* The file mapped at ADDR in process PID, and the offset of ADDR in it; NULL if no executable
 * mapping of a file holds ADDR. */
static const char *mapped_at(int64_t pid, uint64_t addr, uint64_t *off)
{
	mapped_vec v = {0};

	mapped_code(pid, &v);
	for (size_t i = 0; i < v.n; i++)
		if (addr >= v.v[i].start && addr < v.v[i].end) {
			*off = addr - v.v[i].start + v.v[i].offset;
			return v.v[i].path;
		}
	return NULL;
}

static bool resolve_absolute(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			     const struct point *pt, bool quiet)
{
	const struct point_comp *p = &pt->comps.v[0], *c = point_comp(pt, "statement");
	bool named = p->arg && p->arg->kind == N_NUM;
	int64_t pid = named ? p->arg->num : s->opt.pids.n ? s->opt.pids.v[0] : 0;
	uint64_t addr = (uint64_t)c->arg->num, off;
	struct spot spot = {.why = "the given address"};
	const char *path;
	struct module *m;

	if ((p->arg && !named) || !pid) {
		diag_error(E_PROBE_POINT, p->loc, "an absolute address needs a running process");
		diag_hint("select the process with process(PID) or -x; leave out .absolute for "
			  "addresses in a file");
		return false;
	}
	path = mapped_at(pid, addr, &off);
	m = path ? module_get(path, c->loc) : NULL;
	if (!m || !module_offset_address(m, off, &spot.addr)) {
		if (!m && !quiet && !path)
			diag_error(E_PROBE_POINT, c->loc,
				   "process %" PRId64 " has no code of a file at address %#" PRIx64,
				   pid, addr);
		return false;
	}
	spot.f = function_bare(m, spot.addr);
	spot.pp = xprintf("process(%" PRId64 ").statement(%#" PRIx64 ").absolute%s", pid, addr,
			  k->is_return ? ".return" : "");
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

#define KIND(text, ret)                                                                \
	{                                                                              \
		.pattern = "process(p).statement(n).absolute" text, .has_sites = true, \
		.is_return = ret, .resolve = resolve_absolute                          \
	}
const struct probe_kind probe_absolutes[] = {
	KIND("", false),
	KIND(".return", true),
	{0},
};

/* ustap-probes.7, LINES AND ADDRESSES
.TP
.BI process( PID ).statement( ADDRESS ).absolute "\fR, " .statement( ADDRESS ).absolute.return
The instruction, or the function, at this address in the memory of the process; also with
.BI \-x " PID"
and without a number. It has no target variables.
*/
