/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of the test suite: what testsuite/lib/ustap.exp asks about tests that it schedules.
 *
 *	ustap-test --suite TESTSUITE OBJDIR STEP [ARGUMENT]...
 *
 * reads names of tests, one a line, and prints for each its name and a value, as words of Tcl:
 *
 *	list                   all tests, without reading names; a dict each, see list_one()
 *	permitted              why a test is skipped
 *	commands HEADERS|user  {compile LINE build LINES}: how its directory is made ready
 *	run PHASE              LINE, which runs what the script was built to; names are followed by
 *a tab and the directory of the run built PHASE            the problems of the build ended {VERDICT
 *PROBLEM...} of the run; names as for `run'
 *
 * Output is left in files: PHASE.out, .err, .status and .warnings of a compile in the test's
 * directory; .out, .err, status, late, left, log and died of a run in its own.
 */
#include "tester.h"
#include "base/message.h"

#include <stdbool.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ words of Tcl */

static void put_word(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_/.,:=+-";

	if (!*word)
		text_put(t, "{}");
	for (; *word; word++) {
		if (*word == '\n')
			text_put(t, "\\n");
		else if (strchr(plain, *word) || (unsigned char)*word >= 0x80)
			text_add(t, word, 1);
		else
			text_print(t, "\\%c", *word);
	}
	text_put(t, " ");
}

static void put_list(struct text *t, const struct strings *list)
{
	struct text words = {0};

	text_put(&words, "");
	for (size_t i = 0; i < list->n; i++)
		put_word(&words, list->v[i]);
	put_word(t, words.s);
	free(words.s);
}

static void put_pair(struct text *t, const char *key, const char *value)
{
	put_word(t, key);
	put_word(t, value);
}

/* --------------------------------------------------------------------- the tests */

static char *join(const char *dir, const char *name)
{
	struct text path = {0};

	text_put(&path, dir);
	text_put(&path, "/");
	text_put(&path, name);
	return path.s;
}

static char *parent(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return xstrndup(dir, slash ? (size_t)(slash - dir) : 0);
}

/* FOLDER/FILE for ustap.FOLDER/FILE.stp. */
static void read_tests(struct tests *all, const struct setting *set, const char *testsuite)
{
	char *pattern = join(testsuite, "ustap.*/*.stp");
	glob_t files;

	if (!glob(pattern, 0, NULL, &files)) {
		for (size_t i = 0; i < files.gl_pathc; i++) {
			const char *path = files.gl_pathv[i];
			const char *name = path + strlen(testsuite) + strlen("/ustap.");
			char *plain = xstrndup(name, strlen(name) - strlen(".stp"));

			directives_read(all, path, plain, true);
			free(plain);
		}
		globfree(&files);
	}
	for (size_t i = 0; i < all->n; i++)
		script_locate(set, &all->v[i]);
	free(pattern);
}

static int by_test_name(const void *a, const void *b)
{
	return strcmp(((const struct test *)a)->name, ((const struct test *)b)->name);
}

/* The test that LINE names, and *DIR, which may be behind it; NULL: none. */
static struct test *test_of(const struct tests *all, char *line, char **dir)
{
	char *tab = strchr(line, '\t');

	line[strcspn(line, "\n")] = 0;
	*dir = tab ? tab + 1 : NULL;
	if (tab)
		*tab = 0;
	return bsearch(&(struct test){.name = line}, all->v, all->n, sizeof *all->v, by_test_name);
}

/* --------------------------------------------------------------------- the steps */

struct step {
	const char *name;
	/* Append the value for T to VALUE. */
	void (*one)(const struct setting *set, struct test *t, const char *argument,
		    const char *dir, struct text *value);
};

static bool names_kernel(const struct test *t)
{
	for (size_t i = 0; i < t->many[D_BUILD].n; i++)
		if (strstr(t->many[D_BUILD].v[i], "@kernel@"))
			return true;
	return false;
}

/* file; kind: run, accept, dump or error; runtime: of the directive, else empty; program: arguments
 * of the compiler, else empty; skip: why, else empty; permitted: whether the step `permitted' has
 * to say; guest: of the directive, else empty; kernel_build: whether `build' lines depend on the
 * kernel; problems */
static void list_one(const struct setting *set, struct test *t, const char *argument,
		     const char *dir, struct text *value)
{
	char *words = program_words(set, t);
	const char *runtime = t->single[D_RUNTIME];

	(void)argument;
	(void)dir;
	test_lacks_file(t);
	put_pair(value, "file", t->file);
	put_pair(value, "kind",
		 t->single[D_DUMP]    ? "dump"
		 : t->many[D_ERROR].n ? "error"
		 : t->accept          ? "accept"
				      : "run");
	put_pair(value, "runtime", runtime ? runtime : "");
	put_pair(value, "program", words ? words : "");
	put_pair(value, "skip", t->skipped ? t->skipped : "");
	put_pair(value, "permitted", t->single[D_PERMITTED] ? "1" : "0");
	put_pair(value, "guest", t->single[D_GUEST] ? t->single[D_GUEST] : "");
	put_pair(value, "kernel_build", names_kernel(t) ? "1" : "0");
	put_word(value, "problems");
	put_list(value, &t->problems);
	free(words);
}

static void permitted_one(const struct setting *set, struct test *t, const char *argument,
			  const char *dir, struct text *value)
{
	char *work = test_directory(set, t);

	(void)argument;
	(void)dir;
	make_directories(work);
	if (test_is_forbidden(set, t, work))
		text_put(value, t->skipped);
	free(work);
}

static void commands_one(const struct setting *set, struct test *t, const char *argument,
			 const char *dir, struct text *value)
{
	struct strings lines = build_lines(set, t);
	char *work = test_directory(set, t), *script, *line;

	(void)argument;
	(void)dir;
	make_directories(work);
	script = script_path(set, t);
	line = script ? compile_line(set, t, script) : NULL;
	put_pair(value, "compile", line ? line : "false");
	put_word(value, "build");
	put_list(value, &lines);
	strings_free(&lines);
	free(line);
	free(script);
	free(work);
}

/* The path of the file NAME with SUFFIX in DIR; NULL if it does not exist. */
static char *file_in(const char *dir, const char *name, const char *suffix)
{
	struct text path = {0};
	char *text;

	text_put(&path, dir);
	text_put(&path, "/");
	text_put(&path, name);
	text_put(&path, suffix);
	text = file_text(path.s, NULL);
	free(path.s);
	return text;
}

/* The same without its last line end. */
static char *line_in(const char *dir, const char *name, const char *suffix)
{
	char *text = file_in(dir, name, suffix);
	size_t n = text ? strlen(text) : 0;

	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
	return text;
}

static const char *or_empty(const char *text) { return text ? text : ""; }

static void run_one(const struct setting *set, struct test *t, const char *argument,
		    const char *dir, struct text *value)
{
	char *work = test_directory(set, t), *ko = line_in(work, argument, ".out");
	char *line = run_line(set, t, or_empty(ko), dir);

	text_put(value, line);
	free(line);
	free(ko);
	free(work);
}

static void built_one(const struct setting *set, struct test *t, const char *argument,
		      const char *dir, struct text *value)
{
	char *work = test_directory(set, t), *status = file_in(work, argument, ".status"),
	     *out = file_in(work, argument, ".out"), *err = file_in(work, argument, ".err"),
	     *warnings = file_in(work, argument, ".warnings"),
	     *program = file_in(work, "program.err", "");

	(void)dir;
	if (!status) {
		judge_program(t, or_empty(program));
	} else {
		judge_compile(set, t, or_empty(out), or_empty(err), atoi(status));
		judge_emitted_c(t, or_empty(warnings));
	}
	for (size_t i = 0; i < t->problems.n; i++)
		put_word(value, t->problems.v[i]);
	free(status);
	free(out);
	free(err);
	free(warnings);
	free(program);
	free(work);
}

static void ended_one(const struct setting *set, struct test *t, const char *argument,
		      const char *dir, struct text *value)
{
	static const char *const names[] = {[VERDICT_PASSED] = "passed",
					    [VERDICT_FAILED] = "failed",
					    [VERDICT_LATE] = "late",
					    [VERDICT_EMULATOR] = "emulator"};
	char *status = file_in(dir, "status", "");
	struct outcome o = {
		.ran = status != NULL,
		.in_guest = !strcmp(argument, "guest"),
		.status = status ? atoi(status) : 0,
		.out = file_in(dir, ".out", ""),
		.err = file_in(dir, ".err", ""),
		.late = line_in(dir, "late", ""),
		.left = line_in(dir, "left", ""),
		.log = file_in(dir, "log", ""),
		.died = file_in(dir, "died", ""),
	};

	put_word(value, names[judge_outcome(set, t, &o)]);
	for (size_t i = 0; i < t->problems.n; i++)
		put_word(value, t->problems.v[i]);
	outcome_free(&o);
	free(status);
}

static const struct step steps[] = {
	{"list", list_one}, {"permitted", permitted_one}, {"commands", commands_one},
	{"run", run_one},   {"built", built_one},         {"ended", ended_one},
};

/* ------------------------------------------------------------------------ driver */

static void print_one(const struct setting *set, const struct step *step, struct test *t,
		      const char *argument, const char *dir)
{
	struct text value = {0}, line = {0};

	text_put(&value, "");
	step->one(set, t, argument, dir, &value);
	put_word(&line, t->name);
	put_word(&line, value.s);
	puts(line.s);
	free(value.s);
	free(line.s);
}

static bool answer_names(const struct setting *set, const struct tests *all,
			 const struct step *step, const char *argument)
{
	char *line = NULL, *dir;
	size_t size = 0;
	bool ok = true;

	while (ok && getline(&line, &size, stdin) > 0) {
		struct test *t = test_of(all, line, &dir);

		ok = t ? true : fail("no test is called %s", line);
		if (t)
			print_one(set, step, t, argument, dir ? dir : "");
	}
	free(line);
	return ok;
}

static const struct step *find_step(const char *name)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (!strcmp(steps[i].name, name))
			return &steps[i];
	return NULL;
}

int suite_main(int argc, char **argv)
{
	const struct step *step = argc >= 3 ? find_step(argv[2]) : NULL;
	const char *argument = argc > 3 ? argv[3] : "", *update = getenv("UPDATE_DUMPS");
	struct setting set = {.runtime = "user", .timeout = 60, .jobs = 1};
	struct tests all = {0};

	if (!step) {
		say("usage: ustap-test --suite TESTSUITE OBJDIR STEP [ARGUMENT]");
		return 2;
	}
	set.programs = join(argv[0], "programs");
	set.root = parent(argv[0]);
	set.ustap = join(argv[1], "ustap");
	set.staprun = join(argv[1], "staprun");
	set.work = join(argv[1], "testrun");
	set.update_dumps = update && *update;
	if (step->one == commands_one && *argument && strcmp(argument, "user"))
		set.headers = argument;
	read_tests(&all, &set, argv[0]);
	for (size_t i = 0; step->one == list_one && i < all.n; i++)
		print_one(&set, step, &all.v[i], "", "");
	if (step->one == list_one)
		return 0;
	qsort(all.v, all.n, sizeof *all.v, by_test_name);
	return answer_names(&set, &all, step, argument) ? 0 : 1;
}
