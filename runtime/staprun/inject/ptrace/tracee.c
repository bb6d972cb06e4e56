/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptrace: stops all threads of a process, and lets them continue without side effects.
 *
 * Threads are seized and interrupted; no signal is sent. All come to the same type of stop
 * (PTRACE_EVENT_STOP): there registers may be changed, and the kernel restarts an interrupted
 * system call when the thread continues. A thread that reports another stop first, such as a signal
 * about to be delivered, is resumed towards that stop; it executes no instruction on the way.
 */
#include "inject/arch/regs.h"
#include "inject/ptrace/debug_register.h"
#include "inject/ptrace/patience.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "base/proc_stat.h"
#include "bisect.h"

#include <stddef.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --------------------------------------------------- processes that stay traced */

static long keep_no_options(pid_t pid)
{
	(void)pid;
	return 0;
}

static bool keep_none(pid_t tid)
{
	(void)tid;
	return false;
}

static void ignore_number(pid_t tid, int number) { (void)tid, (void)number; }

static void ignore(pid_t tid) { (void)tid; }

static bool resume_none(pid_t pid, pid_t tid)
{
	(void)pid, (void)tid;
	return false;
}

static const struct tracee_keeper no_keeper = {.options = keep_no_options,
					       .sees_calls = keep_none,
					       .report = ignore_number,
					       .taken = ignore_number,
					       .call = ignore,
					       .resume = resume_none};
const struct tracee_keeper *tracee_keeper = &no_keeper;

enum {
	OPTIONS = PTRACE_O_TRACESYSGOOD,
	STOP_SECONDS = 2,
	/* after some 75 ms a thread that cannot be stopped is taken for one that sleeps */
	SLEEP_TRIES = QUICK_TRIES + 100,
	/* ERESTARTNOHAND, ERESTART_RESTARTBLOCK of the kernel's linux/errno.h */
	RESTART_NOHAND = 514,
	RESTART_BLOCK = 516
};

/* ------------------------------------------------- threads that do not stop now */

/* Traced, but neither stopped (the parent of a vfork) nor reaped. */
static struct {
	pid_t *v;
	size_t n;
} late;

static void late_add(pid_t tid)
{
	late.v = xrealloc(late.v, (late.n + 1) * sizeof *late.v);
	late.v[late.n++] = tid;
}

static void late_remove(pid_t tid)
{
	for (size_t i = 0; i < late.n; i++)
		if (late.v[i] == tid) {
			late.v[i] = late.v[--late.n];
			return;
		}
}

/* Debug registers are only ever set by the tracer: the program expects no such signal. */
static bool is_hardware_trap(pid_t tid)
{
	siginfo_t si;

	return !ptrace(PTRACE_GETSIGINFO, tid, 0, &si) && si.si_code == TRAP_HWBKPT;
}

/* Signal for a thread that reported STATUS when it is released. The breakpoint signal of launch.c
 * is dropped, because the program does not expect it. */
static int late_signal(pid_t tid, int status)
{
	debug_register_set(tid, DEBUG_CONTROL, 0);
	if (status >> 16 || WSTOPSIG(status) == (SIGTRAP | 0x80))
		return 0;
	return WSTOPSIG(status) == SIGTRAP && is_hardware_trap(tid) ? 0 : WSTOPSIG(status);
}

/* True if thread TID is no longer traced. */
static bool late_done(pid_t tid)
{
	struct user_regs_struct r;
	int status;
	pid_t got = waitpid(tid, &status, WNOHANG | __WALL);

	if (got <= 0)
		return got < 0;
	if (WIFSTOPPED(status) && !ptrace(PTRACE_GETREGS, tid, 0, &r) &&
	    tracee_restart_call(tid, &r))
		ptrace(PTRACE_SETREGS, tid, 0, &r);
	return !WIFSTOPPED(status) || !ptrace(PTRACE_DETACH, tid, 0, late_signal(tid, status));
}

size_t tracee_release_late(void)
{
	for (size_t i = 0; i < late.n;) {
		if (late_done(late.v[i]))
			late.v[i] = late.v[--late.n];
		else
			i++;
	}
	return late.n;
}

/* ------------------------------------------------------------------- stopping */

/* Index of TID in t->v, which is sorted, or the index for its insertion. */
static size_t find(const struct tracee *t, pid_t tid)
{
	return BISECT(mid, t->n, t->v[mid].tid < tid);
}

static struct tracee_thread *add(struct tracee *t, pid_t tid)
{
	size_t i = find(t, tid);

