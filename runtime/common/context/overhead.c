/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --max-overhead: a budget for the time that handlers take from the CPUs.
 *
 * Each site has a cell that counts its hits, and the cycles of the handler in those hits that run
 * it. Each CPU sums the cycles of all handlers. A timer of the script compares the busiest CPU with
 * the budget. While it is above, the timer measures each site for one period, and then lowers a
 * limit for all sites until their sum fits: a site above the limit runs its handler in one of N
 * hits, N a power of two, or is switched off, if its hits alone cost more or if its probe cannot be
 * sampled. Sites that are sampled run again in more hits when the load has been low for a while.
 */
#include "common.h"

enum {
	TOLD_OFF = 1,
	MASK_MAX = 65535,
	REPORTS_MAX = 8,    /* lines for one decision */
	QUIET_TURNS = 50,   /* periods with a low load before sites are sampled less */
	SKIP_CYCLES = 24,   /* of a hit that does not run its handler, in ust_limited() */
	LONG_CYCLES = 60000 /* a handler may take so long whatever its average */
};

/* Counters of a site, used by all CPUs; then what the timer alone uses. */
struct site_cost {
	u64 hits, cycles;
	u32 mask;     /* the handler runs in one of mask + 1 hits */
	u32 off;      /* switched off */
	u32 average;  /* cycles of the handler, smoothed */
	u32 reaching; /* cycles to reach the handler and return, estimated */
	u64 old_hits, old_cycles;
	u64 fixed, variable; /* cycles of the last period: of all hits, of the handler */
	u32 most, told;      /* largest N so far; the one that was reported */
	bool is_doubted;     /* it was above the limit whatever N, in the last period */
};

static struct site_cost *costs;
static u32 *busy_sites, nbusy; /* sites with hits in the last period */
static char *line;
static void *cycles_spent; /* a number of cycles for each CPU */
static struct {
	u64 start;      /* ns of the first turn */
	u64 time, *cpu; /* cycles at the last turn: of the clock, of handlers on each CPU */
	bool is_measuring;
	u32 quiet; /* turns in a row with a low load */
} overhead;

enum { LINE_SIZE = 1024, PER_MILLE = 1000 };

static bool allocate(void)
{
	u32 n = ust_program.nsites;

	costs = port_alloc((n + 1) * sizeof *costs);
	busy_sites = port_alloc((n + 1) * sizeof *busy_sites);
	line = port_alloc(LINE_SIZE);
	cycles_spent = port_percpu_alloc(sizeof(ust_long));
	overhead.cpu = port_alloc(port_ncpus() * sizeof *overhead.cpu);
	return costs && busy_sites && line && cycles_spent && overhead.cpu;
}

static void free_all(void)
{
	port_free(costs);
	port_free(busy_sites);
	port_free(line);
	port_free(overhead.cpu);
	if (cycles_spent)
		port_percpu_free(cycles_spent);
	costs = NULL;
	busy_sites = NULL;
	line = NULL;
	overhead.cpu = NULL;
	cycles_spent = NULL;
}

/* --------------------------------------------------------------------- hits */

/* Exactly one of each mask + 1 hits is chosen, at a random position, since a program may do
 * different things in turn. */
static inline bool is_chosen(u64 hit, u64 mask)
{
	return (hit & mask) == (random_mix(hit & ~mask) & mask);
}

/* A handler that was interrupted or lost its CPU counts as one that takes several times the
 * average. */
static u64 plausible_cycles(struct site_cost *c, u64 took)
{
	u64 average = READ_ONCE(c->average), most = 8 * average;

	if (most < LONG_CYCLES)
		most = LONG_CYCLES;
	if (took > most)
		took = most;
	WRITE_ONCE(c->average, (u32)(average ? (15 * average + took) / 16 : took));
	return took;
}

static void add_cycles(struct site_cost *c, const struct ust_hit *hit, u64 took)
{
	u32 reaching = port_hit_cycles(hit) + SKIP_CYCLES;

	took = plausible_cycles(c, took);
	WRITE_ONCE(c->reaching, reaching);
	__atomic_fetch_add(&c->cycles, took, __ATOMIC_RELAXED);
	port_percpu_add(cycles_spent, (ust_long)(took + (u64)reaching * hit->weight));
}

void ust_limited(struct ust_hit *hit, ust_handler run)
{
	struct site_cost *c = &costs[hit->site - ust_program.sites];
	u64 n = __atomic_fetch_add(&c->hits, 1, __ATOMIC_RELAXED), begin, end;
	u32 mask = READ_ONCE(c->mask);

	if (mask && !is_chosen(n, mask))
		return;
	if (unlikely(READ_ONCE(c->off)))
		return;
	hit->weight = mask + 1;
	begin = port_cycles();
	run(hit);
	end = port_cycles();
	add_cycles(c, hit, end > begin ? end - begin : 0);
}

/* ------------------------------------------------------------------ reports */

