/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms and variances of runtime/common: the bucket of every power and of the limits of int64,
 * linear buckets against their definition, charts, variances against results of Python's integers.
 */
#include "rt_check.h"

#define LEAST (-9223372036854775807ll - 1)
#define MOST  9223372036854775807ll

#define LINEAR(name_, low_, high_, step_) \
	static struct ust_gvar name_ = {  \
		.name = #name_,           \
		.storage = UST_AGG,       \
		.type = UST_STAT,         \
		.hist = UST_HIST_LINEAR,  \
		.low = low_,              \
		.step = step_,            \
		.buckets = (ust_u32)(((ust_u64)(high_) - (ust_u64)(low_)) / (step_) + 3)}

static struct ust_gvar powers = {.name = "powers",
				 .storage = UST_AGG,
				 .type = UST_STAT,
				 .hist = UST_HIST_LOG,
				 .buckets = UST_HIST_LOG_BUCKETS};
static struct ust_gvar both = {.name = "both",
			       .storage = UST_AGG,
			       .type = UST_STAT,
			       .hist = UST_HIST_LOG,
			       .buckets = UST_HIST_LOG_BUCKETS,
			       .variance = 1};
static struct ust_gvar moments = {
	.name = "moments", .storage = UST_AGG, .type = UST_STAT, .variance = 1};
static struct ust_gvar map = {.name = "map",
			      .storage = UST_AGG_ARRAY,
			      .type = UST_STAT,
			      .variance = 1,
			      .hist = UST_HIST_LOG,
			      .buckets = UST_HIST_LOG_BUCKETS,
			      .nkeys = 1,
			      .keys = {UST_LONG},
			      .max = 3,
			      .wrap = 1,
			      .norders = 1};
LINEAR(fives, 0, 20, 5);
LINEAR(uneven, -7, 10, 3);
LINEAR(point, 4, 4, 1);
LINEAR(whole, LEAST, MOST, 1ll << 60);
static struct ust_gvar *const gvars[] = {&powers, &both,   &moments, &map,
					 &fives,  &uneven, &point,   &whole};
PROGRAM(gvars, 8);

static const char *caught(struct ust_ctx *c)
{
	static char text[UST_MAXSTRINGLEN];

	strcpy(text, "nothing");
	if (c->failed && !ust_catch(c, text))
		strcpy(text, "not to be caught");
	return text;
}

/* The only bucket that counts V; -1 if there is not exactly one. */
static int bucket_of(struct ust_gvar *g, ust_long v)
{
	int at = -1;

	ust_stat_clear(g);
	ust_stat_add_more(g, v);
	for (ust_u32 i = 0; i < g->buckets; i++)
		if (ust_hist_count(g, 0, i)) {
			if (at >= 0 || ust_hist_count(g, 0, i) != 1)
				return -1;
			at = (int)i;
		}
	return at;
}

static void check_bucket(struct ust_gvar *g, ust_long v, int want)
{
	char name[64];

	snprintf(name, sizeof name, "%s: %lld in %d", g->name, v, want);
	check_long(name, bucket_of(g, v), want);
}

static void log_buckets(void)
{
	check_bucket(&powers, 0, 64);
	for (int i = 0; i < 63; i++) {
		ust_long p = 1ll << i;

		check_bucket(&powers, p, 65 + i);
		check_bucket(&powers, p - 1 + p, 65 + i);
		check_bucket(&powers, -p, 63 - i);
		check_bucket(&powers, -p - (p - 1), 63 - i);
	}
	check_bucket(&powers, LEAST, 0);
	check_bucket(&powers, LEAST + 1, 1);
	check_bucket(&powers, MOST, 127);
}

/* The bucket of V by the definition: low + n * step <= v < low + (n + 1) * step. */
static int linear_bucket(const struct ust_gvar *g, ust_long v)
{
	__int128 at = ((__int128)v - g->low);

	if (at < 0)
		return 0;
	at = at / g->step + 1;
	return at < g->buckets - 1 ? (int)at : (int)g->buckets - 1;
}

static void linear_buckets(void)
{
	struct ust_gvar *const all[] = {&fives, &uneven, &point, &whole};
	static const ust_long far[] = {LEAST,     LEAST + 1, -(1ll << 60), (1ll << 60) - 1,
				       1ll << 60, MOST - 1,  MOST};

	for (int i = 0; i < 4; i++) {
		for (ust_long v = -40; v <= 40; v++)
			check_bucket(all[i], v, linear_bucket(all[i], v));
		for (int j = 0; j < 7; j++)
			check_bucket(all[i], far[j], linear_bucket(all[i], far[j]));
	}
	check_long("outer and inner buckets", fives.buckets, 7);
	check_bucket(&fives, 24, 5);
	check_bucket(&fives, 25, 6);
	check_bucket(&fives, -1, 0);
	check_bucket(&point, 4, 1);
	check_bucket(&point, 5, 2);
}

/* ------------------------------------------------------------- errors */

