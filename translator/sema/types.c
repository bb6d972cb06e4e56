/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types: every expression, variable, array key, parameter and result gets
 * one of long, string and statistic.
 *
 * Takes the pruned program. The code is walked with the type that each context requires; results
 * are stored in symbols, and the walk is repeated until nothing changes. A type once known never
 * changes, so each conflict has one location, which is reported once, even where a body was
 * copied for several sites. Functions whose calls were all elided take part, as in stap, but what
 * remains unknown there is not an error. Afterwards no type is T_UNKNOWN but that of a call without
 * a value and of func.type of such functions.
 */
#include "passes.h"
#include "sema.h"

/* Stages of the inference, which differ in the errors that they report. */
enum stage {
	INFER,  /* conflicts */
	VALUES, /* calls without a value where one is needed */
};

struct types {
	struct session *s;
	enum stage stage;
	bool changed;
	struct func *func;          /* around the current node, or NULL */
	const struct node *discard; /* expression whose value is not used */
	const struct node *operand; /* operand whose type `against` fixed, for hints */
	struct type_source against;
	loc_vec reported;
};

static enum type expr(struct types *t, struct node *n, enum type want);
static void stmt(struct types *t, struct node *n);

/* ------------------------------------------------------------ errors */

static bool first_at(struct types *t, struct loc loc) { return first_report(&t->reported, loc); }

static bool is_variable(const struct node *n) { return n->kind == N_VAR || n->kind == N_INDEX; }

/* AGAINST is what WANT comes from, or NULL. */
static void mismatch(struct types *t, const struct node *n, enum type want, enum type have,
		     const struct type_source *against)
{
	if (first_at(t, n->loc))
		report_conflict(n, want, have, against);
}

static bool returns_nothing(const struct node *n)
{
	return n->kind == N_CALL && n->call.func && n->call.func->returns_nothing;
}

/* N has no value where one of type WANT is needed. As in SystemTap it is 0 or "", but an error
 * where any type will do. */
static void no_value(struct types *t, struct node *n, enum type want)
{
	const char *what = n->kind == N_CALL
				   ? xprintf("function \"%s\" returns no value", n->call.name)
				   : "printing has no value";

	n->no_value = true;
	if (!first_at(t, n->loc))
		return;
	if ((want == T_LONG || want == T_STRING) && !returns_nothing(n))
		diag_warn(W_NO_VALUE, n->loc, "%s; %s is used", what,
			  want == T_LONG ? "0" : "the empty string");
	else
		diag_error(E_UNRESOLVED_TYPE, n->loc, "%s", what);
}

static void stat_as_value(struct types *t, const struct node *n)
{
	if (!first_at(t, n->loc))
		return;
	diag_error(E_TYPE_MISMATCH, n->loc, "a statistic is used as a value");
	diag_hint("use @count, @sum, @min, @max or @avg");
}

static bool is_void(const struct node *n)
{
	if (n->kind == N_PRINT)
		return !(n->print.kind & PR_TO_STRING);
	if (n->kind != N_CALL)
		return false;
	return n->call.func ? !n->call.func->has_value : n->call.builtin->ret == T_UNKNOWN;
}

/* ----------------------------------------------------------- symbols */

/* The type of SYM's value, after the use as WANT at LOC is recorded. */
static enum type learn(struct types *t, struct symbol *sym, enum type want, struct loc loc)
{
	if (sym->type == T_UNKNOWN && want != T_UNKNOWN) {
		sym->type = want;
		sym->type_loc = loc;
		t->changed = true;
	}
	return sym->type;
}

/* expr(), where AGAINST decides what is wanted; for messages. */
static enum type expr_against(struct types *t, struct node *n, enum type want,
			      struct type_source against)
{
	t->operand = n;
	t->against = against;
	return expr(t, n, want);
}

