/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where: definitions, references, and the outline of a document. */
#include <string.h>
#include <unistd.h>
#include "view.h"

/* ------------------------------------------------------------- references */

static void each_same(const struct view *v, const struct symbol_use *t,
		      void (*fn)(const struct view *, const struct symbol_use *, void *), void *arg)
{
	const char *bare = t->kind == SYMBOL_USE_MACRO || (t->kind == SYMBOL_USE_LOCAL &&
							   t->part->kind == PART_MACRO)
				   ? t->name + (*t->name == '@')
				   : NULL;

	for (size_t i = 0; i < v->words.n; i++) {
		const char *text = v->words.v[i].text;
		struct symbol_use other;

		if (strcmp(text, t->name) && !(bare && !strcmp(text + (*text == '@'), bare)))
			continue;
		other = symbol_of_word(v, i);
		if (symbol_same(&other, t))
			fn(v, &other, arg);
	}
}

struct gather {
	json *list;
	bool declarations, highlights;
};

static void gather(const struct view *v, const struct symbol_use *t, void *arg)
{
	struct gather *g = arg;
	json *j;

	if (!g->declarations && word_is_declaration(v, t))
		return;
	if (g->highlights) {
		j = json_object_new_object();
		json_put(j, "range", range_json(v, v->words.v[t->word].loc));
	} else {
		j = location_json(v, v->words.v[t->word].loc);
	}
	json_object_array_add(g->list, j);
}

static json *same_things(struct server *srv, const struct document *d, json *params,
			 struct gather g)
{
	struct symbol_use t;
	struct view v;

	g.list = json_object_new_array();
	view_open(&v, srv, d);
	t = symbol_at(&v, view_offset(&v, params));
	if (t.kind && t.kind != SYMBOL_USE_KEYWORD)
		each_same(&v, &t, gather, &g);
	return g.list;
}

json *answer_references(struct server *srv, const struct document *d, json *params)
{
	bool declarations = json_object_get_boolean(json_at(params, "context.includeDeclaration"));

	return same_things(srv, d, params, (struct gather){.declarations = declarations});
}

json *answer_highlights(struct server *srv, const struct document *d, json *params)
{
	return same_things(srv, d, params,
			   (struct gather){.declarations = true, .highlights = true});
}

/* ------------------------------------------------------------- definitions */

static void add_parts(const struct view *v, enum part_kind kind, const char *name, json *out)
{
	for (size_t i = 0; i < v->parts.n; i++)
		if (v->parts.v[i].kind == kind && !strcmp(v->parts.v[i].name, name))
			json_object_array_add(
				out, location_json(v, v->words.v[v->parts.v[i].name_word].loc));
}

static void add_entries(const struct view *v, char kind, const char *name, json *out)
{
	const entry_vec *all = catalogue(v);

	for (size_t i = 0; i < all->n; i++) {
		const struct entry *e = &all->v[i];
		uint32_t len = (uint32_t)strlen(name) - (kind == 'm');

		if (e->kind == kind && e->src && !strcmp(e->name, name))
			json_object_array_add(
				out, location_json(v, (struct loc){e->src, e->at, e->at + len}));
	}
}

static void add_named(const struct view *v, enum part_kind kind, char entry, const char *name,
		      json *out)
{
	add_parts(v, kind, name, out);
	if (!json_object_array_length(out))
		add_entries(v, entry, name, out);
}

static void add_first(const struct view *v, const struct symbol_use *t, void *arg)
{
	json *out = arg;

	if (!json_object_array_length(out))
		json_object_array_add(out, location_json(v, v->words.v[t->word].loc));
}

/* Does the text of a point begin with the words of the alias NAME? */
static bool begins_with(const char *point, const char *name)
{
	size_t n = strlen(name);

	return n && !strncmp(point, name, n) && (!point[n] || point[n] == '.');
}

static void add_alias(const struct view *v, const char *point, json *out)
{
	const entry_vec *all = catalogue(v);

	for (size_t i = 0; i < v->parts.n; i++) {
		const struct part *p = &v->parts.v[i];

		if (p->kind == PART_ALIAS &&
		    begins_with(point, words_text(v, p->name_word, p->head - 1)))
			json_object_array_add(out, location_json(v, v->words.v[p->name_word].loc));
	}
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].kind == 'a' && all->v[i].src && begins_with(point, all->v[i].name))
			json_object_array_add(
				out,
				location_json(
					v, (struct loc){all->v[i].src, all->v[i].at,
							all->v[i].at +
								(uint32_t)strlen(all->v[i].name)}));
}

