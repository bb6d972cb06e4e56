/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run from START to the last byte of output: one loop that waits for events (a signal, exit() in
 * the script, the end of the target, failed output, the time limit, a completed command) and moves
 * from phase to phase. Every cause leads to the same orderly end.
 */
#include "base/exit_status.h"
#include "base/message.h"
#include "base/signal.h"
#include "output/metrics.h"
#include "output/output.h"
#include "output/output_format.h"
#include "report/report.h"
#include "session/run.h"
#include "session/session_ops.h"
#include "wire.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 200, GIVE_UP_TICK_MS = 20, PATIENCE_MS = 500, VIEWS_PER_STEP = 100 };
#define FIRST_VIEW_NS  100000000ull
#define POSTED_VIEW_NS 10000000000ull /* --otlp: between two views */
#define GRACE_NS       3000000000ull  /* from SIGTERM to SIGKILL */

/* ------------------------------------------------------------ what has happened */

/* A signal from the terminal reached the command too; a signal to staprun alone is passed on to
 * it. */
static void take_signals(struct run *r)
{
	struct signalfd_siginfo si;

	while (read(r->signals, &si, sizeof si) == sizeof si) {
		if (signal_effect((int)si.ssi_signo) == SIGNAL_SWITCHES) {
			output_switch(&r->out);
			continue;
		}
		if (signal_effect((int)si.ssi_signo) == SIGNAL_RELOADS) {
			r->reload.wanted = true;
			continue;
		}
		r->stop = true;
		r->interrupts++;
		deaths_expect((int)si.ssi_signo);
		if (si.ssi_code <= 0)
			child_kill(&r->child, (int)si.ssi_signo);
	}
}

static void take_status(struct run *r)
{
	struct ust_status st;

	if (session_status(&r->session, &st)) {
		if (r->phase == RUNNING && st.sites != r->last.sites)
			note("%u sites armed", st.sites);
		r->last = st;
		r->stop |= st.exit_requested || st.state >= UST_STOPPING;
	} else if (!r->stop) {
		session_report_lost(&r->session);
		r->status = EXIT_LOST;
		r->stop = true;
	}
}

static void take_reader_event(struct run *r)
{
	uint64_t count;

	if (read(r->reader.event, &count, sizeof count) == sizeof count)
		r->stop |= atomic_load(&r->reader.failed);
}

/* Wait time: MS milliseconds, or until DEADLINE (0: none) if that comes earlier. */
static int until(uint64_t deadline, int ms)
{
	uint64_t now = clock_ns();

	if (!deadline)
		return ms;
	if (deadline <= now)
		return 0;
	return deadline - now < (uint64_t)ms * 1000000 ? (int)((deadline - now) / 1000000) + 1 : ms;
}

static int time_to_wait(const struct run *r)
{
	int ms = r->interrupts > 1 ? GIVE_UP_TICK_MS : TICK_MS;

	if (r->phase != RUNNING)
		return ms;
	if ((r->stop && !run_is_busy(r)) || input_due(r)) /* exit() in a begin probe: no other event
							     occurs */
		return 0;
	if (!run_is_busy(r))
		ms = until(exporter_due(r), until(r->globals_due, until(r->view_due, ms)));
	return until(r->timeout, until(r->deadline, ms));
}

/* --timeout: terminate the command, and kill it if it does not end. */
static void take_timeout(struct run *r)
{
	if (!r->timeout || clock_ns() < r->timeout)
		return;
	if (!r->timed_out)
		say("--timeout: time limit of %u s exceeded", r->opt->timeout);
	deaths_expect(r->timed_out ? SIGKILL : SIGTERM);
	child_kill(&r->child, r->timed_out ? SIGKILL : SIGTERM);
	r->timeout = clock_ns() + GRACE_NS;
	r->timed_out = r->stop = true;
}

/* Returns true if the pending command has completed. */
static bool wait_for_events(struct run *r)
{
	struct pollfd p[] = {
		{.fd = r->signals, .events = POLLIN},
		{.fd = r->reader.event, .events = POLLIN},
		{.fd = r->target, .events = POLLIN},
		{.fd = r->phase == RUNNING ? r->session.ctl : -1, .events = POLLIN},
		{.fd = r->order.done, .events = POLLIN},
		{.fd = input_fd(r), .events = POLLIN},
		{.fd = exporter_fd(r), .events = POLLIN},
		{.fd = metrics_event(r->out.metrics), .events = POLLIN},
		{.fd = reload_fd(r), .events = POLLIN},
	};

	poll(p, sizeof p / sizeof p[0], time_to_wait(r));
	if (p[0].revents)
		take_signals(r);
	if (p[1].revents)
		take_reader_event(r);
	if (p[2].revents)
		target_take(r);
	if (p[2].revents && r->target < 0)
		r->stop = true;
	if (p[5].revents)
		input_read(r);
	if (p[6].revents)
		exporter_take(r);
	if (r->phase == RUNNING)
		take_status(r);
	if (p[7].revents)
		exporter_page(r);
	if (p[8].revents)
		reload_take(r);
	if (r->phase == RUNNING && r->deadline && clock_ns() >= r->deadline)
		r->stop = true;
	if (r->phase == STARTING)
		ready_progress(r);
	take_timeout(r);
	if (r->interrupts > 1)
		reader_give_up(&r->reader);
	return p[4].revents;
}

/* --------------------------------------------------------------------- phases */

static void start_command(struct run *r)
{
	int err;

	if (!r->child.pid)
		return;
	err = child_go(&r->child);
	if (!err)
		return;
	say("cannot run \"%s\": %s", r->opt->command, strerror(err));
	r->status = err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXEC;
	r->stop = true;
}

