/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions to C.
 *
 * Operands are evaluated from left to right as the script has them. An operation that can fail is a
 * statement of its own, followed by the check.
 */
#include <string.h>

#include "emit.h"
#include "sema/sema.h"

/* -------------------------------------------------------------- operands */

/* An operand of a comparison.  Compilers warn of some that are always the same. */
static struct ctext number_operand(const struct val *v)
{
	return v->truth || v->bits ? ctext("ust_add(%s, 0)", v->c) : operand(v);
}

static struct ctext truth_operand(const struct val *v)
{
	return v->choice ? ctext("((%s) != 0)", v->c) : operand(v);
}

/* 0 or 1. */
static struct ctext truth_value(const struct val *v)
{
	if (v->truth)
		return v->c;
	return v->choice ? truth_text(v) : ctext("!!%s", operand(v));
}

static struct val number(int64_t num)
{
	if (num == INT64_MIN)
		return val_text(C("(-9223372036854775807 - 1)"), true);
	return val_text(ctext("%lld", (long long)num), num >= 0);
}

struct val *operands(struct emit *e, struct node *list, struct node *later)
{
	size_t n = 0;
	struct val *v;

	for (struct node *a = list; a; a = a->next)
		n++;
	v = xalloc((n + 1) * sizeof *v);
	n = 0;
	for (struct node *a = list; a; a = a->next, n++)
		v[n] = settle(e, settle(e, expr(e, a), a->type, a->next), a->type, later);
	return v;
}

struct val expr_separate(struct emit *e, struct node *n, struct cbuf *code)
{
	struct cbuf *out = e->out;
	size_t nstats = e->u.stats.n, nloads = e->u.loads.n;
	struct val v;

	e->out = code;
	e->indent++;
	v = expr(e, n);
	e->indent--;
	e->out = out;
	e->u.stats.n = nstats;
	e->u.loads.n = nloads;
	return v;
}

/* ----------------------------------------------------------- variables */

struct val var_value(struct emit *e, struct symbol *sym)
{
	struct val v = {.atom = true};

	(void)e;
	if (sym->kind != SYM_GLOBAL)
		v.c = sym->cname;
	else if (sym->storage == STORE_COUNTER)
		v.c = ctext("ust_counter_read(&%s)", sym->cname);
	else
		v.c = ctext("%s.%s", sym->cname, sym->type == T_STRING ? C("s") : C("l"));
	vec_push(&v.reads, sym);
	return v;
}

static void add_key(struct cbuf *sb, const struct val *v, enum type type)
{
	cbuf_printf(sb, "%s{.%s = %s}", sb->n ? C(", ") : C(""), type == T_STRING ? C("s") : C("l"),
		    v->c);
}

struct val element_keys(struct emit *e, struct symbol *sym, struct node *keys, struct node *later)
{
	struct val *v = operands(e, keys, later), all = {.atom = true};
	struct cbuf sb = {0};
	int i = 0;

	for (struct node *k = keys; k; k = k->next, i++) {
		/* making an element of a wrapping array may drop the one that is read */
		if (sym->wrap && k->type == T_STRING && reads_symbol(&v[i], sym))
			v[i] = spill(e, v[i], T_STRING);
		add_key(&sb, &v[i], k->type);
		reads_add(&all, &v[i]);
	}
	all.c = cbuf_text(&sb);
	return all;
}

struct ctext keyed(const struct val *keys, struct ctext call)
{
	return ctext("UST_KEYED(%s, %s)", call, keys->c);
}

unsigned any_keys(const struct node *keys)
{
	unsigned mask = 0;

	for (int i = 0; keys; keys = keys->next, i++)
		mask |= (unsigned)(keys->kind == N_ANY) << i;
	return mask;
}

static struct val element_value(struct emit *e, struct node *n)
{
	struct val v = element_keys(e, n->sym, n->index.keys, NULL);

	v.c = keyed(&v, ctext("ust_map_get%s(&%s, key)", n->sym->type == T_STRING ? C("_s") : C(""),
			      n->sym->cname));
	vec_push(&v.reads, n->sym);
	return v;
}

static struct val membership(struct emit *e, struct node *n)
{
	struct val v = element_keys(e, n->sym, n->in.keys, NULL);

