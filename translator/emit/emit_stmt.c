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
	jump_if(e, ctext("!ust_action(c, %u)", count ? count : 1), &e->u.out);
}

/* ------------------------------------------------------- small statements */

static void put_label(struct emit *e, const struct label *l)
{
	if (l->uses)
		cbuf_printf(e->out, "%s:;\n", l->name);
	e->where = -1;
}

static void jump(struct emit *e, struct label *l)
{
	line(e, "goto %s;", l->name);
	l->uses++;
}

static struct label new_label(struct emit *e, struct ctext name)
{
	return (struct label){.name = ctext("%s_%d", name, ++e->u.nlabels)};
}

/* The script's line as a comment, where a statement begins a new one. */
static void show_line(struct emit *e, const struct node *n)
{
	unsigned ln, col;
	struct loc body = e->u.func ? e->u.func->body->loc : e->u.probe->body->loc;
	const char *s = n->loc.src->text + n->loc.beg, *end = s + strcspn(s, "\n");
	const char *close = body.src->text + body.end - 1; /* the body's brace */

	loc_linecol(n->loc, &ln, &col);
	if (e->u.src == n->loc.src && e->u.line == ln)
		return;
	if (body.src == n->loc.src && close > s && close < end)
		end = close;
	e->u.src = n->loc.src;
	e->u.line = ln;
	line(e, "%s", c_comment("%u: %.*s", ln, (int)(end - s), s));
}

static void nested(struct emit *e, struct node *n)
{
	size_t nloads = e->u.loads.n;

	e->indent++;
	emit_statement(e, n);
	e->indent--;
	e->u.loads.n = nloads;
}

static void nested_aside(struct emit *e, struct node *n, struct cbuf *code)
{
	struct cbuf *out = e->out;

	e->out = code;
	nested(e, n);
	e->out = out;
}

/* CODE as the text of one expression; .at is NULL if it is more than that. */
static struct ctext as_expression(const struct cbuf *code)
{
	const char *s = code->n ? code->s : "";
	size_t tabs = strspn(s, "\t");

	s += tabs;
	if (!*s)
		return C("");
	if (strchr(s, '\n') != s + strlen(s) - 1 || *s == '/' || !strncmp(s, "ust_long ", 9) ||
	    !strncmp(s, "struct ", 7) || !strncmp(s, "const ", 6))
		return (struct ctext){0};
	return cbuf_from(code, tabs, strlen(s) - 2);
}

static void if_stmt(struct emit *e, struct node *n)
{
	struct val c = expr(e, n->cond.c);
	struct cbuf yes = {0}, no = {0};
	int where = e->where;
	bool braces;

	nested_aside(e, n->cond.t, &yes);
	e->where = where;
	if (n->cond.f)
		nested_aside(e, n->cond.f, &no);
	braces = !yes.n || !as_expression(&yes).at || !as_expression(&no).at;
	line(e, braces ? "if (%s) {" : "if (%s)", truth_text(&c));
	cbuf_append(e->out, &yes);
	if (no.n) {
		line(e, braces ? "} else {" : "else");
		cbuf_append(e->out, &no);
	}
	if (braces)
		line(e, "}");
	e->where = -1;
}

