/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Display: globals that are written and never read are shown at the end.
 *
 * Takes the typed program. Adds an end probe for each such global of the script itself (not of
 * tapset files), in the order in which the code first mentions them: x=5, s="text", a["k",1]=2
 * by descending value, or s @count=2 @min=1 @max=4 @sum=5 @avg=2, and a row of percentiles if the
 * statistic keeps them. With --output=html, scalar statistics also get a histogram, and the text of
 * the script is printed. The added code is typed here.
 */
#include <stdlib.h>
#include <string.h>
#include "passes.h"
#include "sema/points/point.h"
#include "sema.h"

/* ------------------------------------------------------------ typed nodes */

static struct node *variable(struct symbol *sym, struct loc loc)
{
	struct node *n = node_new(N_VAR, loc);

	n->sym = sym;
	n->var.name = sym->name;
	n->type = sym->type;
	return n;
}

static struct symbol *local(struct probe_decl *decl, const char *name, enum type type)
{
	struct symbol *sym = xalloc(sizeof *sym);

	sym->name = name;
	sym->kind = SYM_LOCAL;
	sym->loc = decl->loc;
	sym->type = type;
	vec_push(&decl->locals, sym);
	return sym;
}

static struct node *number(int64_t v, struct loc loc)
{
	struct node *n = node_new(N_NUM, loc);

	n->type = T_LONG;
	n->num = v;
	return n;
}

/* A print statement that grows by literal text and values. */
struct print {
	VEC(struct fmt_piece) fmt;
	struct node *first, **end;
	struct loc loc;
	struct symbol *of;
	bool marked;   /* values may be estimates */
	bool hex;      /* numbers as before SystemTap 1.4 */
	size_t number; /* of the global */
};

static void add_text(struct print *p, const char *text)
{
	vec_push(&p->fmt, ((struct fmt_piece){.lit = text, .litlen = strlen(text), .loc = p->loc}));
}

static void add_piece(struct print *p, struct node *value, char conv)
{
	vec_push(
		&p->fmt,
		((struct fmt_piece){
			.conv = conv, .alt = conv == 'x', .width = -1, .prec = -1, .loc = p->loc}));
	*(p->first ? p->end : &p->first) = value;
	p->end = &value->next;
}

/* With --max-overhead: "~" before a value that is an estimate. */
static void add_mark(struct print *p)
{
	struct node *call;

	if (!p->marked)
		return;
	call = node_new(N_CALL, p->loc);
	call->type = T_STRING;
	call->call.name = "__estimate_mark";
	call->call.builtin = builtin_find(call->call.name);
	call->call.args = number((int64_t)p->number, p->loc);
	call->call.nargs = 1;
	add_piece(p, call, 's');
}

static void add_value(struct print *p, struct node *value)
{
	bool string = value->type == T_STRING;

	if (string)
		add_text(p, "\"");
	add_piece(p, value, string ? 's' : p->hex ? 'x' : 'd');
	if (string)
		add_text(p, "\"");
}

static struct node *print_statement(struct print *p)
{
	struct node *n = node_new(N_PRINT, p->loc), *stmt = node_new(N_EXPR, p->loc);

	n->print.kind = PR_F;
	n->print.fmt = p->fmt.v;
	n->print.nfmt = p->fmt.n;
	n->print.args = p->first;
	n->print.shows = p->of;
	stmt->expr.e = n;
	return stmt;
}

/* ------------------------------------------------------------- one global */

static struct node *statistic(enum statop op, const struct node *of)
{
	struct node *n = node_new(N_STATOP, of->loc);

	n->type = T_LONG;
	n->stat.op = op;
	n->stat.e = node_clone(of, NULL, 0);
	return n;
}

/* The row of a statistic that keeps percentiles. Output in parts names these values, too. */
static void add_percentiles(struct print *p, const struct node *of)
{
	static const struct {
		const char *text;
		int64_t percent;
	} parts[] = {
		{"  p50=", MEDIAN_PERCENT},
		{" p90=", 90 * PERCENT_PARTS},
		{" p99=", 99 * PERCENT_PARTS},
		{" p99.9=", 999 * PERCENT_PARTS / 10},
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct node *n = statistic(ST_PERCENTILE, of);

		n->stat.num[0] = parts[i].percent;
		add_text(p, parts[i].text);
		add_mark(p);
		add_value(p, n);
	}
	add_text(p, " max=");
	add_value(p, statistic(ST_MAX, of));
	add_text(p, "\n");
}

static void add_statistics(struct print *p, const struct node *of)
{
	static const struct {
		const char *text;
		enum statop op;
	} parts[] = {
		{" @count=", ST_COUNT}, {" @min=", ST_MIN}, {" @max=", ST_MAX},
		{" @sum=", ST_SUM},     {" @avg=", ST_AVG},
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		add_text(p, parts[i].text);
		if (parts[i].op != ST_MIN && parts[i].op != ST_MAX)
			add_mark(p);
		add_value(p, statistic(parts[i].op, of));
	}
	add_text(p, "\n");
	if (of->sym->keeps_percentiles)
		add_percentiles(p, of);
}

