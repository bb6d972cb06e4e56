/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug registers of stopped threads, and whether the machine obeys them. */
#include "inject/arch/regs.h"
#include "inject/ptrace/debug_register.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

bool debug_register_set(pid_t tid, unsigned i, uint64_t value)
{
	return !ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[i]), value);
}

uint64_t debug_register_get(pid_t tid, unsigned i)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user, u_debugreg[i]), 0);
}

static volatile long word;

/* Write the word when the parent watches it. Does not return. */
static void write_word(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	word = 1;
	_exit(0);
}

/* Bring the child PID, which has a debugger now, over its write. Returns its state as of
 * waitpid(2): exited if no exception stopped it. */
static int let_write(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	    debug_register_set(pid, 0, (uint64_t)(uintptr_t)&word) &&
	    debug_register_set(pid, DEBUG_CONTROL, debug_control(0, sizeof word, false)) &&
	    !ptrace(PTRACE_CONT, pid, 0, 0))
		waitpid(pid, &status, 0);
	return status;
}

/* Where a try is not possible, the machine is taken to work. */
static bool try_machine(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		write_word();
	status = pid < 0 ? 0 : let_write(pid);
	if (pid > 0 && WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return pid < 0 || !WIFEXITED(status);
}

bool debug_registers_work(void)
{
	static enum { UNKNOWN, WORK, IGNORED } state;

	if (state == UNKNOWN)
		state = try_machine() ? WORK : IGNORED;
	return state == WORK;
}