/* Unify the types of the key expressions in LIST with those of SYM's keys. */
static void keys(struct types *t, struct symbol *sym, struct node *list)
{
	int i = 0;

	for (struct node *k = list; k && i < sym->nkeys; k = k->next, i++) {
		enum type have = k->kind == N_ANY ? T_UNKNOWN
						  : expr_against(t, k, sym->keys[i],
								 type_source_key(sym, i));

		if (sym->keys[i] == T_UNKNOWN && have != T_UNKNOWN) {
			sym->keys[i] = have;
			sym->key_locs[i] = k->loc;
			t->changed = true;
		}
	}
}

/* The origin of the type of N, the first of two operands that must agree. */
static struct type_source known_of(const struct node *n)
{
	if (is_variable(n))
		return type_source_symbol(n->sym);
	return n->kind == N_CALL && n->call.func ? type_source_result(n->call.func)
						 : (struct type_source){0};
}

/* Two places that have one type; the second is blamed for a conflict. */
static enum type both(struct types *t, struct node *a, struct node *b, enum type want)
{
	enum type x = expr(t, a, want || !is_void(a) ? want : expr(t, b, T_UNKNOWN));
	enum type y = expr_against(t, b, want ? want : x, known_of(a));

	if (x == T_UNKNOWN && y != T_UNKNOWN)
		x = expr(t, a, y);
	return want ? want : x;
}

/* ------------------------------------------------------- expressions */

/* Is L, which is to be changed, a statistic?  Reports it. */
static bool changes_stat(struct types *t, struct node *l)
{
	if (!is_variable(l) || l->sym->type != T_STAT)
		return false;
	if (l->kind == N_INDEX)
		keys(t, l->sym, l->index.keys);
	if (first_at(t, l->loc))
		diag_error(E_TYPE_MISMATCH, l->loc,
			   "\"%s\" is a statistic; only <<< and delete change it", l->sym->name);
	return true;
}

static enum type assign(struct types *t, struct node *n, enum type want)
{
	if (n->bin.op != OP_STAT && changes_stat(t, n->bin.l)) {
		enum type have = expr(t, n->bin.r, want);

		return have ? have : want;
	}
	switch (n->bin.op) {
	case OP_SET:
		return both(t, n->bin.l, n->bin.r, want);
	case OP_STAT:
		expr(t, n->bin.l, T_STAT);
		expr(t, n->bin.r, T_LONG);
		return T_LONG;
	case OP_CONCAT:
		expr(t, n->bin.l, T_STRING);
		expr(t, n->bin.r, T_STRING);
		return T_STRING;
	default:
		expr(t, n->bin.l, T_LONG);
		expr(t, n->bin.r, T_LONG);
		return T_LONG;
	}
}

static bool is_comparison(enum op op) { return op >= OP_EQ && op <= OP_GE; }

static enum type binary(struct types *t, struct node *n)
{
	enum type operands = n->bin.op == OP_CONCAT ? T_STRING : T_LONG;

	if (is_comparison(n->bin.op)) {
		both(t, n->bin.l, n->bin.r, T_UNKNOWN);
		return T_LONG;
	}
	expr(t, n->bin.l, operands);
	expr(t, n->bin.r, operands);
	return operands;
}

static enum type call_function(struct types *t, struct node *n, enum type want)
{
	struct func *f = n->call.func;
	size_t i = 0;

	for (struct node *a = n->call.args; a && i < f->params.n; a = a->next, i++)
		learn(t, f->params.v[i],
		      expr_against(t, a, f->params.v[i]->type, type_source_symbol(f->params.v[i])),
		      a->loc);
	if (f->has_value && f->type == T_UNKNOWN && want != T_UNKNOWN) {
		f->type = want;
		f->type_loc = n->loc;
		t->changed = true;
	}
	return f->type;
}

static enum type call(struct types *t, struct node *n, enum type want)
{
	const struct builtin *b = n->call.builtin;
	int i = 0;

	if (n->call.func)
		return call_function(t, n, want);
	for (struct node *a = n->call.args; a && i < b->nargs; a = a->next, i++)
		expr(t, a, b->args[i]);
	return b->ret;
}

