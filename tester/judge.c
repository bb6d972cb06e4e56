/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdict of a test: compare its output and messages with its directives. Each difference is
 * recorded as a problem of the test. */
#include "tester.h"
#include "createfile.h"
#include "base/message.h"

#include <stdbool.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_add_problem(struct test *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0)
		strings_add(&t->problems, text, (size_t)n);
	free(text);
}

/* Lines of TEXT; a last line without its newline is marked. */
static struct strings lines_of(const char *text)
{
	struct strings s = {0};

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (text[len]) {
			strings_add(&s, text, len);
			text += len + 1;
			continue;
		}
		strings_add(&s, text, len);
		s.v[s.n - 1] = xrealloc(s.v[s.n - 1], len + 16);
		strcat(s.v[s.n - 1], "\\ no newline");
		text += len;
	}
	return s;
}

/* -------------------------------------------------------------- standard output */

/* An expected line, with @prog@ and the other variables substituted. */
struct wanted {
	struct expected *v;
	size_t n;
};

static void want(struct wanted *w, enum expect kind, char *text)
{
	w->v = xrealloc(w->v, (w->n + 1) * sizeof *w->v);
	w->v[w->n++] = (struct expected){kind, text};
}

static struct wanted wanted_of(const struct setting *set, struct test *t)
{
	struct wanted w = {0};

	for (size_t i = 0; i < t->nlines; i++)
		want(&w, t->lines[i].kind, expand_placeholders(set, t, t->lines[i].text));
	if (t->single[D_EXPECT_FILE]) {
		char path[4096], *text;
		struct strings s;

		snprintf(path, sizeof path, "%s/%s", t->dir, t->single[D_EXPECT_FILE]);
		text = file_text(path, NULL);
		if (!text)
			test_add_problem(t, "cannot read %s", path);
		s = lines_of(text ? text : "");
		for (size_t i = 0; i < s.n; i++)
			want(&w, EXPECT_LINE, expand_placeholders(set, t, s.v[i]));
		strings_free(&s);
		free(text);
	}
	return w;
}

static bool fits(struct test *t, const struct expected *e, const char *line)
{
	int matches;

	if (e->kind == EXPECT_LINE)
		return !strcmp(e->text, line);
	if (e->kind == EXPECT_ANY)
		return true;
	matches = pattern_matches(e->text, line);
	if (matches < 0)
		test_add_problem(t, "invalid regular expression: %s", e->text);
	return matches > 0;
}

enum { TAIL = 3000 }; /* bytes of a guest's console */
enum { MOST_CELLS = 4 << 20, MOST_LINES = 40, AROUND = 3 };

struct diff {
	struct text text;
	size_t lines, same;
	const char *before[AROUND];
};

static void put_line(struct diff *d, const char *mark, const char *line)
{
	if (++d->lines == MOST_LINES)
		text_put(&d->text, "    ...\n");
	if (d->lines >= MOST_LINES)
		return;
	text_put(&d->text, mark);
	text_put(&d->text, line);
	text_put(&d->text, "\n");
}

/* Lines that are as they should be are shown before and behind others only. */
static void put_same(struct diff *d, const char *line) { d->before[d->same++ % AROUND] = line; }

static void put_other(struct diff *d, const char *mark, const char *line)
{
	size_t n = d->same < AROUND ? d->same : AROUND;

	if (d->same > AROUND)
		put_line(d, "    ", "...");
	for (size_t i = d->same - n; i < d->same; i++)
		put_line(d, "      ", d->before[i % AROUND]);
	d->same = 0;
	put_line(d, mark, line);
}

/* The longest common part stays; of the rest `-' is wanted and missing, `+' is there and not
 * wanted. */
static char *difference(struct test *t, const struct wanted *w, size_t nwanted,
			const struct strings *got)
{
	size_t n = nwanted, m = got->n, i = 0, j = 0;
	unsigned *len = xrealloc(NULL, (n + 1) * (m + 1) * sizeof *len);
	struct diff d = {0};

#define LEN(i, j) len[(i) * (m + 1) + (j)]
	for (i = n + 1; i-- > 0;)
		for (j = m + 1; j-- > 0;)
			LEN(i, j) = i == n || j == m                ? 0
				    : fits(t, &w->v[i], got->v[j])  ? LEN(i + 1, j + 1) + 1
				    : LEN(i + 1, j) > LEN(i, j + 1) ? LEN(i + 1, j)
								    : LEN(i, j + 1);
	for (i = j = 0; i < n || j < m;) {
		if (i < n && j < m && fits(t, &w->v[i], got->v[j])) {
			put_same(&d, got->v[j++]);
			i++;
		} else if (i < n && (j == m || LEN(i + 1, j) >= LEN(i, j + 1))) {
			put_other(&d, w->v[i].kind == EXPECT_PATTERN ? "    -~" : "    - ",
				  w->v[i].text);
			i++;
		} else {
			put_other(&d, "    + ", got->v[j++]);
		}
	}
#undef LEN
	free(len);
	return d.text.s;
}