static void enter_running(struct run *r)
{
	take_status(r);
	r->phase = RUNNING;
	watchdog_activity("running the script");
	note("%s runs, %u sites armed", r->session.name, r->last.sites);
	r->view_step = r->opt->monitor ? r->opt->monitor * 1000000000ull
		       : r->opt->otlp  ? POSTED_VIEW_NS
				       : FIRST_VIEW_NS;
	if (r->opt->monitor || r->opt->otlp || r->opt->format->usual_views)
		r->view_due = clock_ns() + r->view_step;
	if (r->opt->interval)
		r->globals_due = clock_ns() + r->opt->interval * 1000000000ull;
	if (r->opt->seconds)
		r->deadline = clock_ns() + r->opt->seconds * 1000000000ull;
	if (r->opt->timeout) {
		r->timeout = clock_ns() + r->opt->timeout * 1000000000ull;
		watchdog_limit(r->timeout + TIMEOUT_SLACK_NS);
	}
	ready_notify(r);
	reload_settled(r);
	r->stop |= r->opt->nmerge != 0;
	if (r->stop)
		child_cancel(&r->child);
	else
		start_command(r);
	if (r->opt->leave && !r->stop) {
		r->phase = DETACHING;
		order_start(&r->order, UST_CMD_DETACH, 0, 0);
	}
}

static void enter_draining(struct run *r)
{
	watchdog_activity("writing the output");
	r->phase = DRAINING;
	reader_finish(&r->reader);
}

static bool has_order(const struct run *r) { return r->out.view && monitor_has_order(r->out.view); }

static bool is_due(uint64_t time) { return time && clock_ns() >= time; }

static bool wants_view(struct run *r)
{
	if (r->phase != RUNNING || run_is_busy(r))
		return false;
	if (r->stop)
		return exporter_wants_last(r);
	return is_due(r->view_due) || is_due(r->globals_due) || (r->view_due && has_order(r)) ||
	       is_due(exporter_due(r));
}

/* --interval: intervals that a slow reader has missed are left out. */
static void ask_for_globals(struct run *r)
{
	while (is_due(r->globals_due))
		r->globals_due += r->opt->interval * 1000000000ull;
	r->viewing = r->sending = true;
	order_start(&r->order, UST_CMD_VIEW, UST_VIEW_SEND, 0);
}

static void ask_for_view(struct run *r)
{
	unsigned flags = 0;
	int target = 0;

	if (!r->stop && is_due(r->globals_due)) {
		ask_for_globals(r);
		return;
	}
	if (r->out.view)
		monitor_order(r->out.view, &flags, &target);
	input_check();
	exporter_asked(r);
	r->viewing = true;
	order_start(&r->order, UST_CMD_VIEW, flags, target);
}

/* In a page, whose size is limited, the interval doubles each hundred views. */
static void view_returned(struct run *r)
{
	if (r->opt->format->usual_views && !r->opt->monitor && ++r->views == VIEWS_PER_STEP) {
		r->views = 0;
		r->view_step *= 2;
	}
	if (is_due(r->view_due))
		r->view_due += r->view_step;
}

static void order_returned(struct run *r)
{
	static const char *const what[] = {
		[STARTING] = "start", [DETACHING] = "leave", [STOPPING] = "stop"};
	int err = order_result(&r->order);

	if (r->feeding) {
		r->feeding = false;
		r->input.open &= !err;
		return;
	}
	if (r->viewing) {
		r->viewing = false;
		if (!r->sending)
			view_returned(r);
		r->sending = false;
		return;
	}
	if (r->phase == STARTING && err)
		ready_cancel(r);
	if (err) {
		if (err == ENOENT && r->phase == STARTING)
			say("cannot start the script: none of its probes can be armed");
		else if (err != ECANCELED)
			say("cannot %s the script: %s", what[r->phase], strerror(err));
		r->status = r->phase == STARTING ? EXIT_LOAD : EXIT_LOST;
		child_cancel(&r->child);
	}
	if (r->phase == STARTING && !err)
		enter_running(r);
	else if (r->phase == DETACHING && !err && r->stop)
		r->phase = RUNNING; /* a signal arrived: stop it after all */
	else
		enter_draining(r);
}

void run_loop(struct run *r)
{
	while (r->phase != ENDED) {
		if (wait_for_events(r)) {
			order_returned(r);
		} else if (wants_view(r)) {
			ask_for_view(r);
		} else if (input_due(r)) {
			input_send(r);
		} else if (reload_due(r)) {
			reload_start(r);
		} else if (r->phase == RUNNING && r->stop && !run_is_busy(r)) {
			r->phase = STOPPING;
			watchdog_activity("stopping the script");
			order_start(&r->order, UST_CMD_STOP,
				    reload_stops(r) || r->opt->globals ? UST_STOP_SEND : 0, 0);
		} else if (r->phase == DRAINING && atomic_load(&r->reader.ended)) {
			reader_join(&r->reader);
			r->phase = ENDED;
		}
	}
}

void run_wait_command(struct run *r)
{
	struct pollfd p[] = {{.fd = r->signals, .events = POLLIN},
			     {.fd = r->target, .events = POLLIN}};
	bool told = false;

	watchdog_activity("waiting for the command");
	while (r->child.pid && r->target >= 0 && r->interrupts < 2) {
		int ready = poll(p, 2, until(r->timeout, PATIENCE_MS));

		take_timeout(r);
		if (ready == 0 && !told && (verbose || isatty(STDERR_FILENO))) {
			say("waiting for \"%s\" (process %d) to end; Ctrl-C stops waiting",
			    r->opt->command, (int)r->child.pid);
			told = true;
		}
		if (p[0].revents)
			take_signals(r);
		if (p[1].revents)
			target_take(r);
	}
}