	if (any_keys(n->in.keys))
		v.c = ctext("(ust_map_charge(c, &%s) && %s)", n->sym->cname,
			    keyed(&v, ctext("ust_map_has_any(&%s, key, %#x)", n->sym->cname,
					    any_keys(n->in.keys))));
	else
		v.c = keyed(&v, ctext("ust_map_has(&%s, key)", n->sym->cname));
	v.truth = true;
	vec_push(&v.reads, n->sym);
	return v;
}

/* ----------------------------------------------------------- operators */

/* `l OP r` of longs.  AT: the node to blame for a division by zero. */
struct val arith(struct emit *e, const struct node *at, enum op op, struct val l, struct val r,
		 const struct node *rnode)
{
	static const struct ctext call[OP_COUNT] = {
		[OP_ADD] = C("ust_add"), [OP_SUB] = C("ust_sub"), [OP_MUL] = C("ust_mul"),
		[OP_SHL] = C("ust_shl"), [OP_SHR] = C("ust_shr"), [OP_USHR] = C("ust_ushr"),
	};
	bool safe = rnode->kind == N_NUM && rnode->num != 0 && rnode->num != -1;
	struct val v = {0};
	struct ctext text;

	reads_add(&v, &l);
	reads_add(&v, &r);
	if ((op == OP_DIV || op == OP_MOD) && !safe) {
		text = ctext("%s(c, %s, %s)", op == OP_DIV ? C("ust_div") : C("ust_mod"), l.c, r.c);
		set_where_op(e, at);
		return call_long_checked(e, at, text);
	}
	v.atom = call[op].at != NULL;
	v.bits = op == OP_AND || op == OP_OR;
	if (v.atom)
		v.c = ctext("%s(%s, %s)", call[op], l.c, r.c);
	else
		v.c = ctext("%s %s %s", operand(&l), c_operator(op), operand(&r));
	return v;
}

static struct val comparison(struct node *n, const struct val *l, const struct val *r)
{
	struct val v = {.truth = true};

	if (n->bin.l->type != T_STRING && ctext_same(l->c, r->c))
		/* compilers warn of `x == x` */
		v.c = ctext("ust_sub(%s, %s) %s 0", l->c, r->c, c_operator(n->bin.op));
	else if (n->bin.l->type == T_STRING)
		v.c = ctext("ust_strcmp(%s, %s) %s 0", l->c, r->c, c_operator(n->bin.op));
	else
		v.c = ctext("%s %s %s", number_operand(l), c_operator(n->bin.op),
			    number_operand(r));
	reads_add(&v, l);
	reads_add(&v, r);
	return v;
}

/* The strings that N concatenates, left to right, as a list of copies of nodes. */
static void flatten(struct node *n, struct node ***tail)
{
	struct node *copy;

	if (n->kind == N_BINARY && n->bin.op == OP_CONCAT) {
		flatten(n->bin.l, tail);
		flatten(n->bin.r, tail);
		return;
	}
	copy = xalloc(sizeof *copy);
	*copy = *n;
	copy->next = NULL;
	**tail = copy;
	*tail = &copy->next;
}

/* Concatenate into DST; OWN: its present contents are the first operand. */
static void concat(struct emit *e, struct node *n, struct ctext dst, struct symbol *own)
{
	struct node *list = NULL, **tail = &list;
	struct val *v;
	size_t i = 0;

	flatten(n, &tail);
	v = operands(e, list, NULL);
	for (struct node *a = list; a; a = a->next, i++)
		if (i || !own || a->sym != own)
			line(e, "%s(%s, %s);", i ? C("ust_strcat") : C("ust_strcpy"), dst, v[i].c);
}

/* Compilers may evaluate all calls of an expression before they add up the first two: long texts
 * are cut. */
static struct val bounded(struct emit *e, struct val v)
{
	enum { MAX_TEXT = 300 };

	return strlen(ctext_chars(v.c)) > MAX_TEXT && strchr(ctext_chars(v.c), '(')
		       ? spill(e, v, T_LONG)
		       : v;
}

static struct val binary(struct emit *e, struct node *n)
{
	struct val l, r;

