/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that are not easily traced: `refuse HOW': calls step() ten times for each byte of standard input.
 *   plain     an ordinary one
 *   dump      not dumpable
 *   strict    under strict seccomp
 *   ticks     a signal for reading the cycle counter
 *   filter    a seccomp filter kills it for any system call but read, write, exit
 *   traced    traced by its own child
 * Says `ready' before and `right' at the end.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noipa)) long step(long i)
{
	__asm__ volatile("" : : : "memory");
	return i + 1;
}

static void filter(void)
{
#define ALLOW(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read), ALLOW(SYS_write), ALLOW(SYS_exit), ALLOW(SYS_exit_group), ALLOW(SYS_rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog prog = {sizeof code / sizeof *code, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		exit(1);
}

static pid_t trace_me(void)
{
	pid_t parent = getpid(), pid;
	int ready[2];
	char c;

	pipe(ready);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	pid = fork();
	if (!pid) {
		close(0);
		close(1);
		if (ptrace(PTRACE_SEIZE, parent, 0, 0))
			_exit(1);
		write(ready[1], "", 1);
		for (;;) {
			int status;
			if (waitpid(parent, &status, __WALL) < 0 || !WIFSTOPPED(status))
				_exit(0);
			ptrace(PTRACE_CONT, parent, 0, status >> 16 ? 0 : WSTOPSIG(status));
		}
	}
	read(ready[0], &c, 1);
	return pid;
}

static void say(const char *text)
{
	write(1, text, strlen(text));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long n = 0, wrong = 0;

	if (!strcmp(how, "traced"))
		trace_me();
	if (!strcmp(how, "dump"))
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (!strcmp(how, "strict"))
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (!strcmp(how, "ticks"))
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	if (!strcmp(how, "filter"))
		filter();
	say("ready\n");
	/* each byte that comes is ten calls */
	for (char c; read(0, &c, 1) == 1;)
		for (int i = 0; i < 10; i++, n++)
			wrong += step(n) != n + 1;
	say(wrong ? "wrong\n" : "right\n");
	syscall(SYS_exit, 0);
	return 0;
}
