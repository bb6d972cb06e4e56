/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hover: signatures and comments, types, and the sites of a probe point, for the symbol under
 * the cursor. */
#include <inttypes.h>
#include <string.h>
#include "view.h"

#define MAX_PLACES 12

/* ------------------------------------------------------------- text */

struct card {
	bool markdown;
	struct strbuf text;
};

static void card_code(struct card *c, const char *code)
{
	if (c->text.n)
		sb_add(&c->text, "\n\n");
	sb_printf(&c->text, c->markdown ? "```systemtap\n%s\n```" : "%s", code);
}

static void card_text(struct card *c, const char *text)
{
	if (!*text)
		return;
	sb_printf(&c->text, "%s%s", c->text.n ? "\n\n" : "", text);
}

/* A comment: lines "NAME: text" are a list. */
static void card_doc(struct card *c, const char *doc)
{
	struct strbuf sb = {0};

	for (size_t n; *doc; doc += n + (doc[n] == '\n')) {
		size_t name = strspn(
			doc, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		n = strcspn(doc, "\n");
		if (c->markdown && name && doc[name] == ':' && doc[name + 1] == ' ')
			sb_printf(&sb, "\n- `%.*s`%.*s", (int)name, doc, (int)(n - name),
				  doc + name);
		else
			sb_printf(&sb, "%s%.*s", sb.n ? "\n" : "", (int)n, doc);
	}
	card_text(c, sb.s ? sb.s : "");
}

/* ------------------------------------------------------------- functions */

static void show_function(const struct view *v, const char *name, struct card *c)
{
	const entry_vec *all = catalogue(v);
	struct analysis a;

	if (part_named(v, PART_FUNCTION, name))
		view_analyse(v, NULL, ANALYSE_ALL_FUNCTIONS, "types", &a);
	for (size_t i = 0; i < v->parts.n; i++) {
		const struct part *p = &v->parts.v[i];

		if (p->kind != PART_FUNCTION || strcmp(p->name, name))
			continue;
		card_code(c, function_head(v, &a, p));
		card_doc(c, comment_find(v->src->text, v->words.v[p->first].loc.beg));
	}
	for (size_t i = 0; i < all->n && !part_named(v, PART_FUNCTION, name); i++)
		if (all->v[i].kind == 'f' && !strcmp(all->v[i].name, name)) {
			card_code(c, all->v[i].head);
			card_doc(c, all->v[i].doc);
		}
}

/* ------------------------------------------------------------- variables */

static void show_variable(const struct view *v, const struct symbol_use *t, struct card *c)
{
	const struct part *p = t->kind == SYMBOL_USE_GLOBAL ? part_named(v, PART_GLOBAL, t->name)
							    : NULL;
	struct analysis a;

	view_analyse(v, NULL, ANALYSE_ALL_FUNCTIONS, "types", &a);
	card_code(c, variable_text(v, &a, t));
	if (p)
		card_doc(c, comment_find(v->src->text, v->words.v[p->first].loc.beg));
}

/* ------------------------------------------------------------- macros, keywords */

static void show_macro(const struct view *v, const char *name, struct card *c)
{
	const struct part *p = part_named(v, PART_MACRO, name);
	const entry_vec *all = catalogue(v);

	if (p) {
		card_code(c, words_text(v, p->first, p->last));
		card_doc(c, comment_find(v->src->text, v->words.v[p->first].loc.beg));
	}
	for (size_t i = 0; i < all->n && !p; i++)
		if (all->v[i].kind == 'm' && !strcmp(all->v[i].name, name)) {
			card_code(c, all->v[i].head);
			card_doc(c, all->v[i].doc);
		}
}

static void show_keyword(const char *word, struct card *c)
{
	const struct keyword *k = keyword_find(word);

	card_code(c, k->form);
	card_text(c, k->doc);
}

/* ------------------------------------------------------------- the program's variables */

static void add_type(name_vec *types, const char *type)
{
	for (size_t i = 0; i < types->n; i++)
		if (!strcmp(types->v[i], type))
			return;
	vec_push(types, type);
}

/* The types of the expression EXPR where P probes. */
static void types_of(const struct view *v, const struct part *p, const char *expr,
		     struct analysis *a, name_vec *types)
{
	const char *points = part_points(v, p);

	if (!points)
		return;
	view_analyse(v, text_with_probe(v, points, xprintf("print(%s)", expr)), ANALYSE_LIST,
		     "points", a);
	for (size_t i = 0; i < a->s.program.probes.n; i++) {
		const struct probe *probe = a->s.program.probes.v[i], *entry = probe->entry;
		const access_vec *acc = entry && entry->accesses.n ? &entry->accesses
								   : &probe->accesses;

		if (acc->n && acc->v[acc->n - 1].ctype)
			add_type(types, acc->v[acc->n - 1].ctype);
	}
}

static const char *first_error(const struct analysis *a)
{
	for (size_t i = 0; i < a->messages.n; i++)
		if (a->messages.v[i].error)
			return a->messages.v[i].text;
	return "";
}

static void show_target(const struct view *v, const struct symbol_use *t, struct card *c)
{
	size_t first = target_begin(v, t->word);
	const char *expr = words_text(v, first, t->word + 1);
	name_vec types = {0};
	struct analysis a = {0};

	types_of(v, t->part, expr, &a, &types);
	for (size_t i = 0; i < types.n; i++)
		card_code(c, xprintf("%s: %s", expr, types.v[i]));
	if (!types.n) {
		card_code(c, expr);
		card_text(c, first_error(&a));
	}
}

/* ------------------------------------------------------------- points */

static void show_alias(const struct view *v, const char *point, struct card *c)
{
	const entry_vec *all = catalogue(v);

	for (size_t i = 0; i < all->n; i++) {
		size_t n = all->v[i].kind == 'a' ? strlen(all->v[i].name) : 0;

		if (!n || strncmp(point, all->v[i].name, n) || (point[n] && point[n] != '.'))
			continue;
		card_code(c, all->v[i].head);
		card_doc(c, all->v[i].doc);
	}
}

static void add_site(struct strbuf *sb, const struct site *site)
{
	const char *file;
	int line;

	sb_printf(sb, "%s at %#" PRIx64, site->pp, site->addr);
	if (module_line_at(site->mod, site->addr, &file, &line))
		sb_printf(sb, ", %s:%d", file, line);
	sb_add(sb, "\n");
}

static void show_places(const struct analysis *a, struct card *c)
{
	struct strbuf sb = {0};
	size_t n = 0;

	for (size_t i = 0; i < a->s.program.probes.n; i++) {
		const struct probe *p = a->s.program.probes.v[i];

		for (size_t k = 0; k < p->sites.n; k++)
			if (n++ < MAX_PLACES)
				add_site(&sb, &p->sites.v[k]);
		if (!p->kind->has_sites && n++ < MAX_PLACES)
			sb_printf(&sb, "%s\n", p->pp);
	}
	if (!n) {
		card_text(c, first_error(a));
		return;
	}
	if (n > MAX_PLACES)
		sb_printf(&sb, "and %zu more\n", n - MAX_PLACES);
	sb.s[sb.n - 1] = 0;
	card_code(c, sb.s);
}

static void show_point(const struct view *v, const struct symbol_use *t, struct card *c)
{
	size_t first = t->part->name_word, last = t->part->head - 1;
	struct analysis a;
	const char *point;

	if (t->part->kind == PART_PROBE || t->word >= t->part->head)
		point_around(v, t->part, t->word, &first, &last);
	point = words_text(v, first, last);
	show_alias(v, point, c);
	if (t->part->kind == PART_ALIAS && t->word < t->part->head)
		card_doc(c, comment_find(v->src->text, v->words.v[t->part->first].loc.beg));
	view_analyse(v, text_with_probe(v, point, ""), ANALYSE_LIST, "points", &a);
	show_places(&a, c);
}

/* ------------------------------------------------------------- the answer */

json *answer_hover(struct server *srv, const struct document *d, json *params)
{
	struct card c = {.markdown = srv->markdown};
	json *result, *contents;
	struct symbol_use t;
	struct view v;

	view_open(&v, srv, d);
	if (view_in_comment(&v, view_offset(&v, params)))
		return NULL;
	t = symbol_at(&v, view_offset(&v, params));
	switch (t.kind) {
	case SYMBOL_USE_FUNCTION:
		show_function(&v, t.name, &c);
		break;
	case SYMBOL_USE_GLOBAL:
	case SYMBOL_USE_LOCAL:
		show_variable(&v, &t, &c);
		break;
	case SYMBOL_USE_MACRO:
		show_macro(&v, t.name, &c);
		break;
	case SYMBOL_USE_KEYWORD:
		show_keyword(t.name, &c);
		break;
	case SYMBOL_USE_TARGET:
	case SYMBOL_USE_MEMBER:
		show_target(&v, &t, &c);
		break;
	case SYMBOL_USE_POINT:
		show_point(&v, &t, &c);
		break;
	case SYMBOL_USE_NONE:
		break;
	}
	if (!c.text.n)
		return NULL;
	result = json_object_new_object();
	contents = json_object_new_object();
	json_put_text(contents, "kind", c.markdown ? "markdown" : "plaintext");
	json_put_text(contents, "value", c.text.s);
	json_put(result, "contents", contents);
	json_put(result, "range", range_json(&v, v.words.v[t.word].loc));
	return result;
}