/* A statement that prints the histogram of OF, a statistic of G, by the script's buckets if it
 * names some. */
static struct node *print_histogram(struct symbol *g, const struct node *of, bool one_line)
{
	struct node *n = node_new(N_PRINT, g->loc), *stmt = node_new(N_EXPR, g->loc);
	struct node *hist = statistic(ST_HIST_LOG, of);

	hist->stat.use = HIST_WHOLE;
	if (g->hist) {
		hist->stat.op = g->hist->stat.op;
		memcpy(hist->stat.num, g->hist->stat.num, sizeof hist->stat.num);
	} else {
		g->hist = hist;
	}
	n->print.args = hist;
	n->print.one_line = one_line;
	stmt->expr.e = n;
	return stmt;
}

/* Output in parts has no place for a mark: the warning of the run is a part of it. */
static struct print print_of(const struct session *s, struct symbol *g, bool view)
{
	struct print p = {.loc = g->loc, .of = g, .hex = session_predates(s, "1.4", g->loc)};

	p.marked = s->opt.max_overhead && s->opt.format == FORMAT_TEXT && g->type != T_STRING &&
		   !(view && session_exports(s));
	while (s->program.globals.v[p.number] != g)
		p.number++;
	return p;
}

/* Show G, a scalar; a statistic also has its histogram in html pages, and as one line in a VIEW. */
static struct node *show_scalar(const struct session *s, struct symbol *g, bool view)
{
	bool one_line = view && s->opt.format == FORMAT_TEXT;
	struct print p = print_of(s, g, view), empty = p;
	struct node *var = variable(g, g->loc), *n;

	add_text(&p, g->name);
	if (g->type != T_STAT) {
		add_text(&p, "=");
		add_mark(&p);
		add_value(&p, var);
		add_text(&p, "\n");
		return print_statement(&p);
	}
	add_statistics(&p, var);
	add_text(&empty, xprintf("%s @count=0x0\n", g->name));
	n = node_new(N_IF, g->loc);
	n->cond.c = statistic(ST_COUNT, var);
	n->cond.t = node_new(N_BLOCK, g->loc);
	n->cond.t->block.body = print_statement(&p);
	if (s->opt.format == FORMAT_HTML || s->opt.format == FORMAT_OTLP || one_line)
		n->cond.t->block.body->next = print_histogram(g, var, one_line);
	n->cond.f = print_statement(&empty);
	return n;
}

static struct node *show_array(const struct session *s, struct symbol *g, struct probe_decl *decl,
			       bool view)
{
	struct node *each = node_new(N_FOREACH, g->loc), **end = &each->each.keys;
	struct node *element = node_new(N_INDEX, g->loc), **index = &element->index.keys;
	struct print p = print_of(s, g, view);

	element->sym = each->sym = g;
	element->type = g->type;
	element->index.name = each->each.array = g->name;
	add_text(&p, xprintf("%s[", g->name));
	for (int i = 0; i < g->nkeys; i++, end = &(*end)->next, index = &(*index)->next) {
		struct symbol *key = local(decl, xprintf("key%d", i + 1), g->keys[i]);

		*end = variable(key, g->loc);
		*index = variable(key, g->loc);
		if (i)
			add_text(&p, ",");
		add_value(&p, variable(key, g->loc));
	}
	if (g->type == T_STAT) {
		add_text(&p, "]");
		add_statistics(&p, element);
	} else {
		add_text(&p, "]=");
		each->each.value = variable(local(decl, "value", g->type), g->loc);
		add_mark(&p);
		add_value(&p, variable(decl->locals.v[decl->locals.n - 1], g->loc));
		add_text(&p, "\n");
	}
	each->each.sort_col = 0;
	each->each.sort_dir = -1;
	each->each.sort_op = ST_COUNT;
	each->each.body = print_statement(&p);
	if ((view ? session_exports(s) : s->opt.format == FORMAT_OTLP) && g->hist) {
		struct node *both = node_new(N_BLOCK, g->loc);

		both->block.body = each->each.body;
		both->block.body->next = print_histogram(g, element, true);
		each->each.body = both;
	}
	return each;
}

/* --------------------------------------------------------------- the pass */

static bool is_shown(const struct symbol *g)
{
	return g->mention && g->written && !g->read && g->type != T_UNKNOWN &&
	       !file_of(g->loc)->library;
}

/* By --monitor. */
/* Exported views have one more element than staprun takes, which counts it as left out. */
enum { VIEW_ELEMENTS = 10, EXPORTED_ELEMENTS = 1001 };
static bool is_viewed(const struct symbol *g)
{
	return g->mention && g->type != T_UNKNOWN && !file_of(g->loc)->library;
}

static int by_mention(const void *a, const void *b)
{
	const struct symbol *x = *(struct symbol *const *)a, *y = *(struct symbol *const *)b;

	return (x->mention > y->mention) - (x->mention < y->mention);
}

