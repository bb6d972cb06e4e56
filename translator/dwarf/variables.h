/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of the traced program: the accesses that read them, and lists of those in scope. */
#ifndef USTAP_DWARF_VARIABLES_H
#define USTAP_DWARF_VARIABLES_H

#include "dwarf/access.h"
#include "dwarf/module.h"
#include "parse/node.h"

/* A variable that cannot be read at address PC of F; KNOWN: it is in scope there. */
struct lost {
	const struct function *f;
	uint64_t pc;
	const char *name;
	bool known;
};
struct var_error {
	enum errtag tag;
	struct loc loc;
	const char *msg, *hint;
	const struct lost *lost;
};
/* The hint of ERR: the locations of a lost variable, and other variables; computed on call, as it
 * is slow. */
const char *var_hint(const struct var_error *err);
/* Make the access OUT that reads the target variable NODE (N_TARGET) at address PC of F, or at its
 * return. False: ERR has the reason. */
bool var_access(const struct function *f, uint64_t pc, bool at_return, const struct node *node,
		struct access *out, struct var_error *err);
/* Make the access OUT that reads NODE: @enum(), @const(), @cast(), @var() of a module or file, or a
 * value that points to T (TS_POINTER), which is index expression 0. F: the probed function, whose
 * module is meant where none is named; or NULL. */
bool cast_access(const struct function *f, const struct ctype *t, const struct node *node,
		 struct access *out, struct var_error *err);
enum var_set { VARS_PARMS = 1, VARS_LOCALS = 2 }; /* names with the leading $ */
/* "name:type" of each member of the struct T, for listings; T may be NULL. */
void ctype_members(const struct ctype *t, name_vec *out);
/* Append the names of F's parameters, locals or both (SET) in scope at PC, with the leading $;
 * nothing without DWARF. */
void var_list(const struct function *f, uint64_t pc, enum var_set set, name_vec *out);
/* "$name:type" of each that can be read there, or, at F's return, could when it was entered. */
void var_describe(const struct function *f, uint64_t pc, bool at_return, name_vec *out);
/* True if F has a type of result; false also if F has no DWARF. */
bool function_returns_value(const struct function *f);
/* True if F is Go's, by its unit's language, without DWARF by its module. */
bool function_is_go(const struct function *f);
/* dwarf/golang.c: is NAME, with its $, a result of the Go function F?  The names of all results. */
bool function_result(const struct function *f, const char *name);
/* Append the names of all results of F with $, "$?" without a name; nothing if F is not Go's or
 * has no DWARF. */
void function_results(const struct function *f, name_vec *out);

enum return_way { RETURN_REPLACED, RETURN_OF_GO, RETURN_AT_EXITS, RETURN_REFUSED };
/* dwarf/returns.c: how the return of F, a function of a user-space program, can be probed: by a
 * replaced return address, or for the reason WHY at its return instructions, where the stack may
 * move (RETURN_OF_GO) or not, or not at all. */
enum return_way function_return_way(const struct function *f, const char **why);
/* The offsets [*LO, *HI) in M's file of code that a compiler at run time would make, and whose
 * frames it finds by their return addresses; false: none is known. */
bool module_made_code(struct module *m, uint64_t *lo, uint64_t *hi);
/* Where every call of F comes by once, with the return address on top of the stack: behind the
 * stack check of Go. */
uint64_t function_start(const struct function *f);
/* The return instructions of F, and its jumps to other functions, where the return address is on
 * top of the stack and not needed by F any more; false: WHY says what prevents probing its return
 * there. */
bool function_exits(const struct function *f, addr_vec *exits, addr_vec *jumps, const char **why);
/* All return instructions of F as far as its code can be decoded, wherever else it may end. */
void function_return_insns(const struct function *f, addr_vec *out);
/* Do the stacks that F runs on move while it runs?  Of OCaml; Go's do, too. */
bool function_stack_moves(const struct function *f);
/* Bytes of stack that are certainly left at ADDR in F: functions of Go and OCaml 5 have their stack
 * replaced by a larger one where they need it, and others use what is kept free for them. SIZE_MAX:
 * F runs on a stack of fixed size. */
size_t function_stack_room(const struct function *f, uint64_t addr);

/* dwarf/var_ranges.c: for --explain. Addresses [lo, hi), their lines of the function's file (0: not
 * known), and the location of the variable there, as "%rdi" or "[%rsp+8]"; "(...)" has the reason
 * why it cannot be read. */
struct var_range {
	uint64_t lo, hi;
	int first, last;
	const char *place;
};
struct var_seen {
	const char *name, *type; /* with $; type NULL: not known */
	bool in_scope;
	const char *here, *why; /* its location at the address, or why it cannot be read there */
	VEC(struct var_range) ranges; /* all ranges where it can be */
};
typedef VEC(struct var_seen) seen_vec;
/* All parameters and variables of F, also those that are not in scope at PC. */
void function_variables(const struct function *f, uint64_t pc, seen_vec *out);
/* of what it returns; NULL: nothing, or not known */
const char *function_result_type(const struct function *f);
/* Append the functions that the instance F is inlined into, from the inside out: "NAME, FILE:LINE"
 * of the call. */
void function_inlined_into(const struct function *f, name_vec *out);
/* The line that the code at ADDR is of; false: not known. */
bool module_line_at(struct module *m, uint64_t addr, const char **file, int *line);

#endif