/* The line of a file of the program's source, if it is on this machine. */
static json *source_line(const char *file, int line)
{
	json *j, *range, *at;

	if (!file || *file != '/' || line < 1 || access(file, R_OK))
		return NULL;
	j = json_object_new_object();
	range = json_object_new_object();
	at = json_object_new_object();
	json_put(at, "line", json_object_new_int(line - 1));
	json_put(at, "character", json_object_new_int(0));
	json_put(range, "start", at);
	json_put(range, "end", json_object_get(at));
	json_put_text(j, "uri", path_uri(file));
	json_put(j, "range", range);
	return j;
}

/* Where the program's functions that POINT stands for are declared. */
static void add_sources(const struct view *v, const char *point, json *out)
{
	struct analysis a;

	view_analyse(v, text_with_probe(v, point, ""), ANALYSE_LIST, "points", &a);
	for (size_t i = 0; i < a.s.program.probes.n; i++)
		for (size_t k = 0;
		     k < a.s.program.probes.v[i]->sites.n && json_object_array_length(out) < 20;
		     k++) {
			const struct function *f = a.s.program.probes.v[i]->sites.v[k].f;
			json *j = source_line(f->file, f->line);

			if (j)
				json_object_array_add(out, j);
		}
}

static void define_point(const struct view *v, const struct symbol_use *t, json *out)
{
	size_t first, last;
	const char *text;

	if (t->part->kind == PART_ALIAS && t->word < t->part->head) {
		json_object_array_add(out, location_json(v, v->words.v[t->part->name_word].loc));
		return;
	}
	point_around(v, t->part, t->word, &first, &last);
	text = words_text(v, first, last);
	add_alias(v, text, out);
	if (!json_object_array_length(out))
		add_sources(v, text, out);
}

json *answer_definition(struct server *srv, const struct document *d, json *params)
{
	json *out = json_object_new_array();
	struct symbol_use t;
	struct view v;

	view_open(&v, srv, d);
	t = symbol_at(&v, view_offset(&v, params));
	switch (t.kind) {
	case SYMBOL_USE_FUNCTION:
		add_named(&v, PART_FUNCTION, 'f', t.name, out);
		break;
	case SYMBOL_USE_GLOBAL:
		add_named(&v, PART_GLOBAL, 'g', t.name, out);
		break;
	case SYMBOL_USE_MACRO:
		add_named(&v, PART_MACRO, 'm', t.name, out);
		break;
	case SYMBOL_USE_LOCAL:
		each_same(&v, &t, add_first, out);
		break;
	case SYMBOL_USE_POINT:
		define_point(&v, &t, out);
		break;
	default:
		break;
	}
	return out;
}

/* ------------------------------------------------------------- the outline */

/* LSP's numbers of kinds. */
enum { SYMBOL_FUNCTION = 12, SYMBOL_VARIABLE = 13, SYMBOL_CONSTANT = 14, SYMBOL_EVENT = 24 };

static json *symbol(const struct view *v, const struct part *p)
{
	static const int kinds[] = {[PART_PROBE] = SYMBOL_EVENT,
				    [PART_ALIAS] = SYMBOL_EVENT,
				    [PART_FUNCTION] = SYMBOL_FUNCTION,
				    [PART_GLOBAL] = SYMBOL_VARIABLE,
				    [PART_MACRO] = SYMBOL_CONSTANT};
	size_t first = p->kind == PART_GLOBAL ? p->name_word : p->first,
	       name = p->name_word < v->words.n ? p->name_word : p->first;
	struct loc whole = v->words.v[first].loc, at = v->words.v[name].loc;
	const char *text = p->kind == PART_PROBE   ? words_text(v, p->head, p->head_end)
			   : p->kind == PART_ALIAS ? words_text(v, p->name_word, p->head - 1)
						   : p->name;
	json *j = json_object_new_object();

	if (p->last > first)
		whole.end = v->words.v[p->last - 1].loc.end;
	if (at.beg >= whole.end)
		at = v->words.v[p->first].loc;
	if (p->kind == PART_PROBE && p->head < p->head_end)
		at.end = v->words.v[p->head_end - 1].loc.end;
	json_put_text(j, "name", *text ? text : "?");
	json_put(j, "kind", json_object_new_int(kinds[p->kind]));
	json_put_text(j, "detail",
		      p->kind == PART_FUNCTION ? words_text(v, p->head, p->head_end) : "");
	json_put(j, "range", range_json(v, whole));
	json_put(j, "selectionRange", range_json(v, at));
	return j;
}

json *answer_symbols(struct server *srv, const struct document *d, json *params)
{
	json *out = json_object_new_array();
	struct view v;

	(void)params;
	view_open(&v, srv, d);
	for (size_t i = 0; i < v.parts.n; i++)
		json_object_array_add(out, symbol(&v, &v.parts.v[i]));
	return out;
}
