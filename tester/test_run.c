/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One test, in a directory of its own: its program is built, its script compiled, and what came out
 * is run, each by the shell in a process group of its own with a limit of time.
 */
#include "tester.h"
#include "createfile.h"
#include "base/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	BUILD_SECONDS = 300,
	GRACE_SECONDS = 5,
	TICK_NS = 5000000,
	STILL_TICKS = 20,
	TIMED_OUT = 1000
};

/* --------------------------------------------------------------------- the shell */

/* A shell line in DIR, with its output in files there of these names. */
struct step {
	const char *line, *dir, *out, *err;
	unsigned seconds;
};

static void redirect(int to, const char *name, int flags)
{
	int fd = flags == O_RDONLY ? open(name, flags) : private_open(name, flags);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(127);
	close(fd);
}

static void __attribute__((noreturn)) child(const struct step *s)
{
	const struct rlimit none = {0, 0};

	setpgid(0, 0);
	if (chdir(s->dir))
		_exit(127);
	redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
	redirect(STDOUT_FILENO, s->out, O_WRONLY | O_TRUNC);
	redirect(STDERR_FILENO, s->err, O_WRONLY | O_TRUNC | O_APPEND);
	setrlimit(RLIMIT_CORE, &none);
	setenv("USTAP_TEST", s->dir, 1);
	execlp("bash", "bash", "-c", s->line, (char *)NULL);
	execl("/bin/sh", "sh", "-c", s->line, (char *)NULL);
	_exit(127);
}

static void sleep_ns(long ns) { nanosleep(&(struct timespec){0, ns}, NULL); }

