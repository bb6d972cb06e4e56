/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer process. Its first thread does everything that needs ptrace and waits for all events;
 * a second one waits for the doorbell in shared memory. The script's own probes run in a child, the
 * script process: the tracer executes no code that is shared with traced processes. staprun sends
 * commands through a socket; when staprun ends, for any reason, the tracer removes the script from
 * the traced processes and exits.
 */
#include "inject/elf/elf.h"
#include "inject/event_fd.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/gate.h"
#include "inject/patch/patched_file.h"
#include "inject/process/follow.h"
#include "inject/process/process.h"
#include "inject/process/profile.h"
#include "inject/process/program_starts.h"
#include "inject/process/request.h"
#include "inject/ptrace/ptrace.h"
#include "inject/script/script_process.h"
#include "inject/tracer.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "base/unblocked.h"
#include "wire.h"
#include "wire_agent.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* while threads remain that could not be released, or messages that were not read */
	LATE_MS = 20,
	/* for the reader of messages, before those of staprun follow, and at the end */
	READ_MS = 1000,
	LAST_READ_MS = 10000,
	LATE_TRIES = 100,
	LAUNCH_MS = 10,      /* while a process is about to call exec: its signals wait for the
			      * tracer */
	BELL_NS = 100000000, /* a process in a sandbox cannot ring the doorbell */
	STOP_MS = 30000
};

/* State of the tracer process. */
struct tracing {
	struct injector in;
	struct script script;
	struct blob *blob;
	const struct trace_targets *targets;
	int socket, bell, status, signals, deaths;
	uint32_t state;    /* enum ust_state */
	unsigned attached; /* descendants of targets that were running already */
	bool can_probe, started, withdrawn, answering, viewing;
	bool launched; /* a launch has just advanced: others may be due */
};

/* ------------------------------------------------------------------- events */

/* staprun has been gone for so long that the first thread must be blocked: exiting releases the
 * traced processes. */
static void end_if_abandoned(const struct tracing *tr)
{
	static uint64_t since;
	struct pollfd p = {.fd = tr->socket, .events = POLLRDHUP};

	if (poll(&p, 1, 0) <= 0)
		return;
	if (!since)
		since = clock_ns();
	if (clock_ns() - since > STOP_MS * 1000000ull)
		_exit(EXIT_LOST);
}

/* The doorbell counts from 0, and may have been rung before this thread runs. */
static void *listen_to_bell(void *arg)
{
	struct tracing *tr = arg;
	uint32_t *bell = &tr->blob->shared->doorbell;
	const struct timespec limit = {0, BELL_NS};

	for (uint32_t seen = 0, now;; seen = now) {
		syscall(SYS_futex, bell, FUTEX_WAIT, seen, &limit, NULL, 0);
		now = __atomic_load_n(bell, __ATOMIC_ACQUIRE);
		end_if_abandoned(tr);
		if (now == seen)
			continue;
		event_fd_signal(tr->bell);
		event_fd_signal(tr->status);
	}
	return NULL;
}

static void set_state(struct tracing *tr, uint32_t state)
{
	tr->state = state;
	__atomic_store_n(&tr->blob->shared->status.state, state, __ATOMIC_SEQ_CST);
	event_fd_signal(tr->status);
}

static void answer(const struct tracing *tr, int err)
{
	messages_flush(READ_MS);
	if (send(tr->socket, &err, sizeof err, MSG_NOSIGNAL) < 0)
		return; /* staprun has exited: the next poll reports it */
}

static void publish_sites(struct tracing *tr)
{
	__atomic_store_n(&tr->blob->shared->status.sites,
			 tr->in.sites - gates_count_disarmed(&tr->in), __ATOMIC_RELAXED);
	__atomic_store_n(&tr->blob->shared->status.unplaced, tr->in.unplaced, __ATOMIC_RELAXED);
}

/* -------------------------------------------------------------------- removal */

static void take_out(struct tracing *tr)
{
	if (tr->in.starts)
		starts_close(tr->in.starts);
	tr->in.starts = NULL;
	launches_cancel_all(&tr->in);
	follow_end(&tr->in);
	script_disarm(&tr->script);
	requests_dismiss(&tr->in);
	for (struct process *p = tr->in.processes; p; p = p->next)
		death_of(&tr->in, p);
	if (blob_is_injected(tr->blob) && !tr->withdrawn)
		detach_all(&tr->in);
	tr->withdrawn = true;
}

