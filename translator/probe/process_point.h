/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the probe families of user-space programs. */
#ifndef PROBE_PROCESS_H
#define PROBE_PROCESS_H

#include "probe.h"

typedef VEC(struct module *) module_vec;
/* The files that process(...).library(...) of PT means; false after an error, unless QUIET. */
bool point_modules(struct session *s, const struct point *pt, bool quiet, module_vec *out);
/* Add to OUT the libraries of PROGRAM that match the component C ("library"); false if none
 * matches, with an error unless QUIET. */
bool library_modules(struct module *program, const struct point_comp *c, bool quiet,
		     module_vec *out);
/* The functions that .function("...") of PT means, and instances of inlined ones; false after an
 * error, unless QUIET. */
bool point_functions(struct session *s, const struct point *pt, bool quiet, function_vec *out);
/* kernel_function.c: has the session a runtime for PT, which is in the kernel? */
bool kernel_allows(const struct session *s, const struct point *pt, bool quiet);
/* kernel_miss.c: say that C, or PT, names none of those in V, and what to write instead. */
void kernel_no_module(const struct point_comp *c);
/* The function of PT, with hints on exported functions, modules and similar names in V. */
void kernel_no_function(const module_vec *v, const struct point *pt);
/* The tracepoint NAME of PT, with a similar name in V as a guess. */
void kernel_no_tracepoint(const module_vec *v, const struct point *pt, const char *name);
bool syscall_is_known(const char *name); /* is it a system call of some kernel? */
/* Append the kernel, or its modules that PT names, with their debug packages' line tables. False:
 * nothing found, with an error unless QUIET. */
bool kernel_debug_modules(const struct point *pt, bool quiet, module_vec *out);
/* Resolve PT: add a site to S for each address that it names, for the type K and the declaration
 * DECL. False: none was added, or an error occurred, which was reported unless QUIET. */
typedef bool points_fn(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		       const struct point *pt, bool quiet);
/* Probe points on functions, labels, lines, addresses and callees, also in the kernel
 * (kernel_lines.c). */
points_fn points_of_function, points_of_label, points_of_lines, points_of_address,
	points_of_callees;
/* The path of the program that the command CMD runs; NULL if it is not found. */
const char *command_program(const char *cmd);
/* True if NAME may be a build-id instead of a path: an even number of hexadecimal digits, 16 or
 * more (linkers make 8 bytes or more). */
bool is_build_id(const char *name);
/* The file with the build-id ID; COMMAND: the program of -c, or NULL. NULL after an error, unless
 * QUIET. */
const char *build_id_file(const struct session *s, const char *command, const char *id,
			  struct loc loc, bool quiet);

#endif
