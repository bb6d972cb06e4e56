/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -c CMD: a child that waits for a start signal and then executes the command.
 *
 * Between that signal and its exec the child calls no function of any library: it is the probed
 * process already, and probes on libc must not fire in it. So everything is prepared before it
 * waits, and the last system calls are made directly.
 */
#include "base/command_words.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "base/privilege.h"
#include "base/signal.h"
#include "session/run.h"
#include "inject/arch/direct_call.h"

#include <stdbool.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL "/bin/sh"

/* ------------------------------------------------- what the child has made ready */

struct plan {
	struct words words;
	struct words paths;    /* to try in this order */
	struct words by_shell; /* for a script without #!: sh PATH ARGS... */
};

static char *join(const char *dir, size_t n, const char *file)
{
	char *path = xrealloc(NULL, n + strlen(file) + 3);

	memcpy(path, n ? dir : ".", n ? n : 1);
	n = n ? n : 1;
	path[n] = '/';
	strcpy(path + n + 1, file);
	return path;
}

/* All paths where FILE may be, in the order of execvp(3). */
static void find_paths(struct words *paths, const char *file)
{
	const char *p = getenv("PATH");

	if (strchr(file, '/')) {
		words_push(paths, xstrndup(file, strlen(file)));
		return;
	}
	if (!p)
		p = "/usr/local/bin:/bin:/usr/bin";
	for (;; p++) {
		size_t n = strcspn(p, ":");

		words_push(paths, join(p, n, file));
		p += n;
		if (!*p)
			return;
	}
}

static bool make_plan(struct plan *plan, const char *line)
{
	bool shell = !split_command(line, &plan->words);

	if (shell) {
		words_push(&plan->words, xstrndup("sh", 2));
		words_push(&plan->words, xstrndup("-c", 2));
		words_push(&plan->words, xstrndup(line, strlen(line)));
		words_push(&plan->paths, xstrndup(SHELL, strlen(SHELL)));
	} else {
		find_paths(&plan->paths, plan->words.v[0]);
	}
	words_push(&plan->by_shell, xstrndup("sh", 2));
	words_push(&plan->by_shell, NULL);
	for (size_t i = 1; i < plan->words.n; i++)
		words_push(&plan->by_shell, plan->words.v[i]);
	return shell;
}

static void free_plan(struct plan *plan)
{
	if (plan->by_shell.n) {
		free(plan->by_shell.v[0]); /* the other words belong to the command */
		free(plan->by_shell.v);
	}
	words_free(&plan->words);
	words_free(&plan->paths);
}

/* ------------------------------------------------------------------- the child */

/* The error to report if no path works: as in execvp(3), EACCES takes precedence over ENOENT. */
static long worse(long old, long err) { return err == -ENOENT || err == -ENOTDIR ? old : err; }

static inline __attribute__((always_inline)) long exec_plan(struct plan *plan)
{
	long err, told = -ENOENT;

	for (size_t i = 0; i < plan->paths.n; i++) {
		char *path = plan->paths.v[i];

		err = direct_call(SYS_execve, (long)path, (long)plan->words.v, (long)environ);
		if (err == -ENOEXEC) {
			plan->by_shell.v[1] = path;
			err = direct_call(SYS_execve, (long)SHELL, (long)plan->by_shell.v,
					  (long)environ);
		}
		told = worse(told, err);
	}
	return told;
}

/* Permit TRACER to trace this process: Yama permits only ancestors and the named process; see
 * ptrace_scope in proc(5). Then notify READY. */
static bool permit_tracer(pid_t tracer, int ready)
{
	int none = 0;

	prctl(PR_SET_PTRACER, tracer, 0, 0, 0); /* fails without Yama */
	return write(ready, &none, sizeof none) == sizeof none;
}

static void __attribute__((noreturn)) child_main(struct plan *plan, pid_t tracer, int go, int error)
{
	char word;
	int err;
	long n;

	signals_restore();
	if (!privilege_drop() || (tracer && !permit_tracer(tracer, error)))
		_exit(EXIT_NOT_EXEC);
	do
		n = direct_call(SYS_read, go, (long)&word, 1);
	while (n == -EINTR);
	if (n == 1) {
		err = (int)-exec_plan(plan);
		direct_call(SYS_write, error, (long)&err, sizeof err);
	}
	_exit(EXIT_NOT_FOUND);
}

/* ------------------------------------------------------------------ the parent */

static bool pipes(int go[2], int error[2])
{
	if (pipe2(go, O_CLOEXEC))
		return false;
	if (!pipe2(error, O_CLOEXEC))
		return true;
	close(go[0]);
	close(go[1]);
	return false;
}

static bool wait_ready(const struct child *c)
{
	int none;
	ssize_t n;

	do
		n = read(c->error, &none, sizeof none);
	while (n < 0 && errno == EINTR);
	return n == sizeof none;
}

static bool fork_plan(struct child *c, struct plan *plan)
{
	int go[2], error[2];

	if (!pipes(go, error))
		return fail("pipe: %s", strerror(errno));
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(error[0]);
		if (c->aside)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		child_main(plan, c->tracer, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	c->go = go[1];
	c->error = error[0];
	if (c->pid < 0)
		return fail("fork: %s", strerror(errno));
	return !c->tracer || wait_ready(c) ||
	       fail("the child process ended before it executed the command");
}

/* The file that the child will execute; NULL if not found. */
static char *find_program(const struct plan *plan)
{
	for (size_t i = 0; i < plan->paths.n; i++)
		if (!access(plan->paths.v[i], X_OK))
			return xstrndup(plan->paths.v[i], strlen(plan->paths.v[i]));
	return NULL;
}

bool child_fork(struct child *c, const char *line)
{
	struct plan plan = {0};
	bool ok;

	c->by_shell = make_plan(&plan, line);
	ok = fork_plan(c, &plan);
	c->program = find_program(&plan);
	free_plan(&plan);
	return ok;
}

int child_go(struct child *c)
{
	int err = 0;
	ssize_t n;

	if (write(c->go, "", 1) != 1)
		err = errno;
	close(c->go);
	c->go = -1;
	do
		n = read(c->error, &err, sizeof err);
	while (n < 0 && errno == EINTR);
	return n == sizeof err ? err : 0;
}

void child_cancel(struct child *c)
{
	if (c->pid > 0 && c->go >= 0) {
		close(c->go);
		c->go = -1;
		waitpid(c->pid, NULL, 0);
		c->pid = 0;
	}
}

int child_status(struct child *c)
{
	int status;
	pid_t got;

	do
		got = waitpid(c->pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got != c->pid)
		return EXIT_NOT_FOUND;
	c->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void child_kill(const struct child *c, int sig)
{
	if (c->pid > 0)
		kill(c->pid, sig);
}
