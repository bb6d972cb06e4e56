/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shell commands of a test: what builds its program, compiles its script and runs it. */
#include "tester.h"
#include "createfile.h"
#include "base/message.h"
#include "options.h"

#include <stdbool.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ names */

struct name {
	const char *from, *to;
};

static char *replace_names(const char *text, const struct name *names, size_t n)
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

char *test_directory(const struct setting *set, const struct test *t)
{
	struct text s = {0};

	text_put(&s, set->work);
	text_put(&s, "/");
	text_put(&s, t->name);
	return s.s;
}

/* Values of @src@, @ko@ and @dir@; a NULL DIR is the directory of the test. */
struct places {
	const char *src, *ko, *dir;
};

static char *put_names(const struct setting *set, const struct test *t, const char *text,
		       const struct places *at)
{
	char *work = test_directory(set, t), tree[256] = "", *result;
	struct text prog = {0};
	struct utsname u;

	text_put(&prog, work);
	text_put(&prog, "/prog");
	if (!uname(&u))
		snprintf(tree, sizeof tree, "/lib/modules/%s/build", u.release);
	result = replace_names(text,
			       (struct name[]){{"@prog@", prog.s},
					       {"@dir@", at->dir ? at->dir : work},
					       {"@src@", at->src},
					       {"@ko@", at->ko ? at->ko : "@ko@"},
					       {"@staprun@", set->staprun},
					       {"@ustap@", set->ustap},
					       {"@kernel@", set->headers ? set->headers : tree}},
			       7);
	free(prog.s);
	free(work);
	return result;
}

char *expand_placeholders(const struct setting *set, const struct test *t, const char *text)
{
	return put_names(set, t, text, &(struct places){.src = t->dir});
}

