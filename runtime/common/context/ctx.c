/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts of both runtimes: errors, limits, frames.
 *
 * A pending error is a text and its location in the script. An error raised by the script (error())
 * has no location: program.wheres[0].
 */
#include "common.h"

/* ---------------------------------------------------------------- errors */

static void copy(char *dst, const char *src, u32 size)
{
	u32 n = 0;

	while (n + 1 < size && src[n]) {
		dst[n] = src[n];
		n++;
	}
	if (size)
		dst[n] = 0;
}

static u32 append(char *dst, u32 at, u32 size, const char *src)
{
	copy(dst + at, src, size - at);
	return at + strlen(dst + at);
}

/* A fatal error is not replaced: the new one could be caught. */
static void set_error(struct ctx *x, const char *text, u32 where, bool fatal)
{
	if (x->pub.failed && x->fatal)
		return;
	copy(x->error, text, string_size);
	x->error_where = where;
	x->error_depth = x->pub.depth;
	x->fatal = fatal;
	x->raised = false;
	x->pub.failed = true;
}

void ctx_fail(struct ust_ctx *c, const char *text) { set_error(ctx_of(c), text, c->where, false); }

void ctx_fail_text(struct ust_ctx *c, const char *text, const char *after)
{
	struct ctx *x = ctx_of(c);

	ctx_fail(c, text);
	append(x->error, strlen(x->error), string_size, after);
}

static void fail_digits(struct ust_ctx *c, const char *before, char *digits, u32 n,
			const char *after)
{
	struct ctx *x = ctx_of(c);
	u32 at;

	digits[n] = 0;
	ctx_fail(c, before);
	at = append(x->error, strlen(x->error), string_size, digits);
	append(x->error, at, string_size, after);
}

void ctx_fail_number(struct ust_ctx *c, const char *before, u64 number, const char *after)
{
	char digits[24];

	fail_digits(c, before, digits, fmt_decimal(digits, number), after);
}

void ctx_fail_addr(struct ust_ctx *c, const char *before, u64 addr)
{
	char digits[24];

	fail_digits(c, before, digits, fmt_hex(digits, addr), "");
}

void ctx_fail_addr_why(struct ust_ctx *c, const char *before, u64 addr, const char *why)
{
	char digits[24];

	fail_digits(c, before, digits, fmt_hex(digits, addr), why);
}

void ust_error(struct ust_ctx *c, const char *text)
{
	struct ctx *x = ctx_of(c);

	if (c->failed && x->fatal)
		return;
	set_error(x, text, 0, false);
	x->raised = true;
}

void ust_exit(struct ust_ctx *c)
{
	(void)c;
	port_exit(FAILURE_NONE);
}

void ust_abort(struct ust_ctx *c)
{
	ust_exit(c);
	set_error(ctx_of(c), "", 0, true);
	ctx_of(c)->now.aborted = true;
}

_Bool ust_catch(struct ust_ctx *c, char *dst)
{
	struct ctx *x = ctx_of(c);

	if (x->fatal)
		return false;
	c->failed = false;
	if (dst)
		ust_strcpy(dst, x->error);
	return true;
}

/* Entry INDEX of the table of locations; NULL if it is not one that messages name. */
static const struct ust_where *where_at(u32 index)
{
	return index && index < ust_program.nwheres ? &ust_program.wheres[index] : NULL;
}

/* Append the calls through which the error came, from the innermost one, but no more than the
 * buffer's use allows. */
static u32 append_calls(const struct ctx *x, char *dst, u32 n, u32 size)
{
	enum { SHOWN = 8 };
	u32 depth = x->error_depth < UST_MAX_DEPTH ? x->error_depth : UST_MAX_DEPTH, i;

	for (i = 0; i < depth && i < SHOWN; i++) {
		const struct ust_where *w = where_at(x->calls[depth - 1 - i]);

		if (!w || !w->caller)
			return n;
		n = append(dst, n, size, ", called from ");
		n = append(dst, n, size, w->caller);
		n = append(dst, n, size, " at ");
		n = append(dst, n, size, w->pos);
	}
	return i < depth ? append(dst, n, size, ", ...") : n;
}

