/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements to C. */
#include <string.h>

#include "emit.h"

/* ------------------------------------------------------- counting actions */

unsigned count_statements(const struct node *n)
{
	unsigned count = 0;

	for (; n; n = n->next)
		switch (n->kind) {
		case N_BLOCK:
			count += count_statements(n->block.body);
			break;
		case N_NULL:
			break;
		case N_IF:
			count += 1 + (n->cond.t ? count_statements(n->cond.t) : 0) +
				 (n->cond.f ? count_statements(n->cond.f) : 0);
			break;
		case N_TRY:
			count += count_statements(n->try_.body) + count_statements(n->try_.handler);
			break;
		default:
			count++;
		}
	return count;
}

static const struct node *first_statement(const struct node *n)
{
	while (n && n->kind == N_BLOCK && n->block.body)
		n = n->block.body;
	return n;
}

void action(struct emit *e, const struct node *first, unsigned count)
{
	set_where(e, first_statement(first)->loc);
	jump_if(e, xprintf("!ust_action(c, %u)", count ? count : 1), &e->u.out);
}

/* ------------------------------------------------------- small statements */

static void put_label(struct emit *e, const struct label *l)
{
	if (l->uses)
		sb_printf(e->out, "%s:;\n", l->name);
	e->where = -1;
}

static void jump(struct emit *e, struct label *l)
{
	line(e, "goto %s;", l->name);
	l->uses++;
}

static struct label new_label(struct emit *e, const char *name)
{
	return (struct label){.name = xprintf("%s_%d", name, ++e->u.nlabels)};
}

/* The script's line as a comment, where a statement begins a new one. */
static void show_line(struct emit *e, const struct node *n)
{
	unsigned ln, col;
	struct loc body = e->u.func ? e->u.func->body->loc : e->u.probe->body->loc;
	const char *s = n->loc.src->text + n->loc.beg, *end = s + strcspn(s, "\n");
	const char *close = body.src->text + body.end - 1;      /* the body's brace */

	loc_linecol(n->loc, &ln, &col);
	if (e->u.src == n->loc.src && e->u.line == ln)
		return;
	if (body.src == n->loc.src && close > s && close < end)
		end = close;
	e->u.src = n->loc.src;
	e->u.line = ln;
	line(e, "/* %u: %s */", ln, comment_text(s, (size_t)(end - s)));
}

static void nested(struct emit *e, struct node *n)
{
	size_t nloads = e->u.loads.n;

	e->indent++;
	emit_statement(e, n);
	e->indent--;
	e->u.loads.n = nloads;
}

static void nested_aside(struct emit *e, struct node *n, struct strbuf *code)
{
	struct strbuf *out = e->out;

	e->out = code;
	nested(e, n);
	e->out = out;
}

/* CODE as the text of one expression, NULL if it is more than that. */
static const char *as_expression(const struct strbuf *code)
{
	const char *s = code->n ? code->s : "";

	s += strspn(s, "\t");
	if (!*s)
		return "";
	if (strchr(s, '\n') != s + strlen(s) - 1 || *s == '/' || !strncmp(s, "ust_long ", 9) ||
	    !strncmp(s, "struct ", 7) || !strncmp(s, "const ", 6))
		return NULL;
	return xstrndup(s, strlen(s) - 2);
}

static void if_stmt(struct emit *e, struct node *n)
{
	struct val c = expr(e, n->cond.c);
	struct strbuf yes = {0}, no = {0};
	int where = e->where;
	bool braces;

	nested_aside(e, n->cond.t, &yes);
	e->where = where;
	if (n->cond.f)
		nested_aside(e, n->cond.f, &no);
	braces = !yes.n || !as_expression(&yes) || !as_expression(&no);
	line(e, braces ? "if (%s) {" : "if (%s)", truth_text(&c));
	sb_addn(e->out, yes.s ? yes.s : "", yes.n);
	if (no.n) {
		line(e, braces ? "} else {" : "else");
		sb_addn(e->out, no.s, no.n);
	}
	if (braces)
		line(e, "}");
	e->where = -1;
}

static void return_stmt(struct emit *e, struct node *n)
{
	struct val v;

	if (n->expr.e && e->u.func->type == T_STRING) {
		string_into(e, n->expr.e, "ret", NULL);
	} else if (n->expr.e) {
		v = expr(e, n->expr.e);
		line(e, "ret = %s;", v.c);
	}
	jump(e, &e->u.out);
}

