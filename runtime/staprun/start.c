/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Setting a run up, and taking it down whatever happened. */
#include "staprun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_process(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return fd;
	if (errno == ESRCH)
		fail("-x %d: no such process", (int)pid);
	else if (errno == EINVAL || errno == ENOENT)    /* old and new kernels */
		fail("-x %d: a thread; give the id of its process", (int)pid);
	else
		fail("-x %d: %s", (int)pid, strerror(errno));
	return -1;
}

/* The command or process to trace, if any. */
static bool open_target(struct run *r)
{
	pid_t pid = r->opt->pid;

	if (r->opt->command) {
		if (!child_fork(&r->child, r->opt->command))
			return false;
		pid = r->child.pid;
	}
	r->target = pid ? open_process(pid) : -1;
	return !pid || r->target >= 0;
}

static void start_order(struct run *r)
{
	pid_t target = r->child.pid ? r->child.pid : r->opt->pid;
	unsigned flags = target ? UST_START_FILTER : 0;

	if (target && (r->opt->children || r->child.by_shell))
		flags |= UST_START_CHILDREN;
	r->phase = STARTING;
	order_give(&r->order, UST_CMD_START, flags, target);
}

/* The session is open: read and, unless it runs already, start. */
static bool begin(struct run *r, bool running)
{
	if (!session_status(&r->session, &r->last))
		return fail("cannot read the module's status: %s", strerror(errno));
	if (!order_init(&r->order, &r->session) ||
	    !reader_start(&r->reader, &r->session, &r->out, r->last.ncpu, !running))
		return false;
	if (running)
		r->phase = RUNNING;
	else
		start_order(r);
	run_loop(r);
	session_status(&r->session, &r->last);
	return true;
}

/* Own troubles come first, unless the command's status was asked for and it failed. */
static int final_status(struct run *r, int reported)
{
	int own = r->status ? r->status : reported, target = 0;

	run_wait_command(r);
	if (r->child.pid && r->target < 0)
		target = child_status(&r->child);
	return r->opt->target_status && target ? target : own;
}

static int take_down(struct run *r, bool begun)
{
	int status = EXIT_LOAD;
	bool left = begun && r->phase == ENDED && r->opt->leave && !r->stop && !r->status;

	child_cancel(&r->child);
	session_close(&r->session);
	if (!left && !module_unload(r->session.name) && !r->status)
		r->status = EXIT_LOAD;
	output_close(&r->out);
	if (begun)
		status = final_status(r, report(r));
	if (left) {
		puts(r->session.name);
		note("read it with: staprun -A %s", r->session.name);
	}
	reader_free(&r->reader);
	return status;
}

static bool prepare(struct run *r)
{
	r->out.no_warnings = r->opt->no_warnings;
	r->signals = signals_take();
	return r->signals >= 0 || fail("signalfd: %s", strerror(errno));
}

static bool read_module(struct image *im, const struct options *o, enum role role)
{
	return image_read(im, o->module, role) && image_check(im, o->module) &&
	       vermagic_fits(im, o->module);
}

int run_script(const struct options *o, enum role role)
{
	struct run r = {.opt = o, .target = -1, .session = {.ctl = -1, .dir = -1}};
	struct image im = {0};
	bool ok;

	if (!read_module(&im, o, role) || !prepare(&r) || !output_open(&r.out, o->output) ||
	    !open_target(&r) || !module_load(&im, o->buffer_mb)) {
		child_cancel(&r.child);
		output_close(&r.out);
		free(im.data);
		return EXIT_LOAD;
	}
	note("module %s loaded", im.name);
	snprintf(r.session.name, sizeof r.session.name, "%s", im.name);
	free(im.data);
	ok = session_open(&r.session, r.session.name, true);
	return take_down(&r, ok && begin(&r, false));
}

/* The run ends with its target, as it would have without us in between. */
static void watch_target(struct run *r)
{
	struct ust_status st;

	if (!session_status(&r->session, &st) || !st.target)
		return;
	r->target = (int)syscall(SYS_pidfd_open, (pid_t)st.target, 0);
	if (r->target < 0 && errno == ESRCH)
		r->stop = true;
}

static bool can_attach(struct session *s)
{
	struct ust_status st;

	if (!session_status(s, &st))
		return fail("%s: %s", s->name, strerror(errno));
	if (st.state == UST_LOADED) {
		say("%s was never started", s->name);
		return hint("remove it with: staprun -d %s", s->name);
	}
	return true;
}

int run_attach(const struct options *o, const char *name)
{
	struct run r = {.opt = o, .target = -1};

	if (!session_open(&r.session, name, false))
		return EXIT_LOAD;
	if (!can_attach(&r.session) || !prepare(&r) || !output_open(&r.out, o->output)) {
		session_close(&r.session);
		output_close(&r.out);
		return EXIT_LOAD;
	}
	watch_target(&r);
	if (o->seconds)
		r.deadline = clock_ns() + o->seconds * 1000000000ull;
	return take_down(&r, begin(&r, true));
}