u32 ctx_message(struct ctx *x, char *dst, u32 size)
{
	const struct ust_where *w = where_at(x->error_where);
	u32 n = append(dst, 0, size, x->error);

	if (!w)
		return n;
	n = append(dst, n, size, " near ");
	n = append(dst, n, size, w->kind);
	n = append(dst, n, size, " '");
	n = append(dst, n, size, w->token);
	n = append(dst, n, size, "' at ");
	n = append(dst, n, size, w->pos);
	return append_calls(x, dst, n, size);
}

/* ---------------------------------------------------------------- limits */

#define OVERLOAD "probe overload: handlers take more time than STP_OVERLOAD_THRESHOLD allows"

/*
 * A handler is limited by its actions (MAXACTION) and by its time (STP_OVERLOAD_THRESHOLD). Reading
 * the clock is costly, so it is read every CHECK_ACTIONS actions. A handler may lose its CPU to
 * other tasks in between, so no single interval counts for more than an eighth of the limit.
 */
static bool in_time(struct ctx *x, bool first)
{
	struct ust_ctx *c = &x->pub;
	u64 budget = port_time_budget(c), now = budget ? port_cycles() : 0, took;

	if (!now)
		return true;
	took = first || now < x->clock ? 0 : now - x->clock;
	if (took > budget / 8)
		took = budget / 8;
	x->clock = now;
	x->spent = first ? 0 : x->spent + took;
	return x->spent <= budget && port_cycles_spent(c, now, took);
}

static bool end_handler(struct ctx *x, u32 max, const char *why)
{
	x->pub.actions = max + 1; /* and it stays above the limit: it must not wrap around */
	set_error(x, why, x->pub.where, true);
	return false;
}

static noinline bool check_limits(struct ctx *x)
{
	u32 max = port_max_actions(&x->pub), actions = x->pub.actions;
	bool first = x->checkpoint <= CHECK_ACTIONS;

	if (ust_program.maxaction == UST_NO_MAXACTION && !ust_program.overload_threshold) {
		x->pub.actions = 0;
		return true;
	}
	if (unlikely(actions > max))
		return end_handler(x, max, "MAXACTION exceeded");
	if (unlikely(!in_time(x, first)))
		return end_handler(x, max, OVERLOAD);
	x->checkpoint = max - actions > CHECK_ACTIONS ? actions + CHECK_ACTIONS : max;
	return true;
}

_Bool ust_action(struct ust_ctx *c, ust_u32 n)
{
	struct ctx *x = ctx_of(c);

	c->actions += n;
	return likely(c->actions <= x->checkpoint) || check_limits(x);
}

_Bool ust_charge(struct ust_ctx *c, ust_u64 units)
{
	enum { MOST = 1u << 30 };

	return ust_action(c, units < MOST ? (u32)units : MOST);
}

void ctx_overload(struct ust_ctx *c) { end_handler(ctx_of(c), port_max_actions(c), OVERLOAD); }

_Bool ust_call(struct ust_ctx *c)
{
	if (unlikely(c->depth >= ust_program.maxnesting || c->depth == UST_MAX_DEPTH)) {
		ctx_fail(c, "MAXNESTING exceeded");
		return false;
	}
	if (unlikely(!port_has_stack(c))) {
		ctx_fail(c, "the kernel's stack is nearly full");
		return false;
	}
	ctx_of(c)->calls[c->depth++] = c->where;
	return true;
}

void *ust_frame_push(struct ust_ctx *c, ust_u32 size)
{
	char *frame = c->frame;

	size = (size + 15) & ~15u;
	if (unlikely((size_t)(c->frame_end - frame) < size)) {
		ctx_fail(c, "MAXNESTING exceeded");
		return NULL;
	}
	c->frame = frame + size;
	return frame;
}

/* ------------------------------------------------------------ arithmetic */

ust_long ust_div(struct ust_ctx *c, ust_long a, ust_long b)
{
	if (unlikely(b == 0)) {
		ctx_fail(c, "division by 0");
		return 0;
	}
	return b == -1 ? ust_sub(0, a) : a / b;
}

ust_long ust_mod(struct ust_ctx *c, ust_long a, ust_long b)
{
	if (unlikely(b == 0)) {
		ctx_fail(c, "division by 0");
		return 0;
	}
	return b == -1 ? 0 : a % b;
}
