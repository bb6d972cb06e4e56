/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Families of probe points. A family is an array
 *
 *	const struct probe_kind probe_NAME[] = {
 *
 * of a source file here, ended by an empty kind. The build lists the arrays of all files in
 * families.inc, from which table.c is made: a family has no other declaration.
 */
#ifndef PROBE_H
#define PROBE_H

#include "sema/program.h"

/* For probes without sites: @defined() is never true in P's body.  False, after
 * errors, if it uses target variables. */
bool target_forbid(struct session *s, struct probe *p);

enum { CALL_ARGUMENTS = 6 }; /* of a system call */
/* data.c: the bytes that a hardware breakpoint with the component C (.length(N), or NULL) watches:
 * 1, 2, 4 or 8. 0 after an error: the processor cannot watch so many. */
uint64_t watch_length(const struct point_comp *c);
/* Variables of a system call that begins, that ends. */
bool call_variable(const struct node *n, struct access *out, struct var_error *err);
/* The same at the return of the system call. */
bool return_variable(const struct node *n, struct access *out, struct var_error *err);

#endif
