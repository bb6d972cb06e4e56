/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the files of sema/ provide to each other and to later passes. */
#ifndef USTAP_SEMA_SEMA_H
#define USTAP_SEMA_SEMA_H

#include "sema/builtin.h"
#include "sema/program.h"

/* ----------------------------------------------------------------- stat_layout.c */

/* Determine the contents of each statistic of the typed program: symbol.hist, symbol.variance. */
void check_shapes(struct session *s);
unsigned hist_buckets(const struct node *hist); /* of an N_STATOP; all of them */

/* ---------------------------------------------------------------- effect.c */

/* Globals that code mentions, each once; also through the functions it calls. */
struct effect {
	struct symbol *sym;
	bool read, written, sorted;
}; /* sorted: by a foreach */
typedef VEC(struct effect) effect_vec;
void effects_of(struct node *n, effect_vec *out); /* N with N->next */
/* The element of V for SYM, NULL: not in V. Fast if sym->seen_at is its index. */
struct effect *effect_find(const effect_vec *v, const struct symbol *sym);
/* Functions that code calls, each once; also through the functions it calls. */
typedef VEC(struct func *) func_vec;
void calls_of(struct node *n, func_vec *out); /* N with N->next */
/* True if V contains F. */
bool func_find(const func_vec *v, const struct func *f);
/* The first call in BODY, or in functions that it calls, of a builtin that unwinds the program's
 * stack or names its addresses; or NULL. */
const struct node *stack_call(struct node *body);

/* ------------------------------------------------------------------ gate.c */

/* Set the gate of each probe that begins with a condition on globals which refuses the hit, so
 * that it can be disarmed; see gate.c. */
void gates_find(struct session *s);
/* True if the condition of G reads the global SYM. */
bool gate_reads(const struct gate *g, const struct symbol *sym);
/* PROBE, whose handler uses what USED says, turns the gates that it can; what it reads for that is
 * added to USED. */
void gates_of_handler(const struct program *p, struct probe *probe, effect_vec *used);
bool probe_runs_alone(const struct probe *p); /* begin, end, error; probe_data.c */

/* ---------------------------------------------------------------- export.c */

/* With --prometheus: find which globals are counters, and name the labels of keys. */
void export_find(struct session *s);

/* -------------------------------------------------------------- overhead.c */

/* With --max-overhead: find what can be scaled, and which probes cannot be sampled. */
void overhead_find(struct session *s);

/* ------------------------------------------------------------ merge_rule.c */

/* Set symbol.assigned of all globals. */
void merge_rules_find(struct program *p);

/* --------------------------------------------------------------- nesting.c */

/* MAXNESTING where the script does not set it: the calls of P that can be nested, from 1. */
int64_t nesting_needed(struct program *p);

/* ------------------------------------------------------------------ fold.c */

/* The value of A OP B at run time; false for run-time errors, and if OP is not an operator of
 * two numbers. */
bool fold_numbers(enum op op, int64_t a, int64_t b, int64_t *result);

/* -------------------------------------------------------------- type_conflict.c */

/* Whose type is known, in words of a message, and from where. */
struct type_source {
	const char *what;
	enum type type;
	struct loc loc;
};
/* The type of a variable, as report_conflict() takes it; text in the arena. */
struct type_source type_source_symbol(const struct symbol *sym);
/* The type of key I, from 0, of the array SYM. */
struct type_source type_source_key(const struct symbol *sym, int i);
/* The type of the result of F. */
struct type_source type_source_result(const struct func *f);
/* N, whose type is HAVE, stands where WANT is needed; AGAINST is what that comes from, or NULL. */
void report_conflict(const struct node *n, enum type want, enum type have,
		     const struct type_source *against);

/* Locations of errors. */
typedef VEC(struct loc) loc_vec;
/* Add LOC to REPORTED. True the first time: one cause, one error. */
bool first_report(loc_vec *reported, struct loc loc);

/* ---------------------------------------------------------- foreach_check.c */

/* Report changes of arrays within loops over them, except at locations in REPORTED. */
void check_foreach(const struct program *p, loc_vec *reported);

/* ------------------------------------------------------ kernel_functions.c */

/* Why there is no function NAME, if it is one of SystemTap's about the kernel; else NULL. */
const char *kernel_function(const char *name);
/* The same of a probe point, and what to do instead. */
const char *kernel_point(const char *name, const char **instead);

/* ----------------------------------------------------------------- module_params.c */

void module_params_bind(struct session *s); /* -G, before resolve */
void module_params_parse(struct symbol *g); /* its literal, now that its type is known */

/* Expand the points of DECL, once; for those of tapset files that are loaded while names are
 * resolved. */
void aliases_expand(struct session *s, struct probe_decl *decl);
/* @probewrite in BLOCK, of an alias, asks about BODY; probewrite.c */
void probewrite_fold(struct node *block, struct node *body);

/* ---------------------------------------------------------- resolve_check.c */

/* Under what a global is found: private ones have their file's names, the tapset library's internal
 * ones those of internal_key(). */
const char *global_key(const struct symbol *g);
const char *internal_key(const char *name);
/* Globals from number FROM on that are declared before; errors are reported. */
void check_redeclared(const struct script *sc, size_t from);
void check_params(const struct script *sc); /* none twice, not too many; numbers them */
/* SYM is used with NKEYS keys at LOC: the first use sets the number, another number is an error. */
void use_keys(struct symbol *sym, int nkeys, struct loc loc);
/* A probe's condition depends on nothing but globals; errors are reported. */
void check_condition(struct node *cond);
/* Warn of those of the N locals V of one function or probe that are read but never assigned. */
void warn_of_locals(const struct script *sc, struct symbol *const *v, size_t n);
/* Warn of globals that are read but never assigned, and of those that the tapset library also uses.
 */
void warn_of_globals(const struct script *sc);
/* Warn of the script's functions that nothing calls and of globals that nothing reads. */
void warn_of_unused(const struct script *sc);

/* -------------------------------------------------------------- overload.c */

const struct source *file_of(struct loc loc); /* where a macro is used, if it is in one */
/* which function or builtin the N_CALL means; may be none */
void overload_call(struct session *s, struct node *n);
/* Does the call N name what only the tapset library may call? */
bool overload_internal(struct session *s, const struct node *n);
bool name_is_internal(const char *name); /* it begins with `__` */
/* and what is declared at LOC is of ustap's tapset library */
bool is_internal(const char *name, struct loc loc);
/* True if code at LOC sees a function or builtin NAME, whatever its parameters. *NPARAMS: the
 * number of parameters of the first. */
bool overload_exists(struct session *s, const char *name, struct loc loc, size_t *nparams);
/* `next`, the statement N of F, becomes a call, which is returned. */
struct node *overload_next(struct session *s, struct func *f, struct node *n);
void overload_keep_arguments(struct func *f); /* when all of F is resolved */

/* types.c: each variable and array in the bodies of the program has a symbol, which infer_types()
 * and the pass "types" need. False only after errors of the pass "resolve". */
bool names_are_resolved(struct session *s);
void infer_types(struct session *s); /* types.c: what can be said of functions that nothing calls */
/* dump_program.c: append the program as --dump shows it after a pass. */
void dump_program(struct strbuf *out, const struct session *s);

#endif
