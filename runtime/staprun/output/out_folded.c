/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output=folded: `main;f;g 12', one line per stack, the input of flame graphs.
 *
 * A stack starts with UST_STACK_MARK in an argument, a key or, for print_ubacktrace(), the text.
 * Strings before it are outer frames; the number after it is its count, in the same statement, or
 * as the whole text of the hit's next one; otherwise the count is 1. Text without a stack is
 * printed to standard error.
 */
#include "output/output_format.h"
#include "base/message.h"
#include "output/output.h"
#include "wire.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folded {
	char *stack;
	uint64_t count;
};

static struct {
	struct folded *v; /* open addressing; stack NULL: free */
	size_t n, cap;
	struct text last; /* a stack whose count may still follow */
	bool waiting;
} all;

/* ---------------------------------------------------------------------- the sum */

static size_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

static struct folded *find(struct folded *v, size_t cap, const char *stack)
{
	size_t i = hash(stack) & (cap - 1);

	while (v[i].stack && strcmp(v[i].stack, stack))
		i = (i + 1) & (cap - 1);
	return &v[i];
}

static void grow(void)
{
	size_t cap = all.cap ? 2 * all.cap : 1024;
	struct folded *v = xrealloc(NULL, cap * sizeof *v);

	memset(v, 0, cap * sizeof *v);
	for (size_t i = 0; i < all.cap; i++)
		if (all.v[i].stack)
			*find(v, cap, all.v[i].stack) = all.v[i];
	free(all.v);
	all.v = v;
	all.cap = cap;
}

static void count(const char *stack, int64_t n)
{
	struct folded *f;

	if (n <= 0)
		return;
	if (2 * all.n >= all.cap)
		grow();
	f = find(all.v, all.cap, stack);
	if (!f->stack) {
		f->stack = xstrndup(stack, strlen(stack));
		all.n++;
	}
	f->count += (uint64_t)n;
}

static void settle(int64_t n)
{
	if (all.waiting)
		count(all.last.s, n);
	all.waiting = false;
}

/* ----------------------------------------------------------------------- items */

static void add_frame(struct text *t, const char *s, size_t len)
{
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	if (!len)
		return;
	if (t->n)
		text_add(t, ";", 1);
	for (size_t i = 0; i < len; i++)
		text_add(t, (unsigned char)s[i] < ' ' ? " " : &s[i], 1);
}

/* Convert S, with a stack that starts at MARK, to frames; the text before it is a frame, too. */
static void add_stack(struct text *t, const char *s, size_t len, const char *mark)
{
	const char *end = mark + 1;

	while (end < s + len && *end != '\n')
		end++;
	add_frame(t, s, (size_t)(mark - s));
	if (end > mark + 1)
		add_frame(t, mark + 1, (size_t)(end - mark - 1));
	else
		add_frame(t, "[unknown]", 9);
}

static const char *mark_in(const char *s, size_t len)
{
	return len ? memchr(s, UST_STACK_MARK, len) : NULL;
}

/* A printed global: all its keys are frames, in their order, the stack among them innermost. */
static void fold_global(const struct item *it, size_t stack)
{
	size_t nkeys = strtoul(it->what, NULL, 10);
	struct text t = {0};

	for (size_t i = 0; i < nkeys && i < it->nargs; i++) {
		const struct arg *a = &it->args[i];
		char digits[24];

		if (i == stack)
			continue;
		if (a->is_string)
			add_frame(&t, a->s, a->len);
		else
			add_frame(&t, digits,
				  (size_t)snprintf(digits, sizeof digits, "%" PRId64, a->number));
	}
	add_stack(&t, it->args[stack].s, it->args[stack].len,
		  mark_in(it->args[stack].s, it->args[stack].len));
	count(t.s, nkeys < it->nargs && !it->args[nkeys].is_string ? it->args[nkeys].number : 1);
	free(t.s);
}

/* A print statement: strings before the stack are frames, the number after it is the count. */
static void fold_print(const struct item *it, size_t stack)
{
	all.last.n = 0;
	for (size_t i = 0; i < stack; i++)
		if (it->args[i].is_string)
			add_frame(&all.last, it->args[i].s, it->args[i].len);
	add_stack(&all.last, it->args[stack].s, it->args[stack].len,
		  mark_in(it->args[stack].s, it->args[stack].len));
	all.waiting = true;
	for (size_t i = stack + 1; i < it->nargs; i++)
		if (!it->args[i].is_string) {
			settle(it->args[i].number);
			return;
		}
}

/* True if the text is a single number. */
static bool number_of(const struct item *it, int64_t *n)
{
	char buf[40], *end;

	if (!it->len || it->len >= sizeof buf)
		return false;
	memcpy(buf, it->text, it->len);
	buf[it->len] = 0;
	*n = strtoll(buf, &end, 10);
	return end != buf && end[strspn(end, " \t\r\n")] == 0;
}

static void folded_item(struct output *o, const struct hit_info *h, const struct item *it)
{
	const char *mark = mark_in(it->text, it->len);
	int64_t n;

	(void)o, (void)h;
	if (it->kind == ITEM_WARN || it->kind == ITEM_ERROR)
		return;
	if (all.waiting && !mark && number_of(it, &n)) {
		settle(n);
		return;
	}
	if (!mark) {
		if (it->len && write(STDERR_FILENO, it->text, it->len) < 0)
			return; /* standard error is not writable */
		return;
	}
	settle(1);
	for (size_t i = 0; i < it->nargs; i++)
		if (it->args[i].is_string && mark_in(it->args[i].s, it->args[i].len)) {
			if (it->kind == ITEM_GLOBAL)
				fold_global(it, i);
			else
				fold_print(it, i);
			return;
		}
	all.last.n = 0;
	add_stack(&all.last, it->text, it->len, mark);
	all.waiting = true;
}

static void folded_hit_end(struct output *o, const struct hit_info *h)
{
	(void)o, (void)h;
	settle(1);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct folded *)a)->stack, ((const struct folded *)b)->stack);
}

static void folded_end(struct output *o, const struct ust_status *st, uint64_t lost)
{
	size_t n = 0;

	(void)st, (void)lost;
	for (size_t i = 0; i < all.cap; i++)
		if (all.v[i].stack)
			all.v[n++] = all.v[i];
	if (n)
		qsort(all.v, n, sizeof *all.v, by_name);
	for (size_t i = 0; i < n; i++) {
		char digits[24];

		snprintf(digits, sizeof digits, " %" PRIu64 "\n", all.v[i].count);
		output_text(o, all.v[i].stack);
		output_text(o, digits);
		free(all.v[i].stack);
	}
	free(all.v);
	free(all.last.s);
	memset(&all, 0, sizeof all);
}

const struct format format_folded = {
	.name = "folded", .item = folded_item, .hit_end = folded_hit_end, .end = folded_end};
