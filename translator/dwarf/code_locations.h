/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code locations besides functions: SDT markers, labels, calls, procedure linkage tables, lines. */
#ifndef USTAP_DWARF_CODE_LOCATIONS_H
#define USTAP_DWARF_CODE_LOCATIONS_H

#include "dwarf/variables.h"

/* An SDT marker: a note of the file, as made by sys/sdt.h (dwarf/sdt.c). */
struct mark {
	struct module *mod;
	const char *provider, *name;
	uint64_t addr, semaphore; /* module addresses; semaphore 0: none */
	const char *const *args;
	unsigned nargs;  /* each as the note has it, "-4@%edi" */
	unsigned number; /* among the notes of the file */
};
typedef VEC(struct mark *) mark_vec;
/* Append the marks that match the patterns (PROVIDER NULL: any) to OUT, in order of the notes. */
void module_marks(struct module *m, const char *provider, const char *name, mark_vec *out);
/* Make the access OUT that reads argument NODE, a `$argN', of M. False: ERR has the reason. */
bool mark_access(const struct mark *m, const struct node *node, struct access *out,
		 struct var_error *err);
/* N of "$argN", or 0. */
unsigned mark_argument(const char *name);

struct code_label {
	const char *name;
	const struct function *f;
	uint64_t addr;
	int line;
};
typedef VEC(struct code_label) label_vec;
/* Append the labels of F whose names match the glob PATTERN; only those that the debug information
 * has an address for. */
void function_labels(const struct function *f, const char *pattern, label_vec *out);

/* A function that another calls, and where it then returns to; none if it is inlined there. */
struct callee {
	const struct function *f;
	addr_vec returns;
};
typedef VEC(struct callee) callee_vec;
/* Append the known callees of F to OUT; *TAILS counts further calls that leave no return
 * address. */
void function_callees(const struct function *f, callee_vec *out, unsigned *tails);

struct plt_entry {
	const char *name;
	struct function *f;
};
typedef VEC(struct plt_entry) plt_vec;
/* Append the entries of M's procedure linkage tables that PATTERN names. */
void module_plt(struct module *m, const char *pattern, plt_vec *out);

struct line_range {
	int lo, hi;
};
/* Lines of a file (a tail of its path; NULL: that of the function) in functions that FUNC names. */
struct line_pattern {
	const char *func, *file;
	bool any, nearest; /* all lines; else the nearest line with code */
	bool relative;     /* counted from the function's declaration */
	const struct line_range *ranges;
	size_t nranges;
};
struct line {
	const struct function *f;
	uint64_t addr;
	const char *file;
	int line;
};
typedef VEC(struct line) line_vec;
/* Append the probe sites of the lines that PAT names. With pat->nearest, if none has code, those
 * of the nearest line that has; the line below wins at equal distance. */
void module_lines(struct module *m, const struct line_pattern *pat, line_vec *out);
/* The nearest lines with code before and after the first line that PAT names; 0: not found. */
void module_near_lines(struct module *m, const struct line_pattern *pat, int *below, int *above);
/* Does a line begin at ADDR?  Else NEAR is an address before it where one does. */
bool module_line_begins(struct module *m, uint64_t addr, uint64_t *near);

#endif
