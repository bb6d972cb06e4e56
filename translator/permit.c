/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of -x and process(PID) that may not be read: what a probe point means is looked up in
 * them, and without that a file seems not to be there.  Why, and what helps, is for staprun to say,
 * which knows all the reasons.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "passes.h"
#include "ustap.h"

/* A process whose program may be read may be looked at; threads of the kernel have none. */
static bool is_readable(int64_t pid)
{
	char name[2];

	return readlink(xprintf("/proc/%" PRId64 "/exe", pid), name, sizeof name) >= 0;
}

static bool check(const struct session *s, int64_t pid, struct loc loc)
{
	int err;

	if (is_readable(pid))
		return true;
	err = errno;
	/* an ended leader has no program, but its threads go on */
	if (staprun_explains(pid) && err == ENOENT)
		return true;
	diag_error(E_NO_FILE, loc, "process %" PRId64 " cannot be looked at: %s", pid,
		   err == ENOENT ? access(xprintf("/proc/%" PRId64, pid), F_OK)
				       ? "it is not there"
				       : "it has no program"
				 : strerror(err));
	if (err == EACCES)
		diag_hint("use: sudo ustap ...%s",
			  s->opt.pids.n ? xprintf(" -x %" PRId64, pid) : "");
	return false;
}

bool targets_readable(const struct session *s, const struct point *pt)
{
	const struct point_comp *c = &pt->comps.v[0];
	bool number = c->arg && c->arg->kind == N_NUM, ok = true;
	static ARENA_STATE bool told;

	if (told || strcmp(c->name, "process"))
		return !told;
	for (size_t i = 0; i < s->opt.pids.n && ok; i++)
		ok = check(s, s->opt.pids.v[i], c->loc);
	if (ok && number && c->arg->num > 0)
		ok = check(s, c->arg->num, c->loc);
	told = !ok;
	return ok;
}
