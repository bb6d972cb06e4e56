/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emitted C, written by hand.  The probed program is
 * PROGRAM, at file offset PROGRAM_OFFSET; the probed function takes (number, number, string).
 */
#include "ustap_rt.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

static struct ust_gvar g_hits = {.name = "hits", .storage = UST_COUNTER, .type = UST_LONG};
static struct ust_gvar g_returns = {.name = "returns", .storage = UST_COUNTER, .type = UST_LONG};
static struct ust_gvar g_by = {.name = "by",
			       .storage = UST_AGG_ARRAY,
			       .type = UST_STAT,
			       .nkeys = 1,
			       .keys = {UST_LONG},
			       .max = 64,
			       .norders = 1};
static struct ust_gvar g_total = {.name = "total", .storage = UST_VAR, .type = UST_LONG};

static struct ust_gvar *const gvars[] = {&g_hits, &g_returns, &g_by, &g_total};

static const struct ust_lockref refs[] = {{&g_total, 1}};
static const struct ust_lockset locks = {1, refs};

static void on_begin(struct ust_hit *hit)
{
	struct ust_ctx *c = ust_enter(hit);

	if (ust_unlikely(!c))
		return;
	ust_put(&c->out, "begin ", 6);
	ust_put_d(&c->out, ust_target(c) != 0);
	ust_put(&c->out, "\n", 1);
	ust_leave(c);
}

static void on_entry(struct ust_hit *hit) { ust_counter_add(&g_hits, 1); }

static void on_statistic(struct ust_hit *hit)
{
	struct ust_ctx *c = ust_enter(hit);

	if (ust_unlikely(!c))
		return;
	c->where = 1;
	ust_map_stat_add_l(c, &g_by, (ust_long)hit->regs->di, (ust_long)hit->regs->si);
	ust_leave(c);
}

static void on_locked(struct ust_hit *hit)
{
	struct ust_ctx *c = ust_enter(hit);

	if (ust_unlikely(!c))
		return;
	ust_lock(c, &locks);
	g_total.l = ust_add(g_total.l, 1);
	ust_leave(c);
}

__attribute__((unused)) static void on_print(struct ust_hit *hit)
{
	struct ust_ctx *c = ust_enter(hit);
	char *f;

	if (ust_unlikely(!c))
		return;
	f = ust_frame_push(c, UST_MAXSTRINGLEN);
	if (!f)
		goto out;
	c->where = 2;
	const char *s = ust_user_string(c, f, (ust_long)hit->regs->dx);
	if (c->failed)
		goto out;
	ust_put_d(&c->out, (ust_long)hit->regs->di);
	ust_put(&c->out, " ", 1);
	ust_put_s(&c->out, s);
	ust_put(&c->out, "\n", 1);
out:
	ust_leave(c);
}

static void on_return(struct ust_hit *hit) { ust_counter_add(&g_returns, (ust_long)hit->regs->ax); }

static void on_end(struct ust_hit *hit)
{
	struct ust_ctx *c = ust_enter(hit);
	struct ust_iter it;

	if (ust_unlikely(!c))
		return;
	ust_put(&c->out, "hits ", 5);
	ust_put_d(&c->out, ust_counter_read(&g_hits));
	ust_put(&c->out, " total ", 7);
	ust_put_d(&c->out, g_total.l);
	ust_put(&c->out, " returns ", 9);
	ust_put_d(&c->out, ust_counter_read(&g_returns));
	ust_put(&c->out, "\n", 1);
	ust_iter_begin(c, &it, &g_by, 1, 1, 0, 100, 0);
	while (ust_iter_next(c, &it)) {
		ust_put_d(&c->out, it.key[0].l);
		ust_put(&c->out, ":", 1);
		ust_put_d(&c->out, it.st.count);
		ust_put(&c->out, " ", 1);
	}
	ust_put(&c->out, "\n", 1);
	ust_leave(c);
}

static const struct ust_module modules[] = {{STRING(PROGRAM), STRING(PROGRAM), ""}};
static const struct ust_site sites[] = {
#ifdef ONLY
	{PROGRAM_OFFSET, PROGRAM_OFFSET, 0, ONLY == on_return ? UST_SITE_RETURN : 0, ONLY, "work",
	 "only"},
#else
	{PROGRAM_OFFSET, PROGRAM_OFFSET, 0, 0, on_entry, "work", "entry"},
	{PROGRAM_OFFSET, PROGRAM_OFFSET, 0, 0, on_statistic, "work", "statistic"},
	{PROGRAM_OFFSET, PROGRAM_OFFSET, 0, 0, on_locked, "work", "locked"},
#ifdef PRINT
	{PROGRAM_OFFSET, PROGRAM_OFFSET, 0, 0, on_print, "work", "print"},
#endif
	{PROGRAM_OFFSET, PROGRAM_OFFSET, 0, UST_SITE_RETURN, on_return, "work", "return"},
#endif
};
static const struct ust_probe probes[] = {
	{UST_PROBE_BEGIN, 0, on_begin, "begin"},
	{UST_PROBE_END, 0, on_end, "end"},
};
static const struct ust_where wheres[] = {
	{0, 0, 0},
	{"by", "identifier", "sample:1:1"},
	{"user_string", "identifier", "sample:2:2"},
};

const struct ust_program ust_program = {
	.abi = UST_ABI,
	.modules = modules,
	.nmodules = 1,
	.sites = sites,
	.nsites = sizeof sites / sizeof sites[0],
	.probes = probes,
	.nprobes = 2,
	.gvars = gvars,
	.ngvars = 4,
	.wheres = wheres,
	.nwheres = 3,
	.maxaction = 1000,
	.maxaction_interruptible = 10000,
	.maxnesting = 10,
	.maxstringlen = UST_MAXSTRINGLEN,
	.maxerrors = 0,
	.maxskipped = 100,
	.frame_size = 4096,
	.script = "sample",
};
