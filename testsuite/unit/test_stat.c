/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters, statistics, arithmetic, limits and errors of runtime/common. */
#include "rt_check.h"
#include "common.h"

static struct ust_gvar count = {
	.name = "count", .storage = UST_COUNTER, .type = UST_LONG, .l = 100};
static struct ust_gvar agg = {.name = "agg", .storage = UST_AGG, .type = UST_STAT};
static struct ust_gvar *const gvars[] = {&count, &agg};
PROGRAM(gvars, 2);

#define LEAST (-9223372036854775807ll - 1)

static const char *caught(struct ust_ctx *c)
{
	static char text[UST_MAXSTRINGLEN];

	strcpy(text, "nothing");
	if (c->failed && !ust_catch(c, text))
		strcpy(text, "not to be caught");
	return text;
}

static void counters(void)
{
	for (int i = 0; i < 10; i++)
		ust_counter_add(&count, i);
	ust_counter_add(&count, -5);
	check_long("counter", ust_counter_read(&count), 140);
}

static void statistics(struct ust_ctx *c)
{
	struct ust_stat st;

	ust_stat_read(&agg, &st);
	check_long("empty count", st.count + st.sum, 0);
	ust_stat_avg(c, &st);
	check_text("empty @avg", caught(c), "empty aggregate");
	ust_stat_min(c, &st);
	check_text("empty @min", caught(c), "empty aggregate");
	ust_stat_max(c, &st);
	check_text("empty @max", caught(c), "empty aggregate");
	for (ust_long i = -2; i <= 20; i++)
		ust_stat_add(&agg, i);
	ust_stat_read(&agg, &st);
	check_long("count", st.count, 23);
	check_long("sum", st.sum, 207);
	check_long("min", ust_stat_min(c, &st), -2);
	check_long("max", ust_stat_max(c, &st), 20);
	check_long("avg", ust_stat_avg(c, &st), 9);
	ust_stat_clear(&agg);
	ust_stat_add(&agg, -7);
	ust_stat_add(&agg, -6);
	ust_stat_read(&agg, &st);
	check_long("max below 0 after a clear", st.max, -6);
	check_long("avg rounds to 0", ust_stat_avg(c, &st), -6);
}

static void arithmetic(struct ust_ctx *c)
{
	check_long("-7 / 2", ust_div(c, -7, 2), -3);
	check_long("-7 % 3", ust_mod(c, -7, 3), -1);
	check_long("least / -1", ust_div(c, LEAST, -1), LEAST);
	check_long("least % -1", ust_mod(c, LEAST, -1), 0);
	check("no error", !c->failed);
	ust_div(c, 1, 0);
	check_text("/ 0", caught(c), "division by 0");
	ust_mod(c, 1, 0);
	check_text("% 0", caught(c), "division by 0");
	check_long("shifts by more than 63", ust_shl(1, 65) + ust_shr(-8, 65), 2 - 4);
	check_long("shifts of zeros", ust_ushr(-1, 63) + ust_ushr(-1, 64), 0);
	check_long("wraps", ust_add(9223372036854775807ll, 1), LEAST);
}

static void limits(struct ust_ctx *c)
{
	void *f = ust_frame_push(c, 2000);

	check("frame", f && !c->failed);
	check("no more frames", !ust_frame_push(c, 100));
	check_text("nesting of frames", caught(c), "MAXNESTING exceeded");
	ust_frame_pop(c, f);
	check("calls", ust_call(c) && ust_call(c) && ust_call(c) && !ust_call(c));
	check_text("nesting of calls", caught(c), "MAXNESTING exceeded");
	c->depth = 0;
	ust_error(c, "mine");
	check_text("error()", caught(c), "mine");
	check("ten times as much in begin", ust_action(c, 1000) && !ust_action(c, 1));
	check_text("MAXACTION", caught(c), "not to be caught");
	c->failed = 0;
}

/* A builtin is charged for its work; no number of units is too large to count. */
static void charges(struct ust_ctx *c)
{
	u32 limit = hosted_max_actions;

	c->actions = 0;
	check("all that is left", ust_charge(c, limit) && !c->failed);
	check("no more", !ust_charge(c, 1) && c->failed);
	check_text("MAXACTION by a charge", caught(c), "not to be caught");
	c->failed = 0;
	c->actions = 0;
	check("more than can be counted",
	      !ust_charge(c, ~0ull) && !ust_action(c, 1) && !ust_charge(c, 0));
	c->failed = 0;
	c->actions = 0;
	check("bytes", ctx_charge_bytes(c, 2 * BYTES_PER_ACTION + 1) && c->actions == 3);
	c->actions = 0;
}

static void checks(struct ust_ctx *c)
{
	counters();
	statistics(c);
	arithmetic(c);
	limits(c);
	charges(c);
}
