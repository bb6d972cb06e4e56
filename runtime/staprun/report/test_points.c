/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test points in the formats TAP (https://testanything.org) and JUnit XML, which CI systems
 * read. */
#include "createfile.h"
#include "report/test_points.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------- TAP */

/* Append one line, without characters that could be parsed as a directive. */
static void put_plain(struct text *t, const char *s)
{
	for (; *s && *s != '\n'; s++)
		text_print(t, *s == '#' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void put_reason(struct text *t, const char *lines)
{
	const char *line;
	size_t len;

	text_put(t, "  ---\n  message: |\n");
	while ((line = next_line(&lines, &len))) {
		text_put(t, "    ");
		text_add(t, line, len);
		text_put(t, "\n");
	}
	text_put(t, "  ...\n");
}

void points_tap(struct text *t, const struct point *v, size_t n)
{
	text_print(t, "TAP version 14\n1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		text_print(t, "%s %zu - ", v[i].result == POINT_FAILED ? "not ok" : "ok", i + 1);
		put_plain(t, v[i].name);
		if (v[i].result == POINT_SKIPPED) {
			text_put(t, " # SKIP ");
			put_plain(t, v[i].why);
		}
		text_put(t, "\n");
		if (v[i].result == POINT_FAILED && *v[i].why)
			put_reason(t, v[i].why);
	}
}

/* ----------------------------------------------------------------------- JUnit */

/* Append S. Characters that XML does not permit become U+FFFD, as do bytes that are not valid
 * UTF-8. */
static void put_xml(struct text *t, const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);
	size_t n;

	for (; p < end; p += n ? n : 1) {
		n = utf8_length(p, (size_t)(end - p));
		if (strchr("<>&\"\n\r\t", *p))
			text_print(t, "&#%u;", *p);
		else if (!n || *p < ' ')
			text_put(t, "\xef\xbf\xbd");
		else
			text_add(t, (const char *)p, n);
	}
}

static void put_case(struct text *t, const char *suite, const struct point *p)
{
	static const char *const what[] = {[POINT_FAILED] = "failure", [POINT_SKIPPED] = "skipped"};

	text_put(t, "<testcase classname=\"");
	put_xml(t, suite);
	text_put(t, "\" name=\"");
	put_xml(t, p->name);
	text_print(t, "\" time=\"%.3f\"", p->seconds);
	if (p->result == POINT_PASSED) {
		text_put(t, "/>\n");
		return;
	}
	text_print(t, "><%s message=\"", what[p->result]);
	put_xml(t, p->why);
	text_put(t, "\"/></testcase>\n");
}

void points_junit(struct text *t, const char *name, const struct point *v, size_t n, double seconds)
{
	size_t failed = 0, skipped = 0;

	for (size_t i = 0; i < n; i++) {
		failed += v[i].result == POINT_FAILED;
		skipped += v[i].result == POINT_SKIPPED;
	}
	text_put(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"");
	put_xml(t, name);
	text_print(
		t,
		"\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
		n, failed, skipped, seconds);
	for (size_t i = 0; i < n; i++)
		put_case(t, name, &v[i]);
	text_put(t, "</testsuite>\n</testsuites>\n");
}

/* --------------------------------------------------------------------- writing */

bool points_kind(char *text, const char **file)
{
	char *colon = strchr(text, ':');

	if (colon)
		*colon++ = 0;
	*file = colon;
	return !strcmp(text, "tap") || !strcmp(text, "junit");
}

bool points_write(const char *file, const struct text *t)
{
	int fd = STDOUT_FILENO;
	bool ok;

	if (file)
		fd = file_create(file);
	ok = fd >= 0;
	for (size_t at = 0; ok && at < t->n;) {
		ssize_t n = write(fd, t->s + at, t->n - at);

		ok = n >= 0 || errno == EINTR;
		at += n > 0 ? (size_t)n : 0;
	}
	return (!file || fd < 0 || !close(fd)) && ok;
}
