/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions and handlers to C.
 *
 * A body is written first; its head (context, locals, frame, locks) follows
 * from what the body turned out to need.  A handler whose statements cannot
 * fail takes no context.
 */
#include <string.h>

#include "emit.h"

/* ----------------------------------------------------- what a body reads */

static void note_read(struct unit *u, struct symbol *sym)
{
	for (size_t i = 0; i < u->read.n; i++)
		if (u->read.v[i] == sym)
			return;
	vec_push(&u->read, sym);
}

static bool see_read(struct node *n, void *arg);

static void see_reads(struct unit *u, struct node *n) { node_walk(n, see_read, NULL, u); }

static void foreach_reads(struct unit *u, struct node *n)
{
	for (struct node *k = n->each.slice; k; k = k->next)
		see_reads(u, k);
	if (n->each.limit)
		see_reads(u, n->each.limit);
	see_reads(u, n->each.body);
}

/* Variables that are only set are not read: `x = e`, foreach, catch, delete. */
static bool see_read(struct node *n, void *arg)
{
	struct unit *u = arg;

	switch (n->kind) {
	case N_VAR:
		note_read(u, n->sym);
		return true;
	case N_ASSIGN:
		if (n->bin.op != OP_SET || n->bin.l->kind != N_VAR)
			return true;
		see_reads(u, n->bin.r);
		return false;
	case N_FOREACH:
		foreach_reads(u, n);
		return false;
	case N_DELETE:
		return n->expr.e->kind != N_VAR;
	case N_TRY:
		see_reads(u, n->try_.body);
		see_reads(u, n->try_.handler);
		return false;
	default:
		return true;
	}
}

/* Is string SYM certainly set before it is read?  Only the plain case counts:
 * its first mention is `sym = e` among the body's own statements. */
static bool set_first(const struct node *body, const struct symbol *sym)
{
	struct node *n = body->kind == N_BLOCK ? body->block.body : NULL;

	for (; n; n = n->next) {
		struct node *a = n->kind == N_EXPR ? n->expr.e : NULL;

		if (a && a->kind == N_ASSIGN && a->bin.op == OP_SET && a->bin.l->kind == N_VAR &&
		    a->bin.l->sym == sym)
			return !mentions(a->bin.r, sym);
		if (mentions(n, sym))
			return false;
	}
	return false;
}

/* ------------------------------------------------------ locals and frames */

struct assigned {
	const struct symbol *sym;
	bool found;
};

static bool see_assigned(struct node *n, void *arg)
{
	struct assigned *a = arg;

	if (n->kind == N_ASSIGN)
		a->found |= n->bin.l->sym == a->sym;
	else if (n->kind == N_INCDEC)
		a->found |= n->inc.e->sym == a->sym;
	else if (n->kind == N_DELETE)
		a->found |= n->expr.e->sym == a->sym;
	else if (n->kind == N_TRY && n->try_.var)
		a->found |= n->try_.var->sym == a->sym;
	else if (n->kind == N_FOREACH) {
		a->found |= n->each.value && n->each.value->sym == a->sym;
		for (struct node *k = n->each.keys; k; k = k->next)
			a->found |= k->sym == a->sym;
	}
	return !a->found;
}

static bool is_assigned(struct node *body, const struct symbol *sym)
{
	struct assigned a = {.sym = sym};

	node_walk(body, see_assigned, NULL, &a);
	return a.found;
}

/* Names of locals in C: numbers are C variables as
 * long as they are few, strings are in the frame. */
static void name_locals(struct emit *e, struct symbol *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct ctext name = unique_name(e, "l_", v[i]->name);

		v[i]->cname = name;
		if (!is_read(e, v[i]) || !local_in_frame(e, v[i]))
			continue;
		if (v[i]->kind == SYM_PARAM && !is_assigned(e->u.func->body, v[i]))
			continue;
		v[i]->cname = ctext("f->%s", name);
		vec_push(&e->u.framed, v[i]);
	}
}

/* `ust_long l_a = 0, l_b = 0;` for the locals that the body reads. */
static void declare_longs(struct emit *e, struct symbol *const *v, size_t n)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < n; i++)
		if (v[i]->type == T_LONG && is_read(e, v[i]) && !frame_member(v[i]->cname).at)
			cbuf_printf(&sb, "%s%s = 0", sb.n ? C(", ") : C(""), v[i]->cname);
	if (sb.n)
		line(e, "ust_long %s;", cbuf_text(&sb));
}

