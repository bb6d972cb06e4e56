/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launch: brings a process from exec to the first instruction of its program.
 *
 * The dynamic linker maps the libraries that a program is linked with, and runs their IFUNC
 * resolvers and constructors before the program's own code. So a process remains traced from exec
 * until its entry point, and new mappings can be patched after each system call that maps
 * executable code. The dynamic linker also enables shadow stacks, which no traced process may
 * have.
 */
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/ptrace/debug_register.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC,
	EXEC_SECONDS = 2,  /* from the request before its exec */
	CALL_SECONDS = 10, /* between calls of a dynamic linker: a slow file system */
	EXEC_STOP = SIGTRAP | PTRACE_EVENT_EXEC << 8,
	CALL_STOP = SIGTRAP | 0x80
};

/* ------------------------------------------------ processes that are about to exec */

struct launch {
	pid_t pid;
	bool ready;  /* it is stopped at its exec */
	pid_t *tids; /* all threads that were seized */
	size_t n;
	struct launch *next;
};
static struct launch *launches;

static struct launch *find(pid_t pid)
{
	struct launch *l = launches;

	while (l && l->pid != pid)
		l = l->next;
	return l;
}

static void forget(struct launch *l)
{
	struct launch **p = &launches;

	while (*p != l)
		p = &(*p)->next;
	*p = l->next;
	free(l->tids);
	free(l);
}

static int seize(struct launch *l, pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, 0, OPTIONS) < 0)
		return errno;
	l->tids = xrealloc(l->tids, (l->n + 1) * sizeof *l->tids);
	l->tids[l->n++] = tid;
	return 0;
}

/* Any thread may be the one that calls exec. Threads that ended meanwhile are ignored. */
static int seize_all(struct launch *l)
{
	char name[40];
	struct dirent *de;
	int err = ESRCH;
	DIR *dir;

	snprintf(name, sizeof name, "/proc/%d/task", (int)l->pid);
	dir = opendir(name);
	if (!dir)
		return ESRCH;
	while ((de = readdir(dir)))
		if (atoi(de->d_name) > 0) {
			int one = seize(l, atoi(de->d_name));

			err = one == ESRCH || l->n ? err : one;
		}
	closedir(dir);
	return l->n ? 0 : err;
}

int launch_seize(pid_t pid)
{
	struct launch *l = find(pid);
	int err;

	if (l)
		return 0;
	l = xrealloc(NULL, sizeof *l);
	*l = (struct launch){.pid = pid, .next = launches};
	launches = l;
	err = seize_all(l);
	if (err)
		forget(l);
	return err;
}

/* Let a thread that reported STATUS continue; returns true instead if it is stopped at its exec. */
static bool goes_on(pid_t tid, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);

	if (event == PTRACE_EVENT_EXEC)
		return true;
	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP)
		ptrace(PTRACE_LISTEN, tid, 0, 0); /* stopped by job control: it remains stopped */
	else
		ptrace(PTRACE_CONT, tid, 0, event || sig == CALL_STOP ? 0 : sig);
	return false;
}

