/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays: runtime/common/arrays/map.c and sort.c. */
#include "rt_check.h"

static struct ust_gvar n = {.name = "n",
			    .storage = UST_ARRAY,
			    .type = UST_LONG,
			    .nkeys = 1,
			    .keys = {UST_LONG},
			    .max = 300,
			    .norders = 2};
static struct ust_gvar small = {.name = "small",
				.storage = UST_ARRAY,
				.type = UST_STRING,
				.nkeys = 2,
				.keys = {UST_STRING, UST_LONG},
				.max = 2,
				.full = "small is full"};
static struct ust_gvar wrap = {.name = "wrap",
			       .storage = UST_ARRAY,
			       .type = UST_LONG,
			       .nkeys = 1,
			       .keys = {UST_LONG},
			       .max = 3,
			       .wrap = 1};
static struct ust_gvar st = {.name = "st",
			     .storage = UST_AGG_ARRAY,
			     .type = UST_STAT,
			     .nkeys = 1,
			     .keys = {UST_LONG},
			     .max = 3,
			     .norders = 1,
			     .full = "st is full"};
static struct ust_gvar stw = {.name = "stw",
			      .storage = UST_AGG_ARRAY,
			      .type = UST_STAT,
			      .nkeys = 1,
			      .keys = {UST_STRING},
			      .max = 2,
			      .wrap = 1};
static struct ust_gvar eight = {.name = "eight",
				.storage = UST_ARRAY,
				.type = UST_LONG,
				.nkeys = 8,
				.keys = {UST_LONG, UST_STRING, UST_LONG, UST_STRING, UST_LONG,
					 UST_STRING, UST_LONG, UST_STRING},
				.max = 4};
static struct ust_gvar *const gvars[] = {&n, &small, &wrap, &st, &stw, &eight};
PROGRAM(gvars, 6);

#define KEY(...) ((const union ust_key[]){__VA_ARGS__})
#define L(x)             \
	{                \
		.l = (x) \
	}
#define S(x)             \
	{                \
		.s = (x) \
	}

/* The keys of G in the order of a loop, as text. */
static const char *keys(struct ust_ctx *c, struct ust_gvar *g, int col, int dir, int op,
			ust_long limit)
{
	static char text[4096];
	struct ust_iter it;
	size_t at = 0;

	text[0] = 0;
	ust_iter_begin(c, &it, g, col, dir, op, limit, 0);
	while (ust_iter_next(c, &it))
		at += (size_t)(g->keys[0] == UST_STRING ? sprintf(text + at, "%s ", it.key[0].s)
							: sprintf(text + at, "%lld ", it.key[0].l));
	return text;
}

static void numbers(struct ust_ctx *c)
{
	check_long("missing reads 0", ust_map_get(&n, KEY(L(7))), 0);
	check("reading makes nothing", !ust_map_has(&n, KEY(L(7))));
	for (ust_long i = 5; i > 0; i--)
		*ust_map_ref(c, &n, KEY(L(i * 10))) = i % 3;
	check_text("order of insertion", keys(c, &n, -1, 0, 0, UST_NO_LIMIT), "50 40 30 20 10 ");
	ust_map_del(&n, KEY(L(40)));
	ust_map_del(&n, KEY(L(41)));
	*ust_map_ref(c, &n, KEY(L(40))) = 1;
	*ust_map_ref(c, &n, KEY(L(50))) = 2;
	check_text("inserted again goes last", keys(c, &n, -1, 0, 0, UST_NO_LIMIT),
		   "50 30 20 10 40 ");
	check_text("by key", keys(c, &n, 1, 1, 0, UST_NO_LIMIT), "10 20 30 40 50 ");
	check_text("by key down, limit", keys(c, &n, 1, -1, 0, 2), "50 40 ");
	check_text("by value, equals by insertion", keys(c, &n, 0, 1, 0, UST_NO_LIMIT),
		   "30 10 40 50 20 ");
	check_text("by value down", keys(c, &n, 0, -1, 0, UST_NO_LIMIT), "50 20 10 40 30 ");
	check_text("sorting keeps insertion", keys(c, &n, -1, 0, 0, UST_NO_LIMIT),
		   "50 30 20 10 40 ");
	check_text("limit 0", keys(c, &n, -1, 0, 0, 0), "");
	check_text("limit below 0", keys(c, &n, 1, 1, 0, -1), "");
	ust_map_clear(&n);
	check_text("cleared", keys(c, &n, -1, 0, 0, UST_NO_LIMIT), "");
}