static void init_locals(struct emit *e, const struct node *body)
{
	for (size_t i = 0; i < e->u.framed.n; i++) {
		const struct symbol *sym = e->u.framed.v[i];

		if (sym->type == T_LONG)
			line(e, "%s = 0;", sym->cname);
		else if (sym->kind == SYM_PARAM)
			line(e, "ust_strcpy(%s, a_%s);", sym->cname, frame_member(sym->cname));
		else if (!set_first(body, sym))
			line(e, "%s[0] = 0;", sym->cname);
	}
}

static void begin_unit(struct emit *e, struct unit u, struct node *body, struct cbuf *code)
{
	e->u = u;
	e->u.out.name = C("out");
	e->u.fail = &e->u.out;
	e->names = (struct smap){0};
	e->out = code;
	e->indent = 1;
	e->where = -1;
	see_reads(&e->u, body);
	e->u.writes_target = writes_target(body);
}

/* Does TEXT stand at the end of CODE?  Then it leaves. */
static bool drop_end(struct cbuf *code, const char *text)
{
	size_t n = strlen(text);

	if (code->n < n || strcmp(code->s + code->n - n, text))
		return false;
	cbuf_cut(code, code->n - n);
	return true;
}

/* Jumps to `out:` that stand just before it. */
static void drop_last_jump(struct emit *e, struct cbuf *code)
{
	while (drop_end(code, "\n\tgoto out;\n") ||
	       drop_end(code, "\n\tif (ust_unlikely(c->failed))\n\t\tgoto out;\n")) {
		cbuf_add(code, C("\n"));
		e->u.out.uses--;
	}
}

static bool is_jump(const struct node *body)
{
	const struct node *n = body;

	if (n && n->kind == N_BLOCK)
		for (n = n->block.body; n && n->next; n = n->next)
			;
	return n && n->kind == N_RETURN;
}

/* ------------------------------------------------------------- functions */

static struct ctext parameter(const struct symbol *p)
{
	if (p->type != T_STRING)
		return ctext(", ust_long %s", p->cname);
	if (frame_member(p->cname).at)
		return ctext(", const char *a_%s", frame_member(p->cname));
	return ctext(", const char *%s", p->cname);
}

struct ctext function_prototype(const struct func *f)
{
	struct cbuf sb = {0};

	cbuf_printf(&sb, "static %s %s(struct ust_ctx *c%s",
		    f->type == T_LONG ? C("ust_long") : C("void"), f->cname,
		    f->type == T_STRING ? C(", char *ret") : C(""));
	for (size_t i = 0; i < f->params.n; i++)
		cbuf_add(&sb, parameter(f->params.v[i]));
	cbuf_add(&sb, C(")"));
	return cbuf_text(&sb);
}

static void unused_parameters(struct emit *e)
{
	struct func *f = e->u.func;

	for (size_t i = 0; i < f->params.n; i++)
		if (!is_read(e, f->params.v[i]))
			line(e, "(void)%s;", f->params.v[i]->cname);
}

static void function_head(struct emit *e, struct func *f, struct label *leave)
{
	struct ctext zero = f->type == T_LONG ? C(" 0") : C("");

	if (f->type == T_LONG)
		line(e, "ust_long ret = 0;");
	declare_longs(e, f->locals.v, f->locals.n);
	if (has_frame(e))
		declare_frame(e);
	if (e->out->s[e->out->n - 2] != '{')
		cbuf_add(e->out, C("\n"));
	unused_parameters(e);
	line(e, "if (ust_unlikely(!ust_call(c)))");
	line(e, "\treturn%s;", zero);
	push_frame(e, leave);
	init_locals(e, f->body);
}

static void function_tail(struct emit *e, struct func *f, struct label *leave)
{
	if (e->u.out.uses)
		cbuf_printf(e->out, "%s:\n", e->u.out.name);
	if (has_frame(e))
		line(e, "ust_frame_pop(c, f);");
	if (leave->uses)
		cbuf_printf(e->out, "%s:\n", leave->name);
	line(e, "ust_return(c);");
	if (f->type == T_LONG)
		line(e, "return ret;");
}

