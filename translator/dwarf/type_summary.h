/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State that type_summary.c and summary_expr.c share: a summary that is being compiled for a
 * type. */
#ifndef USTAP_DWARF_TYPE_SUMMARY_H
#define USTAP_DWARF_TYPE_SUMMARY_H

#include "values.h"

/* A value, and what it is the address of if that is known. */
struct part {
	aop_vec ops;
	bool typed;
	struct ctype to;
};

/* A summary in the making: $self is the object of the walk, $node one of the type of NODE. */
struct maker {
	const struct summary *sum;
	const struct walk *self;
	const struct ctype *node;
	bool at_probe; /* the object is at a place of the probe, that handlers read */
	struct var_error err;
};

/* The summary does not fit because of N; false. */
bool summary_fail(struct maker *k, const struct node *n, const char *msg);
/* Append the operations of FROM to TO; what TO is the address of stays. */
void summary_append(struct part *to, const struct part *from);
/* The operations that push the value of N. */
bool summary_value(struct maker *k, const struct node *n, struct part *out);
/* The same of the address of the object that N is: a path's end, or what any other expression
 * points to. */
bool summary_object(struct maker *k, const struct node *n, struct part *out);
/* Argument NUMBER of a template or generic type, counting types only. */
bool summary_type_argument(Dwarf_Die *type, int64_t number, Dwarf_Die *out);

#endif
