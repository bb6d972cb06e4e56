/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of output as records with parts (UST_PROG_RECORDS), and records of warnings, errors and
 * commands. A mark gives the offset in the print buffer at which a part starts; marks grow
 * downwards from the buffer's end.
 */
#include "common.h"
#include "wire_records.h"

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

/* A statement without text about a span, WHAT as of UST_PRINT_SPAN, with TEXT as an argument. */
static void begin_span_part(struct ust_ctx *c, const char *what, const char *text)
{
	ust_print_begin(c, what, (u32)strlen(what));
	ust_print_string(c, text);
}

void ust_span_begin(struct ust_ctx *c, const char *name)
{
	begin_span_part(c, "\nn b\n", name);
	ust_print_end(c);
}

void ust_span_end(struct ust_ctx *c, const char *name)
{
	begin_span_part(c, "\nn e\n", name);
	ust_print_end(c);
}

void ust_span_attribute(struct ust_ctx *c, const char *key, const char *value)
{
	begin_span_part(c, "\nn a\n", key);
	ust_print_string(c, value);
	ust_print_end(c);
}

void ust_span_number(struct ust_ctx *c, const char *key, ust_long value)
{
	begin_span_part(c, "\nn a\n", key);
	ust_print_long(c, value);
	ust_print_end(c);
}

void ust_span_error(struct ust_ctx *c, const char *message)
{
	begin_span_part(c, "\nn f\n", message);
	ust_print_end(c);
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

/* ------------------------------------------------------------------ errors */

/* The message replaces the output in its buffer. */
noinline void ctx_report(struct ctx *x)
{
	struct ust_out *o = &x->pub.out;

	if (ust_program.flags & UST_PROG_QUIET && !x->fatal) {
		port_count_error();
		return;
	}
	if (ctx_printed(x))
		ctx_flush(&x->pub, false);
	if (records_on())
		record_error(x);
	else
		ctx_put(&x->pub, UST_REC_ERROR, o->base, ctx_message(x, o->base, o->end - o->base));
	if (port_count_error() > ust_program.maxerrors || x->fatal)
		port_exit(x->raised ? FAILURE_SCRIPT : FAILURE_RUNTIME);
}