static enum type target(struct types *t, struct node *n)
{
	if (n->target.value)
		expr(t, n->target.value, T_LONG);
	for (size_t i = 0; i < n->target.ncomps; i++)
		if (n->target.comps[i].kind == TC_INDEX)
			expr(t, n->target.comps[i].index, T_LONG);
	return n->target.pretty || n->target.name[1] == '$' ? T_STRING : T_LONG;
}

/* ----------------------------------------------------------- printing */

static enum type conversion_type(char conv) { return conv == 's' ? T_STRING : T_LONG; }

/* The next argument of a format, of type WANT; AT is the conversion. */
static struct node *format_arg(struct types *t, struct node *arg, enum type want, struct loc at)
{
	if (arg) {
		expr(t, arg, want);
		return arg->next;
	}
	if (first_at(t, at))
		diag_error(E_FORMAT, at, "no argument for this conversion");
	return NULL;
}

static void format(struct types *t, struct node *n)
{
	struct node *arg = n->print.args;
	int errors = diag_errors();

	for (size_t i = 0; i < n->print.nfmt; i++) {
		const struct fmt_piece *p = &n->print.fmt[i];

		if (p->lit)
			continue;
		if (p->width == -2)
			arg = format_arg(t, arg, T_LONG, p->loc);
		if (p->prec == -2)
			arg = format_arg(t, arg, T_LONG, p->loc);
		arg = format_arg(t, arg, conversion_type(p->conv), p->loc);
	}
	if (arg && errors == diag_errors() && first_at(t, arg->loc))
		diag_error(E_FORMAT, arg->loc, "no conversion for this argument");
	for (; arg; arg = arg->next)
		expr(t, arg, T_UNKNOWN);
}

static enum type print(struct types *t, struct node *n)
{
	if (n->print.kind & PR_F)
		format(t, n);
	else
		for (struct node *a = n->print.args; a; a = a->next)
			expr(t, a, T_UNKNOWN);
	return n->print.kind & PR_TO_STRING ? T_STRING : T_UNKNOWN;
}

/* The type of N by itself; WANT is the type that its context requires. */
static enum type own_type(struct types *t, struct node *n, enum type want)
{
	switch (n->kind) {
	case N_STR:
		return T_STRING;
	case N_VAR:
		return learn(t, n->sym, want, n->loc);
	case N_INDEX:
		keys(t, n->sym, n->index.keys);
		return learn(t, n->sym, want, n->loc);
	case N_TARGET:
		return target(t, n);
	case N_BINARY:
		return binary(t, n);
	case N_LOGIC:
		expr(t, n->bin.l, T_LONG);
		expr(t, n->bin.r, T_LONG);
		return T_LONG;
	case N_UNARY:
		expr(t, n->un.e, T_LONG);
		return T_LONG;
	case N_INCDEC:
		if (!changes_stat(t, n->inc.e))
			expr(t, n->inc.e, T_LONG);
		return T_LONG;
	case N_ASSIGN:
		return assign(t, n, want);
	case N_COND:
		expr(t, n->cond.c, T_LONG);
		return both(t, n->cond.t, n->cond.f, want);
	case N_IN:
		keys(t, n->sym, n->in.keys);
		return T_LONG;
	case N_CALL:
		return call(t, n, want);
	case N_PRINT:
		return print(t, n);
	case N_STATOP:
		expr(t, n->stat.e, T_STAT);
		if (n->stat.index)
			expr(t, n->stat.index, T_LONG);
		return T_LONG;
	case N_EMBEDDED:
		return n->embedded.string ? T_STRING : T_LONG;
	case N_REGEX:
		expr(t, n->regex.e, T_STRING);
		return T_LONG;
	default:
		return T_LONG;
	}
}

/* The type of N where WANT is needed (T_UNKNOWN: any value will do). */
static enum type expr(struct types *t, struct node *n, enum type want)
{
	const struct node *discard = t->discard;
	struct type_source against = n == t->operand ? t->against : (struct type_source){0};
	enum type have = own_type(t, n, want);

