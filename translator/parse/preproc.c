/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preproc: the parser's tokens from the scanner's.
 *
 *     lex_raw -> macro_next: definitions, expansion -> conditional -> word -> parser
 *
 * Only here does a word become a keyword, as that depends on what stands before it after
 * expansion. In probe points, pieces without blanks between them are one name: sys*_at is not a
 * multiplication there.
 */
#include <string.h>
#include "parse/parse.h"
#include "parse/gram.h"
#include "parse/preproc.h"

struct parser *ustap_yyget_extra(void *scanner);

void pp_error(struct parser *p, enum errtag tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (p->failing)
		return;
	p->failing = true;
	va_start(ap, fmt);
	diag_error(tag, loc, "%s", xvprintf(fmt, ap));
	va_end(ap);
}

/* -------------------------------------------------------- conditionals */

/* Skip the text after a false condition up to its %: (if ELSE_TOO) or %); returns the kind of
 * that token. */
static int skip(struct parser *p, bool else_too)
{
	struct loc loc = p->pp->open.v[p->pp->open.n - 1].loc;
	size_t depth = 0;
	struct token t;

	p->skipping = true;
	do {
		macro_fetch(p, &t);
		if (t.kind == T_OPEN)
			depth++;
		else if (!depth && (t.kind == T_CLOSE || (t.kind == T_ELSE && else_too)))
			break;
		else if (t.kind == T_CLOSE)
			depth--;
		else if (!depth && t.kind == T_ELSE)
			pp_error(p, E_SYNTAX, t.loc, "a second %%: in one %%( %%)");
		else if (!depth && t.kind == T_THEN)
			pp_error(p, E_SYNTAX, t.loc, "a second %%? in one %%( %%)");
	} while (t.kind != USTAP_YYEOF);
	p->skipping = false;
	if (t.kind == USTAP_YYEOF)
		pp_error(p, E_SYNTAX, loc, "%%( is never closed");
	return t.kind;
}

static void open_condition(struct parser *p, struct loc loc)
{
	vec_push(&p->pp->open, ((struct condition){loc, false}));
	if (condition_read(p))
		return;
	if (skip(p, true) == T_ELSE)
		p->pp->open.v[p->pp->open.n - 1].in_else = true;
	else
		p->pp->open.n--;
}

/* %: or %) of what was taken. */
static void close_condition(struct parser *p, const struct token *t)
{
	static const char *const text[] = {
		[T_THEN - T_OPEN] = "%?", [T_ELSE - T_OPEN] = "%:", [T_CLOSE - T_OPEN] = "%)"};
	struct preproc *pp = p->pp;
	struct condition *c = pp->open.n ? &pp->open.v[pp->open.n - 1] : NULL;

	if (!c || t->kind == T_THEN) {
		pp_error(p, E_SYNTAX, t->loc,
			 c ? "%s after the condition has ended" : "%s without a %%(",
			 text[t->kind - T_OPEN]);
		return;
	}
	if (t->kind == T_ELSE && c->in_else)
		pp_error(p, E_SYNTAX, t->loc, "a second %%: in one %%( %%)");
	else if (t->kind == T_ELSE)
		skip(p, false);
	pp->open.n--;
}

/* The next token that conditionals leave. */
static void next_token(struct parser *p, struct token *t)
{
	for (;;) {
		macro_next(p, t);
		switch (t->kind) {
		case T_OPEN:
			open_condition(p, t->loc);
			break;
		case T_THEN:
		case T_ELSE:
		case T_CLOSE:
			close_condition(p, t);
			break;
		case USTAP_YYEOF:
			if (p->pp->open.n)
				pp_error(p, E_SYNTAX, p->pp->open.v[p->pp->open.n - 1].loc,
					 "%%( is never closed");
			p->pp->open.n = 0;
			return;
		default:
			return;
		}
	}
}

/* ------------------------------------------------------- probe points */

/* The text of a token that may be a part of a name with wildcards; NULL: it may not. */
static const char *piece(const struct token *t)
{
	switch (t->kind) {
	case IDENT:
	case T_BADNUM:
		return t->val.name;
	case NUM:
		return xstrndup(t->loc.src->text + t->loc.beg, t->loc.end - t->loc.beg);
	case '*':
		return "*";
	default:
		return NULL;
	}
}

