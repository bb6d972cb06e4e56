/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output as records with parts (UST_PROG_RECORDS): marks give the offset in the print buffer at
 * which each part starts. They grow downwards from the buffer's end; when it is flushed they are
 * moved to after the text, followed by the texts of the hit. The result is a struct ust_parts of
 * wire.h.
 */
#include "common.h"
#include "wire_records.h"

u32 record_block(void) { return OUT_SIZE + (records_on() ? RECORD_HEAD + RECORD_TAIL : 0); }

void record_buffer(struct ctx *x, char *block)
{
	struct ust_out *o = &x->pub.out;

	x->block = block;
	o->base = block ? block + (records_on() ? RECORD_HEAD : 0) : 0;
	o->end = x->out_end = o->base + OUT_SIZE;
}

/* ----------------------------------------------------------------- marks */

static struct ust_mark *mark_at(const struct ctx *x, u32 i)
{
	return (struct ust_mark *)x->out_end - 1 - i;
}

static void put_mark(struct ust_ctx *c, u32 kind, ust_long value)
{
	struct ctx *x = ctx_of(c);
	struct ust_mark *m;

	if (unlikely((size_t)(c->out.end - c->out.p) < sizeof *m))
		ctx_flush(c, false);
	c->out.end -= sizeof *m;
	m = mark_at(x, x->now.nmarks++);
	m->at = (u32)(c->out.p - c->out.base);
	m->kind = kind;
	m->value = value;
}

void ust_print_begin(struct ust_ctx *c, const char *what, ust_u32 len)
{
	put_mark(c, UST_MARK_BEGIN, (ust_long)port_monotonic_ns());
	ust_put(&c->out, what, len);
}

void ust_print_long(struct ust_ctx *c, ust_long v) { put_mark(c, UST_MARK_LONG, v); }

void ust_print_string(struct ust_ctx *c, const char *s)
{
	put_mark(c, UST_MARK_STRING, 0);
	ust_put_s(&c->out, s);
}

void ust_print_text(struct ust_ctx *c) { put_mark(c, UST_MARK_TEXT, 0); }
void ust_print_end(struct ust_ctx *c) { put_mark(c, UST_MARK_END, 0); }

void ust_print_hist(struct ust_ctx *c, struct ust_gvar *g, const ust_long *counts)
{
	u32 i;

	for (i = 0; i < g->buckets; i++)
		if (counts[i]) {
			put_mark(c, UST_MARK_LONG, i);
			put_mark(c, UST_MARK_LONG, counts[i]);
		}
}

void ust_trace_indent(struct ust_ctx *c, ust_long delta)
{
	if (records_on())
		put_mark(c, UST_MARK_INDENT, delta);
}

void record_warning(struct ust_ctx *c, const char *text)
{
	put_mark(c, UST_MARK_WARN, (ust_long)port_monotonic_ns());
	ust_put_s(&c->out, text);
	put_mark(c, UST_MARK_END, 0);
}

void record_error(struct ctx *x)
{
	struct ust_ctx *c = &x->pub;

	put_mark(c, UST_MARK_ERROR, (ust_long)port_monotonic_ns());
	c->out.p += ctx_message(x, c->out.p, (u32)(c->out.end - c->out.p));
	put_mark(c, UST_MARK_END, 0);
}

/* ----------------------------------------------------------------- packing */

/* Copy S and its NUL to TO, cut to end before END. */
static char *copy_text(char *to, const char *end, const char *s)
{
	while (to + 1 < end && *s)
		*to++ = *s++;
	*to++ = 0;
	return to;
}

static u32 site_flags(const struct ust_hit *hit)
{
	u32 flags = 0;

	if (hit->site && hit->site->flags & UST_SITE_RETURN)
		flags |= UST_PARTS_RETURN;
	if (hit->site && hit->site->flags & UST_SITE_PAIRED)
		flags |= UST_PARTS_PAIRED;
	if (hit->probe &&
	    (hit->probe->kind == UST_PROBE_TIMER_NS ||
	     hit->probe->kind == UST_PROBE_TIMER_JIFFIES || hit->probe->kind == UST_PROBE_PROFILE))
		flags |= UST_PARTS_TIMER;
	if (hit->probe && hit->probe->kind == UST_PROBE_MONITOR)
		flags |= UST_PARTS_VIEW;
	return flags;
}

static void fill_head(const struct ctx *x, struct ust_parts *e, bool last)
{
	struct ust_ctx *c = (struct ust_ctx *)&x->pub;
	char name[64] = "";
	u32 i;

	e->flags = site_flags(c->hit) | (x->now.continued ? 0 : UST_PARTS_FIRST) |
		   (last ? UST_PARTS_LAST : 0);
	/* contexts are at different cache lines */
	e->context = (u32)((unsigned long)c->out.base >> 6);
	e->pid = (u32)ust_pid(c);
	e->tid = (u32)ust_tid(c);
	ust_execname(c, name);
	for (i = 0; i < sizeof e->comm; i++)
		e->comm[i] = i + 1 < sizeof e->comm ? name[i] : 0;
}

/* Append probe point and function after the text. */
static char *put_texts(const struct ust_hit *hit, char *to)
{
	const char *end = to + RECORD_TAIL - 16;

	to = copy_text(to, end, hit->site ? hit->site->pp : hit->probe ? hit->probe->pp : "");
	return copy_text(to, end + 8, hit->site && hit->site->func ? hit->site->func : "");
}

u32 record_pack(struct ust_ctx *c, bool last)
{
	struct ctx *x = ctx_of(c);
	struct ust_out *o = &c->out;
	struct ust_parts *e = (struct ust_parts *)(o->base - RECORD_HEAD);
	u32 size = x->now.nmarks * (u32)sizeof(struct ust_mark), len;
	/* move them away from the texts */
	char *marks = x->out_end + RECORD_TAIL - size, *to;

	memmove(marks, o->end, size);
	e->text = (u32)(o->p - o->base);
	e->marks = x->now.nmarks;
	fill_head(x, e, last);
	to = put_texts(c->hit, o->p);
	e->texts = (u32)(to - o->p);
	len = (u32)(to - o->base);
	len = (len + 7) & ~7u;
	memmove(o->base + len, marks, size);
	o->p = o->base;
	o->end = x->out_end;
	x->now.nmarks = 0;
	x->now.continued = !last;
	return RECORD_HEAD + len + size;
}

/* --------------------------------------------------- records of the script */

/* Flush earlier output, so that it precedes the record. */
static void put_record(struct ust_ctx *c, u32 type, const char *text)
{
	if (ctx_printed(ctx_of(c)))
		ctx_flush(c, false);
	ctx_put(c, type, text, strlen(text));
}

void ust_warn(struct ust_ctx *c, const char *text)
{
	if (records_on())
		record_warning(c, text);
	else
		put_record(c, UST_REC_WARN, text);
}

void ust_system(struct ust_ctx *c, const char *command) { put_record(c, UST_REC_SYSTEM, command); }
void ust_switch_file(struct ust_ctx *c) { put_record(c, UST_REC_SWITCH, ""); }
