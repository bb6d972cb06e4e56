/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks among the items of a run, and how often each occurred; for the formats folded and html.
 *
 * A stack starts with UST_STACK_MARK in an argument, a key or, for print_ubacktrace(), the text.
 * Strings before it are outer frames; the number after it is its count, in the same statement, or
 * as the whole text of the hit's next one; otherwise the count is 1.
 */
#ifndef STAPRUN_OUTPUT_STACKS_H
#define STAPRUN_OUTPUT_STACKS_H

#include "output/output_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack as "main;f;g", the outermost frame first; GROUP is its caller's. */
struct stack_count {
	char *stack;
	uint64_t count;
	unsigned group;
};

/* The stack that stands for all that are new after 256 MB of different stacks. */
#define STACKS_OTHERS "[other stacks]"

/* Count the stack of IT in GROUP. False if IT has neither a stack nor the count of the last one. */
bool stacks_take(const struct item *it, unsigned group);
/* The hit has ended: a stack that waits for its count occurred once. */
void stacks_hit_end(void);
/* All *N stacks, by group, then frame by frame; valid until stacks_free(). Call it once. */
const struct stack_count *stacks_sorted(size_t *n);
/* Forget all stacks. */
void stacks_free(void);
/* The mark of a stack in S, or NULL. */
const char *stack_mark(const char *s, size_t len);

#endif