void emit_function(struct emit *e, struct func *f)
{
	struct cbuf code = {0};
	struct label leave = {.name = C("leave")};

	if (f->body->kind == N_EMBEDDED) {
		emit_embedded_function(e, f);
		return;
	}
	begin_unit(e, (struct unit){.name = f->cname, .func = f, .has_ctx = true}, f->body, &code);
	name_locals(e, f->params.v, f->params.n);
	name_locals(e, f->locals.v, f->locals.n);
	action(e,
	       f->body->kind == N_BLOCK && !f->body->block.body ? &(struct node){.loc = f->loc}
								: f->body,
	       count_statements(f->body));
	emit_statement(e, f->body);
	if (f->type == T_STRING && !is_jump(f->body))
		line(e, "ret[0] = 0;");
	e->out = &e->text;
	cbuf_printf(e->out, "\n%s\n%s\n{\n", c_comment("function %s", f->name),
		    function_prototype(f));
	drop_last_jump(e, &code);
	if (strstr(code.s ? code.s : "", "hit->"))
		line(e, "struct ust_hit *hit = c->hit;");
	function_head(e, f, &leave);
	cbuf_append(e->out, &code);
	function_tail(e, f, &leave);
	cbuf_add(e->out, C("}\n"));
	note_function(e, f, frame_bytes(e));
}

/* -------------------------------------------------------------- handlers */

static bool can_fail(const struct emit *e, const struct node *n);

static bool list_can_fail(const struct emit *e, const struct node *n)
{
	for (; n; n = n->next)
		if (can_fail(e, n))
			return true;
	return false;
}

/* Does setting the variable N need a context? */
static bool place_can_fail(const struct node *n)
{
	const struct symbol *sym = n->sym;

	if (n->kind != N_VAR || sym->type == T_STRING)
		return true;
	return sym->kind == SYM_GLOBAL && sym->storage != STORE_COUNTER && sym->type != T_STAT;
}

static bool binary_can_fail(const struct emit *e, const struct node *n)
{
	const struct node *r = n->bin.r;

	if (n->bin.l->type != T_LONG || r->type != T_LONG)
		return true;
	if ((n->bin.op == OP_DIV || n->bin.op == OP_MOD) &&
	    (r->kind != N_NUM || !r->num || r->num == -1))
		return true;
	return can_fail(e, n->bin.l) || can_fail(e, r);
}

/* Conservative: false only where N needs nothing of a context. */
static bool can_fail(const struct emit *e, const struct node *n)
{
	switch (n->kind) {
	case N_NUM:
	case N_NULL:
	case N_NEXT:
		return false;
	case N_VAR:
		return place_can_fail(n) || n->sym->type == T_STAT;
	case N_BINARY:
	case N_LOGIC:
		return binary_can_fail(e, n);
	case N_UNARY:
		return can_fail(e, n->un.e);
	case N_COND:
		return n->type != T_LONG || can_fail(e, n->cond.c) || can_fail(e, n->cond.t) ||
		       can_fail(e, n->cond.f);
	case N_ASSIGN:
		if (adds_to_integer_key(e, n))
			return can_fail(e, n->bin.l->index.keys) || can_fail(e, n->bin.r);
		return place_can_fail(n->bin.l) || can_fail(e, n->bin.r) || n->bin.op == OP_DIV ||
		       n->bin.op == OP_MOD;
	case N_INCDEC:
		return place_can_fail(n->inc.e);
	case N_TARGET:
		return n->target.access < 0 || n->target.value ||
		       target_can_fail(&e->u.probe->accesses.v[n->target.access]);
	case N_CALL:
		return !n->call.builtin || !(n->call.builtin->flags & BF_NO_CTX);
	case N_BLOCK:
		return list_can_fail(e, n->block.body);
	case N_EXPR:
		return can_fail(e, n->expr.e);
	case N_IF:
		return can_fail(e, n->cond.c) || list_can_fail(e, n->cond.t) ||
		       list_can_fail(e, n->cond.f);
	default:
		return true;
	}
}

static void write_locks(struct emit *e, const struct probe *p)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < p->locks.n; i++)
		cbuf_printf(&sb, "%s{&%s, %d}", i ? C(", ") : C(""), p->locks.v[i].sym->cname,
			    p->locks.v[i].write);
	cbuf_printf(e->out,
		    "\nstatic const struct ust_lockset %s_locks = {%zu, (const struct "
		    "ust_lockref[]){%s}};\n",
		    p->cname, p->locks.n, cbuf_text(&sb));
}