static void next_stmt(struct emit *e, struct node *n)
{
	if (n->next_stmt.refused)
		emit_refused(e);
	if (e->u.func)
		diag_error(E_UNSUPPORTED, n->loc, "next in a function is not supported yet");
	else if (!e->u.has_ctx)
		line(e, "return;");
	else
		jump(e, &e->u.out);
}

static void try_stmt(struct emit *e, struct node *n)
{
	struct label *outer = e->u.fail, caught = new_label(e, "catch"), done = new_label(e, "caught");
	struct symbol *var = n->try_.var && is_read(e, n->try_.var->sym) ? n->try_.var->sym : NULL;
	struct strbuf handler = {0};

	e->u.fail = &caught;
	e->u.tries++;
	line(e, "{ /* try */");
	nested(e, n->try_.body);
	line(e, "}");
	e->u.tries--;
	e->u.fail = outer;
	if (!caught.uses)
		return;
	jump(e, &done);
	put_label(e, &caught);
	jump_if(e, xprintf("!ust_catch(c, %s)", var ? var_value(e, var).c : "0"), &e->u.out);
	nested_aside(e, n->try_.handler, &handler);
	if (handler.n) {
		line(e, "{");
		sb_addn(e->out, handler.s, handler.n);
		line(e, "}");
	}
	put_label(e, &done);
}

/* ----------------------------------------------------------------- loops */

static void discard_aside(struct emit *e, struct node *n, struct strbuf *code)
{
	struct strbuf *out = e->out;
	size_t nloads = e->u.loads.n;

	if (!n)
		return;
	e->out = code;
	e->indent++;
	e->where = -1;
	discard(e, n);
	e->indent--;
	e->out = out;
	e->u.stats.n = 0;
	e->u.loads.n = nloads;
}

/* The init, condition and step of a loop as far as they are expressions. */
static void loop_head(struct emit *e, const char *init, const char *cond, const char *step)
{
	if (!*init && *cond && !*step)
		line(e, "while (%s) {", cond);
	else
		line(e, "for (%s;%s%s;%s%s) {", init, *cond ? " " : "", cond, *step ? " " : "", step);
}

/* Write the init of a loop; gives it as text where the loop's head can hold it. */
static const char *loop_init(struct emit *e, struct node *init)
{
	struct strbuf code = {0};
	const char *text;

	e->indent--;
	discard_aside(e, init, &code);
	e->indent++;
	text = as_expression(&code);
	if (!text)
		sb_addn(e->out, code.s, code.n);
	return text ? text : "";
}

static void loop_stmt(struct emit *e, struct node *n)
{
	struct strbuf cond = {0}, step = {0};
	struct label *outer = e->u.step, next = new_label(e, "next");
	struct val c = {.c = ""};
	const char *init_text = loop_init(e, n->loop.init), *step_text;

	e->where = -1;
	if (n->loop.cond)
		c = expr_aside(e, n->loop.cond, &cond);
	discard_aside(e, n->loop.step, &step);
	step_text = as_expression(&step);
	loop_head(e, init_text, cond.n ? "" : truth_text(&c), step_text ? step_text : "");
	if (cond.n) {
		sb_addn(e->out, cond.s, cond.n);
		line(e, "\tif (!%s)", operand(&c));
		line(e, "\t\tbreak;");
	}
	e->where = -1;
	e->indent++;
	action(e, n->loop.body->kind == N_NULL ? n : n->loop.body, count_statements(n->loop.body));
	e->indent--;
	e->u.step = step_text ? NULL : &next;
	nested(e, n->loop.body);
	e->u.step = outer;
	put_label(e, &next);
	if (!step_text)
		sb_addn(e->out, step.s, step.n);
	line(e, "}");
	e->where = -1;
}

static const char *sort_op_text(enum statop op)
{
	static const char *const text[ST_NOPS] = {"UST_BY_COUNT", "UST_BY_SUM", "UST_BY_MIN",
						  "UST_BY_MAX", "UST_BY_AVG", "UST_BY_VARIANCE"};
	return text[op];
}

static void set_loop_variable(struct emit *e, struct symbol *sym, const char *value)
{
	if (!is_read(e, sym))
		return;
	if (sym->type == T_STRING)
		line(e, "ust_strcpy(%s, %s);", var_value(e, sym).c, value);
	else
		line(e, "%s = %s;", var_value(e, sym).c, value);
}

