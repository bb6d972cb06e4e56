/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --reload: on SIGHUP another build of the script takes the place of the running one.
 *
 * A command of the caller makes the build and prints its path; staprun --choose checks that it fits
 * this machine. Until then the script runs, and if one of the two fails, it continues. Then the
 * script is stopped in the usual way, except that it writes records of its globals (--globals) to a
 * memory file in place of running its end probes, and this process executes staprun again, with the
 * words of its command line and with --reloaded: what the new run takes over. So a reloaded script
 * passes every check that a started one does, and the process keeps its id. If the new script
 * cannot be started, that run goes back to the former script in the same way.
 */
#include "base/message.h"
#include "base/privilege.h"
#include "base/signal.h"
#include "inject/user_runtime.h"
#include "options.h"
#include "output/output.h"
#include "base/exit_status.h"
#include "session/reload.h"
#include "session/run.h"
#include "session/session_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool settled; /* the script of a reload runs */

/* ------------------------------------------------------------ the command line */

enum { MOST_BYTES = 4 << 20 };

static char **words; /* which start staprun; NULL ends them, and one more has room */
static size_t nwords, program_at;

static void take_word(char *word)
{
	words = xrealloc(words, (nwords + 3) * sizeof *words);
	words[nwords++] = word;
	words[nwords] = NULL;
}

/* The path of the running program, for a first word that is not a path. */
static char *program_path(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	return n > 0 ? xstrndup(path, (size_t)n) : NULL;
}

void reload_take_words(int argc)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char *text = xrealloc(NULL, MOST_BYTES + 1);
	ssize_t n = 0, got = 0;

	while (fd >= 0 && n < MOST_BYTES &&
	       (got = read(fd, text + n, (size_t)(MOST_BYTES - n))) > 0)
		n += got;
	if (fd >= 0)
		close(fd);
	text[n] = 0;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(text + at) + 1)
		take_word(xstrndup(text + at, strlen(text + at)));
	free(text);
	/* a dynamic linker that was started with staprun as its argument has more words */
	if (nwords < (size_t)argc || argc < 1) {
		nwords = 0;
		return;
	}
	program_at = nwords - (size_t)argc;
	if (!strchr(words[0], '/'))
		words[0] = program_path();
}

bool reload_possible(void)
{
	return (nwords && words[0]) || fail("--reload: cannot read /proc/self/cmdline");
}

/* --------------------------------------------------------------- the new script */

static const char make_and_check[] =
	"script=$(eval \"$0\") || exit; exec \"$@\" --choose -- \"$script\"";

static void __attribute__((noreturn)) make_script(const char *command, int out)
{
	char **line = xrealloc(NULL, (program_at + 6) * sizeof *line);
	int null = open("/dev/null", O_RDONLY);
	size_t n = 0;

	signals_restore();
	setpgid(0, 0);
	line[n++] = (char *)"sh";
	line[n++] = (char *)"-c";
	line[n++] = (char *)make_and_check;
	line[n++] = (char *)command;
	for (size_t i = 0; i <= program_at; i++)
		line[n++] = words[i];
	line[n] = NULL;
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    privilege_drop())
		execv("/bin/sh", line);
	_exit(EXIT_NOT_EXEC);
}

bool reload_due(const struct run *r)
{
	return r->reload.wanted && !r->reload.pid && r->phase == RUNNING && !r->stop;
}

static void not_reloaded(const char *why, int status)
{
	say("the script was not reloaded and runs on: %s (status %d)", why, status);
}

void reload_start(struct run *r)
{
	struct reload *l = &r->reload;
	int out[2];

	l->wanted = false;
	l->n = 0;
	if (pipe2(out, O_CLOEXEC)) {
		not_reloaded(strerror(errno), 0);
		return;
	}
	l->pid = fork();
	if (!l->pid)
		make_script(r->opt->reload, out[1]);
	close(out[1]);
	l->out = out[0];
	if (l->pid > 0)
		return;
	not_reloaded(strerror(errno), 0);
	close(l->out);
	l->pid = 0;
}

int reload_fd(const struct run *r) { return r->reload.pid ? r->reload.out : -1; }

