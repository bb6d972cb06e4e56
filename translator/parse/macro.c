/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Macro: @define NAME(PARAMETERS) %( BODY %), and @NAME(ARGUMENTS).
 *
 * Bodies and arguments are tokens. They are never copied: the input is a stack of slices of
 * them, and an argument is read where its parameter occurs, as at the position of the call. Each
 * expansion has a struct source of its own, so that an error can name the macro's text and where
 * it was used.
 */
#include <string.h>
#include "parse/parse.h"
#include "parse/gram.h"
#include "parse/preproc.h"
#include "parse/library.h"

/* Bounds on what macros can make of a small script. */
#define MAX_CALLS    200    /* inside each other */
#define MAX_EXPANDED 300000 /* tokens */
#define MAX_PARAMS   1000

const struct call *macro_fetch(struct parser *p, struct token *t)
{
	struct preproc *pp = p->pp;

	while (pp->readers.n) {
		struct reader *r = &pp->readers.v[pp->readers.n - 1];

		if (r->i < r->s.n) {
			*t = r->s.v[r->i++];
			if (r->s.call)
				t->loc.src = r->s.call->src;
			return r->s.call;
		}
		pp->readers.n--;
	}
	t->kind = lex_raw(&t->val, &t->loc, p->scanner);
	return NULL;
}

static void read_slice(struct preproc *pp, struct slice s)
{
	if (s.n)
		vec_push(&pp->readers, ((struct reader){.s = s}));
}

/* -------------------------------------------------------- definitions */

/* The tokens up to the %) of a %( that was read. False if it is missing. */
static bool read_body(struct parser *p, struct macro *m, struct loc open)
{
	struct token t;

	for (size_t depth = 0;;) {
		macro_fetch(p, &t);
		if (t.kind == T_OPEN)
			depth++;
		if (t.kind == USTAP_YYEOF) {
			pp_error(p, E_SYNTAX, open, "the body of %s is never closed by a %%)",
				 m->name);
			return false;
		}
		if (t.kind == T_CLOSE && !depth--)
			return true;
		if (t.kind == T_AT && !strcmp(t.val.name, "@define"))
			pp_error(p, E_SYNTAX, t.loc, "a macro cannot define macros");
		if (t.kind != USTAP_YYerror)
			vec_push(&m->body, t);
	}
}

/* (a, b) after the macro's name; T is what follows it, and what follows them. */
static bool read_params(struct parser *p, struct macro *m, struct token *t)
{
	if (t->kind != '(')
		return true;
	do {
		macro_fetch(p, t);
		if (t->kind != IDENT || m->params.n == MAX_PARAMS) {
			pp_error(p, t->kind == IDENT ? E_LIMIT : E_SYNTAX, t->loc,
				 t->kind == IDENT ? "too many parameters"
						  : "expected the name of a parameter");
			return false;
		}
		vec_push(&m->params, xprintf("@%s", t->val.name));
		macro_fetch(p, t);
	} while (t->kind == ',');
	if (t->kind != ')') {
		pp_error(p, E_SYNTAX, t->loc, "expected ',' or ')' after a parameter");
		return false;
	}
	macro_fetch(p, t);
	return true;
}

static void check_name(struct parser *p, const struct macro *m)
{
	const struct macro *old = smap_get(&p->pp->macros, m->name);
	unsigned line, col;

	if (!strcmp(m->name, "@define")) {
		pp_error(p, E_REDECLARED, m->loc, "@define itself cannot be defined");
	} else if (old && !p->failing) {
		loc_linecol(old->loc, &line, &col);
		pp_error(p, E_REDECLARED, m->loc, "macro %s is already defined", m->name);
		diag_hint("first defined at %s:%u:%u", old->loc.src->name, line, col);
	} else if (lex_is_operator(m->name)) {
		diag_warn(W_SHADOWED, m->loc, "macro %s hides the operator of that name", m->name);
	}
}

/* After `@define` */
static void define(struct parser *p)
{
	struct macro *m = xalloc(sizeof *m);
	USTAP_YYSTYPE keyword;
	struct token t;
	bool complete;

	macro_fetch(p, &t);
	if (t.kind != IDENT || lex_keyword(t.val.name, &keyword) != IDENT) {
		pp_error(p, E_SYNTAX, t.loc, "expected the name of the macro");
		return;
	}
	m->name = xprintf("@%s", t.val.name);
	m->loc = t.loc;
	macro_fetch(p, &t);
	if (!read_params(p, m, &t))
		return;
	if (t.kind != T_OPEN) {
		pp_error(p, E_SYNTAX, t.loc, "expected %%( and the body of %s", m->name);
		return;
	}
	check_name(p, m);
	p->in_body = true;
	complete = read_body(p, m, t.loc);
	p->in_body = false;
	if (complete)
		smap_put(&p->pp->macros, m->name, m);
}

/* ---------------------------------------------------------- expansion */

/* The arguments are a slice of the tokens that hold the call, or, if these
 * come from the scanner, tokens that are kept here. */
struct collector {
	struct parser *p;
	const struct reader *from; /* NULL: the scanner */
	VEC(struct token) kept;
	VEC(size_t) ends; /* where each argument ends, its ',' or ')' not counted */
	size_t beg;
};

