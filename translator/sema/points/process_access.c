/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check that processes of -x and process(PID) can be examined: probe points are resolved in their
 * programs, and a program that cannot be read looks like a missing file.  staprun, which knows all
 * reasons, explains a refusal.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "base/installed.h"
#include "base/proc_root.h"
#include "base/subprocess.h"
#include "point.h"
#include "session.h"

/* A process whose program may be read may be looked at; threads of the kernel have none. */
static bool is_readable(int64_t pid)
{
	char name[2];

	return readlink(xprintf("/proc/%" PRId64 "/exe", process_thread(pid)), name, sizeof name) >=
	       0;
}

/* Have staprun print why process PID may not be traced. */
static void staprun_explain(int64_t pid)
{
	const char *staprun = staprun_path();
	const char *const argv[] = {staprun, "--permit", xprintf("%" PRId64, pid), NULL};

	fflush(NULL);
	if (staprun)
		run_command(argv, NULL, NULL);
}

static bool check(const struct session *s, int64_t pid, struct loc loc)
{
	int err;

	if (is_readable(pid))
		return true;
	err = errno;
	staprun_explain(pid);
	if (err != ENOENT)
		diag_error(E_NO_FILE, loc, "cannot examine process %" PRId64 ": %s", pid,
			   strerror(err));
	else if (access(xprintf("/proc/%" PRId64, pid), F_OK))
		diag_error(E_NO_FILE, loc, "process %" PRId64 " does not exist", pid);
	else
		diag_error(E_NO_FILE, loc, "process %" PRId64 " has no program", pid);
	if (err == EACCES)
		diag_hint("use: sudo ustap ...%s",
			  s->opt.pids.n ? xprintf(" -x %" PRId64, pid) : "");
	return false;
}

/* Does PT need the program of its process?  Not if it is about process events or system calls. */
static bool needs_program(const struct point *pt)
{
	static const char *const others[] = {"begin", "end", "thread", "syscall"};

	for (size_t i = 0; pt->comps.n > 1 && i < sizeof others / sizeof *others; i++)
		if (!strcmp(pt->comps.v[1].name, others[i]))
			return false;
	return true;
}

bool targets_readable(const struct session *s, const struct point *pt)
{
	const struct point_comp *c = &pt->comps.v[0];
	bool number = c->arg && c->arg->kind == N_NUM;
	static ARENA_STATE bool unreadable; /* a process of -x, which was reported */

	if (strcmp(c->name, "process") || unreadable)
		return !unreadable;
	for (size_t i = 0; i < s->opt.pids.n && !unreadable; i++)
		unreadable = !check(s, s->opt.pids.v[i], c->loc);
	if (unreadable)
		return false;
	return !number || c->arg->num <= 0 || !needs_program(pt) || check(s, c->arg->num, c->loc);
}
