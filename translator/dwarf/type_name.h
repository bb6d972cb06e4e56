/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of types in scripts, "struct x **", in their parts. */
#ifndef USTAP_DWARF_TYPE_NAME_H
#define USTAP_DWARF_TYPE_NAME_H

#include "values.h"

struct type_name {
	int tag; /* DW_TAG_ of the keyword, or 0 */
	int stars;
	const char *name;
};

/* The parts of TEXT; the name is in the arena. */
struct type_name type_name_parse(const char *text);
/* The type of that name in M; as in C, a name without a keyword is a typedef or basic type first.
 * False: M does not have it. */
bool type_name_find(struct module *m, const struct type_name *t, struct ctype *out);

#endif