/* T is a name or `*`: take what follows without a blank. */
static void glue(struct parser *p, struct token *t)
{
	struct strbuf name = {0};
	const char *more = t->kind == '*' ? "*" : t->val.name;
	struct token *next = &p->pp->ahead;
	bool wild = false;

	do {
		sb_add(&name, more);
		wild |= *more == '*';
		next_token(p, next);
		p->pp->has_ahead = true;
		more = next->loc.src == t->loc.src && next->loc.beg == t->loc.end ? piece(next)
										  : NULL;
		if (more && *more != '*' && !wild)
			more = NULL;
		if (more)
			t->loc.end = next->loc.end;
	} while (more);
	t->kind = IDENT;
	t->val.name = name.s;
}

/* Is this `{` in a probe point one of {a,b}.c, and not the body's? */
static bool opens_group(int before)
{
	return before == PROBE || before == '.' || before == ',' || before == '{' ||
	       before == '=' || before == ADDEQ;
}

static void point_word(struct parser *p, struct token *t)
{
	USTAP_YYSTYPE val;

	if (t->kind == IDENT && lex_keyword(t->val.name, &val) == IF) {
		t->kind = IF;
		p->in_point = false;
		p->in_cond = true;
		p->cond_depth = 0;
	} else if (t->kind == IDENT || (t->kind == '*' && p->last != '(')) {
		glue(p, t);
	} else if (t->kind == '{' && !opens_group(p->last)) {
		p->in_point = false;
	}
}

/* ----------------------------------------------------------- the parser */

/* After the parenthesis that closes a point's condition, words are parts of points again. */
static void condition_token(struct parser *p, const struct token *t)
{
	p->cond_depth += (t->kind == '(') - (t->kind == ')');
	if (p->cond_depth > 0)
		return;
	p->in_cond = false;
	p->in_point = t->kind == ')';
}

/* Is T the word that begins a summary of types?  Only there a string follows it;
 * elsewhere it is a name. */
static bool begins_summary(struct parser *p, const struct token *t)
{
	if (t->kind != IDENT || strcmp(t->val.name, "summary") || p->pp->has_ahead)
		return false;
	next_token(p, &p->pp->ahead);
	p->pp->has_ahead = true;
	return p->pp->ahead.kind == STR;
}

/* The token that the word T is; a keyword's value replaces its name. SystemTap has `private` since
 * 3.0. */
static int word_kind(struct parser *p, struct token *t)
{
	if (!strcmp(t->val.name, "private") && session_predates(p->s, "3.0", t->loc))
		return IDENT;
	return begins_summary(p, t) ? SUMMARY : lex_keyword(t->val.name, &t->val);
}

static void word(struct parser *p, struct token *t)
{
	if (p->in_cond)
		condition_token(p, t);
	if (t->kind == T_AT) {
		t->kind = lex_operator(p, t->val.name, t->loc, &t->val);
	} else if (p->in_point) {
		point_word(p, t);
	} else if (t->kind == IDENT && p->last != ARROW) { /* $list->next */
		t->kind = word_kind(p, t);
		p->in_point = t->kind == PROBE;
	}
	if (t->kind == T_BADNUM) {
		pp_error(p, E_LITERAL, t->loc, "\"%s\" is not a number", t->val.name);
		t->kind = USTAP_YYerror;
	}
}

int ustap_yylex(USTAP_YYSTYPE *val, struct loc *loc, void *scanner)
{
	struct parser *p = ustap_yyget_extra(scanner);
	bool failing = p->failing;
	struct token t;

	if (p->pp->has_ahead) {
		t = p->pp->ahead;
		p->pp->has_ahead = false;
	} else {
		next_token(p, &t);
	}
	if (p->failing && !failing && t.kind != USTAP_YYerror) {
		p->pp->ahead = t; /* may begin the next declaration */
		p->pp->has_ahead = true;
		t.kind = USTAP_YYerror;
	} else {
		word(p, &t);
	}
	p->last = t.kind;
	*val = t.val;
	*loc = t.loc;
	return t.kind;
}