static void __attribute__((noreturn)) end(struct tracing *tr)
{
	/* no process will read the output for which begin probes wait */
	__atomic_store_n(&tr->blob->shared->reader, 0, __ATOMIC_SEQ_CST);
	script_end(&tr->script);
	take_out(tr);
	/* exiting releases those that do not stop now */
	for (int i = 0; i < LATE_TRIES && tracee_release_late(); i++)
		poll(NULL, 0, LATE_MS);
	messages_flush(LAST_READ_MS);
	_exit(0);
}

/* ------------------------------------------------------------------- orders */

/* A process of --follow may have ended since it was found, and its id may belong to another one. */
static bool is_target(const struct tracing *tr, pid_t pid)
{
	return !tr->in.starts || starts_runs(tr->in.starts, pid);
}

static bool attach_failed(struct tracing *tr, pid_t pid, int err)
{
	follow_release(&tr->in, pid);
	return err == ESRCH && tr->in.starts ? false : trace_permission_explain(pid, err);
}

static bool attach(struct tracing *tr, pid_t pid)
{
	bool injected = blob_is_injected(tr->blob);
	struct process *p = injected ? process_new(&tr->in, pid) : NULL;
	struct tracee t;
	bool ok;
	int err = 0;

	if (injected)
		process_plan(&tr->in, p);
	if (follow_is_used(&tr->in))
		err = follow_process(&tr->in, pid, false);
	if (!err)
		err = stop_process(&t, pid);
	if (err)
		return attach_failed(tr, pid, err);
	ok = is_target(tr, pid) &&
	     (!injected || (process_inject(&tr->in, p, &t) && process_update(&tr->in, p, &t)));
	tracee_release(&t);
	if (!ok)
		follow_release(&tr->in, pid);
	if (injected)
		plans_free(p);
	return ok;
}

static bool attach_started(void *arg, pid_t pid) { return attach(arg, pid); }

/* A process that cannot be traced is skipped; the others are traced. */
static void attach_descendant(void *arg, pid_t pid)
{
	struct tracing *tr = arg;

	if (!process_find(&tr->in, pid) && !follow_has(&tr->in, pid) && attach(tr, pid))
		tr->attached++;
}

/* An untraced descendant may fork while another is attached: repeat until no new one is found. */
static void attach_descendants(struct tracing *tr)
{
	unsigned before;

	do {
		before = tr->attached;
		descendants_visit(&tr->in, false, attach_descendant, tr);
	} while (tr->attached != before);
}

static bool attach_all(struct tracing *tr)
{
	for (size_t i = 0; i < tr->targets->n; i++)
		if (!attach(tr, tr->targets->pids[i]))
			return false;
	if (tr->blob->shared->children)
		attach_descendants(tr);
	else
		untraced_report_programs(&tr->in);
	return true;
}

/* The command waits for its exec. */
static bool await_command(struct tracing *tr, pid_t pid)
{
	bool follow = follow_is_used(&tr->in);
	int err = follow ? follow_process(&tr->in, pid, true) : launch_seize(pid);

	if (err)
		return trace_permission_explain(pid, err);
	if (!follow)
		launches_add(&tr->in, pid);
	return true;
}

static bool trace(struct tracing *tr, const struct ust_cmd *cmd)
{
	if (!blob_is_injected(tr->blob) && !follow_is_used(&tr->in))
		return true;
	if (tr->targets->n)
		return attach_all(tr);
	if (tr->targets->follow) {
		tr->in.starts = starts_open(&tr->in, tr->targets->follow);
		starts_search(tr->in.starts, attach_started, tr);
		return true;
	}
	return !(cmd->flags & UST_START_FILTER) || await_command(tr, (pid_t)cmd->target);
}

