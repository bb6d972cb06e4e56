/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Complete: what may stand at the cursor. */
#include <string.h>
#include "edit.h"

void completion_add(struct completion *c, int kind, const char *label, const char *detail,
		    const char *doc)
{
	struct offer o = {.kind = kind, .label = label, .detail = detail, .doc = doc};

	c->add(c, &o);
}

/* ------------------------------------------------------------- what there is by name */

static void add_functions(struct completion *c, const struct analysis *a)
{
	const entry_vec *all = catalogue(c->v);

	for (size_t i = 0; i < c->v->parts.n; i++) {
		const struct part *p = &c->v->parts.v[i];

		if (p->kind == PART_FUNCTION && *p->name)
			completion_add(
				c, OFFER_FUNCTION, p->name, function_head(c->v, a, p),
				comment_find(c->v->src->text, c->v->words.v[p->first].loc.beg));
	}
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].kind == 'f' && strncmp(all->v[i].name, "__", 2) &&
		    !part_named(c->v, PART_FUNCTION, all->v[i].name))
			completion_add(c, OFFER_FUNCTION, all->v[i].name, all->v[i].head,
				       all->v[i].doc);
}

static void add_globals(struct completion *c, const struct analysis *a)
{
	for (size_t i = 0; i < c->v->parts.n; i++) {
		const struct part *p = &c->v->parts.v[i];
		struct symbol_use t = {.kind = SYMBOL_USE_GLOBAL,
				       .name = p->name,
				       .word = p->name_word,
				       .part = p};

		if (p->kind == PART_GLOBAL)
			completion_add(c, OFFER_VARIABLE, p->name, variable_text(c->v, a, &t),
				       NULL);
	}
}

/* Names that P mentions, but for that under the cursor. */
static void add_locals(struct completion *c, const struct part *p, const struct analysis *a)
{
	struct smap seen = {0};

	for (size_t i = 0; i < p->params.n; i++)
		smap_put(&seen, p->params.v[i], (void *)p);
	for (size_t i = p->body; i < p->body_end; i++) {
		const struct lexeme *w = &c->v->words.v[i];

		if (w->kind == WORD_NAME && w->loc.end != c->at && !smap_get(&seen, w->text) &&
		    symbol_of_word(c->v, i).kind == SYMBOL_USE_LOCAL)
			smap_put(&seen, w->text, (void *)p);
	}
	for (size_t i = 0; i < seen.ents.n; i++) {
		struct symbol_use t = {
			.kind = SYMBOL_USE_LOCAL, .name = seen.ents.v[i].key, .part = p};

		completion_add(c, OFFER_VARIABLE, t.name, variable_text(c->v, a, &t), NULL);
	}
}

