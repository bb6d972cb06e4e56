/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer's end of the script process: sends commands, one event at a time, and receives
 * replies. The end of the process is reported once, and all present and future commands count as
 * done then.
 */
#include "inject/elf/elf.h"
#include "inject/event_fd.h"
#include "inject/injector.h"
#include "inject/script/script_process.h"
#include "inject/script/script_channel.h"
#include "base/exit_status.h"
#include "base/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <stddef.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* -------------------------------------------------------------------- orders */

/* Seconds to wait for a script process whose socket is full. */
enum { ORDER_SECONDS = 10 };

static bool send_order(struct script *s, const struct script_order *o, size_t size)
{
	ssize_t n;

	do
		n = s->pid ? send(s->orders, o, size, MSG_NOSIGNAL) : -1;
	while (n < 0 && s->pid && errno == EINTR);
	return n == (ssize_t)size;
}

static bool send_kind(struct script *s, enum script_order_kind kind)
{
	const struct script_order o = {.kind = kind};

	return send_order(s, &o, offsetof(struct script_order, notes));
}

/*
 * The action limit of a handler is in memory that traced processes can write, so a handler may run
 * forever. The kernel's accounting of processor time cannot be changed by any process.
 */
static uint64_t processor_time(const struct script *s)
{
	struct timespec t;
	clockid_t clock;

	if (!s->pid || clock_getcpuclockid(s->pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool script_is_busy(const struct script *s) { return s->pid && (s->job != SCRIPT_IDLE || s->busy); }

void script_check(struct script *s)
{
	uint64_t limit = s->blob->made.order_ms, now;

	if (!script_is_busy(s) || !limit || s->overdue)
		return;
	now = processor_time(s);
	if (now < s->used || (now - s->used) / 1000000 < limit)
		return;
	s->overdue = true;
	/* the end of its socket is handled elsewhere */
	kill(s->pid, SIGKILL);
}

/* Send the first event of the queue. */
static void send_event(struct script *s)
{
	struct script_order o = {.kind = ORDER_EVENT};

	if (s->busy || !s->events || !s->pid)
		return;
	o.n = s->events->kind;
	o.subject = s->events->subject;
	s->used = processor_time(s);
	s->busy = send_order(s, &o, offsetof(struct script_order, subject) + sizeof o.subject);
}

static void event_done(struct script *s)
{
	struct event *ev = s->events;

	s->busy = false;
	s->events = ev->next;
	if (!s->events)
		s->events_end = &s->events;
	ev->next = s->events_done;
	s->events_done = ev;
}

/* ------------------------------------------------------------------- the end */

static void job_done(struct script *s, int error)
{
	if (s->job == SCRIPT_IDLE)
		return; /* no job was in progress */
	s->job = SCRIPT_IDLE;
	s->error = error;
	s->did = true;
}

static void give_up(struct script *s)
{
	s->job = SCRIPT_IDLE;
	s->error = ECANCELED;
	s->did = true;
	while (s->events)
		event_done(s);
}

static void explain_end(const struct script *s, int status)
{
	if (s->overdue)
		say("the script was killed after %llu s of CPU time in its handlers: a traced "
		    "process has written over its memory, or this is a bug",
		    (unsigned long long)s->blob->made.order_ms / 1000);
	else if (WIFSIGNALED(status))
		say("the script has crashed (signal %d): a traced process has written over its "
		    "memory, or this is a bug",
		    WTERMSIG(status));
	else if (WEXITSTATUS(status) == EXIT_LOAD)
		say("cannot confine the script process");
	else
		say("the script process has ended unexpectedly: a traced process has written over "
		    "its memory, or this is a bug");
}

static void reap(struct script *s)
{
	int status = 0;
	pid_t got;

	do
		got = waitpid(s->pid, &status, __WALL);
	while (got < 0 && errno == EINTR);
	if (got == s->pid)
		explain_end(s, status);
}

static void ended(struct script *s)
{
	blob_disarm(s->blob);
	/* it may have closed its end and still be alive */
	kill(s->pid, SIGKILL);
	reap(s);
	s->pid = 0;
	close(s->orders);
	close(s->memory);
	give_up(s);
	__atomic_store_n(&s->blob->shared->status.exit_requested, 1, __ATOMIC_SEQ_CST);
	event_fd_signal(s->status);
}

/* ------------------------------------------------------------------- replies */

/* Returns false if no reply has arrived. */
static bool take_reply(struct script *s)
{
	struct script_reply r;
	ssize_t n = recv(s->orders, &r, sizeof r, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		ended(s);
		return false;
	}
	if (n == sizeof r && r.kind == REPLY_JOB)
		job_done(s, r.error);
	else if (n == sizeof r && r.kind == REPLY_EVENT && s->busy)
		event_done(s);
	send_event(s);
	return true;
}

void script_take(struct script *s)
{
	enum { AT_ONCE = 64 };

	for (int i = 0; i < AT_ONCE && s->pid && take_reply(s); i++)
		continue;
	if (s->pid)
		s->broker(s->in, s->memory, s->busy ? s->events : NULL);
}

bool script_take_done(struct script *s)
{
	bool did;

	script_take(s);
	did = s->did;
	s->did = false;
	/* begin probes may have armed it meanwhile */
	if (did && s->disarmed)
		blob_disarm(s->blob);
	return did;
}

/* ---------------------------------------------------------------------- jobs */

static void send_job(struct script *s, enum script_job job, const struct script_order *o)
{
	s->job = job;
	s->used = processor_time(s);
	if (send_order(s, o, offsetof(struct script_order, view) + sizeof o->view))
		return;
	if (s->pid)
		ended(s);
	else
		give_up(s);
}

void script_do(struct script *s, enum script_job job, uint32_t flags)
{
	static const enum script_order_kind kinds[] = {
		[SCRIPT_BEGIN] = ORDER_BEGIN, [SCRIPT_END] = ORDER_END};
	const struct script_order o = {.kind = kinds[job], .n = flags};

	send_job(s, job, &o);
}

void script_view(struct script *s, uint32_t flags, int64_t target)
{
	const struct script_order o = {.kind = ORDER_VIEW, .view = {flags, target}};

	send_job(s, SCRIPT_VIEW, &o);
}

void script_input(struct script *s, uint64_t chars, uint32_t n)
{
	struct script_order o = {.kind = ORDER_INPUT, .n = n};

	for (uint32_t i = 0; i < n && i < UST_INPUT_CHARS; i++)
		o.input[i] = (unsigned char)(chars >> 8 * i);
	send_job(s, SCRIPT_INPUT, &o);
}

void script_wake(struct script *s) { send_kind(s, ORDER_WAKE); }

void script_disarm(struct script *s)
{
	s->disarmed = true;
	blob_disarm(s->blob);
}

static struct script_order notes = {.kind = ORDER_NOTES};

void script_notes_flush(struct script *s)
{
	if (notes.n)
		send_order(s, &notes,
			   offsetof(struct script_order, notes) + notes.n * sizeof *notes.notes);
	notes.n = 0;
}

void script_note(struct script *s, uint32_t i, uint32_t flags)
{
	if (notes.n == ORDER_NOTES_MAX)
		script_notes_flush(s);
	notes.notes[notes.n++] = (struct script_note){i, flags};
}

/* -------------------------------------------------------------------- events */

void script_event(struct script *s, struct event *ev)
{
	ev->next = NULL;
	*s->events_end = ev;
	s->events_end = &ev->next;
	s->nevents++;
	if (s->pid)
		send_event(s);
	else
		give_up(s);
}

struct event *script_event_done(struct script *s)
{
	struct event *ev;

	if (!s->events_done)
		script_take(s);
	ev = s->events_done;
	if (ev) {
		s->events_done = ev->next;
		s->nevents--;
	}
	return ev;
}

/* --------------------------------------------------------------------- start */

static bool watch(int epoll, int fd)
{
	struct epoll_event e = {.events = EPOLLIN};

	return !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

bool script_start(struct script *s, struct injector *in, struct blob *b, int status, bool exposed,
		  script_broker *broker)
{
	const struct timeval patience = {ORDER_SECONDS, 0};
	int orders[2], memory[2];

	*s = (struct script){.blob = b,
			     .in = in,
			     .status = status,
			     .broker = broker,
			     .done = epoll_create1(EPOLL_CLOEXEC),
			     .events_end = &s->events};
	if (s->done < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, memory))
		return false;
	s->pid = fork();
	if (!s->pid)
		script_process(b, orders[1], memory[1], exposed);
	close(orders[1]);
	close(memory[1]);
	s->orders = orders[0];
	s->memory = memory[0];
	setsockopt(s->orders, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	return s->pid > 0 && watch(s->done, s->orders) && watch(s->done, s->memory);
}

void script_end(struct script *s)
{
	if (!s->pid)
		return;
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, __WALL);
	s->pid = 0;
}