static u32 add_words(u32 at, const char *s)
{
	while (*s && at + 1 < LINE_SIZE)
		line[at++] = *s++;
	line[at] = 0;
	return at;
}

static u32 add_count(u32 at, u64 n)
{
	char digits[24];

	digits[fmt_decimal(digits, n)] = 0;
	return add_words(at, digits);
}

/* The percentage of a CPU that N of PERIOD cycles are, with one decimal. */
static u32 add_share(u32 at, u64 n, u64 period)
{
	u64 share = n * PER_MILLE / period;

	at = add_count(at, share / 10);
	at = add_words(at, ".");
	at = add_count(at, share % 10);
	return add_words(at, "% of a CPU");
}

static u32 add_when(u32 at)
{
	u64 ms = (port_monotonic_ns() - overhead.start) / 1000000, rest = ms % 1000;

	at = add_words(at, ", ");
	at = add_count(at, ms / 1000);
	at = add_words(at, rest < 10 ? ".00" : rest < 100 ? ".0" : ".");
	at = add_count(at, rest);
	return add_words(at, " s after the start");
}

static const char *is_off_text(u32 i)
{
	return ust_program.groups[i] & 1
		       ? ": switched off, because hits of it depend on others"
		       : ": switched off, because even sampling exceeds the limit";
}

/* Report the new state of site I, and its share of PERIOD. */
static void report_site(struct ust_ctx *c, u32 i, u64 period)
{
	const struct site_cost *cell = &costs[i];
	u32 at = add_words(0, "--max-overhead=");

	at = add_count(at, ust_program.max_overhead);
	at = add_words(at, ": ");
	at = add_words(at, ust_program.sites[i].pp);
	at = add_words(at, " takes ");
	at = add_share(at, cell->fixed + cell->variable, period);
	if (cell->off) {
		at = add_words(at, is_off_text(i));
	} else {
		at = add_words(at, ": sampled, one in ");
		at = add_count(at, (u64)cell->mask + 1);
		at = add_words(at, " hits runs its handler and stands for all (~)");
	}
	at = add_when(at);
	ust_warn(c, line);
}

static bool is_news(const struct site_cost *c)
{
	return c->off ? c->told != TOLD_OFF : c->mask + 1 > 1 && c->most > c->told;
}

static void report_sites(struct ust_hit *hit, u64 period)
{
	struct ust_ctx *c = ust_enter(hit);
	u32 i, n = 0, more = 0, at;

	if (!c)
		return;
	for (i = 0; i < ust_program.nsites; i++) {
		struct site_cost *cell = &costs[i];

		if (!is_news(cell))
			continue;
		if (n++ < REPORTS_MAX)
			report_site(c, i, period);
		else
			more++;
		cell->told = cell->off ? TOLD_OFF : cell->most;
	}
	if (more) {
		at = add_words(0, "--max-overhead: ");
		at = add_count(at, more);
		add_words(at, " more probe points are sampled or switched off");
		ust_warn(c, line);
	}
	ust_leave(c);
}

/* ---------------------------------------------------------------- decisions */

static u64 cpu_spent(u32 cpu)
{
	return (u64)READ_ONCE(*(ust_long *)port_percpu(cycles_spent, cpu));
}

/* Cycles of handlers on the busiest CPU since the last turn. */
static u64 busiest(void)
{
	u64 most = 0;
	u32 cpu;

	for (cpu = 0; cpu < port_ncpus(); cpu++) {
		u64 now, took;

		if (!port_cpu_exists(cpu))
			continue;
		now = cpu_spent(cpu);
		took = now - overhead.cpu[cpu];
		overhead.cpu[cpu] = now;
		if (took > most)
			most = took;
	}
	return most;
}

/* Set what each site has cost since the last call, and return the sum. */
static u64 measure_sites(void)
{
	u64 all = 0;
	u32 i;

	nbusy = 0;
	for (i = 0; i < ust_program.nsites; i++) {
		struct site_cost *c = &costs[i];
		u64 hits = READ_ONCE(c->hits), cycles = READ_ONCE(c->cycles);

		c->fixed = (hits - c->old_hits) * READ_ONCE(c->reaching);
		c->variable = cycles - c->old_cycles;
		if (hits != c->old_hits && !c->off)
			busy_sites[nbusy++] = i;
		c->old_hits = hits;
		c->old_cycles = cycles;
		all += c->off ? 0 : c->fixed + c->variable;
	}
	return all;
}

/* Bits by which site I has to be sampled more to cost at most LIMIT; -1: it cannot. */
static int bits_for(u32 i, u64 limit)
{
	const struct site_cost *c = &costs[i];
	int bits = 0;

	if (c->fixed + c->variable <= limit)
		return 0;
	if (ust_program.groups[i] & 1)
		return -1;
	while (c->fixed + (c->variable >> bits) > limit)
		if ((((u64)c->mask + 1) << ++bits) - 1 > MASK_MAX)
			return -1;
	return bits;
}