static bool begins_declaration(const char *word)
{
	static const char *const words[] = {"probe", "global", "function", "private", "@define"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

static void add_keywords(struct completion *c, bool top)
{
	for (const struct keyword *k = keywords; k->word; k++)
		if (begins_declaration(k->word) == top && (*k->word != '@' || top))
			completion_add(c, OFFER_KEYWORD, k->word, k->form, k->doc);
}

/* After an `@`. */
static void add_macros(struct completion *c, const struct part *p)
{
	const entry_vec *all = catalogue(c->v);

	for (const struct keyword *k = keywords; k->word; k++)
		if (*k->word == '@' && begins_declaration(k->word) == !p)
			completion_add(c, OFFER_OPERATOR, k->word, k->form, k->doc);
	for (size_t i = 0; p && i < c->v->parts.n; i++)
		if (c->v->parts.v[i].kind == PART_MACRO &&
		    c->v->parts.v[i].last > c->v->parts.v[i].first)
			completion_add(
				c, OFFER_OPERATOR, c->v->parts.v[i].name,
				words_text(c->v, c->v->parts.v[i].first, c->v->parts.v[i].last),
				comment_find(c->v->src->text,
					     c->v->words.v[c->v->parts.v[i].first].loc.beg));
	for (size_t i = 0; p && i < all->n; i++)
		if (all->v[i].kind == 'm' && strncmp(all->v[i].name, "@__", 3))
			completion_add(c, OFFER_OPERATOR, all->v[i].name, all->v[i].head,
				       all->v[i].doc);
}

/* ------------------------------------------------------------- the program's variables */

static const char *const lists[][2] = {
	{"$$vars", "all parameters and variables, as text"},
	{"$$parms", "the parameters, as text"},
	{"$$locals", "the local variables, as text"},
	{"$$return", "in a return probe: the result, as text"},
};

/* A variable, and the number of sites where it can be read. */
struct seen_var {
	const char *type;
	size_t places;
};

static void count_vars(const described_vec *places, struct smap *seen)
{
	for (size_t i = 0; i < places->n; i++)
		for (size_t k = 0; k < places->v[i].vars.n; k++) {
			const char *var = places->v[i].vars.v[k], *colon = strchr(var, ':');
			const char *name = colon ? xstrndup(var, (size_t)(colon - var)) : var;
			struct seen_var *sv = smap_get(seen, name);

			if (!sv) {
				sv = xalloc(sizeof *sv);
				sv->type = colon ? colon + 1 : "";
				smap_put(seen, name, sv);
			}
			sv->places++;
		}
}

/* Offer the variables that -L lists for the probe points of P. */
static void add_targets(struct completion *c, const struct part *p)
{
	const char *points = part_points(c->v, p);
	struct smap seen = {0};
	described_vec places = {0};
	struct analysis a;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		completion_add(c, OFFER_VARIABLE, lists[i][0], lists[i][1], NULL);
	if (!points)
		return;
	view_analyse(c->v, text_with_probe(c->v, points, ""), ANALYSE_VARIABLES, "types", &a);
	describe_points(&a.s, &places);
	count_vars(&places, &seen);
	for (size_t i = 0; i < seen.ents.n; i++) {
		const struct seen_var *sv = seen.ents.v[i].val;
		const char *where = sv->places < places.n ? xprintf(" (at %zu of %zu places)",
								    sv->places, places.n)
							  : "";

		if (*seen.ents.v[i].key == '$')
			completion_add(c, OFFER_VARIABLE, seen.ents.v[i].key,
				       xprintf("%s%s", sv->type, where), NULL);
	}
}

/* After `->`, which is word ARROW. */
static void add_members(struct completion *c, const struct part *p, size_t arrow)
{
	const char *points = part_points(c->v, p);
	struct smap seen = {0};
	struct analysis a;

	if (!points || !arrow)
		return;
	view_analyse(
		c->v,
		text_with_probe(c->v, points,
				xprintf("print(%s)",
					words_text(c->v, target_begin(c->v, arrow - 1), arrow))),
		ANALYSE_LIST, "points", &a);
	for (size_t i = 0; i < a.s.program.probes.n; i++) {
		const struct probe *probe = a.s.program.probes.v[i];
		const access_vec *acc = probe->entry && probe->entry->accesses.n
						? &probe->entry->accesses
						: &probe->accesses;
		name_vec members = {0};

		if (acc->n)
			ctype_members(acc->v[acc->n - 1].points_to, &members);
		for (size_t k = 0; k < members.n; k++) {
			const char *colon = strchr(members.v[k], ':');
			const char *name = xstrndup(members.v[k], (size_t)(colon - members.v[k]));

			if (smap_get(&seen, name))
				continue;
			smap_put(&seen, name, (void *)name);
			completion_add(c, OFFER_FIELD, name, colon + 1, NULL);
		}
	}
}

/* ------------------------------------------------------------- where the cursor is */

static void complete_types(struct completion *c)
{
	completion_add(c, OFFER_KEYWORD, "long", "a number", NULL);
	completion_add(c, OFFER_KEYWORD, "string", "text", NULL);
	completion_add(c, OFFER_KEYWORD, "stat", "a statistic", NULL);
}

static void complete_expression(struct completion *c, const struct part *p)
{
	struct analysis a;

	view_analyse(c->v, NULL, ANALYSE_ALL_FUNCTIONS, "types", &a);
	add_keywords(c, false);
	add_locals(c, p, &a);
	add_globals(c, &a);
	add_functions(c, &a);
}

/* The word that is being typed begins c->from, word I; v->words.n if no word is being typed. */
static void complete_in(struct completion *c, const struct part *p, size_t i)
{
	const struct view *v = c->v;
	char first = c->from < c->at ? v->src->text[c->from] : ' ';
	size_t before = i < v->words.n ? i : view_word_after(v, c->at);

	if (first == '@')
		add_macros(c, p);
	else if (first == '$')
		add_targets(c, p);
	else if (before && view_word_is(v, before - 1, "->") && p)
		add_members(c, p, before - 1);
	else if (before && view_word_is(v, before - 1, ":") && p &&
		 (p->kind == PART_GLOBAL || (p->kind == PART_FUNCTION && before - 1 < p->head_end)))
		complete_types(c);
	else if (!p)
		add_keywords(c, true);
	else if (p->has_body && c->at > v->words.v[p->body - 1].loc.beg)
		complete_expression(c, p);
	else if (p->first + 1 == before || p->kind == PART_GLOBAL)
		add_keywords(c, true);
}

/* Is C->at between the quotes of word I, or of one that has no end? */
static bool in_string(const struct completion *c, size_t i)
{
	const struct lexeme *w = i < c->v->words.n ? &c->v->words.v[i] : NULL;

	if (!w || w->loc.beg >= c->at || *w->text != '"')
		return false;
	return w->kind == WORD_BROKEN || c->at < w->loc.end;
}

static bool in_head(const struct completion *c, const struct part *p)
{
	const struct view *v = c->v;

	if (!p || (p->kind != PART_PROBE && p->kind != PART_ALIAS) ||
	    c->at <= v->words.v[p->first].loc.end)
		return false;
	return !p->has_body || c->at <= v->words.v[p->body - 1].loc.beg;
}

void complete(struct completion *c)
{
	const struct part *p = view_part_at(c->v, c->at);
	size_t i = view_word_at(c->v, c->at);

	c->from = c->to = c->at;
	if (view_in_comment(c->v, c->at))
		return;
	if (i < c->v->words.n && c->v->words.v[i].loc.beg < c->at &&
	    c->v->words.v[i].kind != WORD_MARK)
		c->from = c->v->words.v[i].loc.beg;
	if (in_head(c, p)) {
		if (!complete_point(c, p))
			complete_expression(c, p);
		return;
	}
	if (!in_string(c, i) &&
	    !(i < c->v->words.n && c->v->words.v[i].kind == WORD_C && c->from < c->at))
		complete_in(c, p, i);
}
