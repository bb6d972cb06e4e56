/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Set-up and take-down of a run. */
#include "output/output_format.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "base/privilege.h"
#include "base/target_namespaces.h"
#include "module/kernel_module.h"
#include "options.h"
#include "output/hits.h"
#include "output/output.h"
#include "report/report.h"
#include "session/policy.h"
#include "session/run.h"
#include "session/session_ops.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool watch_process(struct run *r, pid_t pid)
{
	if (target_watch(r, pid))
		return true;
	if (errno == ESRCH)
		return fail("-x %d: no such process", (int)pid);
	if (errno == EINVAL || errno == ENOENT) /* old and new kernels */
		return fail("-x %d: this is a thread; use the id of its process", (int)pid);
	return fail("-x %d: %s", (int)pid, strerror(errno));
}

/* Open the target processes that exist already. */
static bool open_processes(struct run *r)
{
	for (size_t i = 0; i < r->opt->npids; i++)
		if (!watch_process(r, r->opt->pids[i]))
			return false;
	return true;
}

static bool open_command(struct run *r)
{
	r->child.aside = !r->opt->output && !r->opt->otlp && !format_is_text(r->opt->format);
	return !r->opt->command ||
	       (child_fork(&r->child, r->opt->command) && watch_process(r, r->child.pid));
}

static void start_order(struct run *r)
{
	pid_t target = r->child.pid ? r->child.pid : r->opt->npids ? r->opt->pids[0] : 0;
	unsigned flags = target ? UST_START_FILTER : 0;

	if (r->opt->follow || (target && (r->opt->children || r->child.by_shell)))
		flags |= UST_START_CHILDREN;
	if (r->child.pid)
		flags |= UST_START_COMMAND;
	if (r->opt->own)
		flags |= UST_START_OWN;
	r->phase = STARTING;
	watchdog_activity("starting the script");
	order_start(&r->order, UST_CMD_START, flags, target);
}