static int start(struct tracing *tr, const struct ust_cmd *cmd)
{
	struct ust_shared *a = tr->blob->shared;

	if (tr->started)
		return EBUSY;
	tr->started = true;
	a->status.target = cmd->target;
	a->children = !!(cmd->flags & UST_START_CHILDREN);
	set_state(tr, UST_STARTING);
	if (!tr->can_probe || !tr->script.pid || !trace(tr, cmd)) {
		take_out(tr);
		set_state(tr, UST_STOPPED);
		return tr->can_probe || !tr->script.pid ? ECANCELED : ENOENT;
	}
	publish_sites(tr);
	tr->answering = true;
	script_do(&tr->script, SCRIPT_BEGIN, 0);
	return 0;
}

static int stop(struct tracing *tr, const struct ust_cmd *cmd)
{
	if (!tr->started || tr->state == UST_STOPPED) {
		set_state(tr, UST_STOPPED);
		return 0;
	}
	set_state(tr, UST_STOPPING);
	follow_settle(&tr->in);
	untraced_report_programs(&tr->in);
	if (tr->in.starts)
		starts_report(tr->in.starts);
	/* a message when it attached to -x says that */
	if (!tr->targets->n)
		unmapped_report(&tr->in);
	take_out(tr);
	files_note(&tr->in);
	profile_note(&tr->in);
	tr->answering = true;
	script_do(&tr->script, SCRIPT_END, cmd->flags);
	return 0;
}

static int view(struct tracing *tr, const struct ust_cmd *cmd)
{
	if (tr->state != UST_RUNNING)
		return 0;
	tr->answering = tr->viewing = true;
	script_view(&tr->script, cmd->flags, cmd->target);
	return 0;
}

static int input(struct tracing *tr, const struct ust_cmd *cmd)
{
	if (tr->state != UST_RUNNING)
		return 0;
	tr->answering = tr->viewing = true;
	script_input(&tr->script, (uint64_t)cmd->target, cmd->flags);
	return 0;
}

static int obey(struct tracing *tr, const struct ust_cmd *cmd)
{
	switch (cmd->op) {
	case UST_CMD_START:
		return start(tr, cmd);
	case UST_CMD_STOP:
		return stop(tr, cmd);
	case UST_CMD_VIEW:
		return view(tr, cmd);
	case UST_CMD_INPUT:
		return input(tr, cmd);
	default:
		return EINVAL;
	}
}

/* The reply is sent at once, or when the script process is done. */
static void take_order(struct tracing *tr)
{
	struct ust_cmd cmd;
	ssize_t n = recv(tr->socket, &cmd, sizeof cmd, 0);
	int err;

	if (n < 0 && errno == EINTR)
		return;
	if (n != sizeof cmd)
		end(tr);
	err = obey(tr, &cmd);
	if (!tr->answering)
		answer(tr, err);
}

static void script_done(struct tracing *tr)
{
	if (!script_take_done(&tr->script))
		return;
	if (tr->script.error)
		take_out(tr);
	else if (!tr->viewing)
		set_state(tr, tr->state == UST_STARTING ? UST_RUNNING : UST_STOPPED);
	if (tr->script.error && tr->state == UST_STARTING)
		set_state(tr, UST_STOPPED);
	if (!tr->viewing && tr->state == UST_RUNNING)
		follow_armed(&tr->in);
	tr->viewing = false;
	if (tr->answering)
		answer(tr, tr->script.error);
	tr->answering = false;
}

/* --------------------------------------------------------------------- loop */

static void take_signals(const struct tracing *tr)
{
	struct signalfd_siginfo si;

	while (read(tr->signals, &si, sizeof si) == sizeof si)
		continue;
}

/* While the script runs; before, all sites are armed. */
static void see_gates(struct tracing *tr)
{
	if (!tr->in.ngates || tr->state != UST_RUNNING)
		return;
	gates_serve(&tr->in);
}

static void tell_gates(struct tracing *tr)
{
	tr->in.gates_turned = false;
	publish_sites(tr);
	script_wake(&tr->script);
	event_fd_signal(tr->status);
}

static void serve(struct tracing *tr)
{
	event_fd_clear(tr->bell);
	see_gates(tr);
	if (tr->state >= UST_STOPPING)
		requests_dismiss(&tr->in);
	else
		requests_serve(&tr->in);
	publish_sites(tr);
}