	if ((t->n & (t->n - 1)) == 0)
		t->v = xrealloc(t->v, (t->n ? 2 * t->n : 1) * sizeof *t->v);
	memmove(t->v + i + 1, t->v + i, (t->n - i) * sizeof *t->v);
	t->n++;
	t->v[i] = (struct tracee_thread){.tid = tid};
	return &t->v[i];
}

/* Resume towards the requested stop. Any other stop cancels the request (ptrace_stop() of the
 * kernel), so it is repeated; SIG is delivered. */
static void on_to_stop(pid_t tid, int sig)
{
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	ptrace(tracee_keeper->sees_calls(tid) ? PTRACE_SYSCALL : PTRACE_CONT, tid, 0, sig);
}

static void take_report(struct tracee_thread *th, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);

	tracee_keeper->report(th->tid, status);
	if (status >> 8 == SIGTRAP && WIFSTOPPED(status) && is_hardware_trap(th->tid))
		sig = 0;
	if (!WIFSTOPPED(status))
		th->gone = true;
	else if (event == PTRACE_EVENT_STOP)
		th->stopped = true;
	else
		on_to_stop(th->tid, event || sig == (SIGTRAP | 0x80) ? 0 : sig);
}

/* Take over a thread that is traced already, in any state. */
static void take_over(struct tracee_thread *th)
{
	siginfo_t si;

	if (ptrace(PTRACE_GETSIGINFO, th->tid, 0, &si) < 0 && errno == ESRCH) {
		ptrace(PTRACE_INTERRUPT, th->tid, 0, 0);
		return;
	}
	tracee_keeper->taken(th->tid, si.si_code);
	if (si.si_code >> 8 == PTRACE_EVENT_STOP)
		th->stopped = true;
	else /* a SIGTRAP may be ptrace's own report, or a breakpoint's */
		on_to_stop(th->tid,
			   si.si_signo == SIGTRAP && si.si_code > 0 && si.si_code != SI_KERNEL
				   ? 0
				   : si.si_signo);
}

/*
 * A thread that calls exec holds a lock that PTRACE_SEIZE takes (cred_guard_mutex), and waits until
 * the other threads are dead and reaped, by this process if it traces them: a deadlock. So a
 * timer's signal interrupts the system call, and its handler reaps; then the call is restarted
 * automatically.
 */
static struct tracee *volatile seizing;
static timer_t reap_timer;
static volatile bool reaps; /* the timer runs */

enum { REAP_SIGNAL = SIGALRM, REAP_FIRST_NS = 50000000, REAP_AGAIN_NS = 20000000 };

/* waitid(2) also reports a traced thread that has stopped, whatever the options. Such a report is
 * not taken here. */
static bool has_ended(pid_t tid)
{
	siginfo_t si = {0};

	return !waitid(P_PID, (id_t)tid, &si, WEXITED | WNOHANG | WNOWAIT | __WALL) &&
	       si.si_pid == tid &&
	       (si.si_code == CLD_EXITED || si.si_code == CLD_KILLED || si.si_code == CLD_DUMPED);
}

static void set_timer(long ns)
{
	const struct itimerspec when = {{0, 0}, {0, ns}};

	timer_settime(reap_timer, 0, &when, NULL);
}

static void reap(int sig)
{
	struct tracee *t = seizing;
	int err = errno;

	(void)sig;
	for (size_t i = 0; t && i < t->n; i++)
		if (!t->v[i].gone && has_ended(t->v[i].tid)) {
			waitpid(t->v[i].tid, NULL, WNOHANG | __WALL);
			t->v[i].gone = true;
			t->v[i].stopped = false;
		}
	/* no interval: for thousands of threads this takes longer, and nothing else would run */
	if (reaps)
		set_timer(REAP_AGAIN_NS);
	errno = err;
}

/* The timer of this thread: forked children do not inherit it. */
static bool has_timer(void)
{
	static pid_t owner;
	struct sigevent ev = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = REAP_SIGNAL};
	struct sigaction sa = {.sa_handler = reap};

	if (owner != gettid()) {
		ev._sigev_un._tid = gettid();
		if (sigaction(REAP_SIGNAL, &sa, NULL) < 0 ||
		    timer_create(CLOCK_MONOTONIC, &ev, &reap_timer) < 0)
			return false;
		owner = gettid();
	}
	return true;
}

