/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Percentiles of runtime/common against the sorted samples: 20 distributions, among them measured
 * latencies, counted on two CPUs. SKETCH_SAMPLES is their number in each, 20,000 by default.
 * Elements of arrays: release and reuse of their memory, its end, sorted loops. Weights: one
 * addition that stands for many, as of --max-overhead, beside these many.
 */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "rt_check.h"

#define MOST  9223372036854775807ll
#define LEAST (-MOST - 1)

static struct ust_gvar all = {
	.name = "all", .storage = UST_AGG, .type = UST_STAT, .percentiles = "no room for all"};
static struct ust_gvar map = {.name = "map",
			      .storage = UST_AGG_ARRAY,
			      .type = UST_STAT,
			      .percentiles = "no room for sketches",
			      .nkeys = 1,
			      .keys = {UST_LONG},
			      .max = 20,
			      .wrap = 1,
			      .norders = 1};
static struct ust_gvar both = {.name = "both",
			       .storage = UST_AGG_ARRAY,
			       .type = UST_STAT,
			       .percentiles = "no room for both",
			       .variance = 1,
			       .hist = UST_HIST_LOG,
			       .buckets = UST_HIST_LOG_BUCKETS,
			       .nkeys = 1,
			       .keys = {UST_LONG},
			       .max = 2};
/* A weighted addition and as many additions of the value. */
#define WEIGHED(text)                                                                    \
	{                                                                                \
		.name = text, .storage = UST_AGG, .type = UST_STAT,                      \
		.percentiles = "no room for " text, .variance = 1, .hist = UST_HIST_LOG, \
		.buckets = UST_HIST_LOG_BUCKETS                                          \
	}
#define WEIGHED_ARRAY(text)                                                                \
	{                                                                                  \
		.name = text, .storage = UST_AGG_ARRAY, .type = UST_STAT,                  \
		.percentiles = "no room for " text, .variance = 1, .hist = UST_HIST_LOG,   \
		.buckets = UST_HIST_LOG_BUCKETS, .nkeys = 1, .keys = {UST_LONG}, .max = 40 \
	}
static struct ust_gvar weighed = WEIGHED("weighed"), repeated = WEIGHED("repeated");
static struct ust_gvar weighed_array = WEIGHED_ARRAY("weighed array"),
		       repeated_array = WEIGHED_ARRAY("repeated array");
static struct ust_gvar *const gvars[] = {&all,      &map,           &both,          &weighed,
					 &repeated, &weighed_array, &repeated_array};
PROGRAM(gvars, 7);

static const char *caught(struct ust_ctx *c)
{
	static char text[UST_MAXSTRINGLEN];

	strcpy(text, "nothing");
	if (c->failed && !ust_catch(c, text))
		strcpy(text, "not to be caught");
	return text;
}

/* ------------------------------------------------------ distributions */

static ust_u64 seed;

/* xorshift64* */
static ust_u64 bits(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 2685821657736338717ull;
}

/* In (0, 1). */
static double unit(void) { return ((double)(bits() >> 11) + 0.5) / 9007199254740992.0; }
static double normal(void) { return sqrt(-2 * log(unit())) * cos(6.283185307179586 * unit()); }
static ust_long rounded(double v) { return v < 9e18 ? (ust_long)v : MOST; }