static void forget_dead(struct tracing *tr, const struct pollfd *v, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++)
		for (struct process *p = v[i].revents ? tr->in.processes : NULL; p; p = p->next)
			/* the id may be that of a newer process */
			if (p->pidfd == v[i].fd && process_ended(p)) {
				process_note_exit(&tr->in, p);
				break;
			}
	processes_tidy(&tr->in);
}

enum { SOCKET, BELL, SCRIPT, SIGNALS, STARTS, FIXED = STARTS + STARTS_FDS };

static nfds_t fill(const struct tracing *tr, struct pollfd **v)
{
	nfds_t n = FIXED;

	for (const struct process *p = tr->in.processes; p; p = p->next)
		n++;
	*v = xrealloc(*v, n * sizeof **v);
	(*v)[SOCKET] = (struct pollfd){.fd = tr->socket, .events = POLLIN};
	(*v)[BELL] = (struct pollfd){.fd = tr->bell, .events = POLLIN};
	(*v)[SCRIPT] = (struct pollfd){.fd = tr->script.done, .events = POLLIN};
	(*v)[SIGNALS] = (struct pollfd){.fd = tr->signals, .events = POLLIN};
	for (int i = 0; i < STARTS_FDS; i++)
		(*v)[STARTS + i] = (struct pollfd){
			.fd = tr->in.starts ? starts_fd(tr->in.starts, i) : -1, .events = POLLIN};
	n = FIXED;
	/* the kernel refuses more entries than files that may be open */
	for (const struct process *p = tr->in.processes; p; p = p->next)
		if (p->pidfd >= 0)
			(*v)[n++] = (struct pollfd){.fd = p->pidfd, .events = POLLIN};
	return n;
}

static int time_to_wait_gates(const struct tracing *tr)
{
	int ms = tr->in.launches               ? LAUNCH_MS
		 : tracee_release_late()       ? LATE_MS
		 : !messages_flush(0)          ? LATE_MS
		 : script_is_busy(&tr->script) ? SCRIPT_CHECK_MS
					       : -1;
	uint64_t now = clock_ns();

	if (tr->script.did)
		return 0;
	if (tr->in.gates_due == ~0ull || tr->in.gates_due > now + 1000000000)
		return ms < 0 && tr->in.gates_due != ~0ull ? 1000 : ms;
	if (tr->in.gates_due <= now)
		return 0;
	now = (tr->in.gates_due - now) / 1000000 + 1;
	return ms < 0 || (uint64_t)ms > now ? (int)now : ms;
}

/* While the script runs; before that, the processes that run already are found. */
static void see_starts(struct tracing *tr)
{
	struct starts *s = tr->in.starts;

	if (!s)
		return;
	starts_take(s);
	if (tr->state != UST_RUNNING)
		return;
	starts_search(s, attach_started, tr);
	publish_sites(tr);
}

/* The sooner of two times in ms; -1: never. */
static int sooner(int a, int b) { return a < 0 || (b >= 0 && b < a) ? b : a; }

static int time_to_wait(const struct tracing *tr)
{
	int ms = time_to_wait_gates(tr),
	    search = tr->in.starts && tr->state == UST_RUNNING ? starts_wait(tr->in.starts) : -1;

	return sooner(sooner(ms, search), profile_wait(&tr->in));
}

static void __attribute__((noreturn)) loop(struct tracing *tr)
{
	struct pollfd *v = NULL;

	for (;;) {
		nfds_t n = fill(tr, &v);

		poll(v, n, tr->launched ? 0 : time_to_wait(tr));
		if (v[SIGNALS].revents)
			take_signals(tr);
		script_check(&tr->script);
		tr->launched = launches_poll(&tr->in);
		if (tr->launched)
			publish_sites(tr);
		see_starts(tr);
		if (v[BELL].revents)
			serve(tr);
		if (v[SCRIPT].revents || tr->script.did)
			script_done(tr);
		if (tr->in.followed && follow_poll(&tr->in))
			publish_sites(tr);
		profile_look(&tr->in);
		if (v[SCRIPT].revents || tr->in.gates_stale || clock_ns() >= tr->in.gates_due)
			see_gates(tr);
		if (tr->in.gates_turned)
			tell_gates(tr);
		if (v[SOCKET].revents)
			take_order(tr);
		forget_dead(tr, v + FIXED, n - FIXED);
	}
}

