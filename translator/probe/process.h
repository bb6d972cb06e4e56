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
/* The path of the program that the command CMD runs; NULL if it is not found. */
const char *command_program(const char *cmd);
bool file_is_elf(const char *path);
bool is_build_id(const char *name);
/* The file with the build-id ID; NULL after an error, unless QUIET. */
const char *build_id_file(const struct session *s, const char *id, struct loc loc, bool quiet);

#endif
