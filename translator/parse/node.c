/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node: the syntax tree; walking, copying and dumping it.
 *
 * each_child() is the one place that knows which children a node has, and in
 * which order they stand in the source; walking and copying go through it.
 */
#include <inttypes.h>
#include <string.h>
#include "parse/script.h"

const char *const op_text[OP_COUNT] = {
	[OP_ADD] = "+",    [OP_SUB] = "-",  [OP_MUL] = "*",   [OP_DIV] = "/",  [OP_MOD] = "%",
	[OP_SHL] = "<<",   [OP_SHR] = ">>", [OP_AND] = "&",   [OP_OR] = "|",   [OP_XOR] = "^",
	[OP_CONCAT] = ".", [OP_EQ] = "==",  [OP_NE] = "!=",   [OP_LT] = "<",   [OP_LE] = "<=",
	[OP_GT] = ">",     [OP_GE] = ">=",  [OP_LAND] = "&&", [OP_LOR] = "||", [OP_NEG] = "-",
	[OP_PLUS] = "+",   [OP_NOT] = "!",  [OP_COMPL] = "~", [OP_SET] = "=",  [OP_STAT] = "<<<",
	[OP_USHR] = ">>>",
};

static const char *const statop_text[ST_NOPS] = {
	"count", "sum", "min", "max", "avg", "variance", "percentile", "hist_log", "hist_linear"};

const char *type_name(enum type t)
{
	static const char *const names[] = {"unknown", "long", "string", "stats"};
	return names[t];
}

struct node *node_new(enum node_kind kind, struct loc loc)
{
	struct node *n = xalloc(sizeof *n);

	n->kind = kind;
	n->loc = loc;
	if (kind == N_TARGET)
		n->target.access = -1;
	if (kind == N_FOREACH)
		n->each.sort_col = -1;
	return n;
}

typedef void (*child_fn)(struct node **slot, void *arg);

/* Call FN for each child of N that is there; a child may head a list. */
static void each_child(struct node *n, child_fn fn, void *arg)
{
	struct node **slot[5] = {0};
	size_t k = 0;

	switch (n->kind) {
	case N_TARGET:
		if (n->target.value)
			fn(&n->target.value, arg);
		for (size_t i = 0; i < n->target.ncomps; i++)
			if (n->target.comps[i].index)
				fn(&n->target.comps[i].index, arg);
		return;
	case N_INDEX:
		slot[k++] = &n->index.keys;
		break;
	case N_BINARY:
	case N_LOGIC:
	case N_ASSIGN:
		slot[k++] = &n->bin.l, slot[k++] = &n->bin.r;
		break;
	case N_UNARY:
		slot[k++] = &n->un.e;
		break;
	case N_INCDEC:
		slot[k++] = &n->inc.e;
		break;
	case N_COND:
	case N_IF:
		slot[k++] = &n->cond.c, slot[k++] = &n->cond.t, slot[k++] = &n->cond.f;
		break;
	case N_IN:
		slot[k++] = &n->in.keys;
		break;
	case N_CALL:
		slot[k++] = &n->call.args;
		break;
	case N_PRINT:
		slot[k++] = &n->print.args;
		break;
	case N_STATOP:
		slot[k++] = &n->stat.e, slot[k++] = &n->stat.index;
		break;
	case N_DEFINED:
		slot[k++] = &n->defined.e;
		break;
	case N_ENTRY:
		slot[k++] = &n->entry.e;
		break;
	case N_REGEX:
		slot[k++] = &n->regex.e;
		break;
	case N_EMBEDDED:
		slot[k++] = &n->embedded.uses;
		break;
	case N_BLOCK:
		slot[k++] = &n->block.body;
		break;
	case N_EXPR:
	case N_RETURN:
	case N_DELETE:
	case N_SEND:
		slot[k++] = &n->expr.e;
		break;
	case N_WHILE:
	case N_FOR:
		slot[k++] = &n->loop.init, slot[k++] = &n->loop.cond;
		slot[k++] = &n->loop.step, slot[k++] = &n->loop.body;
		break;
	case N_FOREACH:
		slot[k++] = &n->each.keys, slot[k++] = &n->each.value;
		slot[k++] = &n->each.slice, slot[k++] = &n->each.limit, slot[k++] = &n->each.body;
		break;
	case N_TRY:
		slot[k++] = &n->try_.body, slot[k++] = &n->try_.var, slot[k++] = &n->try_.handler;
		break;
	case N_NUM:
	case N_STR:
	case N_VAR:
	case N_PROBEWRITE:
	case N_ANY:
	case N_NULL:
	case N_BREAK:
	case N_CONTINUE:
	case N_NEXT:
	case N_KIND_COUNT:
		break;
	}
	for (size_t i = 0; i < k; i++)
		if (*slot[i])
			fn(slot[i], arg);
}