	if (n->bin.op == OP_CONCAT) {
		l = val_text(new_buffer(e), true);
		concat(e, n, l.c, NULL);
		return l;
	}
	l = settle(e, expr(e, n->bin.l), n->bin.l->type, n->bin.r);
	r = expr(e, n->bin.r);
	if (n->bin.op >= OP_EQ && n->bin.op <= OP_GE)
		return comparison(n, &l, &r);
	return bounded(e, arith(e, n, n->bin.op, l, r, n->bin.r));
}

static struct val logic(struct emit *e, struct node *n)
{
	bool and = n->bin.op == OP_LAND;
	struct val l = expr(e, n->bin.l), r, v = {.truth = true};
	struct cbuf code = {0};
	struct ctext name;

	r = expr_separate(e, n->bin.r, &code);
	if (!code.n) {
		v.c = ctext("%s %s %s", truth_operand(&l), c_operator(n->bin.op),
			    truth_operand(&r));
		reads_add(&v, &l);
		reads_add(&v, &r);
		return v;
	}
	name = new_long(e);
	set_new(e, C("ust_long "), name, truth_value(&l));
	line(e, "if (%s%s) {", and? C("") : C("!"), name);
	cbuf_append(e->out, &code);
	line(e, "\t%s = %s;", name, truth_value(&r));
	line(e, "}");
	e->where = -1;
	return temporary(name);
}

static void branch(struct emit *e, const struct cbuf *code, struct ctext name, const struct val *v)
{
	if (code->n)
		cbuf_append(e->out, code);
	line(e, "\t%s = %s;", name, v->c);
}

static struct val choice(struct emit *e, struct node *n)
{
	struct val c = expr(e, n->cond.c), t, f, v = {.choice = true};
	struct cbuf tcode = {0}, fcode = {0};
	int where = e->where;

	t = expr_separate(e, n->cond.t, &tcode);
	e->where = where;
	f = expr_separate(e, n->cond.f, &fcode);
	reads_add(&v, &t);
	reads_add(&v, &f);
	if (!tcode.n && !fcode.n) {
		reads_add(&v, &c);
		v.c = ctext("%s ? %s : %s", truth_operand(&c), operand(&t), operand(&f));
		return v;
	}
	v.choice = false;
	v.atom = true;
	v.c = n->type == T_STRING ? new_pointer(e, C("s")) : new_long(e);
	if (n->type != T_STRING)
		v.reads.n = 0;
	v.now = false;
	v.temps = true;
	if (!frame_member(v.c).at)
		line(e, "%s%s;", n->type == T_STRING ? C("const char *") : C("ust_long "), v.c);
	line(e, "if (%s) {", truth_text(&c));
	branch(e, &tcode, v.c, &t);
	line(e, "} else {");
	branch(e, &fcode, v.c, &f);
	line(e, "}");
	e->where = -1;
	return v;
}

static struct val unary(struct emit *e, struct node *n)
{
	struct val v;

	if (n->un.op == OP_NEG && n->un.e->kind == N_NUM)
		return number((int64_t)(0 - (uint64_t)n->un.e->num));
	v = expr(e, n->un.e);
	if (n->un.op == OP_PLUS)
		return v;
	if (n->un.op == OP_NEG) {
		v.c = ctext("ust_sub(0, %s)", v.c);
		v.atom = true;
		v.truth = v.choice = v.bits = false;
		return v;
	}
	if (n->un.op == OP_COMPL && v.truth)
		v.c = ctext("ust_sub(-1, %s)", v.c);
	else if (n->un.op == OP_NOT)
		v.c = ctext("!%s", truth_operand(&v));
	else
		v.c = ctext("~%s", operand(&v));
	v.truth = n->un.op == OP_NOT;
	v.atom = v.choice = v.bits = false;
	return v;
}

/* ------------------------------------------------------------- strings */

void string_into(struct emit *e, struct node *n, struct ctext dst, struct symbol *sym)
{
	bool free = !mentions(n, sym), cat = n->kind == N_BINARY && n->bin.op == OP_CONCAT;
	struct node *first = n;

	while (first->kind == N_BINARY && first->bin.op == OP_CONCAT)
		first = first->bin.l;
	if (cat && !free && first->sym == sym && first->kind == N_VAR) {
		struct node rest = *first;

		/* `s = s . t`: append, if s is nowhere else */
		first->sym = NULL;
		free = !mentions(n, sym);
		*first = rest;
		if (free) {
			concat(e, n, dst, sym);
			return;
		}
	}
	if (cat && free) {
		concat(e, n, dst, NULL);
	} else if (n->no_value) {
		struct val v = expr(e, n);

		line(e, "ust_strcpy(%s, %s);", dst, v.c);
	} else if (n->kind == N_PRINT && free) {
		emit_print(e, n, dst);
	} else if (n->kind == N_CALL && n->call.func && free) {
		emit_call(e, n, dst, true);
	} else {
		struct val v = n->kind == N_CALL && n->call.builtin && free &&
					       !(n->call.builtin->flags & BF_CAN_FAIL)
				       ? emit_call(e, n, dst, true)
				       : expr(e, n);

		line(e, "ust_strcpy(%s, %s);", dst, v.c);
	}
}

