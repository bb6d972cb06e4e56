/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script process: runs begin, timer, event and end handlers, one at a time, and may wait for
 * space in the buffers while the tracer serves other requests. A traced process may write over the
 * script's memory: if a handler crashes, this process ends (so that its locks can be taken over)
 * and the tracer continues.
 */
#include "inject/script/script_channel.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "wire_agent.h"
#include "wire_process.h"
#include "inject/elf/elf.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct worker {
	const struct ust_agent *agent;
	int orders;
	bool timers; /* timers are running */
};

static void reply(const struct worker *w, enum script_reply_kind kind, int error)
{
	const struct script_reply r = {kind, error};

	if (send(w->orders, &r, sizeof r, MSG_NOSIGNAL) != sizeof r)
		_exit(EXIT_LOST); /* the tracer has ended */
}

static int begin(struct worker *w)
{
	int err = -w->agent->begin();

	if (!err)
		w->agent->arm();
	w->timers = !err;
	return err;
}

static void obey(struct worker *w, const struct script_order *o)
{
	int err = 0;

	switch (o->kind) {
	case ORDER_BEGIN:
		err = begin(w);
		break;
	case ORDER_END:
		w->agent->end(o->n);
		w->timers = false;
		break;
	case ORDER_VIEW:
		w->agent->view(o->view.flags, o->view.target);
		break;
	case ORDER_INPUT:
		for (uint32_t i = 0; i < o->n && i < UST_INPUT_CHARS; i++)
			w->agent->input(o->input[i]);
		break;
	case ORDER_EVENT:
		w->agent->event(o->n, &o->subject);
		reply(w, REPLY_EVENT, 0);
		return;
	case ORDER_NOTES:
		for (uint32_t i = 0; i < o->n; i++)
			w->agent->note(o->notes[i].site, o->notes[i].flags);
		return;
	default:
		return; /* ORDER_WAKE: timers are checked anyway */
	}
	reply(w, REPLY_JOB, err);
}

/* Wait until DUE, CLOCK_MONOTONIC ns; ~0: without limit. */
static void wait_until(const struct worker *w, uint64_t due)
{
	struct pollfd p = {.fd = w->orders, .events = POLLIN};
	uint64_t now = clock_ns(), ns = due > now ? due - now : 0;
	const struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	ppoll(&p, 1, due == ~0ull ? NULL : &ts, NULL);
}

static void __attribute__((noreturn)) serve(struct worker *w)
{
	static struct script_order order;

	for (;;) {
		ssize_t n;

		wait_until(w, w->timers ? w->agent->timers(clock_ns()) : ~0ull);
		n = recv(w->orders, &order, sizeof order, MSG_DONTWAIT);
		if (n > 0)
			obey(w, &order);
		else if (!n || (errno != EAGAIN && errno != EINTR))
			_exit(0);
	}
}

/* A signal sent by another process (si_code <= 0) has no effect; a fault is raised again, and ends
 * this process. */
static void fault(int sig, siginfo_t *si, void *context)
{
	(void)context;
	if (si->si_code > 0)
		signal(sig, SIG_DFL);
}

/* All other signals remain blocked. */
static void set_signals(void)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	const struct sigaction sa = {.sa_sigaction = fault, .sa_flags = SA_NODEFER | SA_SIGINFO};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		sigaction(faults[i], &sa, NULL);
		sigaddset(&set, faults[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void script_process(const struct blob *b, int orders, int memory, bool exposed)
{
	const int keep[] = {orders, memory};
	struct worker w = {.agent = &b->agent, .orders = orders};
	pid_t tracer = getppid();

	setpgid(0, 0);
	prctl(PR_SET_NAME, "staprun-script");
	set_signals();
	blob_record_identity(b);
	((struct ust_process *)b->base)->broker = (uint32_t)memory;
	if (exposed && !confine(keep, 2))
		_exit(EXIT_LOAD);
	if (!exposed)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != tracer)
		_exit(EXIT_LOST);
	serve(&w);
}