/* ------------------------------------------------------------ walking */

struct walk {
	bool (*pre)(struct node *, void *);
	void (*post)(struct node *, void *);
	void *arg;
};

static void walk_list(struct node **slot, void *arg)
{
	struct walk *w = arg;

	for (struct node *n = *slot, *next; n; n = next) {
		next = n->next;
		node_walk(n, w->pre, w->post, w->arg);
	}
}

void node_walk(struct node *n, bool (*pre)(struct node *, void *),
	       void (*post)(struct node *, void *), void *arg)
{
	struct walk w = {pre, post, arg};

	if (!n)
		return;
	if (!pre || pre(n, arg))
		each_child(n, walk_list, &w);
	if (post)
		post(n, arg);
}

/* ------------------------------------------------------------ copying */

struct clone {
	const struct symmap *map;
	size_t nmap;
};

static struct node *clone_one(const struct node *n, struct clone *c);

static void clone_slot(struct node **slot, void *arg)
{
	struct node *n = *slot, **end = slot;

	*slot = NULL;
	for (; n; n = n->next) {
		*end = clone_one(n, arg);
		end = &(*end)->next;
	}
}

static struct node *clone_one(const struct node *n, struct clone *c)
{
	struct node *copy = xalloc(sizeof *copy);

	*copy = *n;
	copy->next = NULL;
	for (size_t i = 0; i < c->nmap; i++)
		if (copy->sym == c->map[i].from)
			copy->sym = c->map[i].to;
	if (n->kind == N_TARGET && n->target.ncomps) {
		size_t size = n->target.ncomps * sizeof *n->target.comps;

		copy->target.comps = xalloc(size);
		memcpy(copy->target.comps, n->target.comps, size);
	}
	each_child(copy, clone_slot, c);
	return copy;
}

struct node *node_clone(const struct node *n, const struct symmap *map, size_t nmap)
{
	struct clone c = {map, nmap};
	struct node *first = NULL, **end = &first;

	for (; n; n = n->next) {
		*end = clone_one(n, &c);
		end = &(*end)->next;
	}
	return first;
}

/* ------------------------------------------------------------ dumping */

static void dump_string(struct strbuf *out, const char *s, size_t len)
{
	sb_add(out, "\"");
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (ch == '"' || ch == '\\')
			sb_printf(out, "\\%c", ch);
		else if (ch == '\n')
			sb_add(out, "\\n");
		else if (ch == '\t')
			sb_add(out, "\\t");
		else if (ch < 32 || ch == 127)
			sb_printf(out, "\\%03o", ch);
		else
			sb_printf(out, "%c", ch);
	}
	sb_add(out, "\"");
}

static void dump_expr(struct strbuf *out, const struct node *n);

static void dump_list(struct strbuf *out, const struct node *n)
{
	for (; n; n = n->next) {
		sb_add(out, " ");
		dump_expr(out, n);
	}
}

static void dump_start(struct strbuf *out, const struct node *n)
{
	if (!n->target.value) {
		sb_add(out, n->target.name);
	} else {
		sb_add(out, n->target.start == TS_CAST ? "@cast(" : "(");
		dump_expr(out, n->target.value);
		if (n->target.start == TS_CAST)
			sb_printf(out, ", \"%s\"", n->target.text);
		sb_add(out, ")");
	}
	if (n->target.module)
		sb_printf(out, " of \"%s\" ", n->target.module);
}

static void dump_target(struct strbuf *out, const struct node *n)
{
	sb_add(out, n->target.addrof ? "&" : "");
	dump_start(out, n);
	for (size_t i = 0; i < n->target.ncomps; i++) {
		const struct target_comp *tc = &n->target.comps[i];

		if (tc->kind == TC_MEMBER) {
			sb_printf(out, "->%s", tc->name);
			continue;
		}
		sb_add(out, "[");
		dump_expr(out, tc->index);
		sb_add(out, "]");
	}
	sb_add(out, n->target.pretty == 2 ? "$$" : n->target.pretty == 1 ? "$" : "");
	if (n->target.access >= 0)
		sb_printf(out, "#%d", n->target.access);
}