static ust_long constant(long i) { return 123456789 + 0 * i; }
static ust_long two_values(long i) { return i % 10 ? 1000 : 1000000; }
static ust_long below_64(long i) { return (ust_long)(bits() % 64) + 0 * i; }
static ust_long bytes(long i) { return (ust_long)(bits() % 4097) + 0 * i; }
static ust_long rising(long i) { return 1000 + i; }
static ust_long falling(long i) { return 50000000 - i; }
static ust_long powers(long i) { return 1ll << i % 62; }
static ust_long around_powers(long i) { return (1ll << (2 + i % 60)) + i % 3 - 1; }
static ust_long exponential(long i) { return rounded(-50000 * log(unit())) + 0 * i; }
static ust_long gamma_sum(long i) { return exponential(i) + exponential(i) + exponential(i); }
static ust_long narrow_lognormal(long i) { return rounded(exp(11 + 0.3 * normal())) + 0 * i; }
static ust_long lognormal(long i) { return rounded(exp(9 + normal())) + 0 * i; }
static ust_long wide_lognormal(long i) { return rounded(exp(12 + 4 * normal())) + 0 * i; }
static ust_long pareto(long i) { return rounded(1000 / pow(unit(), 1 / 1.1)) + 0 * i; }
static ust_long hit_or_miss(long i)
{
	return bits() % 100 ? 80 + (ust_long)(bits() % 20) : 90000 + exponential(i);
}
static ust_long differences(long i) { return rounded(1000000 * normal()) + 0 * i; }
static ust_long negative(long i) { return -1 - pareto(i); }
static ust_long whole_range(long i) { return (ust_long)bits() + 0 * i; }

static ust_long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static ust_long measured_clock(long i)
{
	ust_long begin = now();

	return now() - begin + 0 * i;
}

static ust_long measured_system_call(long i)
{
	ust_long begin = now();

	return getppid() ? now() - begin + 0 * i : 0;
}

static const struct {
	const char *name;
	ust_long (*sample)(long i);
} distributions[] = {
	{"constant", constant},
	{"two values", two_values},
	{"below 64", below_64},
	{"bytes", bytes},
	{"rising", rising},
	{"falling", falling},
	{"powers of two", powers},
	{"around powers of two", around_powers},
	{"exponential", exponential},
	{"gamma", gamma_sum},
	{"narrow lognormal", narrow_lognormal},
	{"lognormal", lognormal},
	{"wide lognormal", wide_lognormal},
	{"pareto", pareto},
	{"cache hit or miss", hit_or_miss},
	{"differences", differences},
	{"negative", negative},
	{"whole range", whole_range},
	{"latency of clock_gettime()", measured_clock},
	{"latency of getppid()", measured_system_call},
};

/* --------------------------------------------------------- percentiles */

static int by_value(const void *a, const void *b)
{
	ust_long x = *(const ust_long *)a, y = *(const ust_long *)b;

	return (x > y) - (x < y);
}

/* Is GOT within 1/128 of the sample WANT? */
static int is_near(ust_long got, ust_long want)
{
	__int128 error = (__int128)got - want, size = want;

	return 128 * (error < 0 ? -error : error) <= (size < 0 ? -size : size);
}

/* The sample of the nearest rank. PERCENT is in units of 1/UST_PERCENT. */
static ust_long exact(const ust_long *sorted, long n, ust_u64 percent)
{
	unsigned __int128 whole = 100 * UST_PERCENT,
			  rank = ((unsigned __int128)n * percent + whole - 1) / whole;

	return sorted[rank ? rank - 1 : 0];
}

/* Return the largest relative error; a wrong percentile is reported. */
static double compare(struct ust_ctx *c, const char *name, const ust_long *sorted, long n)
{
	static const double percents[] = {0,  0.00001, 0.001, 0.1, 1,  2.5,  5,  10,   25,    33.3,
					  50, 66.6,    75,    90,  95, 97.5, 99, 99.9, 99.99, 100};
	double worst = 0;

	c->actions = 0; /* the limit of one handler's actions is not the subject */
	for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
		ust_u64 percent = (ust_u64)llround(percents[i] * UST_PERCENT);
		ust_long want = exact(sorted, n, percent),
			 got = ust_stat_percentile(c, &all, 0, percent);
		double error = want ? fabs((double)got - (double)want) / fabs((double)want) : 0;
		char text[128];

		if (error > worst)
			worst = error;
		if (is_near(got, want))
			continue;
		snprintf(text, sizeof text, "%s: percentile %g is %lld", name, percents[i], want);
		check_long(text, got, want);
	}
	return worst;
}

