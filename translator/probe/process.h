/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the families of points of user-space programs share. */
#ifndef PROBE_PROCESS_H
#define PROBE_PROCESS_H

#include "probe/probe.h"

typedef VEC(struct module *) module_vec;
/* The files that process(...).library(...) of PT means; false after an error, unless QUIET. */
bool point_modules(struct session *s, const struct point *pt, bool quiet, module_vec *out);
/* Of PROGRAM, the libraries that C, a component "library", means; false after an error, unless QUIET. */
bool library_modules(struct module *program, const struct point_comp *c, bool quiet, module_vec *out);
/* The functions that .function("...") of PT means, and instances of inlined ones; false after an error, unless QUIET. */
bool point_functions(struct session *s, const struct point *pt, bool quiet, function_vec *out);

#endif
