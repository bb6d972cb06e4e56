/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test points that passed or failed, in TAP and JUnit XML: for --report and ustap test. */
#ifndef STAPRUN_POINTS_H
#define STAPRUN_POINTS_H

#include "base/json_text.h"

struct point {
	enum { POINT_PASSED, POINT_FAILED, POINT_SKIPPED } result;
	const char *name, *why;
	double seconds;
};

/* Append N points as TAP version 14. */
void points_tap(struct text *t, const struct point *v, size_t n);
/* NAME: name of the test suite. */
void points_junit(struct text *t, const char *name, const struct point *v, size_t n,
		  double seconds);
/* Write to FILE, or to standard output if it is NULL. False with errno set. */
bool points_write(const char *file, const struct text *t);
/* Parse "tap" or "junit", optionally with ":FILE", which is cut off and stored in *FILE. False if
 * it is neither. */
bool points_kind(char *text, const char **file);

#endif