static void percentiles(struct ust_ctx *c)
{
	const char *given = getenv("SKETCH_SAMPLES");
	long n = given ? atol(given) : 20000;
	ust_long *v = malloc((size_t)n * sizeof *v);

	for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
		double worst;

		seed = 88172645463325252ull + i;
		ust_stat_clear(&all);
		for (long j = 0; j < n; j++) {
			v[j] = distributions[i].sample(j);
			ust_stat_add_sketch(&all, v[j]);
		}
		qsort(v, (size_t)n, sizeof *v, by_value);
		worst = compare(c, distributions[i].name, v, n);
		if (given)
			printf("%-28s %ld samples, p50 %lld, p99.9 %lld, largest error %.2f %%\n",
			       distributions[i].name, n, exact(v, n, 50 * UST_PERCENT),
			       exact(v, n, 999 * UST_PERCENT / 10), 100 * worst);
		check(distributions[i].name, worst <= 0.01);
	}
	free(v);
}

static void limits(struct ust_ctx *c)
{
	static const ust_long v[] = {LEAST, LEAST + 1, -64, -63, -1, 0, 1, 63, 64, 127, 128, MOST};

	ust_stat_clear(&all);
	ust_stat_percentile(c, &all, 0, 0);
	check_text("percentile of nothing", caught(c), "empty aggregate");
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		char name[64];

		ust_stat_clear(&all);
		ust_stat_add_more(&all, v[i]);
		snprintf(name, sizeof name, "%lld alone", v[i]);
		check_long(name, ust_stat_percentile(c, &all, 0, 50 * UST_PERCENT), v[i]);
	}
	ust_stat_clear(&all);
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		ust_stat_add_more(&all, v[i]);
	compare(c, "limits", v, sizeof v / sizeof *v);
}

/* -------------------------------------------------------------- arrays */

static const union ust_key *key(ust_long l)
{
	static union ust_key k;

	k.l = l;
	return &k;
}

static ust_long median(struct ust_ctx *c, struct ust_gvar *g, ust_long k)
{
	return ust_stat_percentile(c, g, key(k), 50 * UST_PERCENT);
}

static void arrays(struct ust_ctx *c)
{
	struct ust_iter it;
	ust_long order = 0;

	for (ust_long k = 1; k <= 3; k++)
		for (ust_long i = 1; i <= 9; i++)
			ust_map_stat_add_more(c, &map, key(k), k == 2 ? 100 + i : i * k);
	check_long("median of an element", median(c, &map, 1), 5);
	check_long("of another", median(c, &map, 2), 105);
	ust_iter_begin(c, &it, &map, 0, -1, UST_BY(50 * UST_PERCENT), UST_NO_LIMIT, 0);
	while (ust_iter_next(c, &it))
		order = order * 10 + it.key[0].l;
	check_long("sorted by median", order, 231);
	ust_map_del(&map, key(2));
	ust_map_stat_add_more(c, &map, key(2), 7);
	ust_map_stat_add_more(c, &map, key(2), 8);
	check_long("made anew", median(c, &map, 2), 7);
	median(c, &map, 77);
	check_text("missing element", caught(c), "empty aggregate");
	for (ust_long i = 1; i <= 4; i++)
		ust_map_stat_add_more(c, &both, key(1), i);
	check_long("median beside others", median(c, &both, 1), 2);
	check_long("variance beside others", ust_stat_variance(c, &both, key(1)), 1);
	check_long("histogram beside others", ust_hist_count(&both, key(1), 66), 2);
}

/* Blocks of removed elements serve again: many times as many as the pool has. */
static void reuse(struct ust_ctx *c)
{
	for (ust_long k = 0; k < 2000; k++)
		for (ust_long i = 0; i < 8; i++)
			ust_map_stat_add_sketch_l(c, &map, k, (i + 1) << 3 * i);
	check_text("room for evicted elements", caught(c), "nothing");
	check("all of the last", is_near(median(c, &map, 1999), 4 << 9));
	ust_map_clear(&map);
}

