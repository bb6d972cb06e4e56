/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points of a test that passed or failed, as TAP and JUnit's XML have them: --report, and ustap
 * test. */
#ifndef STAPRUN_POINTS_H
#define STAPRUN_POINTS_H

#include "base/json_text.h"

struct point {
	enum { POINT_PASSED, POINT_FAILED, POINT_SKIPPED } result;
	const char *name, *why;
	double seconds;
};

void points_tap(struct text *t, const struct point *v, size_t n);
/* The test suite is called NAME. */
void points_junit(struct text *t, const char *name, const struct point *v, size_t n,
		  double seconds);
/* To a file, or, FILE NULL, standard output.  False: errno says why. */
bool points_write(const char *file, const struct text *t);
/* "tap" or "junit", and ":FILE" behind it, which is
 * cut off and given in *FILE.  False: it is none. */
bool points_kind(char *text, const char **file);

#endif