	if (have == T_UNKNOWN && is_void(n) && n != discard && t->stage == VALUES) {
		no_value(t, n, want);
		have = want ? want : T_LONG;
	}
	if (have == T_STAT && want != T_STAT) {
		stat_as_value(t, n);
		have = want ? want : T_LONG;
	} else if (want != T_UNKNOWN && have != T_UNKNOWN && want != have) {
		mismatch(t, n, want, have, &against);
		have = want;
	}
	if (n->type != have)
		t->changed = true;
	n->type = have;
	return have;
}

/* -------------------------------------------------------- statements */

static void discard(struct types *t, struct node *n)
{
	if (!n)
		return;
	t->discard = n;
	expr(t, n, T_UNKNOWN);
}

static void type_foreach(struct types *t, struct node *n)
{
	struct node *v = n->each.value;

	keys(t, n->sym, n->each.keys);
	keys(t, n->sym, n->each.slice);
	if (v && n->sym->type == T_STAT) {
		stat_as_value(t, v);
		learn(t, v->sym, T_LONG, v->loc);
	} else if (v) {
		learn(t, n->sym, expr_against(t, v, n->sym->type, type_source_symbol(n->sym)),
		      v->loc);
	}
	if (n->each.sort_op != ST_COUNT && n->sym->type != T_UNKNOWN && n->sym->type != T_STAT &&
	    first_at(t, n->loc))
		diag_error(E_TYPE_MISMATCH, n->loc, "\"%s\" does not hold statistics to sort by",
			   n->sym->name);
	if (n->each.limit)
		expr(t, n->each.limit, T_LONG);
	stmt(t, n->each.body);
}

/* `return;` in a function that has a value */
static void return_nothing(struct types *t, const struct node *n)
{
	if (t->stage != VALUES || t->func->type == T_UNKNOWN || !first_at(t, n->loc))
		return;
	diag_error(E_TYPE_MISMATCH, n->loc, "\"return\" without a value, but \"%s\" returns a %s",
		   t->func->name, type_name(t->func->type));
}

static void return_value(struct types *t, struct node *n)
{
	struct node *e = n->expr.e;
	enum type have;

	if (!e) {
		if (n->no_value) /* not the end of a function that called the next one */
			return_nothing(t, n);
		return;
	}
	if (t->stage == VALUES && t->func->type == T_UNKNOWN && is_void(e))
		t->func->type = T_LONG;
	have = expr_against(t, e, t->func->type, type_source_result(t->func));
	if (t->func->type == T_UNKNOWN && have != T_UNKNOWN) {
		t->func->type = have;
		t->func->type_loc = e->loc;
		t->changed = true;
	}
}

static void type_delete(struct types *t, struct node *e)
{
	if (e->kind == N_INDEX)
		keys(t, e->sym, e->index.keys);
	e->type = e->sym->type;
}

static void loop(struct types *t, struct node *n)
{
	discard(t, n->loop.init);
	if (n->loop.cond)
		expr(t, n->loop.cond, T_LONG);
	discard(t, n->loop.step);
	stmt(t, n->loop.body);
}