/* ------------------------------------------------------------------ beginning */

/* Close descriptors that staprun's readers may wait on: they must not wait for the tracer. */
static void close_others(const struct tracing *tr)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *de;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	while (dir && (de = readdir(dir))) {
		int fd = atoi(de->d_name);

		if (fd > STDERR_FILENO && fd != dirfd(dir) && fd != tr->socket &&
		    fd != tr->status && fd != tr->deaths && fd != tr->blob->memfd &&
		    fd != tr->blob->code)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static int take_child_signals(void)
{
	sigset_t all, child;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Buffers for code are allocated while a process is stopped: a fault for each of their pages would
 * make the stop longer. */
static void keep_freed_memory(void)
{
	enum { LARGEST = 32 << 20, KEPT = 64 << 20 };

	mallopt(M_MMAP_THRESHOLD, LARGEST);
	mallopt(M_TRIM_THRESHOLD, KEPT);
}

/* Each traced process takes a descriptor. */
static void raise_file_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static bool set_up(struct tracing *tr)
{
	pthread_t thread;

	keep_freed_memory();
	setpgid(0, 0);
	prctl(PR_SET_NAME, TRACER_NAME);
	raise_file_limit();
	close_others(tr);
	messages_unblock();
	tr->signals = take_child_signals();
	tr->blob->made.tracer = tr->blob->shared->loader = (uint32_t)getpid();
	if (!blob_own(tr->blob))
		return false;
	tr->bell = event_fd_new();
	tr->in = (struct injector){.blob = tr->blob,
				   .script = &tr->script,
				   .deaths = tr->deaths,
				   .status = tr->status};
	if (tr->signals < 0 || tr->bell < 0 ||
	    !script_start(&tr->script, &tr->in, tr->blob, tr->status, blob_is_injected(tr->blob),
			  broker_serve))
		return false;
	/* processes that open files (answers.c) may not end before this run */
	blob_keep_from_children(tr->blob);
	tr->can_probe = files_open(&tr->in);
	if (tr->can_probe)
		semaphores_init(&tr->in);
	requests_open(&tr->in);
	return blob_retire(tr->blob) && !pthread_create(&thread, NULL, listen_to_bell, tr);
}

static void __attribute__((noreturn)) tracer_main(struct tracing *tr)
{
	if (!set_up(tr)) {
		say("cannot start the tracer: %s", strerror(errno));
		_exit(EXIT_LOAD);
	}
	loop(tr);
}

/* ------------------------------------------------------------------ staprun's side */

bool tracer_start(struct tracer *tr, struct blob *b, const struct trace_targets *t)
{
	int pair[2], deaths[2];

	tr->event = event_fd_new();
	if (tr->event < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
	    pipe2(deaths, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail("cannot start the tracer: %s", strerror(errno));
	tr->socket = pair[0];
	tr->deaths = deaths[0];
	tr->pid = fork();
	if (!tr->pid) {
		struct tracing tracing = {.blob = b,
					  .targets = t,
					  .socket = pair[1],
					  .status = tr->event,
					  .deaths = deaths[1]};

		tracer_main(&tracing);
	}
	close(pair[1]);
	close(deaths[1]);
	return tr->pid > 0 || fail("fork: %s", strerror(errno));
}

int tracer_command(const struct tracer *tr, const struct ust_cmd *cmd)
{
	ssize_t n;
	int err;

	if (send(tr->socket, cmd, sizeof *cmd, MSG_NOSIGNAL) < 0)
		return ECHILD;
	do
		n = recv(tr->socket, &err, sizeof err, 0);
	while (n < 0 && errno == EINTR);
	return n == sizeof err ? err : ECHILD;
}

void tracer_stop(struct tracer *tr)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, tr->pid, 0), .events = POLLIN};

	/* other processes may have inherited it: closing is not enough */
	shutdown(tr->socket, SHUT_RDWR);
	if (p.fd >= 0 && poll(&p, 1, STOP_MS) == 0)
		kill(tr->pid, SIGKILL);
	waitpid(tr->pid, NULL, 0);
	if (p.fd >= 0)
		close(p.fd);
	close(tr->socket);
	deaths_take(tr->deaths);
	close(tr->deaths);
	tr->pid = 0;
}