static void report_difference(struct test *t, const struct wanted *w, const struct strings *got,
			      size_t i)
{
	char *text;

	if ((w->n + 1) * (got->n + 1) <= MOST_CELLS) {
		text = difference(t, w, w->n, got);
		test_add_problem(
			t,
			"the output differs (- expected, -~ expected by a pattern, + printed):\n%s",
			text);
		free(text);
	} else if (i >= got->n) {
		test_add_problem(t, "line %zu of output is missing: %s", i + 1, w->v[i].text);
	} else if (i >= w->n) {
		test_add_problem(t, "unexpected output: %s", got->v[i]);
	} else {
		test_add_problem(t, "line %zu of output:\n    got      %s\n    expected %s", i + 1,
				 got->v[i], w->v[i].text);
	}
}

static void judge_stdout(const struct setting *set, struct test *t, const char *out)
{
	struct wanted w = wanted_of(set, t);
	struct strings got = lines_of(out);
	size_t i = 0;

	while (i < w.n && w.v[i].kind != EXPECT_ANY && i < got.n && fits(t, &w.v[i], got.v[i]))
		i++;
	if (i < w.n && w.v[i].kind == EXPECT_ANY)
		;
	else if (i < w.n || i < got.n)
		report_difference(t, &w, &got, i);
	strings_free(&got);
	while (w.n)
		free(w.v[--w.n].text);
	free(w.v);
}

/* --------------------------------------------------------------- standard error */

/* Does LINE begin as our own messages do? */
static bool is_ours(const char *line)
{
	static const char *const words[] = {"ERROR", "WARNING", "ustap", "staprun"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (!strncmp(line, words[i], n) && !isalnum((unsigned char)line[n]) &&
		    line[n] != '_')
			return true;
	}
	return false;
}

/* Remove the first line of LEFT that matches WANT; false if no line matches. */
static bool take_line(struct test *t, struct strings *left, const char *want, bool pattern)
{
	for (size_t i = 0; i < left->n; i++) {
		int met = pattern ? pattern_matches(want, left->v[i])
				  : strstr(left->v[i], want) != NULL;

		if (met < 0) {
			test_add_problem(t, "invalid regular expression: %s", want);
			return true;
		}
		if (!met)
			continue;
		free(left->v[i]);
		memmove(left->v + i, left->v + i + 1, (--left->n - i) * sizeof *left->v);
		return true;
	}
	return false;
}

static void judge_stderr(const struct setting *set, struct test *t, const char *err)
{
	struct strings left = lines_of(err);

	for (size_t i = 0; i < t->many[D_STDERR].n; i++) {
		char *text = expand_placeholders(set, t, t->many[D_STDERR].v[i]);

		if (!take_line(t, &left, text, false))
			test_add_problem(t, "no line of standard error contains: %s", text);
		free(text);
	}
	for (size_t i = 0; i < t->many[D_STDERR_RE].n; i++)
		if (!take_line(t, &left, t->many[D_STDERR_RE].v[i], true))
			test_add_problem(t, "no line of standard error matches: %s",
					 t->many[D_STDERR_RE].v[i]);
	for (size_t i = 0; i < left.n; i++)
		if (is_ours(left.v[i]))
			test_add_problem(t, "unexpected message: %s", left.v[i]);
	strings_free(&left);
}

/* ------------------------------------------------------------------ diagnostics */

struct diagnostic {
	char *tag, *pos;
	struct text text;
};
struct diagnostics {
	struct diagnostic *v;
	size_t n;
};

static const char *digits_before(const char *line, const char *p)
{
	while (p > line && isdigit((unsigned char)p[-1]))
		p--;
	return p;
}

/* LINE:COL in front of END, behind a colon; its length, or 0 if END is not preceded by a
 * position. */
static size_t position_before(const char *line, const char *end)
{
	const char *column = digits_before(line, end), *row;

	if (column == end || column == line || column[-1] != ':')
		return 0;
	row = digits_before(line, column - 1);
	return row == column - 1 || row == line || row[-1] != ':' ? 0 : (size_t)(end - row);
}

/* Where " [TAG]" ends LINE; NULL: nowhere. */
static const char *tag_of(const char *line)
{
	const char *tag = strrchr(line, '[');
	size_t n = tag ? strspn(tag + 1, "abcdefghijklmnopqrstuvwxyz-") : 0;

	return n && tag > line && tag[-1] == ' ' && !strcmp(tag + 1 + n, "]") ? tag : NULL;
}