static void dump_count(struct strbuf *out, int n)
{
	if (n == -2)
		sb_add(out, "*");
	else if (n >= 0)
		sb_printf(out, "%d", n);
}

static void dump_format(struct strbuf *out, const struct fmt_piece *f, size_t n)
{
	sb_add(out, " {");
	for (size_t i = 0; i < n; i++, f++) {
		sb_add(out, i ? " " : "");
		if (f->lit) {
			dump_string(out, f->lit, f->litlen);
			continue;
		}
		sb_printf(out, "%%%s%s%s%s%s", f->minus ? "-" : "", f->plus ? "+" : "",
			  f->space ? " " : "", f->alt ? "#" : "", f->zero ? "0" : "");
		dump_count(out, f->width);
		if (f->prec != -1)
			sb_add(out, ".");
		dump_count(out, f->prec);
		if (f->size)
			sb_printf(out, "%d", f->size);
		sb_printf(out, "%c", f->conv);
	}
	sb_add(out, "}");
}

static void dump_print(struct strbuf *out, const struct node *n)
{
	unsigned k = n->print.kind;

	sb_printf(out, "(%sprint%s%s%s", k & PR_TO_STRING ? "s" : "", k & PR_F ? "f" : "",
		  k & PR_D ? "d" : "", k & PR_LN ? "ln" : "");
	if (n->print.nfmt)
		dump_format(out, n->print.fmt, n->print.nfmt);
	dump_list(out, n->print.args);
	sb_add(out, ")");
}

/* (HEAD child child ...) */
static void dump_form(struct strbuf *out, const char *head, const struct node *a,
		      const struct node *b, const struct node *c)
{
	sb_printf(out, "(%s", head);
	dump_list(out, a);
	dump_list(out, b);
	dump_list(out, c);
	sb_add(out, ")");
}

/* "99.9" */
static void dump_percent(struct strbuf *out, int64_t parts)
{
	char text[32];
	size_t n;

	snprintf(text, sizeof text, " %" PRId64 ".%0*" PRId64, parts / PERCENT_PARTS,
		 PERCENT_DECIMALS, parts % PERCENT_PARTS);
	for (n = strlen(text); text[n - 1] == '0'; n--)
		;
	sb_addn(out, text, text[n - 1] == '.' ? n - 1 : n);
}

static void dump_statop(struct strbuf *out, const struct node *n)
{
	static const char *const use[] = {"", "", " turn", " size"};
	int nums = n->stat.op == ST_HIST_LINEAR                  ? 3
		   : n->stat.op == ST_VARIANCE && n->stat.num[0] ? 1
								 : 0;

	sb_printf(out, "(@%s", statop_text[n->stat.op]);
	dump_list(out, n->stat.e);
	for (int i = 0; i < nums; i++)
		sb_printf(out, " %" PRId64, n->stat.num[i]);
	if (n->stat.op == ST_PERCENTILE)
		dump_percent(out, n->stat.num[0]);
	sb_add(out, use[n->stat.use]);
	dump_list(out, n->stat.index);
	sb_add(out, ")");
}

