/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output in parts (--output): calls that tell the runtime what of the printed text is which
 * statement's, and the values of its arguments.  Text output does not contain it, unless
 * globals are exported.
 * runtime/include/wire.h has the form of the descriptions.
 */
#include <ctype.h>
#include <string.h>

#include "emit.h"
#include "sema/sema.h"

bool records_on(const struct emit *e)
{
	return e->s->opt.format != FORMAT_TEXT || session_exports(e->s);
}

/* ---------------------------------------------------------------- descriptions */

static void add_place(struct strbuf *sb, struct loc loc)
{
	unsigned ln, col;

	loc_linecol(loc, &ln, &col);
	sb_printf(sb, "%s:%u:%u\n", loc.src->name, ln, col);
}

/* The script's text of N on one line. */
static void add_name(struct strbuf *sb, const struct node *n)
{
	const char *s = n->loc.src->text + n->loc.beg, *end = n->loc.src->text + n->loc.end;
	bool blank = false;

	for (; s < end; s++) {
		if (isspace((unsigned char)*s)) {
			blank = true;
			continue;
		}
		if (blank && sb->n && sb->s[sb->n - 1] != '\n')
			sb_add(sb, " ");
		blank = false;
		sb_addn(sb, s, 1);
	}
	sb_add(sb, "\n");
}

/* A global that is shown at the end: names of what follows its keys; that of a statistic is not a
 * name in the script. */
static void add_shown(struct strbuf *sb, const struct node *n)
{
	const struct symbol *g = n->print.shows;

	sb_printf(sb, "g %d %s %s\n", g->nkeys > 0 ? g->nkeys : 0,
		  g->type == T_STAT ? "statistic"
		  : g->is_counter   ? "counter"
				    : "value",
		  g->name);
	if (g->labels)
		sb_add(sb, g->labels);
}

/* The arguments that are conversions' values; `*` takes some, too. */
static bool is_value(const struct node *n, size_t number)
{
	size_t at = 0;

	if (!(n->print.kind & PR_F))
		return true;
	for (size_t i = 0; i < n->print.nfmt; i++) {
		const struct fmt_piece *p = &n->print.fmt[i];

		if (p->lit)
			continue;
		at += (p->width == -2) + (p->prec == -2);
		if (at++ == number)
			return true;
	}
	return false;
}

static void begin(struct emit *e, const struct strbuf *what)
{
	line(e, "ust_print_begin(c, %s, %zu);", c_string(what->s, what->n), what->n);
}

static const char *describe(const struct node *n, struct strbuf *sb)
{
	size_t i = 0;

	add_place(sb, n->loc);
	if (n->print.source)
		sb_add(sb, "t\n");
	else if (n->print.shows)
		add_shown(sb, n);
	else
		sb_add(sb, "p\n");
	for (const struct node *a = n->print.args; a && !n->print.shows; a = a->next, i++)
		if (is_value(n, i))
			add_name(sb, a);
	return sb->s;
}

/* ------------------------------------------------------------------- statements */

/* Evaluate a call once, as its value is written twice. */
static void keep_once(struct emit *e, const struct node *arg, struct val *v)
{
	struct ctext name;

	if (!strchr(ctext_chars(v->c), '('))
		return;
	name = arg->type == T_STRING ? new_pointer(e, C("r")) : new_long(e);
	set_new(e, arg->type == T_STRING ? C("const char *") : C("ust_long "), name, v->c);
	*v = (struct val){.c = name, .atom = true, .temps = true};
}

void emit_print_begin(struct emit *e, const struct node *n, struct val *vals)
{
	struct strbuf what = {0};
	size_t i = 0;

	if (!records_on(e))
		return;
	for (const struct node *a = n->print.args; a; a = a->next)
		keep_once(e, a, &vals[i++]);
	describe(n, &what);
	begin(e, &what);
	i = 0;
	for (const struct node *a = n->print.args; a; a = a->next, i++)
		if (is_value(n, i))
			line(e, "ust_print_%s(c, %s);",
			     a->type == T_STRING ? C("string") : C("long"), vals[i].c);
	line(e, "ust_print_text(c);");
}

void emit_hist_begin(struct emit *e, const struct node *n)
{
	const struct node *hist = n->print.args;
	struct strbuf what = {0};

	if (!records_on(e))
		return;
	add_place(&what, n->loc);
	if (hist->stat.op == ST_HIST_LOG)
		sb_add(&what, "h log\n");
	else
		sb_printf(&what, "h linear %lld %lld %u\n", (long long)hist->stat.num[0],
			  (long long)hist->stat.num[2], hist_buckets(hist));
	add_name(&what, hist);
	begin(e, &what);
	line(e, "ust_print_hist(c, &%s, f->buckets);", hist->stat.e->sym->cname);
	line(e, "ust_print_text(c);");
}

