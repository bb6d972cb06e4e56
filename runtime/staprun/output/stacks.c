/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks among the items of a run, and how often each occurred. */
#include "output/stacks.h"
#include "base/message.h"
#include "output/output_format.h"
#include "wire_records.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of all different stacks. A traced process can make up as many as it likes. */
enum { BYTES_MAX = 256 << 20 };

static struct {
	size_t bytes;
	struct stack_count *v; /* open addressing; stack NULL: free */
	size_t n, cap;
	struct text last; /* a stack whose count may still follow */
	unsigned group;   /* its group */
	bool waiting;
} all;

/* ---------------------------------------------------------------------- the sum */

static size_t hash(const char *s, unsigned group)
{
	uint64_t h = 0xcbf29ce484222325 ^ group;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

static struct stack_count *find(struct stack_count *v, size_t cap, const char *stack,
				unsigned group)
{
	size_t i = hash(stack, group) & (cap - 1);

	while (v[i].stack && (v[i].group != group || strcmp(v[i].stack, stack)))
		i = (i + 1) & (cap - 1);
	return &v[i];
}

static void grow(void)
{
	size_t cap = all.cap ? 2 * all.cap : 1024;
	struct stack_count *v = xrealloc(NULL, cap * sizeof *v);

	memset(v, 0, cap * sizeof *v);
	for (size_t i = 0; i < all.cap; i++)
		if (all.v[i].stack)
			*find(v, cap, all.v[i].stack, all.v[i].group) = all.v[i];
	free(all.v);
	all.v = v;
	all.cap = cap;
}

static void count(const char *stack, unsigned group, int64_t n)
{
	struct stack_count *f;

	if (n <= 0)
		return;
	if (2 * all.n >= all.cap)
		grow();
	f = find(all.v, all.cap, stack, group);
	if (!f->stack && all.bytes >= BYTES_MAX) {
		stack = STACKS_OTHERS;
		f = find(all.v, all.cap, stack, group);
	}
	if (!f->stack) {
		f->stack = xstrndup(stack, strlen(stack));
		f->group = group;
		all.n++;
		all.bytes += strlen(stack) + sizeof *f;
	}
	f->count += (uint64_t)n;
}

static void settle(int64_t n)
{
	if (all.waiting)
		count(all.last.s, all.group, n);
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

const char *stack_mark(const char *s, size_t len)
{
	return len ? memchr(s, UST_STACK_MARK, len) : NULL;
}

/* A printed global: all its keys are frames, in their order, the stack among them innermost. */
static void fold_global(const struct item *it, size_t stack, unsigned group)
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
		  stack_mark(it->args[stack].s, it->args[stack].len));
	count(t.s, group,
	      nkeys < it->nargs && !it->args[nkeys].is_string ? it->args[nkeys].number : 1);
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
		  stack_mark(it->args[stack].s, it->args[stack].len));
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

bool stacks_take(const struct item *it, unsigned group)
{
	const char *mark = stack_mark(it->text, it->len);
	int64_t n;

	if (all.waiting && !mark && number_of(it, &n)) {
		settle(n);
		return true;
	}
	if (!mark)
		return false;
	settle(1);
	all.group = group;
	for (size_t i = 0; i < it->nargs; i++)
		if (it->args[i].is_string && stack_mark(it->args[i].s, it->args[i].len)) {
			if (it->kind == ITEM_GLOBAL)
				fold_global(it, i, group);
			else
				fold_print(it, i);
			return true;
		}
	all.last.n = 0;
	add_stack(&all.last, it->text, it->len, mark);
	all.waiting = true;
	return true;
}

void stacks_hit_end(void) { settle(1); }

/* A frame ends before all characters of names, so a stack is followed by those that it begins. */
static int by_frames(const void *a, const void *b)
{
	const struct stack_count *x = a, *y = b;
	const unsigned char *s = (const unsigned char *)x->stack,
			    *t = (const unsigned char *)y->stack;
	int c, d;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	for (; *s && *s == *t; s++, t++)
		;
	c = *s == ';' ? 1 : *s;
	d = *t == ';' ? 1 : *t;
	return c - d;
}

const struct stack_count *stacks_sorted(size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < all.cap; i++)
		if (all.v[i].stack)
			all.v[(*n)++] = all.v[i];
	for (size_t i = *n; i < all.cap; i++)
		all.v[i].stack = NULL;
	if (*n)
		qsort(all.v, *n, sizeof *all.v, by_frames);
	return all.v;
}

void stacks_free(void)
{
	for (size_t i = 0; i < all.cap; i++)
		free(all.v[i].stack);
	free(all.v);
	free(all.last.s);
	memset(&all, 0, sizeof all);
}