static void errors(struct ust_ctx *c)
{
	ust_long n[UST_HIST_LOG_BUCKETS];

	ust_stat_clear(&both);
	ust_hist_bucket(c, &both, 0, 3);
	check_text("bucket of nothing", caught(c), "empty aggregate");
	ust_hist_read(c, &both, 0, n);
	check_text("all of nothing", caught(c), "empty aggregate");
	ust_stat_variance(c, &both, 0);
	check_text("variance of nothing", caught(c), "empty aggregate");
	ust_stat_add_more(&both, 1);
	check_long("bucket", ust_hist_bucket(c, &both, 0, 65), 1);
	check_long("bucket behind moments", ust_hist_bucket(c, &both, 0, 0), 0);
	check_long("variance of one", ust_stat_variance(c, &both, 0), 0);
	ust_hist_bucket(c, &both, 0, 128);
	check_text("bucket 128", caught(c), "histogram index out of range");
	ust_hist_bucket(c, &both, 0, -1);
	check_text("bucket -1", caught(c), "histogram index out of range");
	check_long("no error", ust_hist_count(&both, 0, 128) + ust_hist_count(&both, 0, -1), 0);
	check("nothing failed", !c->failed);
}

/* ----------------------------------------------------------- pictures */

static const char *picture(struct ust_ctx *c, struct ust_gvar *g, ust_u32 width, int around)
{
	static char text[UST_MAXSTRINGLEN];
	ust_long n[UST_HIST_LOG_BUCKETS];
	struct ust_out o;

	ust_hist_read(c, g, 0, n);
	ust_out_string(&o, text);
	ust_put_hist(&o, g, n, width, around);
	ust_out_finish(&o);
	ust_stat_clear(g);
	return text;
}

static void add(struct ust_gvar *g, ust_long v, int n)
{
	while (n--)
		ust_stat_add_more(g, v);
}

static void pictures(struct ust_ctx *c)
{
	ust_stat_clear(&fives);
	ust_stat_clear(&powers);
	ust_stat_clear(&uneven);
	add(&fives, 7, 10);
	check_text("two empty rows beside", picture(c, &fives, 10, 2),
		   "value |---------- count\n    0 |            0\n    5 |@@@@@@@@@@ 10\n   10 |   "
		   "         0\n"
		   "   15 |            0\n\n");
	add(&fives, -3, 1);
	add(&fives, 99, 2);
	check_text("gap and outer buckets", picture(c, &fives, 4, 0),
		   "value |---- count\n   <0 |@    1\n      ~\n"
		   "  >20 |@@   2\n\n");
	add(&powers, -1, 3);
	check_text("negative", picture(c, &powers, 2, -1),
		   "value |-- count\n   -4 |   0\n   -2 |   0\n   -1 |@  3\n    0 |   0\n"
		   "    1 |   0\n\n");
	add(&powers, 0, 1);
	add(&powers, 8, 1);
	check_text("elided zeros", picture(c, &powers, 3, 1),
		   "value |--- count\n    0 |@   1\n    1 |    0\n      ~\n"
		   "    4 |    0\n    8 |@   1\n   16 |    0\n\n");
	add(&powers, LEAST, 1);
	check_text("widest", picture(c, &powers, 1, 2),
		   "               value |- count\n-9223372036854775808 |@ 1\n"
		   "-4611686018427387904 |  0\n-2305843009213693952 |  0\n\n");
	add(&uneven, 10, 101);
	add(&uneven, -8, 49);
	check_text("scaled", picture(c, &uneven, 50, 0),
		   "value |-------------------------------------------------- count\n"
		   "  <-7 |@@@@@@@@@@@@@@@@                                    49\n      ~\n"
		   "    8 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@                  101\n\n");
}

/* ---------------------------------------------------------- variances */

