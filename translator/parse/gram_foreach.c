/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parser actions for foreach and histograms.
 *
 * A foreach over the buckets of a histogram becomes a `for` at once: the loop variable is the
 * bucket's number, and the value bound to it the bucket's count.
 */
#include "parse/parse.h"

/* --------------------------------------------------------- statistics */

struct node *statop_node(enum statop op, struct node *e, const struct num_list *nums,
			 struct loc loc)
{
	static const size_t least[ST_NOPS] = {[ST_HIST_LINEAR] = 3};
	static const size_t most[ST_NOPS] = {[ST_VARIANCE] = 1, [ST_HIST_LINEAR] = 3};
	struct node *n = node_new(N_STATOP, loc);

	n->stat.op = op;
	n->stat.e = e;
	for (size_t i = 0; i < nums->n && i < ARRAY_LEN(n->stat.num); i++)
		n->stat.num[i] = nums->v[i];
	if (nums->n < least[op] || nums->n > most[op])
		diag_error(E_ARITY, loc, "this operator takes %zu argument%s, not %zu",
			   most[op] + 1, most[op] ? "s" : "", nums->n + 1);
	else if (op == ST_VARIANCE && (n->stat.num[0] < 0 || n->stat.num[0] > 62))
		diag_error(E_LIMIT, loc, "the bit shift must be from 0 to 62");
	else if (op == ST_HIST_LINEAR && n->stat.num[2] <= 0)
		diag_error(E_LIMIT, loc, "the bucket width of a histogram must be at least 1");
	else if (op == ST_HIST_LINEAR && n->stat.num[1] < n->stat.num[0])
		diag_error(E_LIMIT, loc, "the histogram's upper limit is below its lower limit");
	return n;
}

struct node *percentile_node(struct node *e, int64_t percent, struct loc loc)
{
	struct node *n = node_new(N_STATOP, loc);

	n->stat.op = ST_PERCENTILE;
	n->stat.e = e;
	n->stat.num[0] = percent;
	return n;
}

int64_t percent_of(int64_t num, int64_t parts, struct loc loc)
{
	if (num >= 0 && num <= 100 * PERCENT_PARTS / parts)
		return num * parts;
	diag_error(E_LIMIT, loc, "a percentile is from 0 to 100");
	return 0;
}

struct node *bucket_node(struct node *hist, struct node *index, struct loc loc)
{
	hist->loc = loc;
	hist->stat.use = HIST_BUCKET;
	hist->stat.index = index;
	return hist;
}

/* ------------------------------------------------------------ foreach */

bool set_key_sort(struct node *each, size_t key, int dir, struct loc loc)
{
	if (!dir)
		return true;
	if (each->each.hist) {
		diag_error(E_UNSUPPORTED, loc,
			   "a foreach over the buckets of a histogram cannot be sorted");
		return false;
	}
	if (each->each.sort_col >= 0) {
		diag_error(E_SYNTAX, loc, "a foreach can sort by only one key or value");
		return false;
	}
	each->each.sort_col = (int)key;
	each->each.sort_dir = dir;
	return true;
}

static struct node *variable(const char *name, struct loc loc)
{
	struct node *n = node_new(N_VAR, loc);

	n->var.name = name;
	return n;
}

static struct node *number(int64_t num, struct loc loc)
{
	struct node *n = node_new(N_NUM, loc);

	n->num = num;
	return n;
}

static struct node *pair(enum node_kind kind, enum op op, struct node *l, struct node *r,
			 struct loc loc)
{
	struct node *n = node_new(kind, loc);

	n->bin.op = op;
	n->bin.l = l;
	n->bin.r = r;
	return n;
}

static struct node *set(const char *name, struct node *value, struct loc loc)
{
	return pair(N_ASSIGN, OP_SET, variable(name, loc), value, loc);
}

static struct node *statement(struct node *e, struct node *next)
{
	struct node *n = node_new(N_EXPR, e->loc);

	n->expr.e = e;
	n->next = next;
	return n;
}

static struct node *use_hist(const struct node *hist, enum hist_use use, struct node *index)
{
	struct node *n = node_clone(hist, NULL, 0);

	n->stat.use = use;
	n->stat.index = index;
	return n;
}

/* for (KEY = 0; KEY < buckets && KEY < limit; KEY++) { VALUE = bucket; BODY }, behind the
 * evaluation of the limit. */
static struct node *hist_loop(struct node *each)
{
	const struct node *hist = each->each.hist;
	const char *key = each->each.keys->var.name, *limit = xprintf("limit_at_%u", each->loc.beg);
	struct loc loc = hist->loc;
	struct node *loop = node_new(N_FOR, each->loc),
		    *body = node_new(N_BLOCK, each->each.body->loc);
	struct node *block = node_new(N_BLOCK, each->loc), *step = node_new(N_INCDEC, loc);

	step->inc.e = variable(key, loc);
	step->inc.delta = 1;
	body->block.body = each->each.body;
	if (each->each.value)
		body->block.body = statement(set(each->each.value->var.name,
						 use_hist(hist, HIST_TURN, variable(key, loc)),
						 loc),
					     each->each.body);
	loop->loop.init = set(key, number(0, loc), loc);
	loop->loop.cond = pair(N_BINARY, OP_LT, variable(key, loc), use_hist(hist, HIST_SIZE, NULL),
			       loc);
	loop->loop.step = step;
	loop->loop.body = body;
	block->block.body = loop;
	if (!each->each.limit)
		return block;
	loop->loop.cond = pair(N_LOGIC, OP_LAND, loop->loop.cond,
			       pair(N_BINARY, OP_LT, variable(key, loc), variable(limit, loc), loc),
			       loc);
	block->block.body = statement(set(limit, each->each.limit, each->each.limit->loc), loop);
	return block;
}

struct node *foreach_node(struct node *each, struct node *value, int value_dir,
			  const struct key_list *keys, struct loc at, struct loc loc)
{
	each->loc = loc;
	each->each.value = value;
	each->each.keys = keys->list.first;
	if (!set_key_sort(each, 0, value_dir, loc))
		return NULL;
	for (size_t i = 0; i < keys->list.n && i < ARRAY_LEN(keys->dirs); i++)
		if (!set_key_sort(each, i + 1, keys->dirs[i], at))
			return NULL;
	if (!each->each.hist)
		return each;
	if (keys->list.n == 1)
		return hist_loop(each);
	diag_error(E_ARITY, at, "a bucket of a histogram has one number");
	return NULL;
}