static void dump_expr(struct strbuf *out, const struct node *n)
{
	const char *text;

	switch (n->kind) {
	case N_NUM:
		sb_printf(out, "%" PRId64, n->num);
		break;
	case N_STR:
		dump_string(out, n->str.s, n->str.len);
		break;
	case N_VAR:
		sb_add(out, n->var.name);
		break;
	case N_TARGET:
		dump_target(out, n);
		break;
	case N_INDEX:
		dump_form(out, xprintf("index %s", n->index.name), n->index.keys, NULL, NULL);
		break;
	case N_BINARY:
	case N_LOGIC:
		dump_form(out, op_text[n->bin.op], n->bin.l, n->bin.r, NULL);
		break;
	case N_ASSIGN:
		text = op_text[n->bin.op];
		text = n->bin.op == OP_SET || n->bin.op == OP_STAT ? text : xprintf("%s=", text);
		dump_form(out, text, n->bin.l, n->bin.r, NULL);
		break;
	case N_UNARY:
		dump_form(out, op_text[n->un.op], n->un.e, NULL, NULL);
		break;
	case N_INCDEC:
		text = n->inc.delta > 0 ? "++" : "--";
		dump_form(out, xprintf("%s%s", n->inc.post ? "post" : "pre", text), n->inc.e, NULL,
			  NULL);
		break;
	case N_COND:
		dump_form(out, "?:", n->cond.c, n->cond.t, n->cond.f);
		break;
	case N_IN:
		dump_form(out, xprintf("in %s", n->in.array), n->in.keys, NULL, NULL);
		break;
	case N_CALL:
		dump_form(out, xprintf("call %s", n->call.name), n->call.args, NULL, NULL);
		break;
	case N_PRINT:
		dump_print(out, n);
		break;
	case N_STATOP:
		dump_statop(out, n);
		break;
	case N_ANY:
		sb_add(out, "*");
		return;
	case N_EMBEDDED:
		sb_add(out, "%{ "), sb_add(out, n->embedded.text), sb_add(out, " %}");
		break;
	case N_REGEX:
		sb_printf(out, "(%s ", n->regex.negated ? "!~" : "=~");
		dump_expr(out, n->regex.e);
		sb_add(out, " ");
		dump_string(out, n->regex.s, n->regex.len);
		sb_add(out, ")");
		break;
	case N_DEFINED:
		dump_form(out, "@defined", n->defined.e, NULL, NULL);
		break;
	case N_PROBEWRITE:
		sb_printf(out, "(@probewrite %s)", n->var.name);
		break;
	case N_ENTRY:
		dump_form(out, "@entry", n->entry.e, NULL, NULL);
		break;
	default:
		sb_add(out, "?");
		break;
	}
	if (n->type != T_UNKNOWN)
		sb_printf(out, ":%s", type_name(n->type));
}

/* One expression on a line of its own, named */
static void dump_named(struct strbuf *out, const char *name, const struct node *n, int indent)
{
	if (!n)
		return;
	sb_printf(out, "%*s%s", indent * 2, "", name);
	dump_list(out, n);
	sb_add(out, "\n");
}

static void dump_body(struct strbuf *out, const char *name, const struct node *n, int indent)
{
	if (!n)
		return;
	if (name)
		sb_printf(out, "%*s%s\n", indent * 2, "", name);
	for (; n; n = n->next)
		node_dump(out, n, indent + 1);
}

static void dump_foreach(struct strbuf *out, const struct node *n, int indent)
{
	sb_printf(out, "%*sforeach", indent * 2, "");
	if (n->each.value) {
		dump_list(out, n->each.value);
		sb_add(out, " =");
	}
	dump_list(out, n->each.keys);
	sb_printf(out, " in %s", n->each.array);
	if (n->each.slice)
		dump_form(out, " slice ", n->each.slice, NULL, NULL);
	if (n->each.sort_col >= 0)
		sb_printf(out, " sort %s%d by @%s", n->each.sort_dir > 0 ? "+" : "-",
			  n->each.sort_col, statop_text[n->each.sort_op]);
	if (n->each.sort_col >= 0 && n->each.sort_op == ST_PERCENTILE)
		dump_percent(out, n->each.percent);
	if (n->each.limit) {
		sb_add(out, " limit");
		dump_list(out, n->each.limit);
	}
	sb_add(out, "\n");
	dump_body(out, NULL, n->each.body, indent);
}

void node_dump(struct strbuf *out, const struct node *n, int indent)
{
	switch (n->kind) {
	case N_BLOCK:
		dump_body(out, "block", n->block.body, indent);
		if (!n->block.body)
			sb_printf(out, "%*sblock\n", indent * 2, "");
		break;
	case N_EXPR:
		dump_named(out, "expr", n->expr.e, indent);
		break;
	case N_NULL:
		sb_printf(out, "%*snull\n", indent * 2, "");
		break;
	case N_IF:
		dump_named(out, "if", n->cond.c, indent);
		dump_body(out, NULL, n->cond.t, indent);
		dump_body(out, "else", n->cond.f, indent);
		break;
	case N_WHILE:
	case N_FOR:
		sb_printf(out, "%*s%s\n", indent * 2, "", n->kind == N_FOR ? "for" : "while");
		dump_named(out, "init", n->loop.init, indent + 1);
		dump_named(out, "cond", n->loop.cond, indent + 1);
		dump_named(out, "step", n->loop.step, indent + 1);
		dump_body(out, NULL, n->loop.body, indent);
		break;
	case N_FOREACH:
		dump_foreach(out, n, indent);
		break;
	case N_BREAK:
		sb_printf(out, "%*sbreak\n", indent * 2, "");
		break;
	case N_CONTINUE:
		sb_printf(out, "%*scontinue\n", indent * 2, "");
		break;
	case N_NEXT:
		sb_printf(out, "%*snext\n", indent * 2, "");
		break;
	case N_RETURN:
		if (n->expr.e)
			dump_named(out, "return", n->expr.e, indent);
		else
			sb_printf(out, "%*sreturn\n", indent * 2, "");
		break;
	case N_DELETE:
		dump_named(out, "delete", n->expr.e, indent);
		break;
	case N_SEND:
		dump_named(out, "send", n->expr.e, indent);
		break;
	case N_TRY:
		dump_body(out, "try", n->try_.body, indent);
		dump_named(out, "catch", n->try_.var, indent);
		dump_body(out, n->try_.var ? NULL : "catch", n->try_.handler, indent);
		break;
	default:
		dump_named(out, "expr", n, indent);
		break;
	}
}