static void reap_on(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, REAP_SIGNAL);
	reaps = has_timer();
	if (reaps)
		set_timer(REAP_FIRST_NS);
	pthread_sigmask(SIG_UNBLOCK, &set, old);
}

static void reap_off(const sigset_t *old)
{
	if (reaps) {
		reaps = false;
		set_timer(0);
	}
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static bool ptrace_seize(struct tracee *t, pid_t tid)
{
	bool ok;

	seizing = t;
	ok = ptrace(PTRACE_SEIZE, tid, 0, OPTIONS) == 0;
	seizing = NULL;
	return ok;
}

/* Returns 0 or errno. A thread that has just ended is not a failure. One that calls exec takes its
 * leader's id: the thread that could not be seized is not the one that has the id then, so the
 * search is repeated. */
static int seize(struct tracee *t, pid_t tid)
{
	int err = 0;

	for (int tries = 0; tries < 3; tries++) {
		if (ptrace_seize(t, tid)) {
			ptrace(PTRACE_INTERRUPT, tid, 0, 0);
			add(t, tid);
			return 0;
		}
		err = errno;
		if (err == ESRCH || proc_thread_ended(tid))
			return 0;
		if (err == EPERM && proc_status(tid, "TracerPid", 10) == gettid()) {
			late_remove(tid);
			take_over(add(t, tid));
			return 0;
		}
	}
	return err;
}

/* Seize the threads that are not traced yet; returns their number, or -errno. */
static int seize_new(struct tracee *t)
{
	char name[40];
	struct dirent *de;
	int new = 0, err = 0;
	DIR *dir;

	snprintf(name, sizeof name, "/proc/%d/task", (int)t->pid);
	dir = opendir(name);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (de = readdir(dir))) {
		pid_t tid = atoi(de->d_name);
		size_t n = t->n, i = find(t, tid);

		if (tid <= 0 || (i < n && t->v[i].tid == tid))
			continue;
		err = seize(t, tid);
		new += t->n != n;
	}
	closedir(dir);
	return err ? -err : new;
}

/* Reap dead threads: the kernel reports a dead leader only after all others. */
static void check_dead(struct tracee_thread *th)
{
	int status;
	pid_t got = waitpid(th->tid, &status, WNOHANG | __WALL);

	if (got == th->tid) {
		take_report(th, status);
	} else if (got < 0) {
		th->gone = true; /* exec by another thread removed it */
	} else if (proc_thread_ended(th->tid)) {
		th->gone = true;
		late_add(th->tid);
	}
}

/* A stopped thread was killed, possibly by the exec of another, which waits until it is reaped. */
static void check_killed(struct tracee_thread *th)
{
	int status;

	if (waitpid(th->tid, &status, WNOHANG | __WALL) == th->tid && !WIFSTOPPED(status)) {
		th->stopped = false;
		th->gone = true;
	}
}

/* True if a thread has stopped that can make calls for the tracer. */
static bool one_has_stopped(const struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].stopped && !proc_is_worker(t->v[i].tid))
			return true;
	return false;
}

/* The number of threads that have not stopped, and need to. */
static size_t count_awake(struct tracee *t)
{
	bool holding = t->holding && one_has_stopped(t);
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct tracee_thread *th = &t->v[i];

		if (th->stopped || th->gone)
			continue;
		th->worker = proc_is_worker(th->tid);
		th->asleep = holding && !th->worker && thread_is_asleep(t->pid, th);
		n += !th->worker && !th->asleep;
	}
	return n;
}

/* Check each thread once, the TRIES-th time; returns the number of those not stopped. */
static size_t wait_some(struct tracee *t, unsigned tries)
{
	bool thorough = tries > QUICK_TRIES;
	size_t missing = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct tracee_thread *th = &t->v[i];
		int status;
		pid_t got;

		if (th->stopped && thorough)
			check_killed(th);
		if (th->stopped || th->gone)
			continue;
		got = waitpid(th->tid, &status, WNOHANG | __WALL);
		if (got == th->tid)
			take_report(th, status);
		else if (got < 0 || thorough)
			check_dead(th);
		missing += !th->stopped && !th->gone && !th->worker;
	}
	return missing && tries > SLEEP_TRIES ? count_awake(t) : missing;
}

static bool renew_for_any(struct patience *p, const struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].stopped && !t->v[i].gone && patience_renew(p, t->v[i].tid))
			return true;
	return false;
}

void (*tracee_wait_hook)(void);

