/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of a handler as records; allocation of a context's memory. */
#include "common.h"
#include "wire_records.h"

/* ----------------------------------------------------------------- output */

static u32 record_type(const struct ust_ctx *c)
{
	const struct ust_probe *p = c->hit->probe;

	return p && unlikely(p->kind == UST_PROBE_MONITOR) ? UST_REC_VIEW : UST_REC_OUT;
}

/* The wait is not the handler's time. */
static noinline void write_lossless(struct ust_ctx *c, u32 type, const char *text, u32 len)
{
	if (port_write_lossless(c, type, text, len))
		ctx_of(c)->clock = ~0ull;
}

static void write_record(struct ust_ctx *c, u32 type, const char *text, u32 len)
{
	if (unlikely(ust_program.flags & UST_PROG_LOSSLESS))
		write_lossless(c, type, text, len);
	else
		port_write_output(c, type, text, len);
}

static noinline void flush_parts(struct ust_ctx *c, bool last)
{
	u32 len = record_pack(c, last);

	write_record(c, UST_REC_PARTS, c->out.base - RECORD_HEAD, len);
}

void ctx_flush(struct ust_ctx *c, bool last)
{
	if (unlikely(records_on())) {
		flush_parts(c, last);
		return;
	}
	write_record(c, record_type(c), c->out.base, c->out.p - c->out.base);
	c->out.p = c->out.base;
}

void ctx_put(struct ust_ctx *c, u32 type, const char *text, u32 len)
{
	write_record(c, type, text, len);
}

/* ------------------------------------------------------------------ memory */

u32 ctx_frames_bytes(void)
{
	u32 n = ctx_aligned(ust_program.frame_size + 1);

	if (ust_program.match_spans)
		n += ust_program.match_spans * sizeof(struct match_span) +
		     ctx_aligned(string_size) + string_size * sizeof(unsigned short);
	return n + ctx_tokens_bytes();
}

bool ctx_make(struct ctx *x)
{
	struct ust_ctx *c = &x->pub;
	char *block;

	c->out.c = c;
	block = port_alloc(record_block());
	x->error = port_alloc(string_size);
	x->frames = port_alloc(ctx_frames_bytes());
	record_buffer(x, block);
	if (!block || !x->error || !x->frames)
		return false;
	c->frame_end = x->frames + ust_program.frame_size;
	return true;
}

void ctx_free(struct ctx *x)
{
	port_free(x->block);
	port_free(x->error);
	port_free(x->frames);
}
