/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks for flame graphs (--output=folded): names from the outermost frame inwards,
 * `main;f;g', after UST_STACK_MARK. Unwinding starts at the innermost frame, so a string is filled
 * from its end. If it is too short, or unwinding ends early, the outermost frames are replaced by
 * "[...]".
 */
#include "unwind/unwind.h"
#include "wire_records.h"

static const char cut[] = "[...]";

struct fold {
	char *dst;
	u32 at, end;
	bool more;
};

static void fold_begin(struct fold *f, char *dst)
{
	f->dst = dst;
	f->at = f->end = string_size - 1;
	f->more = false;
}

/* Prepend NAME as the outermost frame. Separators in names are replaced. */
static void add_name(void *arg, const char *name)
{
	struct fold *f = arg;
	u32 len = (u32)strlen(name), i;

	if (f->more)
		return;
	f->more = f->at < 1 + sizeof cut + len + 1;
	if (f->more) {
		port_string_cut();
		return;
	}
	if (f->at < f->end)
		f->dst[--f->at] = ';';
	f->at -= len;
	for (i = 0; i < len; i++)
		f->dst[f->at + i] = name[i] == ';' ? ':' : name[i];
}

static const char *fold_end(struct fold *f)
{
	u32 before = 1;

	f->dst[0] = UST_STACK_MARK;
	if (f->more) {
		memcpy(f->dst + before, cut, sizeof cut - 1);
		before += sizeof cut - 1;
	}
	if (f->more && f->at < f->end)
		f->dst[before++] = ';';
	memmove(f->dst + before, f->dst + f->at, f->end - f->at);
	f->dst[before + f->end - f->at] = 0;
	return f->dst;
}

const char *ust_folded(struct ust_ctx *c, char *dst)
{
	u32 left = ust_program.maxbacktrace;
	struct fold f;
	struct walk w;
	bool more;

	fold_begin(&f, dst);
	for (more = walk_begin(&w, c, NULL); more && left && !f.more; more = walk_next(&w), left--)
		symbol_names(c, w.f.pc, !w.exact, add_name, &f);
	if (w.absent && left)
		add_name(&f, STACK_ABSENT);
	f.more |= more;
	return fold_end(&f);
}

/* STACK was recorded before: names, or addresses. */
const char *ust_folded_stack(struct ust_ctx *c, char *dst, const char *stack)
{
	bool first = true;
	struct fold f;

	if (*stack == UST_STACK_MARK) {
		ust_strcpy(dst, stack);
		return dst;
	}
	fold_begin(&f, dst);
	while (*stack) {
		if (!ust_strcmp(stack, ADDRESSES_CUT)) {
			f.more = true;
			break;
		}
		symbol_names(c, (u64)ust_strtol(c, stack, 16), !first, add_name, &f);
		first = false;
		while (*stack && *stack != ' ')
			stack++;
		while (*stack == ' ')
			stack++;
	}
	return fold_end(&f);
}

void ust_print_folded(struct ust_ctx *c, char *buf)
{
	ust_put_s(&c->out, ust_folded(c, buf));
	ust_put(&c->out, "\n", 1);
}

void ust_print_folded_stack(struct ust_ctx *c, char *buf, const char *stack)
{
	ust_put_s(&c->out, ust_folded_stack(c, buf, stack));
	ust_put(&c->out, "\n", 1);
}