const struct probe_kind probe_monitor = {.rt = "UST_PROBE_MONITOR"};
const struct probe_kind probe_reset = {.rt = "UST_PROBE_RESET"};
const struct probe_kind probe_send = {.rt = "UST_PROBE_SEND"};

/* A probe that the script does not have, whose point is the component NAME; to be given a body, and
 * then to add_probe(). */
static struct probe_decl *added_probe(const char *name, struct loc loc)
{
	struct probe_decl *decl = xalloc(sizeof *decl);
	struct point *pt = xalloc(sizeof *pt);

	decl->loc = pt->loc = loc;
	decl->src = loc.src;
	vec_push(&pt->comps, ((struct point_comp){.name = name, .loc = loc}));
	vec_push(&decl->points, pt);
	decl->body = node_new(N_BLOCK, loc);
	return decl;
}

static void add_probe(struct session *s, const struct probe_kind *k, struct probe_decl *decl)
{
	vec_push(&s->program.probes, probe_new(s, k, decl, decl->points.v[0]));
}

/* A probe of kind K that shows G; of arrays no more than MOST elements, 0: all. */
static void show(struct session *s, struct symbol *g, const struct probe_kind *k, int64_t most)
{
	bool view = k == &probe_monitor;
	struct probe_decl *decl = added_probe(view ? "monitor" : "end", g->loc);
	struct node *body = g->nkeys > 0 ? show_array(s, g, decl, view) : show_scalar(s, g, view);

	decl->body->block.body = body;
	if (g->nkeys > 0 && most)
		body->each.limit = number(most, g->loc);
	add_probe(s, k, decl);
}

/* The probe that sets all shown globals to their initial values. */
static void add_reset(struct session *s)
{
	struct loc loc = s->program.globals.v[0]->loc;
	struct probe_decl *decl = added_probe("reset", loc);
	struct node **end = &decl->body->block.body;

	for (size_t i = 0; i < s->program.globals.n; i++) {
		struct symbol *g = s->program.globals.v[i];

		if (!is_viewed(g))
			continue;
		*end = node_new(N_DELETE, g->loc);
		(*end)->expr.e = variable(g, g->loc);
		(*end)->expr.resets = true;
		end = &(*end)->next;
	}
	add_probe(s, &probe_reset, decl);
}

/* The probe that writes records of G while the script runs. */
static void add_sender(struct session *s, struct symbol *g)
{
	struct probe_decl *decl = added_probe("send", g->loc);
	struct node *send = node_new(N_SEND, g->loc);

	send->expr.e = variable(g, g->loc);
	decl->body->block.body = send;
	add_probe(s, &probe_send, decl);
}

/* A begin probe that prints the text of SRC. */
static void show_source(struct session *s, const struct source *src)
{
	struct loc loc = {.src = src};
	struct probe_decl *decl = added_probe("begin", loc);
	struct print text = {.loc = loc};

	add_text(&text, xstrndup(src->text, src->len));
	decl->body->block.body = print_statement(&text);
	decl->body->block.body->expr.e->print.source = true;
	add_probe(s, point_kind_of("begin(n?)"), decl);
}

/* The text of each file or -e that has probes of the program. */
static void show_sources(struct session *s)
{
	VEC(const struct source *) shown = {0};
	size_t n = s->program.probes.n;

	for (size_t i = 0; i < n; i++) {
		const struct source *src = file_of(s->program.probes.v[i]->loc);
		bool known = !src || src->library;

		for (size_t j = 0; j < shown.n && !known; j++)
			known = shown.v[j] == src;
		if (!known)
			vec_push(&shown, src);
	}
	for (size_t i = 0; i < shown.n; i++)
		show_source(s, shown.v[i]);
}

void pass_display(struct session *s)
{
	VEC(struct symbol *) shown = {0};

	export_find(s);
	for (size_t i = 0; i < s->program.globals.n && !s->opt.no_global_display; i++)
		if (is_shown(s->program.globals.v[i]))
			vec_push(&shown, s->program.globals.v[i]);
	if (shown.n)
		qsort(shown.v, shown.n, sizeof *shown.v, by_mention);
	for (size_t i = 0; i < shown.n; i++)
		show(s, shown.v[i], point_kind_of("end(n?)"), 0);
	for (size_t i = 0; i < s->program.globals.n && session_has_views(s); i++)
		if (is_viewed(s->program.globals.v[i]))
			show(s, s->program.globals.v[i], &probe_monitor,
			     session_exports(s) ? EXPORTED_ELEMENTS : VIEW_ELEMENTS);
	if (s->program.globals.n && s->opt.monitor)
		add_reset(s);
	for (size_t i = 0; i < s->program.globals.n && (s->opt.merge || s->opt.reload); i++)
		if (!file_of(s->program.globals.v[i]->loc)->library)
			add_sender(s, s->program.globals.v[i]);
	if (s->opt.format == FORMAT_HTML)
		show_sources(s);
}
