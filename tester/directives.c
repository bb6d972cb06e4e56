/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The comments at the head of a test's file, and of each of its cases; testsuite/README.md has the
 * form. */
#include "tester.h"
#include "base/message.h"

#include <stdbool.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All directives: those given once, those whose values add up, and lines of output. */
static const struct directive {
	const char *name;
	enum { ONCE, SEVERAL, OUTPUT } form;
	unsigned index; /* enum single, enum many, enum expect */
} directives[] = {
	{"oracle", ONCE, D_ORACLE},
	{"script", ONCE, D_SCRIPT},
	{"program", ONCE, D_PROGRAM},
	{"command", ONCE, D_COMMAND},
	{"run", ONCE, D_RUN},
	{"needs", ONCE, D_NEEDS},
	{"permitted", ONCE, D_PERMITTED},
	{"expect-file", ONCE, D_EXPECT_FILE},
	{"status", ONCE, D_STATUS},
	{"dump", ONCE, D_DUMP},
	{"runtime", ONCE, D_RUNTIME},
	{"guest", ONCE, D_GUEST},
	{"options", SEVERAL, D_OPTIONS},
	{"args", SEVERAL, D_ARGS},
	{"stderr", SEVERAL, D_STDERR},
	{"stderr-re", SEVERAL, D_STDERR_RE},
	{"error", SEVERAL, D_ERROR},
	{"warning", SEVERAL, D_WARNING},
	{"build", SEVERAL, D_BUILD},
	{"expect", OUTPUT, EXPECT_LINE},
	{"expect-re", OUTPUT, EXPECT_PATTERN},
	{"expect-any", OUTPUT, EXPECT_ANY},
};

void strings_add(struct strings *s, const char *text, size_t len)
{
	s->v = xrealloc(s->v, (s->n + 1) * sizeof *s->v);
	s->v[s->n++] = xstrndup(text, len);
}

void strings_free(struct strings *s)
{
	while (s->n)
		free(s->v[--s->n]);
	free(s->v);
	s->v = NULL;
}

char *file_text(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	struct text t = {0};
	char buf[16384];
	size_t n;

	if (!f)
		return NULL;
	text_put(&t, "");
	while ((n = fread(buf, 1, sizeof buf, f)))
		text_add(&t, buf, n);
	fclose(f);
	if (len)
		*len = t.n;
	return t.s;
}

static char *trimmed(const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return xstrndup(s, n);
}

static void take_output(struct test *t, enum expect kind, const char *value, size_t n)
{
	t->lines = xrealloc(t->lines, (t->nlines + 1) * sizeof *t->lines);
	t->lines[t->nlines++] = (struct expected){kind, xstrndup(value, n)};
}

static const struct directive *find_directive(const char *name, size_t nname)
{
	for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
		if (strlen(directives[i].name) == nname &&
		    !strncmp(name, directives[i].name, nname))
			return &directives[i];
	return NULL;
}

/* False: no directive has this name. */
static bool take(struct test *t, const char *name, size_t nname, const char *value, size_t n)
{
	const struct directive *d = find_directive(name, nname);

	if (!d)
		return false;
	if (d->form == ONCE)
		t->single[d->index] = trimmed(value, n);
	else if (d->form == SEVERAL)
		strings_add(&t->many[d->index], value, n);
	else
		take_output(t, (enum expect)d->index, value, n);
	return true;
}

/* "# key:" or "# key: value": the length of the key, or 0. */
static size_t key_of(const char *line, size_t len, const char **key)
{
	size_t i = 1, from;

	while (i < len && isspace((unsigned char)line[i]))
		i++;
	from = i;
	while (i < len && (islower((unsigned char)line[i]) ||
			   (line[i] == '-' && i > from && islower((unsigned char)line[i + 1]))))
		i++;
	if (i == from || i == len || line[i] != ':' || (i + 1 < len && line[i + 1] != ' '))
		return 0;
	*key = line + from;
	return i - from;
}

static bool is_directive(const char *line)
{
	const char *key;
	size_t n = key_of(line, strcspn(line, "\n"), &key);

	return n && (find_directive(key, n) || !strncmp(key, "case:", 5));
}

/* The line at *TEXT with the comment lines that continue it; *TEXT moves behind them. A directive
 * that ends in a backslash continues behind the "#" and the blanks of the next line, unless that is
 * a directive, too: then the backslash is part of the value. The caller frees the result. */
static char *logical_line(const char **text, const char *end)
{
	struct text line = {0};
	size_t len = strcspn(*text, "\n");
	bool directive = is_directive(*text);

	text_put(&line, "");
	text_add(&line, *text, len);
	*text += len + ((*text)[len] == '\n');
	while (directive && line.s[line.n - 1] == '\\' && *text < end && **text == '#' &&
	       !is_directive(*text)) {
		size_t skip = 1 + strspn(*text + 1, " \t");

		line.s[--line.n] = 0;
		len = strcspn(*text, "\n");
		text_add(&line, *text + skip, len - skip);
		*text += len + ((*text)[len] == '\n');
	}
	return line.s;
}

