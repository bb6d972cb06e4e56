/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that ustap runs: compilers, linkers, make, and the environment that they run in.
 *
 * Programs of root get a clean environment. After `su' or `sudo -E' root has the environment of
 * another user, and GCC_EXEC_PREFIX, MAKEFILES, LD_LIBRARY_PATH, a directory in PATH or in
 * TMPDIR of that user, and many more variables, decide what a compiler run by root does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "createfile.h"
#include "trust.h"
#include "diag.h"
#include "environment.h"
#include "subprocess.h"

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* ------------------------------------------------------------------ looking up */

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static char *absolute(const char *path)
{
	char cwd[PATH_MAX];

	return *path == '/' || !getcwd(cwd, sizeof cwd) ? xstrdup(path)
							: xprintf("%s/%s", cwd, path);
}

char *find_in_path(const char *name)
{
	const char *dir = getenv("PATH");
	size_t len;

	if (strchr(name, '/'))
		return is_program(name) ? absolute(name) : NULL;
	for (; dir; dir = dir[len] ? dir + len + 1 : NULL) {
		const char *path = name; /* an empty part of $PATH is the current directory */

		len = strcspn(dir, ":");
		if (len)
			path = xprintf("%.*s/%s", (int)len, dir, name);
		if (is_program(path))
			return absolute(path);
	}
	return NULL;
}

/* The directories of $PATH that only root can change. */
static const char *root_path(void)
{
	static ARENA_STATE const char *known;
	const char *dir = getenv("PATH");
	struct distrust why;
	struct strbuf sb = {0};
	size_t len;

	if (known)
		return known;
	for (dir = dir ? dir : DEFAULT_PATH; *dir; dir += len + !!dir[len]) {
		const char *one;

		len = strcspn(dir, ":");
		one = xstrndup(dir, len);
		if (*one != '/' || access(one, X_OK))
			continue;
		if (trusted_for_root(one, &why))
			sb_printf(&sb, "%s%s", sb.n ? ":" : "", one);
		else
			vlog(1, "%s of $PATH is not used: %s %s", one, why.path, why.why);
	}
	known = sb.n ? sb.s : DEFAULT_PATH;
	return known;
}

char *find_tool(const char *name)
{
	struct distrust why;
	size_t len;

	if (geteuid() || strchr(name, '/'))
		return find_in_path(name);
	for (const char *dir = root_path(); *dir; dir += len + !!dir[len]) {
		char *path;

		len = strcspn(dir, ":");
		path = xprintf("%.*s/%s", (int)len, dir, name);
		if (is_program(path) && trusted_for_root(path, &why))
			return path;
	}
	return NULL;
}

/* ----------------------------------------------------------------- environment */

/* The environment of programs of root: some variables are passed on, the others are set here. */
static char **root_environment(void)
{
	static const char *const same[] = {"LANG", "LC_ALL",  "LC_CTYPE",     "LC_MESSAGES",
					   "TERM", "SRCARCH", "SSH_AUTH_SOCK"};
	const struct passwd *pw = getpwuid(0);
	const char *tmp = private_dir_made();
	VEC(char *) env = {0};

	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (getenv(same[i]))
			vec_push(&env, xprintf("%s=%s", same[i], getenv(same[i])));
	vec_push(&env, xprintf("PATH=%s", root_path()));
	vec_push(&env, xprintf("HOME=%s", pw ? pw->pw_dir : "/"));
	vec_push(&env, xprintf("TMPDIR=%s", tmp ? tmp : "/tmp"));
	vec_push(&env, NULL);
	return env.v;
}

/* ENV, or the environment of this process, for programs whose messages ustap reads: in English. */
static char **english_environment(char **env)
{
	VEC(char *) english = {0};

	for (char **v = env ? env : environ; *v; v++)
		if (strncmp(*v, "LC_ALL=", 7) != 0)
			vec_push(&english, *v);
	vec_push(&english, xstrdup("LC_ALL=C"));
	vec_push(&english, NULL);
	return english.v;
}

/* --------------------------------------------------------------------- running */

