/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Site whose body is being resolved; shared by target_vars.c and shared_probe.c. */
#ifndef USTAP_TARGET_VARS_H
#define USTAP_TARGET_VARS_H

#include "point.h"
#include "sema/sema.h"

/* The copy of a function that calls at a site mean; function_copies.c */
struct function_copy {
	const struct func *of;
	struct func *is;
};
typedef VEC(struct function_copy) copy_vec;

/* The site that is being resolved. */
struct site_context {
	struct session *s;
	const struct probe_kind *kind;
	const struct point *pt;
	const struct function *f; /* NULL: a probe point without a site */
	const struct mark *mark;  /* its arguments can be read; or NULL */
	struct probe *probe;
	access_vec *accesses; /* the probe's, or a function's */
	uint64_t pc;
	bool quiet, failed;
	enum return_way way;        /* of a return probe, and the reason unless it is */
	const char *why;            /* RETURN_REPLACED */
	bool at_exit, first_exit;   /* a site at a return instruction, the first of its function */
	bool at_jump;               /* with at_exit: at a jump to another function instead */
	bool in_function, at_entry; /* in a copy; in what a return probe saves at the entry */
	copy_vec *copies;           /* those of this site so far; or NULL */
	func_vec *calls;            /* copies that the body calls */
	VEC(const struct node *) known; /* numbers that @defined became */
};

/* A node of BODY whose meaning depends on the site; NULL: none. */
const struct node *target_any(struct node *body);
/* Resolve the $variables of sc->probe's body; false: an error was reported, or it is skipped. */
bool target_resolve_body(struct site_context *sc);
/* Resolves the target variables in the body of a function's copy; an error sets sc->failed. */
typedef void resolve_fn(struct site_context *sc, struct node *body);
/* Calls in BODY of functions that need the probe become calls of copies for the site, whose bodies
 * RESOLVE resolves. */
void functions_copy(struct site_context *sc, struct node *body, resolve_fn *resolve);

#endif