/* -------------------------------------------------------- all together */

/* Truncation of a literal is known at compile time, so it is reported with its location and not
 * counted at run time. */
struct ctext emit_literal(const struct emit *e, const struct node *n)
{
	size_t max = (size_t)e->s->lim.maxstringlen - 1, len = strnlen(n->str.s, n->str.len);

	if (len <= max || n->str.whole)
		return c_string(n->str.s, n->str.len < max ? n->str.len : max);
	diag_warn(W_CUT, n->loc, "this string of %zu bytes is truncated to %zu", len, max);
	diag_hint("-D MAXSTRINGLEN=%zu makes room for it", len + 1);
	return c_string(n->str.s, max);
}

static struct val print_to_string(struct emit *e, struct node *n)
{
	struct ctext buf = {0};

	if (n->print.kind & PR_TO_STRING)
		buf = new_buffer(e);
	emit_print(e, n, buf);
	return (struct val){.c = buf, .atom = true};
}

static struct val value(struct emit *e, struct node *n)
{
	switch (n->kind) {
	case N_NUM:
		return number(n->num);
	case N_STR:
		return val_text(emit_literal(e, n), true);
	case N_VAR:
		return var_value(e, n->sym);
	case N_TARGET:
		return emit_target(e, n);
	case N_INDEX:
		return element_value(e, n);
	case N_BINARY:
		return binary(e, n);
	case N_LOGIC:
		return logic(e, n);
	case N_UNARY:
		return unary(e, n);
	case N_INCDEC:
		return emit_incdec(e, n, true);
	case N_ASSIGN:
		return emit_assign(e, n, true);
	case N_COND:
		return choice(e, n);
	case N_IN:
		return membership(e, n);
	case N_CALL:
		return emit_call(e, n, (struct ctext){0}, true);
	case N_PRINT:
		return print_to_string(e, n);
	case N_STATOP:
		return emit_statistic(e, n);
	case N_REGEX:
		return emit_regex(e, n);
	case N_EMBEDDED:
		return emit_embedded(e, n);
	default:
		return number(0); /* N_DEFINED is folded, statements are not values */
	}
}

/* Emit N, which has no value, and return 0 or "". */
static struct val no_value(struct emit *e, const struct node *n)
{
	struct node done = *n;

	done.no_value = false;
	done.type = T_UNKNOWN;
	discard(e, &done);
	return n->type == T_STRING ? val_text(C("\"\""), true) : number(0);
}

struct val expr(struct emit *e, struct node *n)
{
	return n->no_value ? no_value(e, n) : value(e, n);
}

struct val expr_to(struct emit *e, struct node *n, struct ctext dst)
{
	struct ctext old_dst = e->dst;
	const struct node *old_node = e->dst_node;
	struct val v;

	e->dst = dst;
	/* an assignment computes its value before it stores it, and may need DST until then */
	e->dst_node = n->kind == N_ASSIGN ? NULL : n;
	v = expr(e, n);
	e->dst = old_dst;
	e->dst_node = old_node;
	return v;
}

void discard(struct emit *e, struct node *n)
{
	struct val v;

	if (n->kind == N_ASSIGN)
		v = emit_assign(e, n, false);
	else if (n->kind == N_INCDEC)
		v = emit_incdec(e, n, false);
	else if (n->kind == N_CALL && n->call.func)
		v = emit_call(e, n, (struct ctext){0}, false);
	else
		v = expr_to(e, n, C(""));
	if (v.now)
		line(e, "%s;", v.c);
	else if (v.temps && *ctext_chars(v.c))
		line(e, "(void)%s;", operand(&v));
}