static _Noreturn void child_exec(const char *const argv[], int out, char **env)
{
	if (dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(126);
	if (env)
		environ = env;
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

/* That run_command() or run_watched() waits for; 0: none. */
static volatile pid_t command;

void command_kill(int signo)
{
	if (command > 0)
		kill(command, signo);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Start argv in CWD, unless that is NULL, with its output to OUT, unless that is -1. Returns its
 * pid, or -1 with errno set. Unlike fork(2) this does not copy the page tables of all that a
 * compile has in memory. Root's programs are found before, since posix_spawnp() searches the PATH
 * of the caller and not that of ENV (NULL: that of the caller). */
static pid_t spawn(const char *const argv[], const char *cwd, int out, char **env)
{
	const char *program = geteuid() ? argv[0] : find_tool(argv[0]);
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int err = 0;

	if (!program)
		err = ENOENT;
	else
		err = posix_spawn_file_actions_init(&actions);
	if (err) {
		errno = err;
		return -1;
	}
	if (out >= 0)
		err = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!err && out >= 0)
		err = posix_spawn_file_actions_adddup2(&actions, out, 2);
	if (!err && cwd)
		err = posix_spawn_file_actions_addchdir_np(&actions, cwd);
	if (!err)
		err = posix_spawnp(&pid, program, &actions, NULL, (char *const *)argv,
				   env ? env : environ);
	posix_spawn_file_actions_destroy(&actions);
	errno = err;
	return err ? -1 : pid;
}

/* Start argv with its output to LOG; its pid, or -1 with errno set and the reason in LOG. */
static pid_t start_command(const char *const argv[], const char *cwd, const char *log)
{
	char **env = geteuid() ? NULL : root_environment();
	int err, out = log ? private_open(log, O_WRONLY | O_TRUNC) : -1;
	pid_t pid;

	if (log && out < 0)
		return -1;
	fflush(NULL);
	pid = spawn(argv, cwd, out, log ? english_environment(env) : env);
	command = pid;
	err = errno;
	if (out >= 0 && pid < 0)
		dprintf(out, "error: %s cannot be started: %s\n", argv[0], strerror(err));
	if (out >= 0)
		close(out);
	errno = err;
	return pid;
}

/* Exit status of a shell for a program that could not be started. */
static int status_not_started(void) { return errno == ENOENT ? 127 : 126; }

/* Exit status of the command PID, which start_command() has started. */
static int command_status(pid_t pid)
{
	siginfo_t info;

	/* command_kill() must not have the number of a process that is gone */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
	command = 0;
	return wait_for(pid);
}

int run_command(const char *const argv[], const char *cwd, const char *log)
{
	pid_t pid = start_command(argv, cwd, log);

	return pid < 0 ? status_not_started() : command_status(pid);
}

int run_watched(const char *const argv[], const char *log, void (*watch)(void *arg), void *arg)
{
	enum { INTERVAL_MS = 100 };
	pid_t pid = start_command(argv, NULL, log);
	struct pollfd end = {.events = POLLIN};
	int fd;

	if (pid < 0)
		return status_not_started();
	fd = end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	while (fd >= 0 && poll(&end, 1, INTERVAL_MS) <= 0)
		watch(arg);
	if (fd >= 0)
		close(fd);
	return command_status(pid);
}

/* Signals are as for a program that a shell starts: the caller may have blocked some. */
static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

pid_t child_start(int (*run)(void *arg), void *arg, int *out)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int status = 126;

		unblock_signals();
		if (dup2(fds[1], STDOUT_FILENO) >= 0)
			status = run(arg);
		fflush(NULL);
		_exit(status);
	}
	close(fds[1]);
	*out = fds[0];
	if (pid < 0)
		close(fds[0]);
	return pid;
}

char *child_output(int (*run)(void *arg), void *arg)
{
	char *text;
	size_t len;
	int out;
	pid_t pid = child_start(run, arg, &out);

	if (pid < 0)
		return NULL;
	text = read_stream(out, &len);
	close(out);
	return wait_for(pid) == 0 ? text : NULL;
}

struct command {
	const char *const *argv;
	char **env;
};

static int exec_command(void *arg)
{
	const struct command *c = arg;

	child_exec(c->argv, STDOUT_FILENO, c->env);
}

char *command_output(const char *const argv[])
{
	struct command c = {argv, english_environment(geteuid() ? NULL : root_environment())};

	return child_output(exec_command, &c);
}

static void close_pipes(int pipes[3][2], int n)
{
	for (int i = 0; i < n; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

static _Noreturn void exec_piped(const char *const argv[], int pipes[3][2], char **env)
{
	unblock_signals();
	setsid();
	for (int i = 0; i < 3; i++)
		if (dup2(pipes[i][i ? 1 : 0], i) < 0)
			_exit(126);
	if (env)
		environ = env;
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

pid_t start_piped(const char *const argv[], int fds[3])
{
	char **env = geteuid() ? NULL : root_environment();
	int pipes[3][2];
	pid_t pid;

	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC)) {
			close_pipes(pipes, i);
			return -1;
		}
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exec_piped(argv, pipes, env);
	for (int i = 0; i < 3; i++) {
		close(pipes[i][i ? 1 : 0]);
		fds[i] = pipes[i][i ? 0 : 1];
		if (pid < 0)
			close(fds[i]);
	}
	return pid;
}