void emit_print_end(struct emit *e)
{
	if (records_on(e))
		line(e, "ust_print_end(c);");
}

/* ------------------------------------------------------------------- functions */

static bool prints_stack(const struct builtin *b)
{
	return b->flags & BF_STACK && b->ret == T_UNKNOWN;
}

/* print_ubacktrace() and similar functions are print statements. */
void emit_call_begin(struct emit *e, const struct node *n)
{
	struct strbuf what = {0};

	if (!records_on(e) || !prints_stack(n->call.builtin))
		return;
	add_place(&what, n->loc);
	sb_printf(&what, "s\n%s\n", n->call.name);
	begin(e, &what);
	line(e, "ust_print_text(c);");
}

bool emit_call_end(struct emit *e, const struct node *n, struct ctext text)
{
	if (!records_on(e) || !prints_stack(n->call.builtin))
		return false;
	line(e, "%s;", text);
	line(e, "ust_print_end(c);");
	return true;
}

/* With folded and html output stacks are names. */
struct ctext builtin_cname(const struct emit *e, const struct builtin *b)
{
	static const struct {
		const char *usual, *folded;
	} names[] = {
		{"ust_ubacktrace", "ust_folded"},
		{"ust_sprint_ubacktrace", "ust_folded"},
		{"ust_print_ubacktrace", "ust_print_folded"},
		{"ust_print_ubacktrace_brief", "ust_print_folded"},
		{"ust_print_ubacktrace_fileline", "ust_print_folded"},
		{"ust_print_ustack", "ust_print_folded_stack"},
		{"ust_sprint_ustack", "ust_folded_stack"},
	};

	for (size_t i = 0; i < ARRAY_LEN(names) && stacks_are_names(e->s); i++)
		if (!strcmp(b->cname, names[i].usual))
			return c_word(names[i].folded);
	return c_word(b->cname);
}

/* Those that print a stack need room for it. */
bool wants_buffer(const struct emit *e, const struct builtin *b)
{
	return !strncmp(ctext_chars(builtin_cname(e, b)), "ust_print_folded",
			strlen("ust_print_folded"));
}

/* Only traces look at indentation, and only OTLP has spans. */
bool is_no_call(const struct emit *e, const struct builtin *b)
{
	if (!strncmp(b->cname, "ust_span_", strlen("ust_span_")))
		return e->s->opt.format != FORMAT_OTLP;
	return !strcmp(b->cname, "ust_trace_indent") && e->s->opt.format != FORMAT_TRACE;
}

/* ------------------------------------------------------------------------ pairs */

static bool see_print(struct node *n, void *found)
{
	if ((n->kind == N_PRINT && !(n->print.kind & PR_TO_STRING)) ||
	    (n->kind == N_CALL && n->call.builtin && prints_stack(n->call.builtin)))
		*(bool *)found = true;
	return true;
}

static bool prints(const struct probe *p)
{
	func_vec funcs = {0};
	bool found = false;

	node_walk(p->body, see_print, NULL, &found);
	calls_of(p->body, &funcs);
	for (size_t i = 0; i < funcs.n && !found; i++)
		node_walk(funcs.v[i]->body, see_print, NULL, &found);
	return found;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

enum { IS_ENTRY = 1, IS_RETURN = 2 };

/* Is S where a function is entered, or where one returns?  0: neither. */
static unsigned side(const struct site *s)
{
	if (!s->func || !strstr(s->pp, ").function(\""))
		return 0;
	return s->is_return                                           ? IS_RETURN
	       : ends_with(s->pp, ".call") || ends_with(s->pp, "\")") ? IS_ENTRY
								      : 0;
}

static const char *pair_key(const struct site *s)
{
	return xprintf("%s:%s", module_target_path(s->mod), s->func);
}

void pairs_find(struct emit *e)
{
	const struct program *p = &e->s->program;

	for (size_t i = 0; i < p->probes.n && e->s->opt.format == FORMAT_TRACE; i++) {
		const struct probe *pr = p->probes.v[i];

		for (size_t j = 0; pr->sites.n && j < pr->sites.n && (j || prints(pr)); j++) {
			const char *key = pair_key(&pr->sites.v[j]);
			uintptr_t sides = (uintptr_t)smap_get(&e->pairs, key);

			smap_put(&e->pairs, key, (void *)(sides | side(&pr->sites.v[j])));
		}
	}
}

bool site_is_paired(const struct emit *e, const struct site *s)
{
	return side(s) && e->pairs.ents.n &&
	       (uintptr_t)smap_get(&e->pairs, pair_key(s)) == (IS_ENTRY | IS_RETURN);
}
