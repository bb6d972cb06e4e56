/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report=tap|junit[:FILE]: what a run was to show, as points of a test that passed or failed.  Points are collected while the run
 * is taken down and written when its exit status is known.
 */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct point { bool ok; char *name, *why; };

static struct {
	struct point *v;
	size_t n;
	struct text errors;     /* of the script, a line each */
	uint64_t begun;
} all;

/* More of them than this say nothing new. */
enum { ERRORS_BYTES = 8192 };

void summary_begin(void) { all.begun = clock_ns(); }

void summary_error(const char *text, size_t len)
{
	if (all.errors.n > ERRORS_BYTES)
		return;
	text_add(&all.errors, text, len);
	if (len && text[len - 1] != '\n')
		text_add(&all.errors, "\n", 1);
}

const char *summary_errors(void) { return all.errors.n ? all.errors.s : ""; }

void summary_point(bool ok, const char *why, const char *fmt, ...)
{
	char name[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	all.v = xrealloc(all.v, (all.n + 1) * sizeof *all.v);
	all.v[all.n++] = (struct point){ok, xstrndup(name, strlen(name)), xstrndup(why ? why : "", why ? strlen(why) : 0)};
}

/* ------------------------------------------------------------------------- TAP */

/* A line that no reader takes for something else. */
static void put_plain(struct text *t, const char *s)
{
	for (; *s && *s != '\n'; s++)
		text_print(t, *s == '#' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void put_tap(struct text *t)
{
	text_print(t, "TAP version 14\n1..%zu\n", all.n);
	for (size_t i = 0; i < all.n; i++) {
		const char *line, *lines = all.v[i].why;
		size_t len;

		text_print(t, "%s %zu - ", all.v[i].ok ? "ok" : "not ok", i + 1);
		put_plain(t, all.v[i].name);
		text_put(t, "\n");
		if (all.v[i].ok || !*lines)
			continue;
		text_put(t, "  ---\n  message: |\n");
		while ((line = next_line(&lines, &len))) {
			text_put(t, "    ");
			text_add(t, line, len);
			text_put(t, "\n");
		}
		text_put(t, "  ...\n");
	}
}

/* ----------------------------------------------------------------------- JUnit */

static void put_xml(struct text *t, const char *s)
{
	for (; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t len = strcspn(s, "\n");

		for (size_t i = 0; i < len; i++) {
			unsigned char ch = (unsigned char)s[i];
			size_t n = utf8_length((const unsigned char *)s + i, len - i);

			if (ch == '<' || ch == '>' || ch == '&' || ch == '"')
				text_print(t, "&#%u;", ch);
			else if (!n || (ch < ' ' && ch != '\t'))
				text_put(t, "\xef\xbf\xbd");
			else
				text_add(t, s + i, n);
			i += n ? n - 1 : 0;
		}
		if (s[len])
			text_put(t, "&#10;");
	}
}

static void put_junit(struct text *t, const char *name)
{
	size_t failed = 0;

	for (size_t i = 0; i < all.n; i++)
		failed += !all.v[i].ok;
	text_put(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"");
	put_xml(t, name);
	text_print(t, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.3f\">\n", all.n, failed,
		   (double)(clock_ns() - all.begun) / 1e9);
	for (size_t i = 0; i < all.n; i++) {
		text_put(t, "<testcase classname=\"");
		put_xml(t, name);
		text_put(t, "\" name=\"");
		put_xml(t, all.v[i].name);
		if (all.v[i].ok) {
			text_put(t, "\"/>\n");
			continue;
		}
		text_put(t, "\"><failure message=\"");
		put_xml(t, all.v[i].why);
		text_put(t, "\"/></testcase>\n");
	}
	text_put(t, "</testsuite>\n</testsuites>\n");
}

/* --------------------------------------------------------------------- writing */

static bool write_all(int fd, const struct text *t)
{
	for (size_t at = 0; at < t->n;) {
		ssize_t n = write(fd, t->s + at, t->n - at);

		if (n < 0 && errno != EINTR)
			return false;
		at += n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool summary_write(const struct options *o)
{
	struct text t = {0};
	int fd = STDOUT_FILENO;
	bool ok;

	if (!o->report)
		return true;
	if (!all.n)
		summary_point(false, messages_so_far(), "the script is loaded");
	if (!strcmp(o->report, "tap"))
		put_tap(&t);
	else
		put_junit(&t, o->report_name ? o->report_name : o->module ? o->module : "staprun");
	if (o->report_file) {
		privilege_suspend();
		fd = open(o->report_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
		privilege_resume();
	}
	ok = fd >= 0 && write_all(fd, &t);
	if (!ok)
		fail("--report %s: %s", o->report_file ? o->report_file : "", strerror(errno));
	free(t.s);
	return ok;
}
