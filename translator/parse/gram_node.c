/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parser actions for printing, target variables, regular expressions and declarations. */
#include <string.h>

#include "parse/parse.h"
#include "regex/regex.h"

/* ----------------------------------------------------------------- calls */

struct node *call_node(const char *name, struct loc at, struct nlist args, struct loc loc)
{
	struct node *n = node_new(N_CALL, loc);

	n->call.name = name;
	n->call.trusted = at.src->library;
	n->call.args = args.first;
	n->call.nargs = args.n;
	return n;
}

/* --------------------------------------------------- regular expressions */

struct node *regex_node(struct node *e, const struct lexstr *s, bool negated, struct loc literal,
			struct loc loc)
{
	struct node *n = node_new(N_REGEX, loc);
	struct rx_error err;

	n->regex.e = e;
	n->regex.negated = negated;
	n->regex.s = s->s;
	n->regex.len = s->len;
	n->regex.loc = literal;
	n->regex.re = rx_parse(s->s, s->len, &n->regex.ngroups, &err);
	if (!n->regex.re) {
		literal.beg = s->pos[err.at];
		diag_error(err.tag, literal, "%s", err.msg);
		if (err.hint)
			diag_hint("%s", err.hint);
		n->regex.re = rx_new(RX_EMPTY, NULL, NULL);
	}
	return n;
}

/* ------------------------------------------------------------ printing */

struct node *print_node(unsigned kind, struct nlist args, struct loc loc)
{
	struct node *n = node_new(N_PRINT, loc), *first = args.first;
	struct lexstr text;

	n->print.kind = kind;
	n->print.args = first;
	if (!(kind & PR_F) && args.n < (kind & PR_D ? 3 : kind & PR_LN ? 0 : 1)) {
		diag_error(E_ARITY, loc,
			   kind & PR_D ? "printing with a delimiter takes at least two values"
				       : "printing takes at least one value");
		return NULL;
	}
	if (!(kind & (PR_F | PR_D)))
		return n;
	if (!first || first->kind != N_STR) {
		diag_error(E_FORMAT, first ? first->loc : loc, "the %s must be a string literal",
			   kind & PR_F ? "format" : "delimiter");
		return NULL;
	}
	n->print.args = first->next;
	first->next = NULL;
	text = (struct lexstr){first->str.s, first->str.len, first->str.pos, 0};
	if (kind & PR_F)
		return format_parse(first->loc.src, &text, &n->print.fmt, &n->print.nfmt) ? n
											  : NULL;
	n->print.fmt = xalloc(sizeof *n->print.fmt);
	n->print.fmt[0] = (struct fmt_piece){.lit = text.s, .litlen = text.len, .loc = first->loc};
	n->print.nfmt = 1;
	return n;
}

/* ----------------------------------------------------- target variables */

/* The scanner takes a `$` after a name, of LEAST characters, for a part of it: split it off. */
static unsigned cut_pretty(const char **name, size_t least)
{
	size_t len = strlen(*name), cut = len;

	while (cut > least && (*name)[cut - 1] == '$')
		cut--;
	if (cut == len)
		return 0;
	*name = xstrndup(*name, cut);
	return (unsigned)(len - cut);
}

struct node *target_node(const char *name, struct loc loc)
{
	struct node *n = node_new(N_TARGET, loc);
	unsigned pretty = cut_pretty(&name, 2);

	n->target.name = name;
	if (pretty)
		target_pretty(n, pretty, loc);
	return n;
}

void target_add(struct node *t, struct target_comp tc, struct loc loc)
{
	size_t n = t->target.ncomps;
	unsigned pretty = tc.kind == TC_MEMBER ? cut_pretty(&tc.name, 1) : 0;

	if (!(n & (n - 1))) { /* full: there is room for powers of two */
		struct target_comp *comps = xalloc((n ? 2 * n : 1) * sizeof *comps);

		if (n)
			memcpy(comps, t->target.comps, n * sizeof *comps);
		t->target.comps = comps;
	}
	t->target.comps[t->target.ncomps++] = tc;
	t->loc = loc;
	if (pretty)
		target_pretty(t, pretty, loc);
}

void target_pretty(struct node *t, unsigned n, struct loc loc)
{
	t->target.pretty = n > 2 ? 2 : (int)n;
	t->loc = loc;
}

struct node *typed_start(enum target_start start, struct node *value, struct lexstr text,
			 struct lexstr module, struct loc loc)
{
	struct node *n = node_new(N_TARGET, loc);

	n->target.start = start;
	n->target.name = start == TS_CAST ? xprintf("@cast to \"%s\"", text.s)
					  : xprintf("%s(\"%s\")",
						    start == TS_VAR    ? "@var"
						    : start == TS_ENUM ? "@enum"
								       : "@const",
						    text.s);
	n->target.text = text.s;
	n->target.module = module.s;
	n->target.value = value;
	return n;
}

struct node *pointer_node(struct node *value, struct target_comp tc, struct loc loc)
{
	struct node *n;

	if (value->kind == N_TARGET && !value->target.addrof && !value->target.pretty) {
		target_add(value, tc, loc); /* ($x)->member */
		return value;
	}
	n = node_new(N_TARGET, loc);
	n->target.start = TS_POINTER;
	n->target.name = "pointer";
	n->target.value = value;
	target_add(n, tc, loc);
	return n;
}

/* --------------------------------------------------------- declarations */

void declare_type(struct symbol *sym, enum type type, struct loc loc)
{
	sym->type = type;
	if (type)
		sym->type_loc = loc;
}

void declare_percentiles(struct symbol *sym, struct loc loc)
{
	if (sym->type)
		diag_error(E_TYPE_MISMATCH, loc, "\"%s\" is a %s; @percentile needs a statistic",
			   sym->name, type_name(sym->type));
	sym->keeps_percentiles = true;
	declare_type(sym, T_STAT, loc);
}

struct probe_decl *probe_decl_new(struct parser *p, const point_vec *points, struct node *body,
				  struct loc loc)
{
	struct probe_decl *decl = xalloc(sizeof *decl);

	decl->loc = loc;
	decl->points = *points;
	decl->body = body;
	decl->src = p->src;
	return decl;
}

struct symbol *symbol_new(const char *name, enum sym_kind kind, struct loc loc)
{
	struct symbol *sym = xalloc(sizeof *sym);

	sym->name = name;
	sym->kind = kind;
	sym->loc = loc;
	sym->nkeys = kind == SYM_GLOBAL ? -1 : 0;
	return sym;
}

enum type type_named(const char *name, struct loc loc)
{
	if (!strcmp(name, "long"))
		return T_LONG;
	if (!strcmp(name, "string"))
		return T_STRING;
	diag_error(E_SYNTAX, loc, "unknown type \"%s\"; use long or string", name);
	return T_UNKNOWN;
}

struct func *func_new(struct parser *p, const char *name, enum type type, struct loc loc)
{
	struct func *f = xalloc(sizeof *f);

	f->name = name;
	f->loc = loc;
	f->type = type;
	if (type)
		f->type_loc = loc;
	f->library = p->src->library;
	f->is_private = p->is_private;
	p->func = f;
	return f;
}