static void stmt(struct types *t, struct node *n)
{
	if (!n)
		return;
	switch (n->kind) {
	case N_BLOCK:
		for (struct node *b = n->block.body; b; b = b->next)
			stmt(t, b);
		break;
	case N_EXPR:
		discard(t, n->expr.e);
		break;
	case N_IF:
		expr(t, n->cond.c, T_LONG);
		stmt(t, n->cond.t);
		stmt(t, n->cond.f);
		break;
	case N_WHILE:
	case N_FOR:
		loop(t, n);
		break;
	case N_FOREACH:
		type_foreach(t, n);
		break;
	case N_RETURN:
		return_value(t, n);
		break;
	case N_DELETE:
		type_delete(t, n->expr.e);
		break;
	case N_TRY:
		stmt(t, n->try_.body);
		if (n->try_.var)
			expr(t, n->try_.var, T_STRING);
		stmt(t, n->try_.handler);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------- the program */

static void walk_all(struct types *t, bool (*pre)(struct node *, void *), void *arg)
{
	struct program *p = &t->s->program;

	for (size_t i = 0; i < p->probes.n; i++)
		node_walk(p->probes.v[i]->body, pre, NULL, arg);
	for (size_t i = 0; i < p->funcs.n; i++)
		node_walk(p->funcs.v[i]->body, pre, NULL, arg);
}

static void infer_funcs(struct types *t, struct func *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		t->func = v[i];
		stmt(t, t->func->body);
	}
}

static void infer(struct types *t)
{
	struct program *p = &t->s->program;

	do {
		t->changed = false;
		t->func = NULL;
		for (size_t i = 0; i < p->probes.n; i++)
			stmt(t, p->probes.v[i]->body);
		infer_funcs(t, p->funcs.v, p->funcs.n);
		if (t->stage == INFER)
			infer_funcs(t, p->elided.v, p->elided.n);
	} while (t->changed);
}

static bool see_return(struct node *n, void *arg)
{
	if (n->kind == N_RETURN && !n->expr.e)
		return_value(arg, n);
	return true;
}

static void check_elided_returns(struct types *t)
{
	for (size_t i = 0; i < t->s->program.elided.n; i++) {
		t->func = t->s->program.elided.v[i];
		node_walk(t->func->body, see_return, NULL, t);
	}
}

static void infer_initial(struct types *t)
{
	struct program *p = &t->s->program;

	for (size_t i = 0; i < p->globals.n; i++)
		if (p->globals.v[i]->init && !p->globals.v[i]->option_value)
			learn(t, p->globals.v[i],
			      expr_against(t, p->globals.v[i]->init, p->globals.v[i]->type,
					   type_source_symbol(p->globals.v[i])),
			      p->globals.v[i]->init->loc);
}

/* The operand that N requires to be a statistic: that of <<<, @count and similar operators. */
static const struct node *stat_operand(const struct node *n)
{
	if (n->kind == N_STATOP)
		return n->stat.e;
	return n->kind == N_ASSIGN && n->bin.op == OP_STAT ? n->bin.l : NULL;
}

/* Mark the operands of <<< as statistics before other uses are seen. */
static bool mark_stat(struct node *n, void *arg)
{
	const struct node *s = stat_operand(n);

	if (!s || !s->sym)
		return true;
	if (s->sym->kind == SYM_GLOBAL) {
		if (n->kind == N_ASSIGN)
			learn(arg, s->sym, T_STAT, s->loc);
		return true;
	}
	if (!first_at(arg, s->loc))
		return true;
	diag_error(E_TYPE_MISMATCH, s->loc, "\"%s\" is a %s; only globals can be statistics",
		   s->sym->name, s->sym->kind == SYM_PARAM ? "parameter" : "local variable");
	if (s->sym->kind != SYM_PARAM)
		diag_hint("declare it with \"global %s\"", s->sym->name);
	return true;
}

/* ------------------------------------------------- what stays unknown */

static bool untyped(const struct symbol *sym)
{
	if (sym->type == T_UNKNOWN)
		return true;
	for (int i = 0; i < sym->nkeys; i++)
		if (sym->keys[i] == T_UNKNOWN)
			return true;
	return false;
}

/* Whatever was not learnt of SYM counts as long, so that it is reported once. */
static void settle(struct types *t, struct symbol *sym)
{
	if (sym->type == T_UNKNOWN)
		sym->type = T_LONG;
	for (int i = 0; i < sym->nkeys; i++)
		if (sym->keys[i] == T_UNKNOWN)
			sym->keys[i] = T_LONG;
	t->changed = true;
}

/* The symbol whose type N needs; NULL if it is known or N needs none. */
static struct symbol *untyped_symbol(const struct node *n)
{
	if (n->kind != N_VAR && n->kind != N_INDEX && n->kind != N_IN && n->kind != N_FOREACH)
		return NULL;
	return untyped(n->sym) ? n->sym : NULL;
}

/* A call whose value is needed, of a function that says nothing of its type. */
static bool untyped_call(const struct types *t, const struct node *n)
{
	return n->kind == N_CALL && n->call.func && n->call.func->has_value &&
	       n->call.func->type == T_UNKNOWN && n != t->discard;
}

static bool report_unknown(struct node *n, void *arg)
{
	struct types *t = arg;
	struct symbol *sym = untyped_symbol(n);

	if (t->changed)
		return false;
	if (n->kind == N_EXPR || n->kind == N_RETURN)
		t->discard = n->expr.e;
	if (!sym && !untyped_call(t, n))
		return true;
	if (first_at(t, n->loc)) {
		diag_error(E_UNRESOLVED_TYPE, n->loc, "the type of \"%s\" is not known",
			   sym ? sym->name : n->call.name);
		diag_hint("no use of it shows whether it is a long or a string");
	}
	if (sym)
		settle(t, sym);
	else
		n->call.func->type = T_LONG;
	t->changed = true;
	return false;
}

/* Function results that are not used get the type long. */
static void settle_results(struct types *t)
{
	struct program *p = &t->s->program;

	for (size_t i = 0; i < p->funcs.n; i++) {
		struct func *f = p->funcs.v[i];

		if (f->has_value && f->type == T_UNKNOWN) {
			f->type = T_LONG;
			t->changed = true;
		}
	}
}

/* One error at a time: its consequences are drawn before the next is looked for. */
static void report_unknowns(struct types *t)
{
	for (;;) {
		t->changed = false;
		walk_all(t, report_unknown, t);
		if (!t->changed)
			settle_results(t);
		if (!t->changed)
			return;
		infer(t);
	}
}

/* Locals that dropped statements left without a mention. */
static void settle_locals(struct types *t)
{
	struct program *p = &t->s->program;

	for (size_t i = 0; i < p->probes.n; i++)
		for (size_t j = 0; j < p->probes.v[i]->locals.n; j++)
			settle(t, p->probes.v[i]->locals.v[j]);
	for (size_t i = 0; i < p->funcs.n; i++) {
		struct func *f = p->funcs.v[i];

		for (size_t j = 0; j < f->locals.n; j++)
			settle(t, f->locals.v[j]);
		for (size_t j = 0; j < f->params.n; j++)
			settle(t, f->params.v[j]);
	}
}

static bool see_unresolved(struct node *n, void *arg)
{
	bool *found = arg;

	*found |= (is_variable(n) || n->kind == N_IN || n->kind == N_FOREACH) && !n->sym;
	return true;
}

bool names_are_resolved(struct session *s)
{
	struct types t = {.s = s};
	bool found = false;

	walk_all(&t, see_unresolved, &found);
	return !found;
}

void infer_types(struct session *s)
{
	struct types t = {.s = s, .stage = INFER};

	infer_initial(&t);
	walk_all(&t, mark_stat, &t);
	infer(&t);
}

/* The value of -G decides the type of a global if the script does not. */
static void settle_given(struct types *t)
{
	struct program *p = &t->s->program;
	bool told = false;

	for (size_t i = 0; i < p->globals.n; i++) {
		struct symbol *g = p->globals.v[i];

		if (!g->option_value || g->type != T_UNKNOWN)
			continue;
		learn(t, g, g->init->kind == N_STR ? T_STRING : T_LONG, g->loc);
		told = true;
	}
	if (told)
		infer(t);
	for (size_t i = 0; i < p->globals.n; i++)
		if (p->globals.v[i]->option_value)
			module_params_parse(p->globals.v[i]);
}

void pass_types(struct session *s)
{
	struct types t = {.s = s, .stage = INFER};

	infer_initial(&t);
	walk_all(&t, mark_stat, &t);
	infer(&t);
	t.stage = VALUES;
	infer(&t);
	check_elided_returns(&t);
	settle_given(&t);
	report_unknowns(&t);
	settle_locals(&t);
	check_foreach(&s->program, &t.reported);
	check_shapes(s);
}