static void return_stmt(struct emit *e, struct node *n)
{
	struct val v;

	if (n->expr.e && e->u.func->type == T_STRING) {
		string_into(e, n->expr.e, C("ret"), NULL);
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
	struct label *outer = e->u.fail, caught = new_label(e, C("catch")),
		     done = new_label(e, C("caught"));
	struct symbol *var = n->try_.var && is_read(e, n->try_.var->sym) ? n->try_.var->sym : NULL;
	struct cbuf handler = {0};

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
	jump_if(e, ctext("!ust_catch(c, %s)", var ? var_value(e, var).c : C("0")), &e->u.out);
	nested_aside(e, n->try_.handler, &handler);
	if (handler.n) {
		line(e, "{");
		cbuf_append(e->out, &handler);
		line(e, "}");
	}
	put_label(e, &done);
}

/* ----------------------------------------------------------------- loops */

static void discard_aside(struct emit *e, struct node *n, struct cbuf *code)
{
	struct cbuf *out = e->out;
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
static void loop_head(struct emit *e, struct ctext init, struct ctext cond, struct ctext step)
{
	bool has_cond = *ctext_chars(cond), has_step = *ctext_chars(step);

	if (!*ctext_chars(init) && has_cond && !has_step)
		line(e, "while (%s) {", cond);
	else
		line(e, "for (%s;%s%s;%s%s) {", init, has_cond ? C(" ") : C(""), cond,
		     has_step ? C(" ") : C(""), step);
}

/* Write the init of a loop; gives it as text where the loop's head can hold it. */
static struct ctext loop_init(struct emit *e, struct node *init)
{
	struct cbuf code = {0};
	struct ctext text;

	e->indent--;
	discard_aside(e, init, &code);
	e->indent++;
	text = as_expression(&code);
	if (!text.at)
		cbuf_append(e->out, &code);
	return text;
}

static void loop_stmt(struct emit *e, struct node *n)
{
	struct cbuf cond = {0}, step = {0};
	struct label *outer = e->u.step, next = new_label(e, C("next"));
	struct val c = {.c = C("")};
	struct ctext init_text = loop_init(e, n->loop.init), step_text;

	e->where = -1;
	if (n->loop.cond)
		c = expr_separate(e, n->loop.cond, &cond);
	discard_aside(e, n->loop.step, &step);
	step_text = as_expression(&step);
	loop_head(e, init_text, cond.n ? C("") : truth_text(&c), step_text);
	if (cond.n) {
		cbuf_append(e->out, &cond);
		line(e, "\tif (!%s)", operand(&c));
		line(e, "\t\tbreak;");
	}
	e->where = -1;
	e->indent++;
	action(e, n->loop.body->kind == N_NULL ? n : n->loop.body, count_statements(n->loop.body));
	e->indent--;
	e->u.step = step_text.at ? NULL : &next;
	nested(e, n->loop.body);
	e->u.step = outer;
	put_label(e, &next);
	if (!step_text.at)
		cbuf_append(e->out, &step);
	line(e, "}");
	e->where = -1;
}

static struct ctext sort_op_text(enum statop op, int64_t percent)
{
	static const struct ctext text[ST_NOPS] = {C("UST_BY_COUNT"), C("UST_BY_SUM"),
						   C("UST_BY_MIN"),   C("UST_BY_MAX"),
						   C("UST_BY_AVG"),   C("UST_BY_VARIANCE")};
	return op == ST_PERCENTILE ? ctext("UST_BY(%lld)", (long long)percent) : text[op];
}

static void set_loop_variable(struct emit *e, struct symbol *sym, struct ctext value)
{
	if (!is_read(e, sym))
		return;
	if (sym->type == T_STRING)
		line(e, "ust_strcpy(%s, %s);", var_value(e, sym).c, value);
	else
		line(e, "%s = %s;", var_value(e, sym).c, value);
}

/* The keys of a slice, which are evaluated once.  Strings are kept for as long as the loop runs. */
static struct val slice_keys(struct emit *e, struct node *n)
{
	struct cbuf sb = {0};
	struct val *v;
	int i = 0;

	v = operands(e, n->each.slice, n->each.limit);
	for (struct node *k = n->each.slice; k; k = k->next, i++) {
		bool string = k->type == T_STRING;

		if (string && v[i].reads.n)
			v[i] = spill(e, v[i], T_STRING);
		cbuf_printf(&sb, "%s{.%s = %s}", i ? C(", ") : C(""), string ? C("s") : C("l"),
			    v[i].c);
	}
	return (struct val){.c = cbuf_text(&sb)};
}

/* Begin the loop N with the iterator of that name. */
static void begin_foreach(struct emit *e, struct node *n, struct ctext it)
{
	struct node *slice = n->each.slice;
	struct val keys = {0}, limit = {.c = C("UST_NO_LIMIT")};
	struct ctext call;

	if (slice)
		keys = slice_keys(e, n);
	if (n->each.limit)
		limit = expr(e, n->each.limit);
	set_where(e, n->loc);
	call = ctext("ust_iter_begin%s(c, &%s, &%s, %d, %d, %s, %s, %d%s)",
		     slice ? C("_slice") : C(""), it, n->sym->cname, n->each.sort_col,
		     n->each.sort_col < 0 ? 0 : n->each.sort_dir,
		     sort_op_text(n->each.sort_op, n->each.percent), limit.c, n->each.order,
		     slice ? ctext(", key, %#x", any_keys(slice)) : C(""));
	line(e, "%s;", slice ? keyed(&keys, call) : call);
	jump_if(e, C("c->failed"), e->u.fail);
}

static void foreach_stmt(struct emit *e, struct node *n)
{
	struct ctext it = frame_slot(e, SLOT_ITER);
	struct label *outer = e->u.step;
	struct held_slots held;
	int i = 0;

	begin_foreach(e, n, it);
	held = slots_hold(e);
	line(e, "while (ust_iter_next(c, &%s)) {", it);
	e->where = -1;
	e->indent++;
	for (struct node *k = n->each.keys; k; k = k->next, i++)
		set_loop_variable(
			e, k->sym,
			ctext("%s.key[%d].%s", it, i, k->sym->type == T_STRING ? C("s") : C("l")));
	if (n->each.value)
		set_loop_variable(
			e, n->each.value->sym,
			ctext("%s.%s", it, n->each.value->sym->type == T_STRING ? C("s") : C("l")));
	action(e, n->each.body->kind == N_NULL ? n : n->each.body, count_statements(n->each.body));
	e->indent--;
	e->u.step = NULL;
	nested(e, n->each.body);
	e->u.step = outer;
	slots_unhold(e, &held);
	line(e, "}");
	if (n->each.sort_col >= 0) /* sorting is charged */
		jump_if(e, C("c->failed"), e->u.fail);
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
	slots_release(e);
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
		if (n->expr.resets && n->expr.e->sym->nkeys <= 0 && n->expr.e->type != T_STAT)
			emit_reset(e, n->expr.e->sym);
		else
			emit_delete(e, n->expr.e);
		break;
	case N_SEND:
		line(e, "ust_send_global(&%s);", n->expr.e->sym->cname);
		break;
	case N_TRY:
		try_stmt(e, n);
		break;
	default:
		break;
	}
}
