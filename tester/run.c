/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One test, in a directory of its own: its program is built, its script compiled, and what came out
 * is run, each by the shell in a process group of its own with a limit of time.
 */
#include "tester.h"
#include "createfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
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

/* ------------------------------------------------------------------------ names */

struct name {
	const char *from, *to;
};

static char *put_in(const char *text, const struct name *names, size_t n)
{
	struct text t = {0};

	text_put(&t, "");
	while (*text) {
		size_t i = 0;

		while (i < n && strncmp(text, names[i].from, strlen(names[i].from)))
			i++;
		if (i < n) {
			text_put(&t, names[i].to);
			text += strlen(names[i].from);
		} else {
			text_add(&t, text++, 1);
		}
	}
	return t.s;
}

static char *work_of(const struct setting *set, const struct test *t)
{
	struct text s = {0};

	text_print(&s, "%s/", set->work);
	text_put(&s, t->name);
	return s.s;
}

/* SRC is what @src@ stands for, KO what @ko@. */
static char *put_names(const struct setting *set, const struct test *t, const char *text,
		       const char *src, const char *ko)
{
	char *work = work_of(set, t), *prog = xrealloc(NULL, strlen(work) + 8), tree[256] = "",
	     *result;
	struct utsname u;

	sprintf(prog, "%s/prog", work);
	if (!uname(&u))
		snprintf(tree, sizeof tree, "/lib/modules/%s/build", u.release);
	result = put_in(text,
			(struct name[]){{"@prog@", prog},
					{"@dir@", work},
					{"@src@", src},
					{"@ko@", ko},
					{"@staprun@", set->staprun},
					{"@ustap@", set->ustap},
					{"@kernel@", tree}},
			7);
	free(prog);
	free(work);
	return result;
}

char *substitute(const struct setting *set, const struct test *t, const char *text)
{
	return put_names(set, t, text, t->dir, "@ko@");
}

static void quote(struct text *t, const char *word)
{
	text_put(t, "'");
	for (; *word; word++)
		text_add(t, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
	text_put(t, "'");
}

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
	text = slurp(path, NULL);
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
	text = slurp(path, &len);
	for (size_t at = 0; text && at < len && !is; at += strlen(text + at) + 1)
		is = !strncmp(text + at, want, n + 1);
	free(text);
	return is;
}

/* Whom KILL ends. */
static size_t remaining(const char *dir, bool end)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	while (proc && (e = readdir(proc)))
		if (strspn(e->d_name, "0123456789") == strlen(e->d_name) && is_of(e->d_name, dir)) {
			n++;
			if (end)
				kill((pid_t)atoi(e->d_name), SIGKILL);
		}
	if (proc)
		closedir(proc);
	return n;
}

static void check_remaining(struct test *t, const char *dir)
{
	size_t n = remaining(dir, false);

	for (int i = 0; n && i < STILL_TICKS; i++) {
		sleep_ns(100000000);
		n = remaining(dir, false);
	}
	if (n) {
		problem(t, "%zu processes were left running", n);
		remaining(dir, true);
	}
}

/* -------------------------------------------------------------------- the steps */

static bool exists(const char *dir, const char *file)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", dir, file);
	return !access(path, R_OK);
}

/* Where files that `program:' names are. */
static const char *programs_of(const struct setting *set, const struct test *t)
{
	char *first = t->single[D_PROGRAM];
	char name[1024];

	snprintf(name, sizeof name, "%.*s", first ? (int)strcspn(first, " ") : 0,
		 first ? first : "");
	return !set->programs || (first && exists(t->dir, name)) ? t->dir : set->programs;
}

