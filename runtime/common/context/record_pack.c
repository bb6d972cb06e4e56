/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records with parts (UST_PROG_RECORDS) from the print buffer of a context: when it is flushed, the
 * marks at its end are moved to after the text, followed by the texts of the hit. The result is a
 * struct ust_parts of wire.h.
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
