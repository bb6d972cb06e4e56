/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watchdog thread: receives staprun's signals and passes them to the main thread. Whatever the main
 * thread waits for, staprun ends within a second of the second signal, and soon after --timeout:
 * the main thread ends the run in order; if it does not in time, this thread ends the process. Then
 * a child process unloads a kernel module, and the tracer of the user runtime, whose socket is
 * closed, releases the traced processes.
 */
#include "base/exit_status.h"
#include "base/message.h"
#include "base/signal.h"
#include "module/kernel_module.h"
#include "session/run.h"
#include "session/session_ops.h"
#include "wire.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Time from the second signal to the forced end, and for its message. */
#define PATIENCE_NS 800000000ull
enum { MESSAGE_MS = 100, LOOK_MS = 1000 };

static int signals = -1, to_main = -1;
static pthread_t watcher;
static sem_t watching;
static _Atomic uint64_t time_limit; /* CLOCK_MONOTONIC ns; 0: none */
static _Atomic(const char *) activity = "loading the script";
static _Atomic(const struct session *) watched;

void watchdog_activity(const char *what) { atomic_store(&activity, what); }

void watchdog_session(const struct session *s) { atomic_store(&watched, s); }

void watchdog_limit(uint64_t deadline) { atomic_store(&time_limit, deadline); }

/* ------------------------------------------------------------------ forced end */

static void *exit_soon(void *status)
{
	poll(NULL, 0, MESSAGE_MS);
	_exit(*(const int *)status);
}

/* In the child: readers that wait for the end of staprun's output must not wait for this
 * process. */
static void close_all_but(int fd)
{
	unsigned keep = fd < 0 ? 0 : (unsigned)fd;

	if (keep > 0)
		syscall(SYS_close_range, 0u, keep - 1, 0u);
	syscall(SYS_close_range, keep + (fd >= 0), ~0u, 0u);
}

/* A forked child of a multi-threaded process may only make system calls. */
static void unload_later(const struct session *s, pid_t parent)
{
	struct ust_cmd stop = {.op = UST_CMD_STOP};
	int ctl = s->ctl;

	if (fork())
		return;
	close_all_but(ctl);
	while (getppid() == parent)
		poll(NULL, 0, 10);
	syscall(SYS_setresuid, -1, 0, -1); /* the main thread may have suspended its privileges */
	if (ctl >= 0 && pwrite(ctl, &stop, sizeof stop, 0) < 0)
		_exit(EXIT_LOST);
	if (ctl >= 0)
		close(ctl);
	_exit(module_delete(s->name) ? EXIT_LOST : EXIT_OK);
}

static void __attribute__((noreturn)) force_end(const char *why, int status)
{
	const struct session *s = atomic_load(&watched);
	pthread_t thread;

	input_close();
	if (pthread_create(&thread, NULL, exit_soon, &status))
		_exit(status);
	if (s && s->kind == &session_kernel)
		unload_later(s, getpid());
	say("%s while %s: ended at once; output may be missing", why, atomic_load(&activity));
	if (s && s->kind == &session_kernel)
		hint("if the module stays loaded: staprun -d %s", s->name);
	else if (s)
		hint("the tracer, a process of its own, releases the traced processes");
	_exit(status);
}

/* --------------------------------------------------------------------- watching */

static int wait_time(uint64_t deadline)
{
	uint64_t now = clock_ns();

	if (!deadline)
		return LOOK_MS;
	if (deadline <= now)
		return 0;
	return deadline - now < LOOK_MS * 1000000ull ? (int)((deadline - now) / 1000000) + 1
						     : LOOK_MS;
}

/* Returns the number of received signals that end a run. */
static unsigned pass_signals(void)
{
	struct signalfd_siginfo si;
	unsigned n = 0;

	while (read(signals, &si, sizeof si) == sizeof si) {
		n += signal_effect((int)si.ssi_signo) == SIGNAL_ENDS;
		if (write(to_main, &si, sizeof si) < 0)
			continue; /* the pipe is full of signals */
	}
	return n;
}

static void *watch(void *arg)
{
	struct pollfd p = {.fd = signals, .events = POLLIN};
	uint64_t deadline = 0;
	unsigned n = 0;

	(void)arg;
	sem_post(&watching);
	for (;;) {
		uint64_t limit = atomic_load(&time_limit);

		/* watchdog_stop() ends the thread only here, where it holds no signal */
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		poll(&p, 1, wait_time(deadline && (!limit || deadline < limit) ? deadline : limit));
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		n += pass_signals();
		if (n > 1 && !deadline)
			deadline = clock_ns() + PATIENCE_NS;
		if (deadline && clock_ns() >= deadline)
			force_end("second signal", EXIT_LOST);
		if (limit && clock_ns() >= limit)
			force_end("--timeout", EXIT_TIMEOUT);
	}
	return NULL;
}

bool watchdog_stop(int from)
{
	struct signalfd_siginfo si;
	bool ends = false;

	if (signals < 0)
		return false;
	pthread_cancel(watcher);
	pthread_join(watcher, NULL);
	while (from >= 0 && read(from, &si, sizeof si) == sizeof si)
		ends |= signal_effect((int)si.ssi_signo) == SIGNAL_ENDS;
	return ends;
}

int watchdog_start(void)
{
	int pipe[2], err;

	signals = signals_take();
	if (signals < 0 || pipe2(pipe, O_CLOEXEC | O_NONBLOCK)) {
		fail("cannot receive signals: %s", strerror(errno));
		return -1;
	}
	to_main = pipe[1];
	sem_init(&watching, 0, 0);
	err = pthread_create(&watcher, NULL, watch, NULL);
	/* Processes are forked after this. A starting thread may hold an allocator's lock, which
	 * would remain locked in the child: sanitizers do not release theirs. */
	while (!err && sem_wait(&watching))
		continue;
	if (!err)
		return pipe[0];
	fail("cannot start a thread: %s", strerror(err));
	return -1;
}