static bool build(const struct setting *set, struct test *t, const char *work)
{
	const char *programs = programs_of(set, t), *program = t->single[D_PROGRAM];
	struct text line = {0};
	char *text, *err;
	int status;

	text_put(&line, "set -e\n");
	if (program) {
		size_t n = strcspn(program, " ");
		char *flags = put_names(set, t, program + n, programs, "@ko@"),
		     *source = xstrndup(program, n);
		bool level = strstr(flags, "-O") != NULL;

		text_put(&line, "${CC:-cc} -w -o prog ");
		quote(&line, programs);
		text_put(&line, "/");
		text_put(&line, source);
		text_put(&line, flags);
		text_put(&line, level ? "\n" : " -O0\n");
		free(flags);
		free(source);
	}
	for (size_t i = 0; i < t->many[D_BUILD].n; i++) {
		text = put_names(set, t, t->many[D_BUILD].v[i], programs, "@ko@");
		text_print(&line, "( ");
		text_put(&line, text);
		text_put(&line, "\n)\n");
		free(text);
	}
	status = shell(&(struct step){line.s, work, "program.out", "program.err", BUILD_SECONDS});
	if (status) {
		err = output_of(work, "program.err");
		problem(t, "its program does not build:\n%.1500s", err);
		free(err);
	}
	free(line.s);
	return !status;
}

/* The script's path.  Where @prog@ is written in it, ./prog has the same length: positions in
 * messages stay right. */
static char *script_of(const struct setting *set, struct test *t, const char *work)
{
	const char *slash, *name, *last = strrchr(t->name, '/');
	char *text, *path, *copy;
	FILE *f;

	if (t->single[D_SCRIPT]) {
		struct text s = {0};

		text_put(&s, set->root ? set->root : t->dir);
		text_put(&s, "/");
		text_put(&s, t->single[D_SCRIPT]);
		free(t->file);
		t->file = s.s;
		free(t->body);
		t->body = NULL;
	}
	slash = strrchr(t->file, '/');
	name = slash ? slash + 1 : t->file;
	text = t->body ? xstrndup(t->body, strlen(t->body)) : slurp(t->file, NULL);
	if (!text) {
		problem(t, "cannot read %s", t->file);
		return NULL;
	}
	if (!t->body && !strstr(text, "@prog@")) {
		free(text);
		return xstrndup(t->file, strlen(t->file));
	}
	path = xrealloc(NULL, strlen(work) + strlen(t->name) + strlen(name) + 8);
	sprintf(path, t->body ? "%s/%s.stp" : "%s/%s", work, t->body ? last + 1 : name);
	copy = put_in(text, &(struct name){"@prog@", "./prog"}, 1);
	f = private_stream(path);
	if (!f || fputs(copy, f) < 0)
		problem(t, "%s: %s", path, strerror(errno));
	if (f)
		fclose(f);
	free(copy);
	free(text);
	return path;
}

static void add_word(struct text *line, const char *word)
{
	text_put(line, " ");
	text_put(line, word);
}

static void add_all(struct text *line, const struct strings *words)
{
	for (size_t i = 0; i < words->n; i++)
		add_word(line, words->v[i]);
}

static bool only_compiles(const struct test *t) { return t->accept || t->many[D_ERROR].n; }

/* Status of the compiler; what it said is in files. */
static int compile(const struct setting *set, struct test *t, const char *work, const char *script)
{
	struct text line = {0};
	char *text;
	int status;

	quote(&line, set->ustap);
	if (t->single[D_DUMP])
		text_print(&line, " --dump=%s", t->single[D_DUMP]);
	else if (only_compiles(t))
		text_put(&line, " -p3");
	else
		text_print(&line, " -p4 --runtime=%s", set->runtime);
	add_all(&line, &t->many[D_OPTIONS]);
	text_put(&line, " ");
	quote(&line, script);
	add_all(&line, &t->many[D_ARGS]);
	text = put_names(set, t, line.s, t->dir, "@ko@");
	status = shell(&(struct step){text, work, "compile.out", "compile.err", BUILD_SECONDS});
	free(text);
	free(line.s);
	return status;
}