static const struct {
	int n;
	ust_long v[8], variance;
} samples[] = {
	{5, {1ll, 2ll, 3ll, 4ll, 5ll}, 2ll},
	{1, {7ll}, 0ll},
	{2, {5ll, 5ll}, 0ll},
	{2, {(-9223372036854775807ll - 1), 9223372036854775807ll}, 9223372036854775807ll},
	{5,
	 {(-9223372036854775807ll - 1), (-9223372036854775807ll - 1), (-9223372036854775807ll - 1),
	  (-9223372036854775807ll - 1), (-9223372036854775807ll - 1)},
	 0ll},
	{7,
	 {9223372036854775807ll, 9223372036854775807ll, 9223372036854775807ll,
	  9223372036854775807ll, 9223372036854775807ll, 9223372036854775807ll,
	  9223372036854775806ll},
	 0ll},
	{3, {(-9223372036854775807ll - 1), -9223372036854775807ll, -9223372036854775806ll}, 1ll},
	{2, {0ll, 4294967296ll}, 9223372036854775807ll},
	{2, {-2147483648ll, 2147483648ll}, 9223372036854775807ll},
	{3, {3037000499ll, -3037000499ll, 0ll}, 9223372030926249001ll},
	{4,
	 {9223372036854775807ll, 9223372036854775804ll, 9223372036854775800ll,
	  9223372036854775796ll},
	 22ll},
	{6,
	 {1000000000ll, 1000000001ll, 1000000002ll, 1000000003ll, 1000000004ll, 1000000005ll},
	 3ll},
	{8, {-1ll, 1ll, -1ll, 1ll, -1ll, 1ll, -1ll, 1ll}, 1ll},
	{2, {4611686018427387904ll, -4611686018427387904ll}, 9223372036854775807ll},
	{4, {2147483648ll, 0ll, 2147483648ll, 0ll}, 1537228672809129301ll},
	{4, {12884901888ll, -5ll, 17ll, 1099511627776ll}, 9223372036854775807ll},
	{5,
	 {2694298993601408807ll, 2694298993221488126ll, 2694299001173362134ll,
	  2694298996222156325ll, 2694298999535798331ll},
	 9223372036854775807ll},
	{8,
	 {26225857550ll, -489937761527ll, 24939381936ll, 50682537541ll, -188147761369ll,
	  87230141344ll, 270067761552ll, 191580675060ll},
	 9223372036854775807ll},
	{3,
	 {515558563784983113ll, -370442439905907674ll, 115858790823792630ll},
	 9223372036854775807ll},
	{6, {31ll, -29ll, 83ll, 88ll, 19ll, 92ll}, 2363ll},
	{8,
	 {-3635971110211839552ll, -3579090000939243575ll, 739499520340401705ll,
	  4259265066617995011ll, 1890761920756618466ll, -825885914342846500ll,
	  3181137228107474902ll, -694967119628401680ll},
	 9223372036854775807ll},
	{7,
	 {4733309725256533189ll, 680754307903708381ll, -45479205995258245ll, 3039908462892014696ll,
	  3197586393845612382ll, 4925120548920141111ll, 2093041816329283732ll},
	 9223372036854775807ll},
	{7,
	 {1975351444948382632ll, 1975352037635350024ll, 1975352309631816410ll,
	  1975352049467753112ll, 1975351828448621612ll, 1975352383686334340ll,
	  1975351702495551830ll},
	 9223372036854775807ll},
	{4,
	 {-1680412983124069704ll, -1680412906715593178ll, -1680412631444866384ll,
	  -1680412204741739244ll},
	 9223372036854775807ll},
	{5,
	 {-90272702147ll, -299754714673ll, -416356966395ll, 155688521408ll, -468161586288ll},
	 9223372036854775807ll},
	{4, {20882ll, -6520ll, 29853ll, -6322ll}, 350255918ll},
	{3,
	 {-3931569512162995126ll, -3931569510152609193ll, -3931569514697772480ll},
	 5187542856574694362ll},
	{4,
	 {3164140160877953995ll, 296640475766548005ll, 1464814282288049907ll,
	  1271171935618708173ll},
	 9223372036854775807ll},
};

static void variances(struct ust_ctx *c)
{
	char name[32];

	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		ust_stat_clear(&moments);
		for (int j = 0; j < samples[i].n; j++)
			ust_stat_add_more(&moments, samples[i].v[j]);
		snprintf(name, sizeof name, "variance of set %zu", i);
		check_long(name, ust_stat_variance(c, &moments, 0), samples[i].variance);
	}
	ust_stat_clear(&moments);
	for (int i = 0; i < 100000; i++)
		ust_stat_add_more(&moments, i & 1 ? MOST : LEAST + 1);
	check_long("many large ones", ust_stat_variance(c, &moments, 0), MOST);
	ust_stat_clear(&moments);
	for (ust_long i = 0; i < 100000; i++)
		ust_stat_add_more(&moments, MOST - i);
	check_long("many large ones close together", ust_stat_variance(c, &moments, 0), 833341666);
}

/* ------------------------------------------------------------- arrays */

static const union ust_key *key(ust_long l)
{
	static union ust_key k;

	k.l = l;
	return &k;
}

static void arrays(struct ust_ctx *c)
{
	struct ust_iter it;
	ust_long order = 0;

	for (ust_long k = 1; k <= 4; k++)
		for (ust_long i = 0; i < 4; i++)
			ust_map_stat_add_more(c, &map, key(k), i * (k == 3 ? 100 : k));
	check_long("evicted", ust_hist_count(&map, key(1), 64), 0);
	check_long("counts of an element", ust_hist_count(&map, key(2), 66), 1);
	check_long("of another", ust_hist_count(&map, key(3), 71), 1);
	check_long("variance of an element", ust_stat_variance(c, &map, key(4)), 26);
	ust_iter_begin(c, &it, &map, 0, -1, UST_BY_VARIANCE, UST_NO_LIMIT, 0);
	while (ust_iter_next(c, &it))
		order = order * 10 + it.key[0].l;
	check_long("sorted by variance", order, 342);
	ust_map_del(&map, key(3));
	ust_map_stat_add_more(c, &map, key(3), 5);
	check_long("made anew", ust_hist_count(&map, key(3), 71) + ust_hist_count(&map, key(3), 64),
		   0);
	check_long("made anew with what was added", ust_hist_count(&map, key(3), 67), 1);
	ust_hist_bucket(c, &map, key(77), 1);
	check_text("missing element", caught(c), "empty aggregate");
}

static void checks(struct ust_ctx *c)
{
	log_buckets();
	linear_buckets();
	errors(c);
	pictures(c);
	variances(c);
	arrays(c);
}