/* Read directives up to END or the first line that is not a comment. The first line may be prose
 * with a colon in it. */
static void take_lines(struct test *t, const char *text, const char *end)
{
	for (unsigned number = 1; text < end && *text == '#'; number++) {
		const char *key;
		char *line = logical_line(&text, end);
		size_t len = strlen(line), n = key_of(line, len, &key);

		if (n) {
			size_t at = (size_t)(key - line) + n + 2;
			const char *value = line + (at < len ? at : len);

			if (!take(t, key, n, value, strlen(value)) && number > 1)
				test_add_problem(t, "unknown directive \"%.*s\"", (int)n, key);
		}
		free(line);
	}
}

/* ---------------------------------------------------------------------- cases */

static void check_values(struct test *t)
{
	const char *r = t->single[D_RUNTIME], *guest = t->single[D_GUEST];

	if (r && strcmp(r, "both") && strcmp(r, "user") && strcmp(r, "kernel"))
		test_add_problem(t, "unknown runtime \"%s\"", r);
	if (guest && strcmp(guest, "parallel") && strcmp(guest, "counted"))
		test_add_problem(t, "unknown guest \"%s\"", guest);
}

static const char case_mark[] = "# case: ";

static const char *next_case(const char *text)
{
	if (!strncmp(text, case_mark, sizeof case_mark - 1))
		return text;
	text = strstr(text, "\n# case: ");
	return text ? text + 1 : NULL;
}

static struct test *new_test(struct tests *to, const char *file, const char *name, size_t n)
{
	const char *slash = strrchr(file, '/');
	struct test *t;

	to->v = xrealloc(to->v, (to->n + 1) * sizeof *to->v);
	t = &to->v[to->n++];
	*t = (struct test){.name = xstrndup(name, n),
			   .file = xstrndup(file, strlen(file)),
			   .dir = slash ? xstrndup(file, (size_t)(slash - file))
					: xstrndup(".", 1)};
	return t;
}

/* "accept", "refuse TAG LINE:COL [text]", "prints" or nothing. */
static void take_kind(struct test *t, const char *kind)
{
	if (!strcmp(kind, "accept"))
		t->accept = true;
	else if (!strncmp(kind, "refuse ", 7) && kind[7 + strspn(kind + 7, " ")])
		strings_add(&t->many[D_ERROR], kind + 7, strlen(kind + 7));
	else if (*kind && strcmp(kind, "prints"))
		test_add_problem(t, "unknown case type \"%s\"; use accept, refuse or none", kind);
}

static void take_case(struct tests *to, const char *file, const char *name, const char *head,
		      const char *head_end, const char *text, const char *end)
{
	const char *body = text;
	char *line = logical_line(&body, end);
	size_t skip = sizeof case_mark - 1, n = strcspn(line + skip, " ");
	char *full = xrealloc(NULL, strlen(name) + n + 2), *kind;
	struct test *t;

	sprintf(full, "%s/%.*s", name, (int)n, line + skip);
	for (size_t i = 0; i < to->n; i++)
		if (!strcmp(to->v[i].name, full))
			test_add_problem(&to->v[i], "two cases have the name %s", full);
	t = new_test(to, file, full, strlen(full));
	kind = trimmed(line + skip + n, strlen(line + skip + n));
	take_lines(t, head, head_end);
	/* without the line end before the next case */
	t->body = xstrndup(body, (size_t)(end - body) - (end > body && *end && end[-1] == '\n'));
	take_lines(t, t->body, t->body + strlen(t->body));
	take_kind(t, kind);
	check_values(t);
	free(kind);
	free(full);
	free(line);
}

/* Nothing is expected of it: a library, or an example. */
static bool is_none(const struct test *t)
{
	size_t n = t->nlines + t->problems.n;

	for (size_t i = 0; i < SINGLES; i++)
		n += t->single[i] != NULL;
	for (size_t i = 0; i < MANIES; i++)
		n += t->many[i].n;
	return !n;
}

void directives_read(struct tests *to, const char *file, const char *name, bool named)
{
	char *text = file_text(file, NULL);
	const char *from = text ? next_case(text) : NULL, *next;

	if (!from) {
		struct test *t = new_test(to, file, name, strlen(name));

		if (text)
			take_lines(t, text, text + strlen(text));
		else
			test_add_problem(t, "cannot read %s", file);
		check_values(t);
		if (!named && is_none(t))
			to->n--;
		free(text);
		return;
	}
	for (const char *at = from; at; at = next) {
		next = next_case(at + 1);
		take_case(to, file, name, text, from, at, next ? next : at + strlen(at));
	}
	free(text);
}