/* Wait until all threads are stopped or gone; false on timeout. */
static bool wait_all(struct tracee *t)
{
	struct patience p;
	size_t missing;
	bool more = true;

	patience_start(&p, STOP_SECONDS);
	while ((missing = wait_some(t, p.tries)) && more) {
		if (p.tries > QUICK_TRIES && tracee_wait_hook)
			tracee_wait_hook();
		/* and once more after the limit: this process may not have run for so long */
		more = patience_wait(&p) || renew_for_any(&p, t);
	}
	return !missing;
}

/* Calls that fail with EINTR when a thread is only stopped, signal(7): they are restarted unless a
 * handler runs, like other calls. */
static bool would_leak_eintr(const struct user_regs_struct *r)
{
	if (regs_result(r) != -EINTR)
		return false;
	switch (regs_call(r)) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_accept:
	case SYS_accept4:
	case CALL_EPOLL_WAIT:
	case SYS_epoll_pwait:
	case 441 /* epoll_pwait2 */:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case 426 /* io_uring_enter */:
		return true;
	}
	return false;
}

/*
 * The kernel continues an interrupted sleep (nanosleep(), poll(), futex()) by the system call
 * restart_syscall(), which the thread did not make itself: a seccomp filter without it would kill
 * the process. The original call passes the filter again. A relative timeout starts anew then.
 */
static bool would_die_of_restart(pid_t tid, const struct user_regs_struct *r)
{
	return regs_result(r) == -RESTART_BLOCK && (long)regs_call(r) >= 0 &&
	       regs_call(r) != SYS_restart_syscall && proc_status(tid, "Seccomp", 10) > 0;
}

bool tracee_restart_call(pid_t tid, struct user_regs_struct *r)
{
	if (!would_leak_eintr(r) && !would_die_of_restart(tid, r))
		return false;
	regs_set_result(r, -RESTART_NOHAND);
	return true;
}

/* A worker of the kernel goes on: system calls that it were to make would never begin. */
static void let_worker_go(struct tracee_thread *th)
{
	memset(&th->regs, 0, sizeof th->regs); /* it has the thread pointer of another */
	th->stopped = false;
	th->gone = true;
	if (ptrace(PTRACE_DETACH, th->tid, 0, 0) < 0)
		late_add(th->tid);
}

static void read_regs(struct tracee_thread *th)
{
	if (ptrace(PTRACE_GETREGS, th->tid, 0, &th->regs) < 0) {
		th->stopped = false; /* killed */
		th->gone = true;
		late_add(th->tid);
	} else if (regs_are_of_worker(&th->regs)) {
		let_worker_go(th);
	} else if (tracee_restart_call(th->tid, &th->regs)) {
		th->changed = true;
	}
}

bool tracee_has_sleepers(const struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].asleep)
			return true;
	return false;
}

static int read_all_regs(struct tracee *t)
{
	size_t live = 0, wide = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct tracee_thread *th = &t->v[i];

		if (th->stopped) {
			th->asleep = false;
			read_regs(th);
		}
		live += th->stopped;
		wide += th->stopped && regs_is_wide(&th->regs);
	}
	if (!live)
		return tracee_has_sleepers(t) ? ETIMEDOUT : ESRCH;
	return !wide ? ENOEXEC : 0;
}

/* Opened through a live thread: a leader that has exited has no memory map. */
static int open_mem(struct tracee *t)
{
	char name[60];

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].stopped) {
			snprintf(name, sizeof name, "/proc/%d/task/%d/mem", (int)t->pid,
				 (int)t->v[i].tid);
			t->mem = open(name, O_RDWR | O_CLOEXEC);
			return t->mem < 0 ? errno : 0;
		}
	return ESRCH;
}

bool tracee_open_running(struct tracee *t, pid_t pid)
{
	char name[40];

	snprintf(name, sizeof name, "/proc/%d/mem", (int)proc_live_thread(pid));
	*t = (struct tracee){.pid = pid, .running = true, .mem = open(name, O_RDONLY | O_CLOEXEC)};
	return t->mem >= 0;
}

static int stop_all(struct tracee *t)
{
	sigset_t mask;
	bool all;
	int n;

	reap_on(&mask);
	do {
		n = seize_new(t);
		all = wait_all(t);
	} while (n > 0 && all);
	reap_off(&mask);
	if (n < 0)
		return -n;
	return all ? 0 : ETIMEDOUT;
}

