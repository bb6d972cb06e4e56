/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From probe points to probes: what families and aliases ask. */
#ifndef USTAP_SEMA_POINTS_POINT_H
#define USTAP_SEMA_POINTS_POINT_H

#include "sema/program.h"

struct probe *probe_new(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt); /* body and locals cloned */

/* whose pattern is all of PT; or NULL */
const struct probe_kind *point_kind(const struct point *pt);
/* The kind with this pattern; NULL. */
const struct probe_kind *point_kind_of(const char *pattern);
/* One word of a pattern: `name`, `name(s)`, `name(n)`, `name(n?)`, `name(p)` or `name(l)`. */
struct point_want {
	const char *name;
	size_t len;
	char arg;
	bool arg_optional;
};
/* the next one; false at the end */
bool point_want_next(const char **pattern, struct point_want *w);
/* True if ARG, NULL for none, is what W wants as an argument. */
bool point_want_takes(const struct point_want *w, const struct node *arg);
/* True if the component C has the name and the argument of W. */
bool point_want_fits(const struct point_want *w, const struct point_comp *c);
void point_patterns(const struct session *s, text_vec *out); /* of all kinds and aliases */
/* for hook, pf, priority; probe/netfilter.c */
void netfilter_names(const char *word, name_vec *out);
/* Append the components that may follow those of PT, as "name", "name(s)" and so on. */
void point_continuations(const struct session *s, const struct point *pt, name_vec *out);

/* function_copies.c: set needs_probe of the functions in SC, all of which are resolved. */
void functions_mark(struct script *sc);
/* Fold @defined in the function F, and resolve its @cast and @var to accesses. */
void target_fold_function(struct func *f);
/* The second half of it: resolve @cast and @var in F to f->accesses. Errors are reported. */
void target_resolve_function(struct func *f);
/* N is read by number ACCESS of its probe's or function's accesses; marks its computed indexes. */
void target_set_access(struct node *n, size_t access);
/* The number of ACC among V, to which it is added. */
size_t target_add_access(access_vec *v, const struct access *acc); /* N has this one now */

/* entry_values.c: @entry(e), and in return probes all other target variables than $return,
 * become variables that the new probe P->entry sets; left NULL if no value is saved. F is the
 * function that returns, or NULL. False: ERR says why. */
bool entry_split(const struct session *s, struct probe *p, const struct function *f, bool quiet,
		 struct var_error *err);
/* exit_site.c: P, a return probe with exit sites in functions of WAY, is to find the values of
 * P->entry in arrays; that becomes P->exit_entry, a probe for the function's entry. */
void exit_pair(struct session *s, struct probe *p, enum return_way way);
/* Why the values that P saves at the entry of F cannot be had at its exits; NULL: they can. */
const char *exit_refusal(const struct function *f, const struct probe *p);
/* F cannot be probed where it returns: an error, or a warning where PT names many functions. */
void exit_report(const struct point *pt, bool is_wild, const struct function *f, const char *why,
		 bool quiet);

/* process_access.c: may the processes be read that PT is about?  Else false, after a
 * message for the first one. */
bool targets_readable(const struct session *s, const struct point *pt);

#endif