/* The keys of a slice, which are evaluated once, in an array of that name; NULL if there is none.  Strings are
 * kept for as long as the loop runs. */
static const char *slice_keys(struct emit *e, struct node *n)
{
	struct strbuf sb = {0};
	const char *name;
	struct val *v;
	int i = 0;

	if (!n->each.slice)
		return NULL;
	name = xprintf("sl%d", ++e->u.nptrs);
	v = operands(e, n->each.slice, n->each.limit);
	for (struct node *k = n->each.slice; k; k = k->next, i++) {
		bool string = k->type == T_STRING;

		if (string && v[i].reads.n)
			v[i] = spill(e, v[i], T_STRING);
		sb_printf(&sb, "%s{.%s = %s}", i ? ", " : "", string ? "s" : "l", v[i].c);
	}
	line(e, "const union ust_key %s[] = {%s};", name, sb.s);
	return name;
}

/* Begin the loop N with the iterator of that name. */
static void begin_foreach(struct emit *e, struct node *n, const char *it)
{
	const char *slice = slice_keys(e, n);
	struct val limit = {.c = "UST_NO_LIMIT"};

	if (n->each.limit)
		limit = expr(e, n->each.limit);
	line(e, "struct ust_iter %s;", it);
	set_where(e, n->loc);
	line(e, "ust_iter_begin%s(c, &%s, &%s, %d, %d, %s, %s, %d%s);", slice ? "_slice" : "", it, n->sym->cname,
	     n->each.sort_col, n->each.sort_col < 0 ? 0 : n->each.sort_dir, sort_op_text(n->each.sort_op), limit.c,
	     n->each.order, slice ? xprintf(", %s, %#x", slice, any_keys(n->each.slice)) : "");
	jump_if(e, "c->failed", e->u.fail);
}

static void foreach_stmt(struct emit *e, struct node *n)
{
	const char *it = xprintf("it%d", ++e->u.nptrs);
	struct label *outer = e->u.step;
	int i = 0, held = e->u.heldbufs;

	begin_foreach(e, n, it);
	e->u.heldbufs = e->u.nbufs;
	line(e, "while (ust_iter_next(&%s)) {", it);
	e->where = -1;
	e->indent++;
	for (struct node *k = n->each.keys; k; k = k->next, i++)
		set_loop_variable(e, k->sym,
				  xprintf("%s.key[%d].%s", it, i, k->sym->type == T_STRING ? "s" : "l"));
	if (n->each.value)
		set_loop_variable(e, n->each.value->sym,
				  xprintf("%s.%s", it, n->each.value->sym->type == T_STRING ? "s" : "l"));
	action(e, n->each.body->kind == N_NULL ? n : n->each.body, count_statements(n->each.body));
	e->indent--;
	e->u.step = NULL;
	nested(e, n->each.body);
	e->u.step = outer;
	e->u.heldbufs = held;
	line(e, "}");
	e->where = -1;
}

/* ------------------------------------------------------------ statements */

static void continue_stmt(struct emit *e)
{
	if (e->u.step)
		jump(e, e->u.step);
	else
		line(e, "continue;");
}

void emit_statement(struct emit *e, struct node *n)
{
	if (n->kind == N_BLOCK) {
		for (struct node *b = n->block.body; b; b = b->next)
			emit_statement(e, b);
		return;
	}
	if (n->kind == N_NULL)
		return;
	e->u.nbufs = e->u.heldbufs;
	e->u.stats.n = 0;
	show_line(e, n);
	if (e->u.count_all)
		action(e, n, 1);
	switch (n->kind) {
	case N_EXPR:
		discard(e, n->expr.e);
		break;
	case N_IF:
		if_stmt(e, n);
		break;
	case N_WHILE:
	case N_FOR:
		loop_stmt(e, n);
		break;
	case N_FOREACH:
		foreach_stmt(e, n);
		break;
	case N_BREAK:
		line(e, "break;");
		break;
	case N_CONTINUE:
		continue_stmt(e);
		break;
	case N_NEXT:
		next_stmt(e, n);
		break;
	case N_RETURN:
		return_stmt(e, n);
		break;
	case N_DELETE:
		emit_delete(e, n->expr.e);
		break;
	case N_TRY:
		try_stmt(e, n);
		break;
	default:
		break;
	}
}