static int stop_once(struct tracee *t, pid_t pid, bool holding)
{
	int err;

	*t = (struct tracee){.pid = pid,
			     .mem = -1,
			     .holding = holding,
			     .options = OPTIONS | tracee_keeper->options(pid)};
	tracee_release_late();
	err = stop_all(t);
	if (!err)
		err = read_all_regs(t);
	if (!err)
		err = open_mem(t);
	if (err)
		tracee_detach(t);
	return err;
}

/* PID has ended while this process traced it, as at its exec: its parent can reap it only
 * afterwards. */
static void reap_dead(pid_t pid)
{
	int status;

	if (proc_thread_ended(pid) && waitpid(pid, &status, WNOHANG | __WALL) == 0)
		late_add(pid);
}

/* During an exec the process may have no thread for a moment. */
enum { STOP_TRIES = 20 };

static int stop(struct tracee *t, pid_t pid, bool holding)
{
	struct timespec nap = {0, 1000000};
	int err;

	for (int i = 0; (err = stop_once(t, pid, holding)) == ESRCH && !proc_thread_ended(pid) &&
			i < STOP_TRIES;
	     i++)
		nanosleep(&nap, NULL);
	if (err == ESRCH)
		reap_dead(pid);
	return err;
}

int tracee_stop(struct tracee *t, pid_t pid) { return stop(t, pid, false); }

int tracee_hold(struct tracee *t, pid_t pid) { return stop(t, pid, true); }

/* -------------------------------------------------------------------- letting go */

static void let_go(const struct tracee *t, struct tracee_thread *th)
{
	if (th->gone)
		return;
	if (!th->stopped) {
		if (th->worker || !tracee_keeper->options(t->pid))
			late_add(th->tid);
		return;
	}
	if (th->signal)
		syscall(SYS_tgkill, t->pid, th->tid, th->signal);
	if (th->changed)
		ptrace(PTRACE_SETREGS, th->tid, 0, &th->regs);
	if (!tracee_keeper->resume(t->pid, th->tid) && ptrace(PTRACE_DETACH, th->tid, 0, 0) < 0)
		late_add(th->tid);
}

/* A resumed thread could take this processor for a while, and so could each before the last is
 * resumed. If the priority cannot be changed it only takes longer. */
static void hurry(bool on)
{
	static int policy;
	struct sched_param p = {.sched_priority = on};

	if (on)
		policy = sched_getscheduler(0);
	if (policy == SCHED_OTHER)
		sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &p);
}

void tracee_detach(struct tracee *t)
{
	if (t->n > 1)
		hurry(true);
	for (size_t i = 0; i < t->n; i++)
		let_go(t, &t->v[i]);
	if (t->n > 1)
		hurry(false);
	if (t->mem >= 0)
		close(t->mem);
	free(t->v);
	free(t->scratch_old);
	*t = (struct tracee){.mem = -1};
	tracee_release_late();
}

/* ------------------------------------------------------------- one thread's moves */

/* The death of a leader is reported only after the others are reaped, and an exec waits for that.
 * Of thousands of threads the states take longer to read than the sleeps between. */
static void reap_others(struct tracee *t, const struct tracee_thread *th, const struct patience *p)
{
	enum { AT_ONCE = 64 };

	if (p->tries <= QUICK_TRIES || p->tries % (1 + t->n / AT_ONCE))
		return;
	for (size_t i = 0; i < t->n; i++)
		if (&t->v[i] != th && !t->v[i].gone && proc_thread_ended(t->v[i].tid)) {
			t->v[i].stopped = false;
			check_dead(&t->v[i]);
		}
}

bool tracee_wait(struct tracee *t, struct tracee_thread *th, int *status, unsigned seconds)
{
	struct patience p;
	bool more = true;
	pid_t got;

	th->stopped = false;
	patience_start(&p, seconds);
	while (!(got = waitpid(th->tid, status, WNOHANG | __WALL)) && more) {
		reap_others(t, th, &p);
		/* and once more after the limit: this process may not have run for so long */
		more = patience_wait(&p) || patience_renew(&p, th->tid);
	}
	th->stopped = got == th->tid && WIFSTOPPED(*status);
	th->gone = got && !th->stopped;
	return th->stopped;
}

bool tracee_settle(struct tracee *t, struct tracee_thread *th, int status)
{
	for (;;) {
		th->stopped = false;
		take_report(th, status);
		if (th->gone)
			return false;
		if (th->stopped)
			break;
		if (!tracee_wait(t, th, &status, STOP_SECONDS))
			return false;
	}
	read_regs(th);
	return th->stopped;
}