/* "FILE:LINE:COL: error: TEXT [TAG]" of kind KIND, or that with "ustap: " or nothing in front. */
static bool take_diagnostic(struct diagnostics *all, const char *kind, const char *line, int *skip)
{
	const char *tag = tag_of(line), *at, *text;
	size_t npos = 0;

	for (at = tag ? strstr(line, kind) : NULL; at; at = strstr(at + 1, kind)) {
		npos = at > line + 2 && !strncmp(at - 2, ": ", 2) ? position_before(line, at - 2)
								  : 0;
		if (!strncmp(at + strlen(kind), ": ", 2) &&
		    (npos || at == line || (at == line + 7 && !strncmp(line, "ustap: ", 7))))
			break;
	}
	text = at ? at + strlen(kind) + 2 : NULL;
	if (!text || text >= tag)
		return false;
	all->v = xrealloc(all->v, (all->n + 1) * sizeof *all->v);
	all->v[all->n] = (struct diagnostic){xstrndup(tag + 1, strlen(tag) - 2),
					     npos ? xstrndup(at - 2 - npos, npos)
						  : xstrndup("-", 1),
					     {0}};
	text_add(&all->v[all->n++].text, text, (size_t)(tag - 1 - text));
	*skip = npos ? 2 : 0;
	return true;
}

/* A hint is indented, as are the source line and the caret line before it where there is a
 * position. */
static struct diagnostics diagnostics_of(const char *kind, const char *err)
{
	struct strings lines = lines_of(err);
	struct diagnostics all = {0};
	int skip = -1;

	for (size_t i = 0; i < lines.n; i++) {
		if (!strncmp(lines.v[i], "  ", 2) && skip >= 0) {
			if (skip > 0) {
				skip--;
				continue;
			}
			text_put(&all.v[all.n - 1].text, "\n");
			text_put(&all.v[all.n - 1].text, lines.v[i]);
		} else if (!take_diagnostic(&all, kind, lines.v[i], &skip)) {
			skip = -1;
		}
	}
	strings_free(&lines);
	return all;
}

/* One word of *S. */
static char *word(const char **s)
{
	size_t n;

	*s += strspn(*s, " \t");
	n = strcspn(*s, " \t");
	*s += n;
	return xstrndup(*s - n, n);
}

static void judge_one(struct test *t, const char *kind, size_t i, const char *want,
		      const struct diagnostic *got)
{
	const char *rest = want;
	char *tag = word(&rest), *pos = word(&rest);
	size_t n = strlen(rest += strspn(rest, " \t"));
	char *text;

	while (n && isspace((unsigned char)rest[n - 1]))
		n--;
	text = xstrndup(rest, n);
	if (strcmp(tag, got->tag) || strcmp(pos, got->pos) || !strstr(got->text.s, text))
		test_add_problem(t, "%s %zu:\n    got    %s %s %s\n    wanted %s", kind, i + 1,
				 got->tag, got->pos, got->text.s, want);
	free(tag);
	free(pos);
	free(text);
}

static void judge_diagnostics(struct test *t, const char *kind, const struct strings *wants,
			      const char *err)
{
	struct diagnostics got = diagnostics_of(kind, err);

	for (size_t i = 0; i < wants->n || i < got.n; i++)
		if (i >= wants->n)
			test_add_problem(t, "unexpected %s: %s %s %s", kind, got.v[i].tag,
					 got.v[i].pos, got.v[i].text.s);
		else if (i >= got.n)
			test_add_problem(t, "missing %s: %s", kind, wants->v[i]);
		else
			judge_one(t, kind, i, wants->v[i], &got.v[i]);
	while (got.n) {
		got.n--;
		free(got.v[got.n].tag);
		free(got.v[got.n].pos);
		free(got.v[got.n].text.s);
	}
	free(got.v);
}

/* ------------------------------------------------------------------------ dumps */

static char *replaced(char *text, const char *from, const char *to)
{
	struct text t = {0};
	const char *at = text, *next;

	text_put(&t, "");
	for (; *from && (next = strstr(at, from)); at = next + strlen(from)) {
		text_add(&t, at, (size_t)(next - at));
		text_put(&t, to);
	}
	text_put(&t, at);
	free(text);
	return t.s;
}

static void write_golden(struct test *t, const char *path, const char *text)
{
	FILE *f = file_create_stream(path);

	if (!f || fputs(text, f) < 0 || fclose(f))
		test_add_problem(t, "%s: %s", path, strerror(errno));
}