static void handler_comment(struct emit *e, const struct probe *p)
{
	unsigned ln, col;

	loc_linecol(p->loc, &ln, &col);
	cbuf_printf(e->out, "\n%s\n", c_comment("%s:%u: probe %s", p->loc.src->name, ln, p->pp));
}

/* The code that is to set them may fail before it does. */
static void clear_saved(struct emit *e, const struct probe *p)
{
	for (size_t i = 0; i < p->saved.n; i++)
		line(e, p->saved.v[i]->type == T_STRING ? "%s[0] = 0;" : "%s = 0;",
		     p->saved.v[i]->cname);
}

/* Number of P's arrivals that are still at the beginning of its body and can be read before
 * locks are taken. */
static size_t early_arrivals(const struct probe *p)
{
	struct node *n = p->body->block.body;
	size_t i = 0;

	if (!p->locks.n || !p->arrivals.n || p->body->kind != N_BLOCK ||
	    too_many_locals(p->locals.n))
		return 0;
	for (; i < p->arrivals.n && n == p->arrivals.v[i]; i++)
		n = n->next;
	return i;
}

static void read_arrivals(struct emit *e, const struct probe *p)
{
	for (size_t i = 0; i < early_arrivals(p); i++) {
		const struct node *set = p->arrivals.v[i]->expr.e;

		line(e, "%s = %s(c);", set->bin.l->sym->cname,
		     c_word(set->bin.r->call.builtin->cname));
	}
}

static void emit_after_arrivals(struct emit *e, const struct probe *p)
{
	struct node rest = *p->body;

	for (size_t n = early_arrivals(p); n; n--)
		rest.block.body = rest.block.body->next;
	emit_statement(e, &rest);
}

static void handler_head(struct emit *e, struct probe *p, const struct cbuf *code)
{
	if (e->u.has_ctx)
		line(e,
		     p->pid ? "struct ust_ctx *c = ust_is_process(%lld) ? ust_enter(hit) : 0;"
			    : "struct ust_ctx *c = ust_enter(hit);",
		     (long long)p->pid);
	declare_longs(e, p->locals.v, p->locals.n);
	if (!e->u.has_ctx) {
		if (p->pid) {
			line(e, "if (!ust_is_process(%lld))", (long long)p->pid);
			line(e, "\treturn;");
		}
		if (!strstr(code->s ? code->s : "", "hit->"))
			line(e, "(void)hit;");
		return;
	}
	if (has_frame(e))
		declare_frame(e);
	cbuf_add(e->out, C("\n"));
	if (p->sets_saved)
		clear_saved(e, p);
	line(e, "if (ust_unlikely(!c))");
	line(e, "\treturn;");
	read_arrivals(e, p);
	push_frame(e, &e->u.out);
	if (p->locks.n) {
		emit_touches(e, p->body);
		line(e, "ust_lock(c, &%s_locks);", p->cname);
	}
	init_locals(e, p->body);
}

static void handler_body(struct emit *e, struct probe *p)
{
	const struct limits *lim = &e->s->lim;
	int64_t least = lim->maxaction < lim->maxaction_interruptible
				? lim->maxaction
				: lim->maxaction_interruptible;
	unsigned count = count_statements(p->body);

	e->u.has_ctx = p->locks.n || turns_gates(p) || can_fail(e, p->body) || count >= least ||
		       too_many_locals(p->locals.n);
	e->u.count_all = e->u.has_ctx && count >= least;
	name_locals(e, p->locals.v, p->locals.n);
	emit_after_arrivals(e, p);
}

void emit_handler(struct emit *e, struct probe *p)
{
	struct cbuf code = {0};

	begin_unit(e, (struct unit){.name = p->cname, .probe = p}, p->body, &code);
	handler_body(e, p);
	drop_last_jump(e, &code);
	e->out = &e->text;
	if (p->locks.n)
		write_locks(e, p);
	handler_comment(e, p);
	cbuf_printf(e->out, "static void %s(struct ust_hit *hit)\n{\n", p->cname);
	handler_head(e, p, &code);
	cbuf_append(e->out, &code);
	if (e->u.out.uses)
		cbuf_printf(e->out, "%s:\n", e->u.out.name);
	emit_turns(e, p);
	if (e->u.has_ctx)
		line(e, "ust_leave(c);");
	if (turns_gates(p))
		line(e, "ust_gates_open(hit);");
	cbuf_add(e->out, C("}\n"));
	note_frames(e, frame_bytes(e) + gates_frame(e, p), p->body);
	note_handler(e, p);
}
