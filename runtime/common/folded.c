/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as flame graphs have them (--output=folded): names from the outside in, `main;f;g', behind UST_STACK_MARK.  Where a
 * string is too short for all, the outermost are left out, and "[...]" stands for them.
 */
#include "common.h"
#include "wire.h"

enum { MAX_FRAMES = 32 };
static const char mark = UST_STACK_MARK, cut[] = "[...]";

/* Names of frames, the innermost first. */
struct frames { u32 n; const char *names[MAX_FRAMES]; bool more; };

static const char *last_part(const char *path)
{
	const char *p = path;

	for (; *path; path++)
		if (*path == '/')
			p = path + 1;
	return p;
}

static void add_frame(struct ust_ctx *c, struct frames *f, u64 addr, bool behind_call)
{
	const char *path, *name = symbol_name(c, addr, behind_call, &path);

	f->names[f->n++] = name ? name : path ? last_part(path) : "[unknown]";
}

static void walk(struct ust_ctx *c, struct frames *f)
{
	u64 pcs[MAX_FRAMES];
	u32 exactly, n = stack_walk(c, pcs, MAX_FRAMES, &exactly), i;

	f->n = 0;
	f->more = n == MAX_FRAMES;
	for (i = 0; i < n; i++)
		add_frame(c, f, pcs[i], !(exactly >> i & 1));
}

/* What is there of a stack that was taken before: names, or addresses of it. */
static void take_addresses(struct ust_ctx *c, struct frames *f, const char *text)
{
	f->n = 0;
	f->more = false;
	while (*text && f->n < MAX_FRAMES) {
		add_frame(c, f, (u64)ust_strtol(c, text, 16), f->n > 0);
		while (*text && *text != ' ')
			text++;
		while (*text == ' ')
			text++;
	}
}

/* Leave out what is too much for ROOM bytes. */
static void fit(struct frames *f, u32 room)
{
	u32 i, used = sizeof cut;

	for (i = 0; i < f->n; i++) {
		used += (u32)strlen(f->names[i]) + 1;
		if (used > room)
			break;
	}
	f->more |= i < f->n;
	f->n = i;
}

/* The separator stands in no name. */
static void put_name(struct ust_out *o, const char *name)
{
	for (; *name; name++)
		ust_put(o, *name == ';' ? ":" : name, 1);
}

static void put_frames(struct ust_out *o, const struct frames *f)
{
	u32 i;

	ust_put(o, &mark, 1);
	if (f->more)
		ust_put(o, cut, sizeof cut - 1);
	for (i = f->n; i-- > 0;) {
		if (i + 1 < f->n || f->more)
			ust_put(o, ";", 1);
		put_name(o, f->names[i]);
	}
}

static const char *to_string(struct frames *f, char *dst)
{
	struct ust_out o;

	fit(f, string_size - 2);
	ust_out_string(&o, dst);
	put_frames(&o, f);
	ust_out_finish(&o);
	return dst;
}

const char *ust_folded(struct ust_ctx *c, char *dst)
{
	struct frames f;

	walk(c, &f);
	return to_string(&f, dst);
}

const char *ust_folded_stack(struct ust_ctx *c, char *dst, const char *stack)
{
	struct frames f;

	if (*stack == mark) {
		ust_strcpy(dst, stack);
		return dst;
	}
	take_addresses(c, &f, stack);
	return to_string(&f, dst);
}

void ust_print_folded(struct ust_ctx *c)
{
	struct frames f;

	walk(c, &f);
	put_frames(&c->out, &f);
	ust_put(&c->out, "\n", 1);
}

void ust_print_folded_stack(struct ust_ctx *c, const char *stack)
{
	struct frames f;

	if (*stack == mark) {
		ust_put_s(&c->out, stack);
	} else {
		take_addresses(c, &f, stack);
		put_frames(&c->out, &f);
	}
	ust_put(&c->out, "\n", 1);
}