/* Those options of the compile that mean something to the loader. */
static void add_run_options(struct text *line, const struct test *t)
{
	static const char *const alone[] = {"-w", "--children", "--target-status"},
				 *const valued[] = {"-T", "-s", "-o", "-x"};
	struct text all = {0};
	char *save = NULL;

	text_put(&all, "");
	add_all(&all, &t->many[D_OPTIONS]);
	for (char *w = strtok_r(all.s, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		bool takes = false, goes = !strncmp(w, "--output=", 9);

		for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
			goes |= !strcmp(w, alone[i]);
		for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
			takes |= !strcmp(w, valued[i]);
		if (!goes && !takes)
			continue;
		add_word(line, w);
		w = takes ? strtok_r(NULL, " ", &save) : NULL;
		if (w)
			add_word(line, w);
	}
	free(all.s);
}

static char *run_line(const struct setting *set, const struct test *t, const char *ko)
{
	struct text line = {0};
	char *result;

	if (t->single[D_RUN]) {
		text_put(&line, t->single[D_RUN]);
	} else {
		text_put(&line, "exec @staprun@");
		add_run_options(&line, t);
		if (t->single[D_COMMAND]) {
			text_put(&line, " -c ");
			quote(&line, t->single[D_COMMAND]);
		}
		text_put(&line, " @ko@");
	}
	result = put_names(set, t, line.s, t->dir, ko);
	free(line.s);
	return result;
}

static void run(const struct setting *set, struct test *t, const char *work)
{
	char *ko = output_of(work, "compile.out"), *line, *out, *err, *dir;
	struct text sub = {0};
	int status;

	ko[strcspn(ko, "\n")] = 0;
	text_put(&sub, work);
	text_put(&sub, "/run");
	dir = sub.s;
	mkdir(dir, 0777);
	line = run_line(set, t, ko);
	status = shell(&(struct step){line, dir, "out", "err", set->timeout});
	if (status == TIMED_OUT)
		problem(t, "it took longer than %u s", set->timeout);
	check_remaining(t, dir);
	out = output_of(dir, "out");
	err = output_of(dir, "err");
	judge_run(set, t, out, err, status);
	free(line);
	free(out);
	free(err);
	free(ko);
	free(dir);
}

static void judge_compile(const struct setting *set, struct test *t, const char *work, int status)
{
	char *out = output_of(work, "compile.out"), *err = output_of(work, "compile.err");

	if (t->many[D_ERROR].n && !t->single[D_DUMP]) {
		if (status != 1)
			problem(t, "exit status of the compile is %d, not 1", status);
		judge_diagnostics(t, "error", &t->many[D_ERROR], err);
		if (t->many[D_WARNING].n)
			judge_diagnostics(t, "warning", &t->many[D_WARNING], err);
	} else if (status) {
		problem(t, "the compile failed:\n%.3000s", err);
	} else if (t->single[D_DUMP]) {
		judge_dump(set, t, out);
	} else {
		judge_diagnostics(t, "warning", &t->many[D_WARNING], err);
	}
	free(out);
	free(err);
}

/* --------------------------------------------------------------------- the test */

static void skip(struct test *t, const char *why, const char *what)
{
	struct text s = {0};

	text_put(&s, why);
	text_put(&s, what);
	t->skipped = s.s;
}

/* Of which runtime is it? */
static bool is_for(const struct setting *set, const struct test *t)
{
	const char *r = t->single[D_RUNTIME];

	return !r || !strcmp(r, "both") || !strcmp(r, set->runtime);
}

static bool can_run(const struct setting *set, struct test *t, const char *work)
{
	const char *r = t->single[D_RUNTIME];

	if (r && strcmp(r, "both") && strcmp(r, "user") && strcmp(r, "kernel"))
		problem(t, "unknown runtime \"%s\"", r);
	if (t->problems.n)
		return false;
	if (t->single[D_NEEDS] && access(t->single[D_NEEDS], F_OK))
		skip(t, "no ", t->single[D_NEEDS]);
	else if (t->single[D_PERMITTED] &&
		 shell(&(struct step){t->single[D_PERMITTED], work, "permitted", "permitted",
				      set->timeout}))
		skip(t, "not permitted here: ", t->single[D_PERMITTED]);
	else if (!only_compiles(t) && !t->single[D_DUMP] && !is_for(set, t))
		skip(t, "not for the runtime ", set->runtime);
	return !t->skipped;
}

static void make_directories(char *path)
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
	char *work = work_of(set, t), *script;
	uint64_t begun = clock_ns();
	int status;

	make_directories(work);
	script = can_run(set, t, work) && build(set, t, work) ? script_of(set, t, work) : NULL;
	if (script && !t->problems.n) {
		status = compile(set, t, work, script);
		judge_compile(set, t, work, status);
		if (!only_compiles(t) && !t->single[D_DUMP] && !t->problems.n)
			run(set, t, work);
	}
	t->seconds = (double)(clock_ns() - begun) / 1e9;
	free(script);
	free(work);
}