/* The session is open: start the reader and, unless it is running, the script. */
static bool begin(struct run *r, bool running)
{
	if (!session_status(&r->session, &r->last))
		return fail("cannot read the script's status: %s", strerror(errno));
	r->out.names = names_start(r->last.name_key);
	if (!running)
		input_open(r);
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

/* With --strict a traced program that was killed by a signal is a failure; STATUS is that of the
 * rest of the run. */
static int judge_deaths(const struct run *r, int status)
{
	if (!r->opt->strict)
		return status;
	test_report_point(!deaths_have_warned(), messages_text(),
			  "no traced program is killed by a signal");
	return deaths_have_warned() && status == EXIT_OK ? EXIT_LOST : status;
}

/* With --strict a process that ran a probed program untraced is a failure, too. */
static int judge_untraced(const struct run *r, int status)
{
	bool none = untraced_report_warn(r->opt->follow);

	/* those name the reason for each probe */
	if (none && !r->opt->expect_hits && !r->opt->explain)
		unmapped_report_warn();
	if (!r->opt->strict)
		return status;
	test_report_point(none, messages_text(),
			  "all processes below the target that run a probed program are traced");
	return none || status != EXIT_OK ? status : EXIT_LOST;
}

/* staprun's own failures take precedence, unless the command's status was requested and it
 * failed. */
static int final_status(struct run *r, int reported)
{
	int own = r->status ? r->status : reported, target = 0;

	run_wait_command(r);
	if (r->opt->timeout)
		test_report_point(!r->timed_out, "the time limit stopped it",
				  "the run ends within %u s", r->opt->timeout);
	if (r->timed_out)
		return EXIT_TIMEOUT;
	if (r->child.pid && r->target < 0)
		target = child_status(&r->child);
	own = judge_untraced(r, judge_deaths(r, own));
	if (r->opt->target_status) {
		char why[64];

		snprintf(why, sizeof why, "its exit status is %d", target);
		test_report_point(!target, why, "the command succeeds");
	}
	return r->opt->target_status && target ? target : own;
}

static int take_down(struct run *r, bool begun)
{
	int status = EXIT_LOAD, reported = EXIT_OK, globals = 0, output = 0;
	bool going = begun && r->reload.going;
	bool left = begun && r->phase == ENDED && r->opt->leave && !r->stop && !r->status;

	input_close();
	reload_end(r);
	child_cancel(&r->child);
	names_end_reader(r->out.names);
	watchdog_activity("unloading the script");
	session_close(&r->session);
	if (!left && !session_remove(&r->session) && !r->status)
		r->status = EXIT_LOAD;
	watchdog_session(NULL);
	watchdog_activity("writing the output");
	monitor_free(r->out.view);
	if (!counts_close(&r->out) && !r->status)
		r->status = EXIT_LOST;
	if (going)
		globals = globals_hand_over(&r->out);
	if (!globals_close(&r->out) && !r->status)
		r->status = EXIT_LOST;
	output_flush(&r->out);
	if (begun)
		reported = run_report(r);
	if (r->out.opened)
		output_end(&r->out, &r->last, begun ? records_lost(r) : 0);
	if (!exporter_end(r, begun) && reported == EXIT_OK)
		reported = EXIT_LOST;
	names_stop(r->out.names);
	if (going && r->out.path)
		output = fcntl(r->out.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (!output_close(&r->out) && reported == EXIT_OK)
		reported = EXIT_LOST;
	if (begun)
		status = final_status(r, reported);
	if (begun && r->opt->explain && !left)
		hits_explain(&r->told);
	hits_free(&r->told);
	if (left) {
		puts(r->session.name);
		note("read it with: staprun -A %s", r->session.name);
	}
	reader_free(&r->reader);
	free(r->watched);
	if (going && globals >= 0 && output >= 0)
		reload_run_next(r, globals, output, status ? status : r->opt->reloaded.status);
	return status;
}

static bool open_globals(struct run *r)
{
	const struct globals_options how = {.path = r->opt->globals,
					    .mark = r->opt->globals_mark,
					    .interval = r->opt->interval != 0,
					    .in_memory = r->opt->reload != NULL};

	return globals_open(&r->out, &how);
}

static bool prepare(struct run *r)
{
	r->out.format = r->opt->format;
	r->out.no_warnings = r->opt->no_warnings;
	if (r->opt->monitor && format_is_text(r->opt->format))
		r->out.view = monitor_new(&r->session, r->opt->name);
	r->out.script = r->opt->name ? r->opt->name : r->opt->module;
	r->out.command = r->opt->command;
	r->out.runtime = r->session.kind == &session_user ? "user" : "kernel";
	r->out.limit = (uint64_t)r->opt->file_mb << 20;
	r->out.keep = r->opt->files;
	r->out.inherited = r->opt->reloaded.output;
	r->out.number = r->opt->reloaded.files;
	r->out.told = r->opt->explain || r->opt->expect_hits ? &r->told : NULL;
	if (!exporter_start(r))
		return false;
	/* opening a FIFO may wait for its reader: until then, signals end staprun by themselves */
	if (!output_open(&r->out, r->opt->output) || !counts_open(&r->out, r->opt->counts) ||
	    !open_globals(r))
		return false;
	if (r->opt->reload)
		signals_reload(r->opt->reloaded.path, r->opt->reloaded.mask);
	r->signals = watchdog_start();
	if (r->opt->timeout)
		watchdog_limit(clock_ns() + r->opt->timeout * 1000000000ull + TIMEOUT_SLACK_NS);
	return r->signals >= 0;
}

/* Keep the running script for the case that the one of a reload cannot be run. */
static bool keep_script(struct run *r)
{
	int fd;

	if (!r->opt->reload)
		return true;
	if (!reload_possible())
		return false;
	privilege_suspend();
	fd = open_script_file(r->opt->module);
	privilege_resume();
	r->reload.old = fd > STDERR_FILENO ? fd : 0;
	return fd >= 0 || fail("%s: %s", r->opt->module, strerror(errno));
}

static bool read_module(struct image *im, const struct options *o, enum role role)
{
	return module_file_read(im, o->module, role) && module_file_check(im, o->module) &&
	       vermagic_fits(im, o->module);
}

/* An approved module may be used only as its policy permits. */
static bool permitted(struct options *o, const struct image *im, enum role role)
{
	return role == ROLE_DEV || role == ROLE_ROOT || (role == ROLE_SYS && !im->approved) ||
	       policy_apply(o);
}

/* --target-namespaces of a module */
static bool send_namespaces(const struct session *s, const struct options *o)
{
	if (!o->target_namespaces)
		return true;
	errno = session_command(s, UST_CMD_NAMESPACES, 0, (pid_t)o->target_namespaces);
	return !errno || fail("--target-namespaces %u: %s", o->target_namespaces,
			      errno == ESRCH ? "no such process" : strerror(errno));
}

int run_script(const struct options *given, enum role role)
{
	struct options limited = *given;
	const struct options *o = &limited;
	struct run r = {
		.opt = o, .target = -1, .session = {.kind = &session_kernel, .ctl = -1, .dir = -1}};
	struct image im = {0};
	bool ok;

	if (o->follow) {
		say("--follow is valid only for scripts of the user runtime");
		hint("a kernel module probes all processes that run a program, also later ones");
		return EXIT_USAGE;
	}
	if (o->nmerge) {
		say("--merge is for scripts of the user runtime");
		return EXIT_USAGE;
	}
	if (o->reload && role != ROLE_ROOT && role != ROLE_DEV) {
		say("--reload loads other kernel modules: this needs root or group stapdev");
		return EXIT_USAGE;
	}
	if (o->npids > 1) {
		say("a kernel module can trace only one process of -x");
		hint("to trace several processes: ustap --runtime=user");
		return EXIT_USAGE;
	}
	if (!read_module(&im, o, role) || !permitted(&limited, &im, role) || !keep_script(&r) ||
	    !prepare(&r) || !open_processes(&r) || !open_command(&r) ||
	    !module_load(&im, o->buffer_mb)) {
		child_cancel(&r.child);
		exporter_end(&r, false);
		output_close(&r.out);
		free(im.data);
		return EXIT_LOAD;
	}
	note("module %s loaded", im.name);
	snprintf(r.session.name, sizeof r.session.name, "%s", im.name);
	free(im.data);
	watchdog_session(&r.session);
	ok = session_open(&r.session, r.session.name, true) && module_params_set(&r.session, o) &&
	     send_namespaces(&r.session, o) && (!o->reload || reload_set_up(&r.session, o));
	return take_down(&r, ok && begin(&r, false));
}

/* A traced process that attacks staprun must gain no more than the caller's rights. */
static bool drop_privilege(void)
{
	if (geteuid() == getuid() && getegid() == getgid())
		return true;
	/* a tracer without privileges must still be able to trace the command */
	return (privilege_drop() && !prctl(PR_SET_DUMPABLE, 1)) ||
	       fail("cannot drop privileges: %s", strerror(errno));
}

/* The tracer is started before the command, which permits it to trace. */
static bool set_up_user(struct run *r)
{
	if (!keep_script(r) || !prepare(r) || !open_processes(r) ||
	    !session_load(&r->session, r->opt))
		return false;
	r->out.refused = session_refused(&r->session, r->opt);
	r->out.globals_time = r->session.merge_time;
	if (r->session.merge_incomplete)
		r->status = EXIT_LOST;
	r->out.runner = session_runner(&r->session, r->opt);
	r->child.tracer = session_tracer(&r->session);
	if (!open_command(r))
		return false;
	if (r->child.program)
		session_warn_privilege(&r->session, r->child.pid, r->child.program);
	return true;
}

int run_user(const struct options *o)
{
	struct run r = {
		.opt = o, .target = -1, .session = {.kind = &session_user, .ctl = -1, .dir = -1}};

	if (!options_fit_user(o))
		return EXIT_USAGE;
	if (!drop_privilege())
		return EXIT_LOAD;
	if (o->target_namespaces && !target_namespaces_set((pid_t)o->target_namespaces))
		return EXIT_LOAD;
	watchdog_session(&r.session);
	return take_down(&r, set_up_user(&r) && begin(&r, false));
}

/* End the run with its target, like a staprun that had started it. */
static void watch_target(struct run *r)
{
	struct ust_status st;

	if (!session_status(&r->session, &st) || !st.target)
		return;
	if (!target_watch(r, (pid_t)st.target) && errno == ESRCH)
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

/* A paused script is resumed. */
static bool attach(const struct session *s)
{
	errno = session_command(s, UST_CMD_ATTACH, 0, 0);
	return !errno || fail("%s: %s", s->name, strerror(errno));
}

int run_attach(const struct options *o, const char *name)
{
	struct run r = {.opt = o, .target = -1, .session = {.kind = &session_kernel}};

	if (!session_open(&r.session, name, false))
		return EXIT_LOAD;
	if (!can_attach(&r.session) || !prepare(&r) || !attach(&r.session)) {
		session_close(&r.session);
		output_close(&r.out);
		return EXIT_LOAD;
	}
	watchdog_session(&r.session);
	watch_target(&r);
	if (o->seconds)
		r.deadline = clock_ns() + o->seconds * 1000000000ull;
	return take_down(&r, begin(&r, true));
}