/* Against a plain table, with keys that collide and come again. */
static void many(struct ust_ctx *c)
{
	static ust_long model[512];
	unsigned seed = 1, used = 0;
	int ok = 1;

	for (int i = 0; i < 20000; i++) {
		ust_long k = (seed = seed * 1103515245 + 12345) >> 16 & 511;

		if (seed & 1 << 8 && model[k]) {
			ust_map_del(&n, KEY(L(k << 32)));
			model[k] = 0;
			used--;
		} else if (model[k] || used < n.max) {
			used += !model[k];
			model[k]++;
			++*ust_map_ref(c, &n, KEY(L(k << 32)));
		}
	}
	for (ust_long k = 0; k < 512; k++)
		ok &= ust_map_get(&n, KEY(L(k << 32))) == model[k];
	check("20,000 random changes", ok && !c->failed);
	ust_map_clear(&n);
}

static void strings(struct ust_ctx *c)
{
	char text[UST_MAXSTRINGLEN], longer[1000];

	ust_strcpy(ust_map_ref_s(c, &small, KEY(S("a"), L(1))), "one");
	ust_strcpy(ust_map_ref_s(c, &small, KEY(S("a"), L(2))), "two");
	check_text("two keys", ust_map_get_s(&small, KEY(S("a"), L(2))), "two");
	check_text("missing string", ust_map_get_s(&small, KEY(S("b"), L(2))), "");
	c->where = 1;
	check("full", !ust_map_ref_s(c, &small, KEY(S("a"), L(3))) && c->failed);
	check("full can be caught", ust_catch(c, text));
	check_text("its text", text, "small is full");
	check("the present one still works", ust_map_ref_s(c, &small, KEY(S("a"), L(1))) != NULL);
	memset(longer, 'x', sizeof longer);
	longer[999] = 0;
	ust_map_clear(&small);
	ust_strcpy(ust_map_ref_s(c, &small, KEY(S(longer), L(1))), "long");
	longer[800] = 'y';
	check_text("long keys are cut", ust_map_get_s(&small, KEY(S(longer), L(1))), "long");
	check_long("all eight keys",
		   (*ust_map_ref(c, &eight,
				 KEY(L(1), S("a"), L(2), S("b"), L(3), S("c"), L(4), S("d"))) = 5),
		   5);
	check("the last one counts",
	      !ust_map_has(&eight, KEY(L(1), S("a"), L(2), S("b"), L(3), S("c"), L(4), S("e"))));
}

static void wrapping(struct ust_ctx *c)
{
	for (ust_long i = 0; i < 5; i++)
		*ust_map_ref(c, &wrap, KEY(L(i))) = i;
	++*ust_map_ref(c, &wrap, KEY(L(2)));
	*ust_map_ref(c, &wrap, KEY(L(9))) = 9;
	check_text("the oldest goes, though touched", keys(c, &wrap, -1, 0, 0, UST_NO_LIMIT),
		   "3 4 9 ");
}

