/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output=folded: `main;f;g 12', one line per stack, the input of flame graphs. Text without
 * a stack is printed to standard error.
 */
#include "base/message.h"
#include "output/output.h"
#include "output/output_format.h"
#include "output/stacks.h"
#include "wire.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void folded_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	(void)o, (void)h;
	if (it->kind == ITEM_WARN || it->kind == ITEM_ERROR || stacks_take(it, 0))
		return;
	if (it->len && write(STDERR_FILENO, it->text, it->len) < 0)
		return; /* standard error is not writable */
}

static void folded_hit_end(struct output *o, const struct hit_info *h)
{
	(void)o, (void)h;
	stacks_hit_end();
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct stack_count *const *)a)->stack,
		      (*(const struct stack_count *const *)b)->stack);
}

static void folded_end(struct output *o, const struct ust_status *st, uint64_t lost)
{
	const struct stack_count *all, **order;
	size_t n;

	(void)st, (void)lost;
	all = stacks_sorted(&n);
	order = xrealloc(NULL, (n + 1) * sizeof *order);
	for (size_t i = 0; i < n; i++)
		order[i] = &all[i];
	qsort(order, n, sizeof *order, by_name);
	for (size_t i = 0; i < n; i++) {
		char digits[24];

		snprintf(digits, sizeof digits, " %" PRIu64 "\n", order[i]->count);
		output_text(o, order[i]->stack);
		output_text(o, digits);
	}
	free(order);
	stacks_free();
}

const struct format format_folded = {
	.name = "folded", .item = folded_item, .hit_end = folded_hit_end, .end = folded_end};