/* ------------------------------------------------- --dump=parse, resolve */

static void dump_global(struct strbuf *out, const struct symbol *g)
{
	sb_printf(out, "global %s", g->name);
	if (g->nkeys > 0 || g->maxsize)
		sb_printf(out, " keys=%d", g->nkeys);
	if (g->maxsize)
		sb_printf(out, " size=%" PRId64, g->maxsize);
	if (g->keeps_percentiles)
		sb_add(out, " @percentile");
	sb_add(out, g->wrap ? " wrap" : "");
	if (g->init) {
		sb_add(out, " init");
		dump_list(out, g->init);
	}
	sb_add(out, "\n");
}

static void dump_func(struct strbuf *out, const struct func *f)
{
	sb_printf(out, "function %s", f->name);
	for (size_t i = 0; i < f->params.n; i++)
		sb_printf(out, " %s%s%s", f->params.v[i]->name, f->params.v[i]->type ? ":" : "",
			  f->params.v[i]->type ? type_name(f->params.v[i]->type) : "");
	if (f->type)
		sb_printf(out, " -> %s", type_name(f->type));
	sb_add(out, "\n");
	dump_body(out, NULL, f->body, 0);
}

static void dump_point(struct strbuf *out, const struct point *pt)
{
	sb_add(out, " ");
	for (size_t i = 0; i < pt->comps.n; i++) {
		const struct point_comp *c = &pt->comps.v[i];

		sb_printf(out, "%s%s", i ? "." : "", c->name);
		if (c->arg) {
			sb_add(out, "(");
			dump_expr(out, c->arg);
			sb_add(out, ")");
		}
	}
	sb_add(out, pt->optional ? "?" : pt->sufficient ? "!" : "");
	if (pt->cond) {
		sb_add(out, " if ");
		dump_expr(out, pt->cond);
	}
}

static void dump_alias(struct strbuf *out, const struct alias *a)
{
	sb_add(out, "alias");
	dump_point(out, a->name);
	sb_add(out, " =");
	for (size_t i = 0; i < a->points.n; i++)
		dump_point(out, a->points.v[i]);
	sb_add(out, "\n");
	if (a->prologue)
		dump_body(out, NULL, a->prologue, 0);
	if (a->epilogue)
		dump_body(out, "after", a->epilogue, 1);
}

/* The declarations that its probe points expand to follow it. */
static void dump_decl(struct strbuf *out, const struct probe_decl *p)
{
	sb_add(out, "probe");
	for (size_t i = 0; i < p->points.n; i++)
		dump_point(out, p->points.v[i]);
	if (p->from)
		sb_printf(out, " of %s", p->alias ? point_text(p->alias->name) : "*");
	sb_add(out, "\n");
	for (size_t i = 0; i < p->locals.n; i++)
		sb_printf(out, "  local %s\n", p->locals.v[i]->name);
	dump_body(out, NULL, p->body, 0);
	for (size_t i = 0; i < p->points.n; i++)
		for (size_t k = 0; k < p->points.v[i]->subs.n; k++)
			dump_decl(out, p->points.v[i]->subs.v[k]);
}

void dump_script(struct strbuf *out, const struct script *s)
{
	for (size_t i = 0; i < s->globals.n; i++)
		dump_global(out, s->globals.v[i]);
	for (size_t i = 0; i < s->funcs.n; i++)
		dump_func(out, s->funcs.v[i]);
	for (size_t i = 0; i < s->aliases.n; i++)
		dump_alias(out, s->aliases.v[i]);
	for (size_t i = 0; i < s->probes.n; i++)
		dump_decl(out, s->probes.v[i]);
}
