/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations of how types are shown and indexed. */
#ifndef USTAP_PARSE_SUMMARY_DECL_H
#define USTAP_PARSE_SUMMARY_DECL_H

#include "parse/script.h"

enum summary_form {
	FORM_LENGTH,
	FORM_TEXT,
	FORM_SEQUENCE,
	FORM_RANGE,
	FORM_INDEXED,
	FORM_SLOTS,
	FORM_LIST,
	FORM_TREE,
	FORM_BUCKETS,
	FORM_BTREE,
	FORM_OPTIONAL,
	FORM_VARIANT,
	FORM_POINTER,
	FORM_VALUE,
	FORM_DYNAMIC
};
/* A declaration of how the types that PATTERNS name are shown. */
struct summary {
	VEC(const char *) patterns;
	enum summary_form form;
	struct node *args;
	struct loc loc;
	bool ours; /* from the tapset library that comes with ustap */
};

/* --------------------------------------------------------- summary_decl.c */

/* summary PATTERNS BLOCK; errors are reported. */
void summary_new(struct script *script, struct node *patterns, struct node *block, struct loc loc);
/* The use that the function of CALL makes of its argument by the argument's summary. */
enum summary_use summary_function(const struct node *call);

/* --------------------------------------------------------- summary_list.c */

/* Summaries of types in the script and the tapset library are looked up for this
 * session from now on. */
void summaries_begin(struct session *s);
/* Number I of all, those of the script first, then those of the tapset library if LIBRARY; NULL
 * at the end. */
const struct summary *summary_at(size_t i, bool library);

#endif
