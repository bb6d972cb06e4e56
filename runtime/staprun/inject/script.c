/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that runs the script's own probes: begin, timers, end.  It is alone in that, and may wait for
 * room in the buffers while others work.
 *
 * A traced process may write over the script's memory.  If a handler crashes by that, only this thread
 * ends (so that the locks it has can be taken over), and others are served on.
 */
#include "process.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void set_state(struct script *s, uint32_t state)
{
	__atomic_store_n(&s->blob->shared->status.state, state, __ATOMIC_SEQ_CST);
	event_tell(s->status);
}

/* ------------------------------------------------------------------- crashes */

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

static _Thread_local sigjmp_buf *guard;

/* Signals that another process sends (si_code <= 0) have no effect. */
static void crashed(int sig, siginfo_t *si, void *context)
{
	(void)context;
	if (si->si_code <= 0)
		return;
	if (guard)
		siglongjmp(*guard, sig);
	signal(sig, SIG_DFL);   /* it comes again at once */
}

/* All other signals stay blocked. */
static void catch_crashes(void)
{
	struct sigaction sa = {.sa_sigaction = crashed, .sa_flags = SA_NODEFER | SA_SIGINFO};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
		sigaddset(&set, crashes[i]);
		sigaction(crashes[i], &sa, NULL);
	}
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* ---------------------------------------------------------------------- jobs */

static void run(struct script *s, enum script_job job)
{
	const struct ust_agent *a = &s->blob->agent;

	if (job == SCRIPT_BEGIN) {
		s->error = -a->begin();
		if (!s->error)
			a->arm();
		/* a traced process must not be left armed if nobody waits for that any more */
		if (atomic_load(&s->disarmed))
			blob_disarm(s->blob);
		set_state(s, s->error ? UST_STOPPED : UST_RUNNING);
		s->timers = !s->error;
	} else if (job == SCRIPT_VIEW) {
		a->view();
	} else {
		a->end();
		set_state(s, UST_STOPPED);
		s->timers = false;
	}
	atomic_store(&s->did, true);
	event_tell(s->done);
}

bool script_take_done(struct script *s) { return atomic_exchange(&s->did, false); }

void script_disarm(struct script *s)
{
	atomic_store(&s->disarmed, true);
	blob_disarm(s->blob);
}

/* When a timer is due, CLOCK_MONOTONIC ns; ~0: never. */
static uint64_t run_timers(const struct script *s)
{
	return s->timers ? s->blob->agent.timers(clock_ns()) : ~0ull;
}

static void wait_until(struct script *s, uint64_t due)
{
	const struct timespec ts = {(time_t)(due / 1000000000), (long)(due % 1000000000)};

	if (due == ~0ull)
		pthread_cond_wait(&s->more, &s->lock);
	else
		pthread_cond_timedwait(&s->more, &s->lock, &ts);
}

static enum script_job next_job(struct script *s, uint64_t due)
{
	enum script_job job;

	pthread_mutex_lock(&s->lock);
	if (s->job == SCRIPT_IDLE && !s->events && !s->woken)
		wait_until(s, due);
	s->woken = false;
	job = s->job;
	s->job = SCRIPT_IDLE;
	pthread_mutex_unlock(&s->lock);
	return job;
}

/* ------------------------------------------------------------------ events */

/* The first of those that wait. */
static void run_event(struct script *s)
{
	struct event *ev;

	pthread_mutex_lock(&s->lock);
	ev = s->events;
	if (ev) {
		s->events = ev->next;
		if (!s->events)
			s->events_end = &s->events;
	}
	pthread_mutex_unlock(&s->lock);
	if (!ev)
		return;
	s->blob->agent.event(ev->kind, &ev->subject);
	pthread_mutex_lock(&s->lock);
	ev->next = s->events_done;
	s->events_done = ev;
	pthread_mutex_unlock(&s->lock);
	event_tell(s->done);
}

void script_event(struct script *s, struct event *ev)
{
	pthread_mutex_lock(&s->lock);
	ev->next = NULL;
	*s->events_end = ev;
	s->events_end = &ev->next;
	s->nevents++;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
}

struct event *script_event_done(struct script *s)
{
	struct event *ev;

	pthread_mutex_lock(&s->lock);
	ev = s->events_done;
	if (ev) {
		s->events_done = ev->next;
		s->nevents--;
	}
	pthread_mutex_unlock(&s->lock);
	return ev;
}

/* -------------------------------------------------------------- the thread */

static void serve(struct script *s)
{
	for (;;) {
		enum script_job job = next_job(s, run_timers(s));

		if (job != SCRIPT_IDLE)
			run(s, job);
		run_event(s);
	}
}

/* Under s->lock.  What was being done and what may come is not. */
static bool broken;

static void give_up(struct script *s)
{
	s->error = ECANCELED;
	atomic_store(&s->did, true);
	event_tell(s->done);
}

static void break_off(struct script *s, int sig)
{
	say("the script has crashed (signal %d): a traced process has written over its memory, or this is a bug",
	    sig);
	blob_disarm(s->blob);
	pthread_mutex_lock(&s->lock);
	broken = true;
	give_up(s);
	pthread_mutex_unlock(&s->lock);
	__atomic_store_n(&s->blob->shared->status.exit_requested, 1, __ATOMIC_SEQ_CST);
	event_tell(s->status);
}

static void *script_main(void *arg)
{
	struct script *s = arg;
	sigjmp_buf here;
	int sig;

	catch_crashes();
	guard = &here;
	sig = sigsetjmp(here, 1);
	if (!sig)
		serve(s);
	guard = NULL;
	break_off(s, sig);
	return NULL;
}

bool script_start(struct script *s, struct blob *b, int status)
{
	pthread_condattr_t monotonic;

	*s = (struct script){.blob = b, .status = status, .done = event_new(), .events_end = &s->events};
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->more, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return s->done >= 0 && !pthread_create(&s->thread, NULL, script_main, s);
}

void script_wake(struct script *s)
{
	pthread_mutex_lock(&s->lock);
	s->woken = true;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
}

void script_do(struct script *s, enum script_job job)
{
	pthread_mutex_lock(&s->lock);
	s->job = job;
	pthread_cond_signal(&s->more);
	if (broken)
		give_up(s);
	pthread_mutex_unlock(&s->lock);
}
