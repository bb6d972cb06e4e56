/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watchpoints: exit status 0 if a debug register stops a program that writes what it watches. Some
 * virtual machines accept debug registers and ignore them. */
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long word;

static int set(pid_t pid, unsigned i, unsigned long value)
{
	return !ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[i]), value);
}

int main(void)
{
	const unsigned long write_8_bytes = 0x90001; /* Intel SDM volume 3, 17.2.4 */
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		word = 1;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status) || !set(pid, 0, (unsigned long)&word) ||
	    !set(pid, 7, write_8_bytes) || ptrace(PTRACE_CONT, pid, 0, 0))
		return 2;
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status))
		return 1;
	kill(pid, SIGKILL);
	return 0;
}
