/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of script functions and builtins to C.
 */
#include <string.h>

#include "emit.h"

static struct ctext argument_text(struct val *args, size_t n)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < n; i++)
		cbuf_printf(&sb, ", %s", args[i].c);
	return cbuf_text(&sb);
}

/* A script function; a string result goes to DST. */
static struct val call_function(struct emit *e, struct node *n, struct ctext dst, bool used)
{
	struct func *f = n->call.func;
	struct val *args = operands(e, n->call.args, NULL), v = {0};
	struct ctext text;
	size_t i = 0;

	for (struct node *a = n->call.args; a; a = a->next, i++)
		if (a->type == T_STRING && args[i].reads.n && call_changes(f, &args[i]))
			args[i] = spill(e, args[i], T_STRING);
	text = argument_text(args, i);
	set_where_call(e, n->loc);
	e->where = -1;
	e->u.stats.n = 0;
	if (f->type == T_LONG && used)
		return call_long_checked(e, n, ctext("%s(c%s)", f->cname, text));
	if (f->type == T_STRING)
		text = ctext(", %s%s", dst.at ? dst : (dst = new_buffer(e)), text);
	line(e, "%s(c%s);", f->cname, text);
	jump_if(e, C("c->failed"), e->u.fail);
	v.c = dst;
	v.atom = true;
	return v;
}

/* error() always fails: what follows is not reached. */
static void call_error(struct emit *e, struct ctext args)
{
	line(e, "ust_error(c%s);", args);
	line(e, "goto %s;", e->u.fail->name);
	e->u.fail->uses++;
}

/* True if a call may release the script's locks: the kernel runtime waits without them for pages
 * that the program has not touched yet. Before the call, the statement must not have read data
 * that the locks guard. */
static bool may_unlock(const struct builtin *b)
{
	return b->flags & (BF_USER_READ | BF_STACK) && (b->ret == T_LONG || b->ret == T_STRING);
}

static struct val called(struct emit *e, const struct node *n, struct ctext text)
{
	return n->call.builtin->ret == T_STRING ? call_string(e, text) : call_long(e, n, text);
}

static struct ctext first_argument(const struct emit *e, const struct builtin *b)
{
	if (b->flags & BF_HIT)
		return e->u.func ? C("c->hit") : C("hit");
	return e->u.has_ctx ? C("c") : C("0");
}

static struct val call_builtin(struct emit *e, struct node *n, struct ctext dst)
{
	const struct builtin *b = n->call.builtin;
	struct val *args = operands(e, n->call.args, NULL), v = {.atom = true};
	struct ctext text;
	size_t i = 0;

	for (struct node *a = n->call.args; a; a = a->next)
		reads_add(&v, &args[i++]);
	text = argument_text(args, i);
	if (!strcmp(b->cname, "ust_error")) {
		call_error(e, text);
		return (struct val){0};
	}
	if (is_no_call(e, b)) {
		/* parameters of the calling function are used */
		while (i--)
			line(e, "(void)%s;", operand(&args[i]));
		return (struct val){0};
	}
	emit_call_begin(e, n);
	if (b->ret == T_STRING || wants_buffer(e, b))
		text = ctext(", %s%s", dst.at ? dst : new_buffer(e), text);
	e->asks_names |= !!(b->flags & BF_NAMES);
	e->keeps_tokens |= !!(b->flags & BF_TOKENS);
	e->uses_system |= !strcmp(b->cname, "ust_system");
	e->switches_files |= !strcmp(b->cname, "ust_switch_file");
	e->records_calls |= !strcmp(b->cname, "ust_calls_begin");
	e->keeps_window |= !strcmp(b->cname, "ust_calls_window");
	v.c = ctext("%s(%s%s)", builtin_cname(e, b), first_argument(e, b), text);
	v.now |= !(b->flags & BF_PURE) || is_clock(b);
	if (emit_call_end(e, n, v.c))
		return (struct val){0};
	if (!(b->flags & BF_CAN_FAIL))
		return may_unlock(b) ? called(e, n, v.c) : v;
	set_where(e, n->loc);
	return b->ret == T_STRING ? call_string_checked(e, v.c) : call_long_checked(e, n, v.c);
}

struct val emit_call(struct emit *e, struct node *n, struct ctext dst, bool used)
{
	return n->call.func ? call_function(e, n, dst, used) : call_builtin(e, n, dst);
}