static bool collect_next(struct collector *c, struct token *t)
{
	struct reader *r = c->from ? &c->p->pp->readers.v[c->p->pp->readers.n - 1] : NULL;

	if (!r) {
		t->kind = lex_raw(&t->val, &t->loc, c->p->scanner);
		if (t->kind == USTAP_YYEOF)
			return false;
		vec_push(&c->kept, *t);
		return true;
	}
	if (r->i == r->s.n)
		return false;
	*t = r->s.v[r->i++];
	return true;
}

static size_t collected(const struct collector *c) { return c->from ? c->from->i : c->kept.n; }

/* Up to the `)` that ends the arguments. */
static bool collect(struct collector *c)
{
	size_t depth = 0;
	struct token t;

	while (collect_next(c, &t)) {
		if (!depth && (t.kind == ',' || t.kind == ')'))
			vec_push(&c->ends, collected(c) - 1);
		if (t.kind == '(' || t.kind == '[' || t.kind == '{' || t.kind == T_OPEN)
			depth++;
		else if ((t.kind == ')' || t.kind == ']' || t.kind == '}' || t.kind == T_CLOSE) &&
			 !depth--)
			return t.kind == ')';
	}
	return false;
}

static struct slice *slices_of(const struct collector *c, const struct call *call)
{
	const struct token *v = c->from ? c->from->s.v : c->kept.v;
	struct slice *args = xalloc(c->ends.n * sizeof *args);
	size_t beg = c->beg;

	for (size_t i = 0; i < c->ends.n; beg = c->ends.v[i++] + 1)
		args[i] = (struct slice){v + beg, c->ends.v[i] - beg, call};
	return args;
}

/* The arguments of a call of M at NAME, whose tokens are those of CALL's body. */
static struct slice *read_args(struct parser *p, const struct macro *m, const struct token *name,
			       const struct call *call)
{
	struct preproc *pp = p->pp;
	struct collector c = {.p = p,
			      .from = pp->readers.n ? &pp->readers.v[pp->readers.n - 1] : NULL};
	struct token t = {0};

	if (!collect_next(&c, &t) || t.kind != '(') {
		pp_error(p, E_SYNTAX, name->loc,
			 "expected '(' after macro %s, which takes %zu argument%s", m->name,
			 m->params.n, m->params.n == 1 ? "" : "s");
		return NULL;
	}
	c.beg = collected(&c);
	if (!collect(&c)) {
		pp_error(p, E_SYNTAX, name->loc,
			 "the arguments of macro %s are never closed by a ')'", m->name);
		return NULL;
	}
	if (c.ends.n != m->params.n) {
		pp_error(p, E_ARITY, name->loc, "macro %s takes %zu argument%s, not %zu", m->name,
			 m->params.n, m->params.n == 1 ? "" : "s", c.ends.n);
		return NULL;
	}
	return slices_of(&c, call);
}

/* The macro's source, to be seen from the call at LOC. */
static const struct source *visible_source(const struct macro *m, struct loc loc)
{
	struct source *src = xalloc(sizeof *src);

	*src = *m->loc.src;
	src->macro = m->name;
	src->used = loc;
	return src;
}

static bool calls_too_much(struct parser *p, const struct macro *m, const struct token *name,
			   const struct call *up)
{
	for (const struct call *c = up; c; c = c->up)
		if (c->macro == m) {
			pp_error(p, E_SYNTAX, name->loc, "macro %s uses itself", m->name);
			return true;
		}
	p->pp->expanded += m->body.n + 1;
	if ((up && up->depth == MAX_CALLS) || p->pp->expanded > MAX_EXPANDED) {
		pp_error(p, E_LIMIT, name->loc,
			 up && up->depth == MAX_CALLS
				 ? "macros are nested too deeply"
				 : "macros make more than %d tokens of this script",
			 MAX_EXPANDED);
		return true;
	}
	return false;
}

static void call_macro(struct parser *p, const struct macro *m, const struct token *name,
		       const struct call *up)
{
	struct call *call = xalloc(sizeof *call);

	if (calls_too_much(p, m, name, up))
		return;
	if (m->params.n && !(call->args = read_args(p, m, name, up)))
		return;
	call->macro = m;
	call->up = up;
	call->depth = up ? up->depth + 1 : 1;
	call->src = visible_source(m, name->loc);
	read_slice(p->pp, (struct slice){m->body.v, m->body.n, call});
}

/* T is the name of one of CALL's parameters: read the argument. */
static bool read_param(struct parser *p, const struct token *t, const struct call *call)
{
	for (size_t i = call ? call->macro->params.n : 0; i-- > 0;)
		if (!strcmp(call->macro->params.v[i], t->val.name)) {
			p->pp->expanded += call->args[i].n;
			read_slice(p->pp, call->args[i]);
			return true;
		}
	return false;
}

static const struct macro *find_macro(struct parser *p, const char *name)
{
	const struct macro *m = smap_get(&p->pp->macros, name);

	if (!m && !lex_is_operator(name))
		m = library_macro(p->s, name);
	return m;
}

void macro_next(struct parser *p, struct token *t)
{
	for (;;) {
		const struct call *call = macro_fetch(p, t);
		const struct macro *m;

		if (t->kind == T_NO_ARGUMENT) {
			lex_report_argument(p, t->val.name, t->loc);
			t->kind = USTAP_YYerror;
		}
		if (t->kind != T_AT)
			return;
		if (!strcmp(t->val.name, "@define"))
			define(p);
		else if (read_param(p, t, call))
			continue;
		else if ((m = find_macro(p, t->val.name)))
			call_macro(p, m, t, call);
		else
			return;
	}
}
