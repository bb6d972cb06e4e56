/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counted stacks: sums by group, and a process that makes up new stacks without end. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "output/stacks.h"
#include "staprun_check.h"
#include "wire_records.h"

/* Count the stack TEXT, N times. */
static void take(const char *text, unsigned group, int64_t n)
{
	char marked[4096];
	struct arg args[] = {{.is_string = true, .s = marked}, {.number = n}};
	struct item it = {.kind = ITEM_PRINT, .args = args, .nargs = 2, .text = marked};

	snprintf(marked, sizeof marked, "%c%s", UST_STACK_MARK, text);
	args[0].len = it.len = strlen(marked);
	stacks_take(&it, group);
	stacks_hit_end();
}

static void sums(void)
{
	const struct stack_count *v;
	size_t n;

	take("main;f", 0, 3);
	take("main", 1, 1);
	take("main;f", 0, 4);
	take("main;f", 1, 5);
	v = stacks_sorted(&n);
	check(n == 3 && !strcmp(v[0].stack, "main;f") && v[0].count == 7 && v[0].group == 0 &&
		      !strcmp(v[1].stack, "main") && v[1].count == 1 &&
		      !strcmp(v[2].stack, "main;f") && v[2].count == 5,
	      "sums by group", "other stacks or counts");
	stacks_free();
}

/* Stacks of 2 KB, 280 MB of them, and one that was known before: no count is lost. */
static void endless(void)
{
	enum { NEW = 140000, LENGTH = 2000 };
	uint64_t all = 0, others = 0, known = 0, bytes = 0;
	const struct stack_count *v;
	char text[LENGTH + 1];
	size_t n;

	memset(text, 'x', LENGTH);
	text[LENGTH] = 0;
	take("known", 0, 1);
	for (int i = 0; i < NEW; i++) {
		char digits[16];

		memcpy(text, digits, (size_t)snprintf(digits, sizeof digits, "%d;", i));
		take(text, 0, 1);
	}
	take("known", 0, 1);
	v = stacks_sorted(&n);
	for (size_t i = 0; i < n; i++) {
		all += v[i].count;
		bytes += strlen(v[i].stack);
		if (!strcmp(v[i].stack, STACKS_OTHERS))
			others = v[i].count;
		if (!strcmp(v[i].stack, "known"))
			known = v[i].count;
	}
	check(bytes <= 257u << 20, "memory is limited", "more than 257 MB of stacks");
	check(others > 0 && others < NEW, "further stacks are others", "no or only others");
	check(all == NEW + 2 && known == 2, "no count is lost", "other sums");
	stacks_free();
}

int main(void)
{
	sums();
	endless();
	return failed > 0;
}