/* Handle a report of thread I; false if it is no longer traced. */
static bool poll_thread(struct launch *l, size_t i)
{
	int status;
	pid_t got;

	while ((got = waitpid(l->tids[i], &status, WNOHANG | __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			return false;
		if (goes_on(l->tids[i], status)) {
			l->ready = true;
			break;
		}
	}
	return got >= 0;
}

static bool is_seized(const struct launch *l, pid_t tid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->tids[i] == tid)
			return true;
	return false;
}

/* Thread I is not traced by its id any more. If it has called exec, it has that of its process,
 * also where the leader had ended before and could not be seized. */
static void drop_thread(struct launch *l, size_t i)
{
	if (is_seized(l, l->pid))
		l->tids[i] = l->tids[--l->n];
	else
		l->tids[i] = l->pid;
}

int launch_poll(pid_t pid)
{
	struct launch *l = find(pid);

	for (size_t i = 0; l && i < l->n && !l->ready;) {
		if (poll_thread(l, i))
			i++;
		else
			drop_thread(l, i);
	}
	if (l && l->ready)
		return 1;
	if (l && l->n)
		return 0;
	if (l)
		forget(l);
	return -1;
}

void launch_cancel(pid_t pid)
{
	struct launch *l = find(pid);
	struct tracee t;

	if (!l)
		return;
	forget(l);
	if (!tracee_stop(&t, pid))
		tracee_release(&t);
}

/* Returns 0 when it is stopped at its exec, or errno as of launch_follow(). */
static int wait_exec(pid_t pid)
{
	const struct timespec nap = {0, 100000};
	uint64_t end = clock_ns() + EXEC_SECONDS * 1000000000ull;
	bool more = true;
	int got;

	while (!(got = launch_poll(pid)) && more) {
		nanosleep(&nap, NULL);
		more = clock_ns() <= end;
	}
	if (!got) {
		launch_cancel(pid);
		return EAGAIN;
	}
	if (got < 0)
		return ESRCH;
	forget(find(pid));
	return 0;
}

/* ------------------------------------------------- a breakpoint at the entry point */

/* A debug register, which does not change code and is not inherited by forked children; on a
 * machine that ignores these, a breakpoint instruction. */
struct breakpoint {
	uint64_t at;
	bool trap;
	uint8_t old[sizeof breakpoint_insn];
};

/* Intel SDM volume 3, 17.2.4: local breakpoint 0, at execution. */
enum { DR7_EXECUTE_0 = 1 };

static bool breakpoint_set(struct tracee *t, struct breakpoint *b, uint64_t at)
{
	pid_t tid = t->v[0].tid;

	*b = (struct breakpoint){.at = at};
	if (debug_registers_work() && debug_register_set(tid, 0, at) &&
	    debug_register_set(tid, DEBUG_CONTROL, DR7_EXECUTE_0))
		return true;
	b->trap = true;
	return tracee_read(t, at, b->old, sizeof b->old) &&
	       tracee_write(t, at, breakpoint_insn, sizeof breakpoint_insn);
}

static void breakpoint_remove(struct tracee *t, const struct breakpoint *b)
{
	pid_t tid = t->v[0].tid;

	if (b->trap) {
		tracee_write(t, b->at, b->old, sizeof b->old);
	} else {
		debug_register_set(tid, DEBUG_CONTROL, 0);
		debug_register_set(tid, 0, 0);
	}
}

/* True if the reported SIGTRAP was caused by the breakpoint. */
static bool breakpoint_hit(struct tracee *t, const struct breakpoint *b)
{
	struct tracee_thread *th = &t->v[0];

	if (ptrace(PTRACE_GETREGS, th->tid, 0, &th->regs) < 0 ||
	    regs_pc(&th->regs) != b->at + (b->trap ? TRAP_PC_OFFSET : 0))
		return false;
	regs_set_pc(&th->regs, b->at);
	return !b->trap || !ptrace(PTRACE_SETREGS, th->tid, 0, &th->regs);
}

/* ------------------------------------------------------------------- on to the entry */

/* True if the call that has just ended made part of a file executable. R: registers after it. */
static bool maps_text(const struct user_regs_struct *r)
{
	if (call_error(regs_result(r)))
		return false;
	switch (regs_call(r)) {
	case SYS_mmap:
		return regs_arg(r, 2) & PROT_EXEC && !(regs_arg(r, 3) & MAP_ANONYMOUS);
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return regs_arg(r, 2) & PROT_EXEC;
	}
	return false;
}

/* The thread is stopped before a system call. If that would enable a shadow stack, it fails, as on
 * an older kernel; the C library then continues without one. */
static int before_call(struct tracee *t)
{
	struct tracee_thread *th = &t->v[0];

	if (ptrace(PTRACE_GETREGS, th->tid, 0, &th->regs) < 0)
		return ESRCH;
	if (!regs_adds_shadow_stack(&th->regs))
		return 0;
	warning("process %d runs without the shadow stack that GLIBC_TUNABLES requests: the user "
		"runtime replaces return addresses; see --runtime=kernel",
		(int)t->pid);
	regs_set_call(&th->regs, CALL_NONE);
	return ptrace(PTRACE_SETREGS, th->tid, 0, &th->regs) < 0 ? ESRCH : 0;
}

/* The thread is stopped after a system call: have new mappings examined. */
static int after_call(struct tracee *t, launch_fn mapped, void *arg)
{
	struct tracee_thread *th = &t->v[0];

	if (ptrace(PTRACE_GETREGS, th->tid, 0, &th->regs) < 0)
		return ESRCH;
	if (!maps_text(&th->regs))
		return 0;
	if (!mapped(arg, t))
		return ECANCELED;
	remote_restore(t);
	if (th->gone)
		return ESRCH;
	if (th->changed && ptrace(PTRACE_SETREGS, th->tid, 0, &th->regs) < 0)
		return ESRCH;
	th->changed = false;
	return 0;
}

/* Handle one report. Returns 0 to continue, delivering *SIG; EALREADY when it has arrived; or
 * another errno. */
static int on_report(struct tracee *t, int status, bool *in_call, int *sig,
		     const struct breakpoint *b)
{
	int event = status >> 16, stop = WSTOPSIG(status);

	*sig = 0;
	if (stop != CALL_STOP)
		tracee_keeper->report(t->v[0].tid, status);
	if (event == PTRACE_EVENT_EXEC)
		return ERESTART;
	if (event == PTRACE_EVENT_STOP)
		return stop == SIGTRAP ? 0 : EALREADY; /* stopped by job control, possibly for
							* long */
	if (stop == CALL_STOP) {
		*in_call = !*in_call;
		tracee_keeper->call(t->v[0].tid);
		return 0;
	}
	if (stop == SIGTRAP && breakpoint_hit(t, b))
		return EALREADY;
	if (!event)
		*sig = stop;
	return 0;
}

/* Run the process from stop to stop until it has arrived. */
static int run_to(struct tracee *t, const struct breakpoint *b, launch_fn mapped, void *arg,
		  int *status)
{
	struct tracee_thread *th = &t->v[0];
	bool in_call = false;
	int err = 0, sig = 0;

	while (!err) {
		if (ptrace(PTRACE_SYSCALL, th->tid, 0, sig) < 0)
			return ESRCH;
		if (!tracee_wait(t, th, status, CALL_SECONDS))
			return th->gone ? ESRCH : ETIMEDOUT;
		err = on_report(t, *status, &in_call, &sig, b);
		if (!err && WSTOPSIG(*status) == CALL_STOP)
			err = in_call ? before_call(t) : after_call(t, mapped, arg);
	}
	return err;
}

/* A report without a signal to deliver, of a thread at any address. */
enum { PLAIN_STOP = CALL_STOP << 8 | 0x7f };

static int follow_to(struct tracee *t, uint64_t entry, launch_fn mapped, void *arg)
{
	struct tracee_thread *th = &t->v[0];
	struct breakpoint b;
	int err, status = PLAIN_STOP;

	if (!breakpoint_set(t, &b, entry))
		return EIO;
	err = run_to(t, &b, mapped, arg, &status);
	if (err == ETIMEDOUT) { /* it takes too long: hooks report what it maps later */
		ptrace(PTRACE_INTERRUPT, th->tid, 0, 0);
		err = tracee_wait(t, th, &status, EXEC_SECONDS) ? EALREADY : ETIMEDOUT;
	}
	if (err == ESRCH || err == ERESTART) /* its memory has been replaced or unmapped */
		return err;
	breakpoint_remove(t, &b);
	if (err != EALREADY)
		return err;
	/* the breakpoint's own signal is not delivered */
	if (!(status >> 16) && WSTOPSIG(status) == SIGTRAP)
		status = PLAIN_STOP;
	return tracee_settle(t, th, status) ? 0 : ESRCH;
}

void launch_add_stopped(pid_t pid)
{
	struct launch *l = xrealloc(NULL, sizeof *l);

	*l = (struct launch){.pid = pid,
			     .ready = true,
			     .tids = xrealloc(NULL, sizeof *l->tids),
			     .n = 1,
			     .next = launches};
	l->tids[0] = pid;
	launches = l;
}

/* It has called exec again: the next call of launch_follow() finds it stopped there. */
static void again(struct tracee *t)
{
	launch_add_stopped(t->pid);
	t->n = 0; /* it must not be released */
}

static int follow(struct tracee *t, launch_fn prepare, launch_fn mapped, void *arg)
{
	struct tracee_thread *th = &t->v[0];
	uint64_t entry = auxv_value(t->pid, AT_ENTRY);

	t->options |= OPTIONS;
	if (!prepare(arg, t))
		return ECANCELED;
	remote_restore(t);
	if (th->gone)
		return ESRCH;
	if (!entry || regs_pc(&th->regs) == entry)
		return 0;
	if (th->changed && ptrace(PTRACE_SETREGS, th->tid, 0, &th->regs) < 0)
		return ESRCH;
	th->changed = false;
	return follow_to(t, entry, mapped, arg);
}

int launch_follow(struct tracee *t, pid_t pid, launch_fn prepare, launch_fn mapped, void *arg)
{
	int err = wait_exec(pid);

	*t = (struct tracee){.mem = -1};
	if (!err)
		err = tracee_stop(t, pid);
	if (err)
		return err;
	err = follow(t, prepare, mapped, arg);
	if (err == ERESTART)
		again(t);
	if (err)
		tracee_release(t);
	return err;
}
