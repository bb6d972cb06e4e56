/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hit counts and run times of handlers, if the program requests them: its tables then name
 * functions that call ust_counted(). There is one cell for each site, followed by one for each
 * probe without sites. All CPUs share them, because there may be a million sites.
 */
#include "common.h"
#include "wire_records.h"

struct cell {
	u64 hits, sum, min, max, refused, flags;
};
/* The report on one cell: head of a record and the texts after it, each with its NUL. */
struct record {
	struct ust_count count;
	char text[1024];
	u32 len;
};

static struct cell *cells;
static struct record *record;

static u32 ncells(void) { return ust_program.nsites + ust_program.nprobes; }

bool counts_init(void)
{
	if (!(ust_program.flags & UST_PROG_COUNTS) || !ncells())
		return true;
	cells = port_alloc(ncells() * sizeof *cells);
	record = port_alloc(sizeof *record);
	return cells && record;
}

void counts_free(void)
{
	port_free(cells);
	port_free(record);
	cells = NULL;
	record = NULL;
}

static struct cell *cell_of(const struct ust_hit *hit)
{
	if (hit->site)
		return &cells[hit->site - ust_program.sites];
	return &cells[ust_program.nsites + (hit->probe - ust_program.probes)];
}

static void lower(u64 *to, u64 v)
{
	u64 old = READ_ONCE(*to);

	/* 0: not set yet */
	while ((!old || v < old) &&
	       !__atomic_compare_exchange_n(to, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void raise(u64 *to, u64 v)
{
	u64 old = READ_ONCE(*to);

	while (v > old &&
	       !__atomic_compare_exchange_n(to, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Clocks of different CPUs may differ. */
static void add_time(struct cell *c, s64 time)
{
	u64 t = time > 0 ? time : 1;

	__atomic_fetch_add(&c->sum, t, __ATOMIC_RELAXED);
	lower(&c->min, t);
	raise(&c->max, t);
}

void ust_counted(struct ust_hit *hit, ust_handler run)
{
	bool timed = ust_program.flags & UST_PROG_TIMES;
	struct cell *c = cell_of(hit);
	u64 begin;

	if (unlikely(READ_ONCE(c->flags) & UST_COUNT_SWITCHED_OFF))
		return;
	begin = timed ? port_cycles() : 0;
	hit->off = false;
	run(hit);
	if (hit->off) {
		__atomic_fetch_add(&c->refused, 1, __ATOMIC_RELAXED);
		return;
	}
	if (timed)
		add_time(c, port_cycles() - begin);
	__atomic_fetch_add(&c->hits, 1, __ATOMIC_RELAXED);
}

void counts_note(u32 site, u32 flags)
{
	u64 *to = cells && site < ust_program.nsites ? &cells[site].flags : NULL;

	if (to && (READ_ONCE(*to) & flags) != flags)
		__atomic_fetch_or(to, flags, __ATOMIC_RELAXED);
}

/* The results of a run must not depend on when it is paused. */
static bool is_switchable(u32 i)
{
	u32 kind;

	if (i < ust_program.nsites)
		return true;
	kind = ust_program.probes[i - ust_program.nsites].kind;
	return kind != UST_PROBE_BEGIN && kind != UST_PROBE_END && kind != UST_PROBE_ERROR &&
	       kind != UST_PROBE_MONITOR && kind != UST_PROBE_RESET && kind != UST_PROBE_SEND;
}

static void switch_cell(u32 i, bool on)
{
	if (!is_switchable(i))
		return;
	if (on)
		__atomic_fetch_and(&cells[i].flags, ~(u64)UST_COUNT_SWITCHED_OFF, __ATOMIC_RELAXED);
	else
		__atomic_fetch_or(&cells[i].flags, UST_COUNT_SWITCHED_OFF, __ATOMIC_RELAXED);
}

void counts_switch(s64 index, bool on)
{
	u32 i;

	if (cells && index >= 0 && index < ncells())
		switch_cell((u32)index, on);
	for (i = 0; cells && index == -1 && i < ncells(); i++)
		switch_cell(i, on);
}

/* ------------------------------------------------------------------ telling */

static void add_text(struct record *r, const char *s)
{
	u32 room = sizeof r->text - r->len, n = s ? strlen(s) : 0;

	if (n >= room)
		n = room ? room - 1 : 0;
	if (!room)
		return;
	memcpy(r->text + r->len, s, n);
	r->text[r->len + n] = 0;
	r->len += n + 1;
}

static u32 gate_flags(u32 i)
{
	u32 n = ust_program.nsites;
	const struct ust_gate *g = i < n ? ust_program.sites[i].gate
					 : ust_program.probes[i - n].gate;

	return g && (READ_ONCE(g->closed) || !READ_ONCE(g->on)) ? UST_COUNT_CLOSED : 0;
}

static void tell(struct record *r, u32 i, u32 flags)
{
	bool site = i < ust_program.nsites;
	const struct cell *c = &cells[i];

	r->len = 0;
	r->count = (struct ust_count){
		.index = i,
		.hits = READ_ONCE(c->hits),
		.sum = READ_ONCE(c->sum),
		.min = READ_ONCE(c->min),
		.max = READ_ONCE(c->max),
		.refused = READ_ONCE(c->refused),
		.flags = flags | READ_ONCE(c->flags) | gate_flags(i) | (site ? UST_COUNT_SITE : 0) |
			 (ust_program.flags & UST_PROG_TIMES ? UST_COUNT_TIMES : 0),
	};
	add_text(r, site ? ust_program.sites[i].pp : ust_program.probes[i - ust_program.nsites].pp);
	add_text(r, ust_program.origins ? ust_program.origins[i] : "");
	port_write(UST_REC_COUNT, (const char *)&r->count, sizeof r->count + r->len, true);
}

static bool is_timer_of_overhead(const struct ust_probe *p)
{
	return ust_program.overhead && p->handler == ust_program.overhead->control;
}

static bool is_reported(u32 i)
{
	u32 n = ust_program.nsites;

	if (i >= n && is_timer_of_overhead(&ust_program.probes[i - n]))
		return false;
	return READ_ONCE(cells[i].hits) || READ_ONCE(cells[i].flags) & UST_COUNT_SWITCHED_OFF ||
	       ust_program.flags & UST_PROG_TELL_ALL;
}

void counts_write(u32 flags)
{
	u32 i;

	for (i = 0; cells && i < ncells(); i++)
		if (is_reported(i))
			tell(record, i, flags);
}