static void exhaustion(struct ust_ctx *c)
{
	struct ust_stat st;
	ust_long n = 0;

	for (ust_long k = 0; k < 20 && !c->failed; k++)
		for (ust_long i = 0; i < 124 && !c->failed; i++, n += !c->failed)
			ust_map_stat_add_more(c, &map, key(k),
					      i & 2 ? -(1ll << i / 2) : 1ll << i / 2);
	check_text("no room for all octaves", caught(c), "no room for sketches");
	check("room for eight octaves of each element", n >= 20 * 8);
	ust_map_stat_add_more(c, &map, key(0), 5);
	check_text("room for more in an octave", caught(c), "nothing");
	ust_map_stat_read(&map, key(0), &st);
	check_long("all samples are counted", st.count, 125);
}

/* ------------------------------------------------------------- weights */

/* Is all that A and B say of the samples below KEY, or NULL, the same? */
static int agree(struct ust_ctx *c, struct ust_gvar *a, struct ust_gvar *b,
		 const union ust_key *key)
{
	int same = ust_stat_variance(c, a, key) == ust_stat_variance(c, b, key);
	struct ust_stat x, y;

	if (key) {
		ust_map_stat_read(a, key, &x);
		ust_map_stat_read(b, key, &y);
	} else {
		ust_stat_read(a, &x);
		ust_stat_read(b, &y);
	}
	same &= x.count == y.count && x.sum == y.sum && x.min == y.min && x.max == y.max;
	for (ust_u64 percent = 0; percent <= 100; percent++, c->actions = 0)
		same &= ust_stat_percentile(c, a, key, percent * UST_PERCENT) ==
			ust_stat_percentile(c, b, key, percent * UST_PERCENT);
	for (ust_u32 i = 0; i < UST_HIST_LOG_BUCKETS; i++)
		same &= ust_hist_count(a, key, i) == ust_hist_count(b, key, i);
	return same;
}

static void weights(struct ust_ctx *c)
{
	for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
		char name[64];

		seed = 88172645463325252ull + i;
		ust_stat_clear(&weighed);
		ust_stat_clear(&repeated);
		ust_map_clear(&weighed_array);
		ust_map_clear(&repeated_array);
		for (long j = 0; j < 200; j++) {
			ust_long v = distributions[i].sample(j);
			ust_u32 weight = (ust_u32)(1 + bits() % 50);

			c->actions = 0;
			ust_stat_add_weighted(&weighed, v, weight);
			ust_map_stat_add_weighted(c, &weighed_array, key(j % 3), v, weight);
			for (; weight; weight--) {
				ust_stat_add_more(&repeated, v);
				ust_map_stat_add_more(c, &repeated_array, key(j % 3), v);
			}
		}
		c->actions = 0;
		snprintf(name, sizeof name, "weights: %s", distributions[i].name);
		check(name, agree(c, &weighed, &repeated, NULL));
		snprintf(name, sizeof name, "weights in arrays: %s", distributions[i].name);
		check(name, agree(c, &weighed_array, &repeated_array, key(2)));
		check_text(name, caught(c), "nothing");
	}
	check("only what was weighed is estimated", weighed.estimated && !repeated.estimated &&
							    weighed_array.estimated &&
							    !repeated_array.estimated);
	ust_stat_clear(&weighed);
	ust_stat_add_weighted(&weighed, LEAST, 0xffffffff);
	ust_stat_add_weighted(&weighed, MOST, 0xffffffff);
	check_long("the largest weights and samples", ust_stat_variance(c, &weighed, NULL), MOST);
}

static void checks(struct ust_ctx *c)
{
	weights(c);
	limits(c);
	percentiles(c);
	arrays(c);
	reuse(c);
	exhaustion(c);
}