/* Open the new script as the caller; false after a message. */
static bool open_new(struct run *r)
{
	struct reload *l = &r->reload;
	int running = script_fd;
	bool fits;

	l->path[l->n] = 0;
	l->path[strcspn(l->path, "\n")] = 0;
	privilege_suspend();
	l->script = open(l->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	script_fd = l->script;
	fits = blob_is(l->path) == (r->session.kind == &session_user);
	script_fd = running;
	privilege_resume();
	if (l->script < 0) {
		not_reloaded(strerror(errno), 0);
		l->script = 0;
		return false;
	}
	if (!fits) {
		not_reloaded("the new one is for the other runtime", 0);
		close(l->script);
		l->script = 0;
	}
	return fits;
}

static void made(struct run *r)
{
	struct reload *l = &r->reload;
	int status = 0;
	pid_t got;

	close(l->out);
	do
		got = waitpid(l->pid, &status, 0);
	while (got < 0 && errno == EINTR);
	l->pid = 0;
	if (got < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		not_reloaded("the command of --reload failed",
			     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	else if (open_new(r))
		r->stop = l->ready = true;
}

void reload_take(struct run *r)
{
	struct reload *l = &r->reload;
	ssize_t n = read(l->out, l->path + l->n, sizeof l->path - 1 - l->n);

	if (n < 0 && errno == EINTR)
		return;
	if (n > 0)
		l->n += (size_t)n;
	if (n <= 0 || l->n == sizeof l->path - 1)
		made(r);
}

bool reload_stops(struct run *r)
{
	struct reload *l = &r->reload;

	l->going = l->ready && !r->interrupts && !r->last.exit_requested && !r->status;
	l->stopped = clock_ns();
	return l->going;
}

void reload_end(struct run *r)
{
	if (!r->reload.pid)
		return;
	kill(-r->reload.pid, SIGTERM);
	close(r->reload.out);
	waitpid(r->reload.pid, NULL, 0);
	r->reload.pid = 0;
}

void reload_settled(struct run *r)
{
	const struct reloaded *l = &r->opt->reloaded;
	const int done[] = {l->globals, l->output, l->script, l->old};

	if (!l->path)
		return;
	say("reloaded %s; no probe was armed for %.3f s", r->opt->name ? r->opt->name : l->path,
	    (double)(clock_ns() - l->stopped) / 1e9);
	for (size_t i = 0; i < sizeof done / sizeof *done; i++)
		if (done[i])
			close(done[i]);
	script_fd = -1;
	settled = true;
	r->stop |= l->ends;
}

/* ---------------------------------------------------------------- the next run */

static int inherit(int fd)
{
	if (fd > 0)
		fcntl(fd, F_SETFD, 0);
	return fd;
}

/* Put the word of --reloaded before all other options, in place of that of an earlier reload. */
static void insert(char *word)
{
	size_t at = program_at + 1;

	if (nwords <= at || strncmp(words[at], "--reloaded=", 11) != 0) {
		memmove(words + at + 1, words + at, (nwords - at + 1) * sizeof *words);
		nwords++;
	}
	words[at] = word;
}

/* Execute staprun with NEXT; returns only on failure, after a message. */
static void execute(const struct reloaded *next)
{
	const char *old = next->old_path ? next->old_path : "";
	size_t n = strlen(next->path), size = n + strlen(old) + 256;
	char *word = xrealloc(NULL, size);

	snprintf(word, size, "--reloaded=%d,%d,%u,%d,%d,%d,%d,%llu,%llu,%zu,%s%s",
		 inherit(next->globals), inherit(next->output), next->files, inherit(next->script),
		 inherit(next->old), next->status, next->ends, next->mask, next->stopped, n,
		 next->path, old);
	insert(word);
	signals_hand_over();
	if (privilege_drop())
		execv(words[0], words);
	fail("cannot execute %s: %s", words[0], strerror(errno));
}

void reload_run_next(struct run *r, int globals, int output, int status)
{
	struct reloaded next = {.globals = globals,
				.output = output,
				.files = r->out.number,
				.script = r->reload.script,
				.old = r->reload.old,
				.status = status,
				.ends = watchdog_stop(r->signals),
				.mask = signals_before(),
				.stopped = r->reload.stopped,
				.path = r->reload.path,
				.old_path = r->opt->module};

	execute(&next);
}

void reload_go_back(const struct options *o)
{
	struct reloaded next = o->reloaded;

	if (!next.path || !next.old || settled)
		return;
	say("the new script cannot be run: going back to the former one");
	next.script = next.old;
	next.path = next.old_path;
	next.old = 0;
	next.old_path = NULL;
	next.ends |= watchdog_stop(-1);
	execute(&next);
}