static u64 cost_within(u64 limit)
{
	u64 sum = 0;
	u32 k;

	for (k = 0; k < nbusy; k++) {
		const struct site_cost *c = &costs[busy_sites[k]];
		int bits = bits_for(busy_sites[k], limit);

		if (bits >= 0)
			sum += c->fixed + (c->variable >> bits);
	}
	return sum;
}

static void close_site(u32 i)
{
	struct ust_gate *g = ust_program.sites[i].gate;
	u32 number, k;

	WRITE_ONCE(costs[i].off, 1);
	if (!g)
		return;
	number = (u32)(g - ust_program.gates);
	/* a condition's gate closes when all of its sites are off */
	for (k = 0; number < ust_program.nconditions && k < ust_program.nsites; k++)
		if (ust_program.sites[k].gate == g && !costs[k].off)
			return;
	if (number < ust_program.nconditions)
		WRITE_ONCE(ust_program.gates_off[number], 1);
	ust_gate_set(g, 0);
}

/* Sites that cannot be sampled are switched off with those that depend on them. */
static void switch_off(u32 i)
{
	u32 group = ust_program.groups[i] >> 1, k;

	close_site(i);
	if (!(ust_program.groups[i] & 1))
		return;
	for (k = 0; k < ust_program.nsites; k++)
		if (ust_program.groups[k] >> 1 == group && !costs[k].off)
			close_site(k);
}

/* Another period has to confirm what would end the probe. Until then it is sampled more. */
static int doubt_site(struct site_cost *c)
{
	int bits = 0;

	c->is_doubted = true;
	while (bits < 4 && (((u64)c->mask + 1) << (bits + 1)) - 1 <= MASK_MAX)
		bits++;
	return bits;
}

static void apply_limit(u64 limit)
{
	u32 k;

	for (k = 0; k < nbusy; k++) {
		struct site_cost *c = &costs[busy_sites[k]];
		int bits = c->off ? 0 : bits_for(busy_sites[k], limit);

		if (bits < 0 && (c->is_doubted || ust_program.groups[busy_sites[k]] & 1))
			switch_off(busy_sites[k]);
		else if (bits < 0)
			bits = doubt_site(c);
		if (bits > 0)
			WRITE_ONCE(c->mask, ((c->mask + 1) << bits) - 1);
		if (c->mask + 1 > c->most)
			c->most = c->mask + 1;
	}
}

/* Reduce what all sites cost, ALL cycles, to MOST. */
static void reduce_costs(u64 all, u64 most)
{
	u64 limit = all;

	while (limit && cost_within(limit) > most)
		limit -= limit / 4 + 1;
	apply_limit(limit);
}

static void sample_less(void)
{
	u32 i;

	for (i = 0; i < ust_program.nsites; i++) {
		costs[i].is_doubted = false;
		WRITE_ONCE(costs[i].mask, costs[i].mask / 2);
	}
}

static void see_low_load(u64 load, u64 budget)
{
	overhead.is_measuring = false;
	overhead.quiet = load < budget / 4 ? overhead.quiet + 1 : 0;
	if (overhead.quiet < QUIET_TURNS)
		return;
	overhead.quiet = 0;
	sample_less();
}

/* True if the timer has lost its CPU in this turn, so that what it has read is of another PERIOD.
 */
static bool is_late(u64 period) { return port_cycles() - overhead.time > period / 8; }

/* LOAD: of the busiest CPU, in cycles as PERIOD and the BUDGET. The first period above the budget
 * only begins the measurement of sites. */
static void see_high_load(struct ust_hit *hit, u64 load, u64 budget, u64 period)
{
	u64 all = measure_sites();

	overhead.quiet = 0;
	if (overhead.is_measuring && !is_late(period)) {
		reduce_costs(all, all * (budget / 4 * 3 / 1024) / (load / 1024 + 1));
		report_sites(hit, period);
	}
	overhead.is_measuring = true;
}

void ust_overhead_control(struct ust_hit *hit)
{
	u64 now = port_cycles(), period = now - overhead.time, load = busiest(), budget;

	hit->weight = 1;
	overhead.time = now;
	if (!overhead.start) {
		overhead.start = port_monotonic_ns();
		measure_sites();
		return;
	}
	budget = period / 100 * ust_program.max_overhead;
	if (!period || period >> 62 || is_late(period))
		return;
	if (load > budget)
		see_high_load(hit, load, budget, period);
	else
		see_low_load(load, budget);
}

const struct ust_overhead ust_overhead = {
	.init = allocate, .release = free_all, .control = ust_overhead_control};

/* ------------------------------------------------------------------- output */

const char *ust_estimate_mark(struct ust_ctx *c, char *dst, ust_long number)
{
	bool is = number >= 0 && number < ust_program.ngvars &&
		  READ_ONCE(ust_program.gvars[number]->estimated);

	(void)c;
	dst[0] = is ? '~' : 0;
	dst[1] = 0;
	return dst;
}
