/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_permission.c: processes that may not be traced, and the messages about them; run as root,
 * which changes its user. */
#include "inject/ptrace/ptrace.h"
#include "staprun_check.h"
#include "inject/user_runtime.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>

enum { NOBODY = 65534, SOMEBODY = 65533 };

static void __attribute__((noreturn)) rest(void)
{
	for (;;)
		pause();
}

static void become(unsigned id)
{
	if (setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id))
		_exit(1);
}

static int ready_pipe[2];

static void ready(void)
{
	if (write(ready_pipe[1], "r", 1) != 1)
		_exit(1);
}

/* Types of processes. */
static void of_nobody(void)
{
	become(NOBODY);
	prctl(PR_SET_DUMPABLE, 1);
}
static void of_somebody(void)
{
	become(SOMEBODY);
	prctl(PR_SET_DUMPABLE, 1);
}
static void of_root(void) {}
static void undumpable(void)
{
	become(NOBODY);
	prctl(PR_SET_DUMPABLE, 0);
}
static void like_setuid(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, 0))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
}
static void ended(void)
{
	ready();
	_exit(0);
}
static void strict(void)
{
	become(NOBODY);
	prctl(PR_SET_DUMPABLE, 1);
	ready();
	prctl(PR_SET_SECCOMP, 1);
	for (;;)
		;
}
static void traced(void)
{
	ptrace(PTRACE_TRACEME);
	ready();
	raise(SIGSTOP);
}

static pid_t make(void (*kind)(void))
{
	pid_t pid = fork();
	char c;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		kind();
		ready();
		rest();
	}
	if (read(ready_pipe[0], &c, 1) != 1)
		exit(1);
	usleep(50000);
	return pid;
}

static void without_ptrace(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &head, caps))
		_exit(1);
	caps[0].effective &= ~(1u << CAP_SYS_PTRACE);
	caps[0].permitted &= ~(1u << CAP_SYS_PTRACE);
	if (syscall(SYS_capset, &head, caps))
		_exit(1);
}

/* The messages of trace_permission_check() about PID for a process that has run AS; the first byte
 * is the result. */
static void ask(char *said, size_t size, pid_t pid, void (*as)(void))
{
	int fds[2];
	size_t n = 1;
	pid_t child;
	ssize_t got;
	int status;

	if (pipe(fds) || (child = fork()) < 0)
		exit(1);
	if (child == 0) {
		as();
		dup2(fds[1], STDERR_FILENO);
		_exit(trace_permission_check(pid));
	}
	close(fds[1]);
	while (n < size - 1 && (got = read(fds[0], said + n, size - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = 0;
	close(fds[0]);
	waitpid(child, &status, 0);
	said[0] = (char)('0' + WEXITSTATUS(status));
}

/* WANT is part of the message, or NULL: tracing is permitted. */
static void test(const char *name, pid_t pid, void (*as)(void), const char *want)
{
	char said[2000];

	ask(said, sizeof said, pid, as);
	check(want ? said[0] == '0' && strstr(said, want) : said[0] == '1' && !said[1], name, said);
}

static void test_kind(const char *name, void (*kind)(void), void (*as)(void), const char *want)
{
	pid_t pid = make(kind);

	test(name, pid, as, want);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_exec(void)
{
	pid_t pid = make(of_nobody);
	char link[64];

	become(NOBODY); /* irreversible: this comes last */
	check(!exec_gains_privilege(pid, "/bin/sh") && !exec_gains_privilege(pid, "/no/such"),
	      "a plain program", "gains");
	check(exec_gains_privilege(pid, "/usr/bin/passwd"), "a setuid program", "gains nothing");
	snprintf(link, sizeof link, "/tmp/test_trace_permission.%d", (int)pid);
	if (!symlink("/usr/bin/passwd", link))
		check(exec_gains_privilege(pid, link), "a link to one", "gains nothing");
	unlink(link);
	kill(pid, SIGKILL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (geteuid() != 0) {
		printf("ok nothing to do\nskipped permissions: not root\n");
		return 0;
	}
	if (pipe(ready_pipe))
		return 1;
	test("no process", 999999999, of_root, "no such process");
	test("a thread of the kernel", 2, of_root, "is a kernel thread");
	test_kind("one's own", of_nobody, of_nobody, NULL);
	test_kind("anything, as root", of_somebody, of_root, NULL);
	test_kind("undumpable, as root", undumpable, of_root, NULL);
	test_kind("of another user", of_somebody, of_nobody, "it belongs to");
	test_kind("of root", of_root, of_nobody, "it belongs to root");
	test_kind("undumpable", undumpable, of_nobody, "untraceable");
	test_kind("setuid", like_setuid, of_nobody, "setuid");
	test_kind("ended", ended, of_root, "has ended");
	test_kind("traced", traced, of_root, "already traced by process");
	test_kind("seccomp", strict, of_nobody, "seccomp");
	test_kind("seccomp, as root", strict, of_root, NULL);
	test_kind("root in a container", of_somebody, without_ptrace, "--cap-add=SYS_PTRACE");
	test_exec();
	return failed != 0;
}