static void judge_dump(const struct setting *set, struct test *t, const char *out)
{
	const char *slash = strrchr(t->file, '/'), *base = slash ? slash + 1 : t->file;
	char path[4096], *golden, *got = xstrndup(out, strlen(out)),
				  *prog = expand_placeholders(set, t, "@prog@");
	char *dir = expand_placeholders(set, t, "@dir@");
	struct wanted w = {0};
	struct strings lines, have;

	snprintf(path, sizeof path, "%s/%.*s.%s", t->dir, (int)strcspn(base, "."), base,
		 t->single[D_DUMP]);
	golden = file_text(path, NULL);
	got = replaced(got, prog, "@prog@");
	got = replaced(got, dir, "@dir@");
	got = replaced(got, t->file, base);
	if (set->update_dumps) {
		write_golden(t, path, got);
	} else if (!golden) {
		test_add_problem(t, "cannot read %s", path);
	} else if (strcmp(golden, got)) {
		lines = lines_of(golden);
		have = lines_of(got);
		for (size_t i = 0; i < lines.n; i++)
			want(&w, EXPECT_LINE, lines.v[i]);
		report_difference(t, &w, &have, 0);
		strings_free(&lines);
		strings_free(&have);
		free(w.v);
	}
	free(golden);
	free(got);
	free(prog);
	free(dir);
}

/* ---------------------------------------------------------------------- the steps */

void judge_program(struct test *t, const char *err)
{
	test_add_problem(t, "its program does not build:\n%.1500s", err);
}

void judge_compile(const struct setting *set, struct test *t, const char *out, const char *err,
		   int status)
{
	if (t->many[D_ERROR].n && !t->single[D_DUMP]) {
		if (status != 1)
			test_add_problem(t, "exit status of the compile is %d, not 1", status);
		judge_diagnostics(t, "error", &t->many[D_ERROR], err);
		if (t->many[D_WARNING].n)
			judge_diagnostics(t, "warning", &t->many[D_WARNING], err);
	} else if (status) {
		test_add_problem(t, "the compile failed:\n%.3000s", err);
	} else if (t->single[D_DUMP]) {
		judge_dump(set, t, out);
	} else {
		judge_diagnostics(t, "warning", &t->many[D_WARNING], err);
	}
}

void judge_emitted_c(struct test *t, const char *warnings)
{
	if (*warnings)
		test_add_problem(t, "the emitted C has warnings:\n%.1500s", warnings);
}

static void judge_run(const struct setting *set, struct test *t, const char *out, const char *err,
		      int status)
{
	size_t before = t->problems.n;
	int wanted = t->single[D_STATUS] ? atoi(t->single[D_STATUS]) : 0;

	judge_stdout(set, t, out);
	judge_stderr(set, t, err);
	if (status != wanted)
		test_add_problem(t, "exit status is %d, not %d", status, wanted);
	if (t->problems.n > before && *err)
		test_add_problem(t, "error output:\n%.1500s", err);
}

/* At most the last MOST bytes of TEXT. */
static const char *tail(const char *text, size_t most)
{
	size_t n = strlen(text);

	return text + (n > most ? n - most : 0);
}

/* Is this line of the kernel's log a report of a fault? */
static bool is_kernel_fault(const char *line)
{
	static const char *const words[] = {"BUG",
					    "WARNING:",
					    "Oops",
					    "Call Trace",
					    "general protection",
					    "hung task",
					    "unregister_netdevice",
					    "leaked"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

/* Add problems beyond the test's own output: processes or modules left, faults in the kernel's
 * log. */
static void judge_damage(struct test *t, const struct outcome *o)
{
	struct strings log = lines_of(o->log ? o->log : "");
	/* processes of a test that exceeded its time limit are not a problem of their own */
	bool left = o->left && *o->left && (o->in_guest || !o->late);

	if (left)
		test_add_problem(t, "%s: %s",
				 o->in_guest ? "modules were left loaded"
					     : "processes were left running",
				 o->left);
	for (size_t i = 0; i < log.n; i++)
		if (is_kernel_fault(log.v[i]))
			test_add_problem(t, "kernel: %s", log.v[i]);
	strings_free(&log);
}

enum verdict judge_outcome(const struct setting *set, struct test *t, const struct outcome *o)
{
	size_t damage;

	if (o->died && strstr(o->died, "run: the emulator ")) {
		test_add_problem(t, "the emulator stopped its guest:\n%s", tail(o->died, TAIL));
		return VERDICT_EMULATOR;
	}
	judge_damage(t, o);
	damage = t->problems.n;
	if (o->died) {
		test_add_problem(t, "the guest died in this test:\n%s", tail(o->died, TAIL));
	} else if (!o->ran) {
		test_add_problem(t, "the test did not run");
	} else {
		judge_run(set, t, o->out, o->err, o->status);
		if (t->problems.n && o->late)
			test_add_problem(t, "%s", o->late);
		if (t->problems.n && !damage && o->late)
			return VERDICT_LATE;
	}
	return t->problems.n ? VERDICT_FAILED : VERDICT_PASSED;
}

void outcome_free(struct outcome *o)
{
	free(o->out);
	free(o->err);
	free(o->late);
	free(o->left);
	free(o->log);
	free(o->died);
}