static void quote(struct text *t, const char *word)
{
	text_put(t, "'");
	for (; *word; word++)
		text_add(t, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
	text_put(t, "'");
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

/* ------------------------------------------------------------------ the program */

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

char *program_words(const struct setting *set, const struct test *t)
{
	const char *programs = programs_of(set, t), *program = t->single[D_PROGRAM];
	struct text words = {0}, path = {0};
	size_t n = program ? strcspn(program, " ") : 0;
	char *flags;

	if (!program)
		return NULL;
	text_put(&path, programs);
	text_put(&path, "/");
	text_add(&path, program, n);
	quote(&words, path.s);
	flags = put_names(set, t, program + n, &(struct places){.src = programs});
	text_put(&words, flags);
	if (!strstr(flags, "-O"))
		text_put(&words, " -O0");
	free(flags);
	free(path.s);
	return words.s;
}

struct strings build_lines(const struct setting *set, const struct test *t)
{
	const struct places at = {.src = programs_of(set, t)};
	struct strings lines = {0};

	for (size_t i = 0; i < t->many[D_BUILD].n; i++) {
		char *text = put_names(set, t, t->many[D_BUILD].v[i], &at);

		strings_add(&lines, text, strlen(text));
		free(text);
	}
	return lines;
}

/* ------------------------------------------------------------------- the script */

void script_locate(const struct setting *set, struct test *t)
{
	struct text path = {0};

	if (!t->single[D_SCRIPT])
		return;
	text_put(&path, set->root ? set->root : t->dir);
	text_put(&path, "/");
	text_put(&path, t->single[D_SCRIPT]);
	free(t->file);
	t->file = path.s;
	free(t->body);
	t->body = NULL;
}

static char *script_text(struct test *t)
{
	char *text = t->body ? xstrndup(t->body, strlen(t->body)) : file_text(t->file, NULL);

	if (!text)
		test_add_problem(t, "cannot read %s", t->file);
	return text;
}

/* The file with TEXT, which is made unless it is there: a compile for another runtime may be
 * reading it. */
static void write_script(struct test *t, const char *path, const char *text)
{
	char *old = file_text(path, NULL);
	FILE *f;

	if (!old || strcmp(old, text)) {
		f = private_stream(path);
		if (!f || fputs(text, f) < 0)
			test_add_problem(t, "%s: %s", path, strerror(errno));
		if (f)
			fclose(f);
	}
	free(old);
}

char *script_path(const struct setting *set, struct test *t)
{
	const char *slash = strrchr(t->body ? t->name : t->file, '/');
	const char *name = slash ? slash + 1 : t->file;
	char *text = script_text(t), *work, *copy;
	struct text path = {0};

	if (!text)
		return NULL;
	if (!t->body && !strstr(text, "@prog@")) {
		free(text);
		return xstrndup(t->file, strlen(t->file));
	}
	work = test_directory(set, t);
	text_put(&path, work);
	text_put(&path, "/");
	text_put(&path, name);
	text_put(&path, t->body ? ".stp" : "");
	copy = replace_names(text, &(struct name){"@prog@", "./prog"}, 1);
	write_script(t, path.s, copy);
	free(copy);
	free(text);
	free(work);
	return path.s;
}

bool test_only_compiles(const struct test *t)
{
	return t->accept || t->many[D_ERROR].n || t->single[D_DUMP];
}

char *compile_line(const struct setting *set, const struct test *t, const char *script)
{
	struct text line = {0};
	char *text;

	quote(&line, set->ustap);
	if (t->single[D_DUMP]) {
		text_print(&line, " --dump=%s", t->single[D_DUMP]);
	} else if (test_only_compiles(t)) {
		text_put(&line, " -p3");
	} else if (set->headers) {
		text_put(&line, " --vp 00010 -p4 -r ");
		quote(&line, set->headers);
	} else {
		text_print(&line, " --vp 00010 -p4 --runtime=%s", set->runtime);
	}
	add_all(&line, &t->many[D_OPTIONS]);
	text_put(&line, " ");
	quote(&line, script);
	add_all(&line, &t->many[D_ARGS]);
	text = put_names(set, t, line.s, &(struct places){.src = t->dir});
	free(line.s);
	return text;
}

/* ---------------------------------------------------------------------- the run */

/* Options that ustap passes on to the loader. */
enum value_form { NO_VALUE, VALUE, MAY_HAVE_VALUE };
static const struct {
	const char *name;
	char letter;
	enum value_form value;
} forwarded[] = {
#define FORWARDED_OPTION(name, letter, value, ...) {name, letter, value},
#define BOTH_OPTION(...)
#include "options/options.def"
};

/* Is WORD one of them?  *TAKES_NEXT: the next word is its value. */
static bool is_forwarded(const char *word, bool *takes_next)
{
	*takes_next = false;
	for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
		const char *name = forwarded[i].name;
		size_t n = name ? strlen(name) : 0;

		if (n && !strncmp(word, "--", 2) && !strncmp(word + 2, name, n) &&
		    (!word[n + 2] || word[n + 2] == '=')) {
			*takes_next = forwarded[i].value == VALUE && !word[n + 2];
			return true;
		}
		if (forwarded[i].letter && word[0] == '-' && word[1] == forwarded[i].letter &&
		    (forwarded[i].value == VALUE || !word[2])) {
			*takes_next = forwarded[i].value == VALUE && !word[2];
			return true;
		}
	}
	return false;
}

/* A word of the shell at *TEXT, quotes included, which moves on; to be freed.  NULL: none. */
static char *next_word(const char **text)
{
	const char *from = *text + strspn(*text, " \t"), *p = from;
	char quoted = 0;

	for (; *p && (quoted || (*p != ' ' && *p != '\t')); p++)
		if (*p == quoted)
			quoted = 0;
		else if (!quoted && (*p == '\'' || *p == '"'))
			quoted = *p;
		else if (*p == '\\' && quoted != '\'' && p[1])
			p++;
	*text = p;
	return p > from ? xstrndup(from, (size_t)(p - from)) : NULL;
}

/* Options of ustap that are for the loader, too.  The command of `command:' replaces that of -c. */
static void add_run_options(struct text *line, const struct test *t)
{
	struct text all = {0};
	const char *at;
	char *word;

	text_put(&all, "");
	add_all(&all, &t->many[D_OPTIONS]);
	at = all.s;
	while ((word = next_word(&at))) {
		bool takes_next, goes = is_forwarded(word, &takes_next);
		bool replaced = t->single[D_COMMAND] && !strcmp(word, "-c");
		char *value = takes_next ? next_word(&at) : NULL;

		if (goes && !replaced)
			add_word(line, word);
		if (value && !replaced)
			add_word(line, value);
		free(word);
		free(value);
	}
	free(all.s);
}

char *run_line(const struct setting *set, const struct test *t, const char *ko, const char *dir)
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
	result = put_names(set, t, line.s, &(struct places){t->dir, ko, dir});
	free(line.s);
	return result;
}
