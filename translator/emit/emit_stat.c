/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operators on statistics to C.
 */
#include <string.h>

#include "emit.h"
#include "sema/sema.h"

static bool same_keys(const struct node *a, const struct node *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (a->kind != b->kind)
			return false;
		if (a->kind == N_NUM   ? a->num != b->num
		    : a->kind == N_VAR ? a->sym != b->sym
		    : a->kind == N_STR ? strcmp(a->str.s, b->str.s) != 0
				       : true)
			return false;
	}
	return !a && !b;
}

static struct ctext find_stat(const struct emit *e, const struct node *n)
{
	for (size_t i = 0; i < e->u.stats.n; i++) {
		const struct node *old = e->u.stats.v[i].e;

		if (old->kind == n->kind && old->sym == n->sym &&
		    (n->kind == N_VAR || same_keys(old->index.keys, n->index.keys)))
			return e->u.stats.v[i].name;
	}
	return (struct ctext){0};
}

/* Read statistic N into a variable; one that the statement has read serves again. */
static struct ctext read_stat(struct emit *e, struct node *n)
{
	struct ctext name = find_stat(e, n);
	struct val keys;

	if (name.at)
		return name;
	if (n->kind == N_INDEX)
		keys = element_keys(e, n->sym, n->index.keys, NULL);
	name = frame_slot(e, SLOT_STAT);
	if (n->kind == N_INDEX)
		line(e, "%s;",
		     keyed(&keys, ctext("ust_map_stat_read(&%s, key, &%s)", n->sym->cname, name)));
	else
		line(e, "ust_stat_read(&%s, &%s);", n->sym->cname, name);
	vec_push(&e->u.stats, ((struct stat_read){n, name}));
	return name;
}

/* The keys of a statistic N that is an element. */
static struct val which(struct emit *e, struct node *n, struct node *later)
{
	return n->kind == N_INDEX ? element_keys(e, n->sym, n->index.keys, later) : (struct val){0};
}

/* A call about the statistic N, an element with KEYS or a variable: FN, `&global, key`, AFTER. */
static struct ctext about(const struct node *n, const struct val *keys, struct ctext fn,
			  struct ctext after)
{
	bool element = n->kind == N_INDEX;
	struct ctext call = ctext("%s&%s, %s%s)", fn, n->sym->cname, element ? C("key") : C("0"),
				  after);

	return element ? keyed(keys, call) : call;
}

static struct val bucket(struct emit *e, struct node *n)
{
	struct val at = which(e, n->stat.e, n->stat.index), i = expr(e, n->stat.index), v = {0};

	if (n->stat.use == HIST_BUCKET) {
		set_where(e, n->loc);
		return call_long_checked(
			e, n, about(n->stat.e, &at, C("ust_hist_bucket(c, "), ctext(", %s", i.c)));
	}
	v.c = about(n->stat.e, &at, C("ust_hist_count("), ctext(", %s", i.c));
	v.atom = true;
	v.now = true;
	reads_add(&v, &at);
	reads_add(&v, &i);
	return v;
}

struct val emit_statistic(struct emit *e, struct node *n)
{
	static const struct ctext call[ST_NOPS] = {[ST_SUM] = C("ust_stat_sum"),
						   [ST_MIN] = C("ust_stat_min"),
						   [ST_MAX] = C("ust_stat_max"),
						   [ST_AVG] = C("ust_stat_avg")};
	struct ctext name;

	if (n->stat.use == HIST_SIZE)
		return val_text(ctext("%u", hist_buckets(n)), true);
	if (n->stat.index)
		return bucket(e, n);
	if (n->stat.op == ST_VARIANCE) {
		struct val at = which(e, n->stat.e, NULL);

		set_where(e, n->loc);
		return call_long_checked(e, n,
					 about(n->stat.e, &at, C("ust_stat_variance(c, "), C("")));
	}
	if (n->stat.op == ST_PERCENTILE) {
		struct val at = which(e, n->stat.e, NULL);

		set_where(e, n->loc);
		return call_long_checked(e, n,
					 about(n->stat.e, &at, C("ust_stat_percentile(c, "),
					       ctext(", %lld", (long long)n->stat.num[0])));
	}
	name = read_stat(e, n->stat.e);
	/* before SystemTap 1.5 an empty statistic has no sum */
	if (n->stat.op == ST_COUNT ||
	    (n->stat.op == ST_SUM && !session_predates(e->s, "1.5", n->loc)))
		return val_text(ctext("%s.%s", name, n->stat.op == ST_SUM ? C("sum") : C("count")),
				true);
	set_where(e, n->loc);
	return call_long_checked(e, n, ctext("%s(c, &%s)", call[n->stat.op], name));
}

struct ctext emit_hist_counts(struct emit *e, struct node *n, struct loc at)
{
	struct val hist = which(e, n->stat.e, NULL);

	if (hist_buckets(n) > e->u.buckets)
		e->u.buckets = hist_buckets(n);
	set_where(e, at);
	line(e, "%s;", about(n->stat.e, &hist, C("ust_hist_read(c, "), C(", f->buckets")));
	jump_if(e, C("c->failed"), e->u.fail);
	return ctext("&%s, f->buckets, %lld, %lld", n->stat.e->sym->cname,
		     (long long)e->s->lim.hist_width, (long long)e->s->lim.hist_elision);
}