/* Exit status as a shell's; TIMED_OUT: it was ended. */
static int shell(const struct step *s)
{
	uint64_t end = clock_ns() + s->seconds * 1000000000ull;
	bool told = false;
	int status;
	pid_t pid = fork();

	if (!pid)
		child(s);
	if (pid < 0)
		return 127;
	while (!waitpid(pid, &status, WNOHANG)) {
		if (clock_ns() > end) {
			kill(-pid, told ? SIGKILL : SIGTERM);
			told = true;
			end += GRACE_SECONDS * 1000000000ull;
		}
		sleep_ns(TICK_NS);
	}
	if (told)
		return TIMED_OUT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *output_of(const char *dir, const char *name)
{
	char path[4096], *text;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	text = file_text(path, NULL);
	return text ? text : xstrndup("", 0);
}

/* ------------------------------------------------------------- what was left over */

/* Is process PID one of the test in DIR, by its environment? */
static bool is_of(const char *pid, const char *dir)
{
	char path[64], want[4096], *text;
	size_t len, n = (size_t)snprintf(want, sizeof want, "USTAP_TEST=%s", dir);
	bool is = false;

	snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
	text = file_text(path, &len);
	for (size_t at = 0; text && at < len && !is; at += strlen(text + at) + 1)
		is = !strncmp(text + at, want, n + 1);
	free(text);
	return is;
}

/* The processes of the test in DIR, "PID: COMMAND" each, which END ends. */
static char *remaining(const char *dir, bool end)
{
	DIR *proc = opendir("/proc");
	struct text list = {0};
	struct dirent *e;

	text_put(&list, "");
	while (proc && (e = readdir(proc))) {
		char path[64], *command;
		size_t len = 0;

		if (strspn(e->d_name, "0123456789") != strlen(e->d_name) || !is_of(e->d_name, dir))
			continue;
		snprintf(path, sizeof path, "/proc/%.20s/cmdline", e->d_name);
		command = file_text(path, &len);
		for (size_t i = 0; i + 1 < len; i++)
			if (!command[i])
				command[i] = ' ';
		text_print(&list, "%s: ", e->d_name);
		text_put(&list, command ? command : "");
		text_put(&list, "\n");
		free(command);
		if (end)
			kill((pid_t)atoi(e->d_name), SIGKILL);
	}
	if (proc)
		closedir(proc);
	return list.s;
}

/* The processes that do not end by themselves within two seconds; they are ended. */
static char *end_remaining(const char *dir)
{
	for (int i = 0; i < STILL_TICKS; i++) {
		char *list = remaining(dir, false);

		if (!*list)
			return list;
		free(list);
		sleep_ns(100000000);
	}
	return remaining(dir, true);
}

/* -------------------------------------------------------------------- the steps */

static bool build(const struct setting *set, struct test *t, const char *work)
{
	struct strings lines = build_lines(set, t);
	char *words = program_words(set, t), *err;
	struct text line = {0};
	int status;

	text_put(&line, "set -e\n");
	if (words) {
		text_put(&line, "${CC:-cc} -w -o prog ");
		text_put(&line, words);
		text_put(&line, "\n");
	}
	for (size_t i = 0; i < lines.n; i++) {
		text_put(&line, "( ");
		text_put(&line, lines.v[i]);
		text_put(&line, "\n)\n");
	}
	status = shell(&(struct step){line.s, work, "program.out", "program.err", BUILD_SECONDS});
	if (status) {
		err = output_of(work, "program.err");
		judge_program(t, err);
		free(err);
	}
	strings_free(&lines);
	free(words);
	free(line.s);
	return !status;
}

static bool compile(const struct setting *set, struct test *t, const char *work, const char *script)
{
	char *line = compile_line(set, t, script), *out, *err;
	int status = shell(&(struct step){line, work, "compile.out", "compile.err", BUILD_SECONDS});

	out = output_of(work, "compile.out");
	err = output_of(work, "compile.err");
	judge_compile(set, t, out, err, status);
	free(line);
	free(out);
	free(err);
	return !t->problems.n;
}

static void run(const struct setting *set, struct test *t, const char *work)
{
	char *ko = output_of(work, "compile.out"), *line;
	struct text dir = {0}, late = {0};
	struct outcome o = {.ran = true};

	ko[strcspn(ko, "\n")] = 0;
	text_put(&dir, work);
	text_put(&dir, "/run");
	mkdir(dir.s, 0777);
	line = run_line(set, t, ko, NULL);
	o.status = shell(&(struct step){line, dir.s, ".out", ".err", set->timeout});
	if (o.status == TIMED_OUT)
		text_print(&late, "exceeded its time limit of %u s", set->timeout);
	o.late = late.s;
	o.left = end_remaining(dir.s);
	o.out = output_of(dir.s, ".out");
	o.err = output_of(dir.s, ".err");
	judge_outcome(set, t, &o);
	outcome_free(&o);
	free(line);
	free(ko);
	free(dir.s);
}

/* --------------------------------------------------------------------- the test */

static void skip(struct test *t, const char *why, const char *what)
{
	struct text s = {0};

	text_put(&s, why);
	text_put(&s, what);
	free(t->skipped);
	t->skipped = s.s;
}

bool test_lacks_file(struct test *t)
{
	const char *file = t->single[D_NEEDS];

	if (!file || !access(file, F_OK))
		return false;
	skip(t, "no ", file);
	return true;
}

bool test_is_forbidden(const struct setting *set, struct test *t, const char *dir)
{
	const char *command = t->single[D_PERMITTED];
	char *line = command ? expand_placeholders(set, t, command) : NULL;
	bool forbidden = line &&
			 shell(&(struct step){line, dir, "permitted", "permitted", set->timeout});

	if (forbidden)
		skip(t, "not permitted here: ", command);
	free(line);
	return forbidden;
}

static bool is_for(const struct setting *set, const struct test *t)
{
	const char *r = t->single[D_RUNTIME];

	return test_only_compiles(t) || !r || !strcmp(r, "both") || !strcmp(r, set->runtime);
}

static bool can_run(const struct setting *set, struct test *t, const char *work)
{
	if (t->problems.n || test_lacks_file(t) || test_is_forbidden(set, t, work))
		return false;
	if (!is_for(set, t))
		skip(t, "not for the runtime ", set->runtime);
	return !t->skipped;
}

void make_directories(char *path)
{
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(path, 0777);
			*p = '/';
		}
	mkdir(path, 0777);
}

void test_run(const struct setting *set, struct test *t)
{
	char *work = test_directory(set, t), *script;
	uint64_t begun = clock_ns();

	make_directories(work);
	script = can_run(set, t, work) && build(set, t, work) ? script_path(set, t) : NULL;
	if (script && !t->problems.n && compile(set, t, work, script) && !test_only_compiles(t))
		run(set, t, work);
	t->seconds = (double)(clock_ns() - begun) / 1e9;
	free(script);
	free(work);
}
