/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The language tests without a kernel: each script of ustap.lang is compiled to C, the C with all
 * warnings as errors and without any system header, and linked with runtime/common and port_hosted;
 * its output must be that of the script's directives (see testsuite/README.md). Skips tests with a
 * target program, a command or a compile error.
 *
 * Runs in the build directory. With arguments, runs only tests whose names contain one of them.
 */
#include <dirent.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

#define WORK "testrun/hosted"

struct expect {
	enum { EXACT, REGEX, ANY } kind;
	const char *text;
};
typedef VEC(struct expect) expect_vec;

struct test {
	const char *name, *path;
	expect_vec out, err;
	const char *options, *args, *skip;
	int status;
};

/* ------------------------------------------------------------ directives */

static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) || line[n] != ':')
		return NULL;
	return line[n + 1] == ' ' ? line + n + 2 : line + n + 1;
}

static bool expectation(struct test *t, const char *line)
{
	const char *v;

	if ((v = value_of(line, "expect")))
		vec_push(&t->out, ((struct expect){EXACT, v}));
	else if ((v = value_of(line, "expect-re")))
		vec_push(&t->out, ((struct expect){REGEX, v}));
	else if (value_of(line, "expect-any"))
		vec_push(&t->out, ((struct expect){ANY, NULL}));
	else if ((v = value_of(line, "stderr")))
		vec_push(&t->err, ((struct expect){EXACT, v}));
	else if ((v = value_of(line, "stderr-re")))
		vec_push(&t->err, ((struct expect){REGEX, v}));
	return v != NULL;
}

/* TEXT with the test's directory for `@src@`. */
static const char *with_source(const struct test *t, const char *text)
{
	const char *at = strstr(text, "@src@");

	if (!at)
		return text;
	return xprintf("%.*s%.*s%s", (int)(at - text), text, (int)(t->name - 1 - t->path), t->path,
		       with_source(t, at + strlen("@src@")));
}

static void directive(struct test *t, const char *line)
{
	static const char *const others[] = {"program", "command", "run",         "error", "needs",
					     "runtime", "dump",    "expect-file", "build", "case"};
	const char *v;

	if (expectation(t, line))
		return;
	if ((v = value_of(line, "options")))
		t->options = xprintf("%s %s", t->options, with_source(t, v));
	else if ((v = value_of(line, "args")))
		t->args = xprintf("%s %s", t->args, v);
	else if ((v = value_of(line, "status")))
		t->status = atoi(v);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (value_of(line, others[i]))
			t->skip = others[i];
}

/* LINE with the lines that continue it: it ends in a backslash, and they begin with a tab. */
static const char *with_continuations(char *line, char **save)
{
	const char *all = line;

	while (*all && all[strlen(all) - 1] == '\\' && *save && !strncmp(*save, "#\t", 2)) {
		const char *more = strtok_r(NULL, "\n", save);

		all = xprintf("%.*s%s", (int)strlen(all) - 1, all,
			      more + 1 + strspn(more + 1, "\t "));
	}
	return all;
}

static struct test read_test(const char *path)
{
	struct test t = {.name = strrchr(path, '/') + 1, .path = path, .options = "", .args = ""};
	char *text = read_file(path, NULL), *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l && *l == '#';
	     l = strtok_r(NULL, "\n", &save)) {
		l++;
		directive(&t, with_continuations(l + strspn(l, " "), &save));
	}
	return t;
}

/* --------------------------------------------------------------- judging */

static bool matches(const struct expect *e, const char *text)
{
	regex_t re;
	bool yes;

	if (e->kind == EXACT)
		return !strcmp(e->text, text);
	if (regcomp(&re, e->text, REG_EXTENDED | REG_NOSUB | REG_NEWLINE))
		return false;
	yes = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return yes;
}

static const char *judge_output(const struct test *t, char *out)
{
	char *line = out;
	size_t i = 0;

	for (; i < t->out.n && t->out.v[i].kind != ANY; i++) {
		char *end = strchr(line, '\n');

		if (end)
			*end = 0;
		if (!end && !*line)
			return xprintf("no line for \"%s\"", t->out.v[i].text);
		if (!matches(&t->out.v[i], line))
			return xprintf("\"%s\" where \"%s\" was expected", line, t->out.v[i].text);
		line = end ? end + 1 : line + strlen(line);
	}
	return i == t->out.n && *line ? xprintf("more output: \"%s\"", line) : NULL;
}

static const char *judge(const struct test *t, int status)
{
	const char *err = read_file(WORK "/err", NULL),
		   *why = judge_output(t, read_file(WORK "/out", NULL));

	if (why)
		return why;
	for (size_t i = 0; i < t->err.n; i++)
		if (t->err.v[i].kind == EXACT ? !strstr(err, t->err.v[i].text)
					      : !matches(&t->err.v[i], err))
			return xprintf("stderr is \"%s\"", err);
	return status == t->status ? NULL : xprintf("exit status %d; stderr \"%s\"", status, err);
}

static int shell(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *run(const struct test *t)
{
	if (shell(xprintf("./ustap -p3 %s '%s' -- %s > " WORK "/t.c 2> " WORK "/err", t->options,
			  t->path, t->args)))
		return xprintf("does not compile: %s", read_file(WORK "/err", NULL));
	if (shell("${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -O2 -ffreestanding -nostdinc "
		  "-I" INCLUDE " -c -o " WORK "/t.o " WORK "/t.c 2> " WORK "/err"))
		return xprintf("its C does not compile: %s", read_file(WORK "/err", NULL));
	if (shell("${CC:-cc} " PORT_LDFLAGS " -o " WORK "/t " WORK "/t.o libport_hosted.a 2> " WORK
		  "/err"))
		return xprintf("does not link: %s", read_file(WORK "/err", NULL));
	return judge(t, shell("ulimit -t 60; " WORK "/t > " WORK "/out 2> " WORK "/err"));
}

/* ------------------------------------------------------------------ tests */

static bool wanted(const char *name, char *const *words)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool run_test(const char *path)
{
	struct test t = read_test(path);
	const char *why = t.skip ? NULL : run(&t);

	if (t.skip)
		return true;
	if (why)
		printf("not ok %s: %s\n", t.name, why);
	else
		printf("ok %s\n", t.name);
	return !why;
}

int main(int argc, char **argv)
{
	struct dirent **list;
	int n = scandir(LANG_TESTS, &list, NULL, by_name);
	bool ok = n > 0;

	(void)argc;
	mkdir("testrun", 0777);
	mkdir(WORK, 0777);
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;

		if (strlen(name) > 4 && !strcmp(name + strlen(name) - 4, ".stp") &&
		    wanted(name, argv + 1))
			ok &= run_test(xprintf("%s/%s", LANG_TESTS, name));
		free(list[i]);
	}
	free(list);
	arena_free_all();
	return !ok;
}