static void statistics(struct ust_ctx *c)
{
	struct ust_stat s;
	char text[UST_MAXSTRINGLEN];

	for (ust_long i = 0; i < 30; i++) /* spread over the port's CPUs */
		ust_map_stat_add_l(c, &st, i % 3, i - 5);
	ust_map_stat_read(&st, KEY(L(1)), &s);
	check_long("count over CPUs", s.count, 10);
	check_long("sum", s.sum, 1 + 4 + 7 + 10 + 13 + 16 + 19 + 22 + 25 + 28 - 50);
	check_long("min", s.min, -4);
	check_long("max", s.max, 23);
	ust_map_stat_add(c, &st, KEY(L(1)), 1000);
	check_text("by sum down", keys(c, &st, 0, -1, UST_BY_SUM, UST_NO_LIMIT), "1 2 0 ");
	check_text("by count down", keys(c, &st, 0, -1, UST_BY_COUNT, 1), "1 ");
	check_text("by min", keys(c, &st, 0, 1, UST_BY_MIN, UST_NO_LIMIT), "0 1 2 ");
	check_text("as they appeared", keys(c, &st, -1, 0, 0, UST_NO_LIMIT), "0 1 2 ");
	ust_map_stat_add_l(c, &st, 77, 1);
	check("full", c->failed && ust_catch(c, text));
	check_text("its text", text, "st is full");
	ust_map_del(&st, KEY(L(1)));
	ust_map_stat_add_l(c, &st, 77, 4);
	ust_map_stat_read(&st, KEY(L(77)), &s);
	check_long("nothing left of what was deleted", s.count * 100 + s.max, 104);
	ust_map_stat_add(c, &stw, KEY(S("a")), 1);
	ust_map_stat_add(c, &stw, KEY(S("b")), 1);
	ust_map_stat_add(c, &stw, KEY(S("c")), 1);
	check_text("wraps", keys(c, &stw, -1, 0, 0, UST_NO_LIMIT), "b c ");
}

/* A loop over statistics continues when its element is deleted. */
static void deleting(struct ust_ctx *c)
{
	struct ust_iter it;
	int turns = 0;

	ust_map_clear(&st);
	for (ust_long i = 0; i < 3; i++)
		ust_map_stat_add_l(c, &st, i, 1);
	ust_iter_begin(c, &it, &st, -1, 0, 0, UST_NO_LIMIT, 0);
	while (ust_iter_next(c, &it)) {
		ust_map_del(&st, it.key);
		turns++;
	}
	check_long("unsorted loop over deleted elements", turns, 3);
	for (ust_long i = 0; i < 3; i++)
		ust_map_stat_add_l(c, &st, i, 1);
	ust_iter_begin(c, &it, &st, 1, -1, 0, UST_NO_LIMIT, 0);
	check("sorted loop", ust_iter_next(c, &it) && it.key[0].l == 2);
	ust_map_del(&st, KEY(L(1)));
	check("leaves out what was deleted",
	      ust_iter_next(c, &it) && it.key[0].l == 0 && !ust_iter_next(c, &it));
}

/* Another handler sorts in the middle of a loop, which is possible when locks were dropped: the
 * values of n by key are such that equal ones span the position of the change. */
static void sorting_twice(struct ust_ctx *c)
{
	struct ust_iter it;
	char got[64];
	size_t at = 0;

	ust_map_clear(&n);
	for (ust_long i = 0; i < 6; i++)
		*ust_map_ref(c, &n, KEY(L(i))) = 10 - i / 2;
	ust_iter_begin(c, &it, &n, 0, -1, 0, UST_NO_LIMIT, 0);
	while (ust_iter_next(c, &it)) {
		at += (size_t)sprintf(got + at, "%lld ", it.key[0].l);
		if (it.key[0].l == 0)
			check_text("a loop in a loop", keys(c, &n, 0, -1, 0, 3), "0 1 2 ");
		if (it.key[0].l == 2) {
			check_text("a whole one", keys(c, &n, 0, -1, 0, UST_NO_LIMIT),
				   "0 1 2 3 4 5 ");
			ust_map_del(&n, KEY(L(2)));
			ust_map_del(&n, KEY(L(4)));
		}
	}
	check_text("goes on where it was", got, "0 1 2 3 5 ");
}

static void checks(struct ust_ctx *c)
{
	numbers(c);
	many(c);
	strings(c);
	wrapping(c);
	statistics(c);
	deleting(c);
	sorting_twice(c);
}
