/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of script functions and builtins, and the operators on statistics, to C.
 */
#include <string.h>

#include "emit.h"

static char *argument_text(struct val *args, size_t n)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < n; i++)
		sb_printf(&sb, ", %s", args[i].c);
	return sb.n ? sb.s : xstrdup("");
}

/* A script function; a string result goes to DST. */
static struct val call_function(struct emit *e, struct node *n, const char *dst, bool used)
{
	struct func *f = n->call.func;
	struct val *args = operands(e, n->call.args, NULL), v = {0};
	char *text;
	size_t i = 0;

	for (struct node *a = n->call.args; a; a = a->next, i++)
		if (a->type == T_STRING && args[i].reads.n && call_changes(f, &args[i]))
			args[i] = spill(e, args[i], T_STRING);
	text = argument_text(args, i);
	set_where(e, n->loc);
	e->where = -1;
	e->u.stats.n = 0;
	if (f->type == T_LONG && used)
		return checked_long(e, n, xprintf("%s(c%s)", f->cname, text));
	if (f->type == T_STRING)
		text = xprintf(", %s%s", dst ? dst : (dst = new_buffer(e)), text);
	line(e, "%s(c%s);", f->cname, text);
	jump_if(e, "c->failed", e->u.fail);
	v.c = dst;
	v.atom = true;
	return v;
}

/* error() always fails: what follows is not reached. */
static void call_error(struct emit *e, const char *args)
{
	line(e, "ust_error(c%s);", args);
	line(e, "goto %s;", e->u.fail->name);
	e->u.fail->uses++;
}

static struct val call_builtin(struct emit *e, struct node *n, const char *dst)
{
	const struct builtin *b = n->call.builtin;
	struct val *args = operands(e, n->call.args, NULL), v = {.atom = true};
	char *text;
	size_t i = 0;

	for (struct node *a = n->call.args; a; a = a->next)
		reads_add(&v, &args[i++]);
	text = argument_text(args, i);
	if (!strcmp(b->cname, "ust_error")) {
		call_error(e, text);
		return (struct val){0};
	}
	if (b->ret == T_STRING)
		text = xprintf(", %s%s", dst ? dst : new_buffer(e), text);
	v.c = xprintf("%s(%s%s)", b->cname, e->u.has_ctx ? "c" : "0", text);
	v.now |= !(b->flags & BF_PURE) || is_clock(b);
	if (!(b->flags & BF_CAN_FAIL))
		return v;
	set_where(e, n->loc);
	return b->ret == T_STRING ? checked_string(e, v.c) : checked_long(e, n, v.c);
}

struct val emit_call(struct emit *e, struct node *n, const char *dst, bool used)
{
	return n->call.func ? call_function(e, n, dst, used) : call_builtin(e, n, dst);
}

/* ---------------------------------------------------------- statistics */

static bool same_keys(const struct node *a, const struct node *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (a->kind != b->kind)
			return false;
		if (a->kind == N_NUM ? a->num != b->num
		    : a->kind == N_VAR ? a->sym != b->sym
		    : a->kind == N_STR ? strcmp(a->str.s, b->str.s) != 0 : true)
			return false;
	}
	return !a && !b;
}

static const char *find_stat(const struct emit *e, const struct node *n)
{
	for (size_t i = 0; i < e->u.stats.n; i++) {
		const struct node *old = e->u.stats.v[i].e;

		if (old->kind == n->kind && old->sym == n->sym &&
		    (n->kind == N_VAR || same_keys(old->index.keys, n->index.keys)))
			return e->u.stats.v[i].name;
	}
	return NULL;
}

/* Read statistic N into a variable; one that the statement has read serves again. */
static const char *read_stat(struct emit *e, struct node *n)
{
	const char *name = find_stat(e, n);
	struct val keys;

	if (name)
		return name;
	if (n->kind == N_INDEX)
		keys = element_keys(e, n->sym, n->index.keys, NULL);
	name = xprintf("st%d", ++e->u.nlongs);
	line(e, "struct ust_stat %s;", name);
	if (n->kind == N_INDEX)
		line(e, "ust_map_stat_read(&%s, %s, &%s);", n->sym->cname, keys.c, name);
	else
		line(e, "ust_stat_read(&%s, &%s);", n->sym->cname, name);
	vec_push(&e->u.stats, ((struct stat_read){n, name}));
	return name;
}

struct val emit_statistic(struct emit *e, struct node *n)
{
	static const char *const call[ST_NOPS] = {
		[ST_MIN] = "ust_stat_min", [ST_MAX] = "ust_stat_max", [ST_AVG] = "ust_stat_avg"};
	const char *name = read_stat(e, n->stat.e);

	if (n->stat.op == ST_COUNT || n->stat.op == ST_SUM)
		return val_text(xprintf("%s.%s", name, n->stat.op == ST_SUM ? "sum" : "count"), true);
	set_where(e, n->loc);
	return checked_long(e, n, xprintf("%s(c, &%s)", call[n->stat.op], name));
}
