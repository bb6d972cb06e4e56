/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report=tap|junit[:FILE]: the requirements of a run as test points. Points are collected while
 * the run is taken down and written when its exit status is known.
 */
#include "createfile.h"
#include "base/message.h"
#include "base/privilege.h"
#include "options.h"
#include "report/report.h"
#include "report/test_points.h"

#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct point *v;
	size_t n;
	struct text errors; /* of the script, one per line */
	uint64_t begun;
} all;

/* Errors beyond this size are not recorded. */
enum { ERRORS_BYTES = 8192 };

void test_report_begin(void) { all.begun = clock_ns(); }

void test_report_add_error(const char *text, size_t len)
{
	if (all.errors.n > ERRORS_BYTES)
		return;
	text_add(&all.errors, text, len);
	if (len && text[len - 1] != '\n')
		text_add(&all.errors, "\n", 1);
}

const char *test_report_errors(void) { return all.errors.n ? all.errors.s : ""; }

void test_report_point(bool ok, const char *why, const char *fmt, ...)
{
	char name[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	all.v = xrealloc(all.v, (all.n + 1) * sizeof *all.v);
	all.v[all.n++] = (struct point){ok ? POINT_PASSED : POINT_FAILED,
					xstrndup(name, strlen(name)),
					xstrndup(why ? why : "", why ? strlen(why) : 0), 0};
}

bool test_report_write(const struct options *o)
{
	double seconds = (double)(clock_ns() - all.begun) / 1e9;
	struct text t = {0};
	bool ok;

	if (!o->report)
		return true;
	if (!all.n)
		test_report_point(false, messages_text(), "the script is loaded");
	if (!strcmp(o->report, "tap"))
		points_tap(&t, all.v, all.n);
	else
		points_junit(&t,
			     o->report_name ? o->report_name
			     : o->module    ? o->module
					    : "staprun",
			     all.v, all.n, seconds);
	privilege_suspend();
	ok = points_write(o->report_file, &t);
	privilege_resume();
	if (!ok)
		fail("--report %s: %s", o->report_file ? o->report_file : "",
		     file_create_error(errno));
	free(t.s);
	return ok;
}
