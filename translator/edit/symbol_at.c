/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thing: what a word of the text means, by the language's rules for names: a parameter or local of
 * its function or probe, unless a global of the script or library has the name; a name before `(`
 * is a function.
 */
#include <string.h>
#include "edit.h"

const struct part *part_named(const struct view *v, enum part_kind kind, const char *name)
{
	for (size_t i = 0; i < v->parts.n; i++)
		if (v->parts.v[i].kind == kind && !strcmp(v->parts.v[i].name, name))
			return &v->parts.v[i];
	return NULL;
}

static bool in_catalogue(const struct view *v, char kind, const char *name)
{
	const entry_vec *all = catalogue(v);

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].kind == kind && !strcmp(all->v[i].name, name))
			return true;
	return false;
}

static const struct part *part_of_word(const struct view *v, size_t word)
{
	for (size_t i = 0; i < v->parts.n; i++)
		if (part_contains(&v->parts.v[i], word) &&
		    (v->parts.v[i].kind != PART_GLOBAL || v->parts.v[i].name_word == word ||
		     i + 1 == v->parts.n || !part_contains(&v->parts.v[i + 1], word)))
			return &v->parts.v[i];
	return NULL;
}

/* ------------------------------------------------------------- points */

void point_around(const struct view *v, const struct part *p, size_t w, size_t *first, size_t *last)
{
	int depth = 0;

	*first = *last = p->head;
	for (size_t i = p->head; i < p->head_end; i++) {
		depth += view_word_is(v, i, "(") || view_word_is(v, i, "{");
		depth -= view_word_is(v, i, ")") || view_word_is(v, i, "}");
		if (!depth && view_word_is(v, i, ",")) {
			if (i >= w)
				break;
			*first = i + 1;
		}
	}
	for (*last = *first, depth = 0; *last < p->head_end; ++*last) {
		if (!depth && (view_word_is(v, *last, ",") || view_word_is(v, *last, "if") ||
			       view_word_is(v, *last, "?") || view_word_is(v, *last, "!")))
			break;
		depth += view_word_is(v, *last, "(") || view_word_is(v, *last, "{");
		depth -= view_word_is(v, *last, ")") || view_word_is(v, *last, "}");
	}
}

static bool in_points(const struct view *v, const struct part *p, size_t word)
{
	size_t first, last;

	if (p->kind != PART_PROBE && p->kind != PART_ALIAS)
		return false;
	if (p->kind == PART_ALIAS && word >= p->name_word && word < p->head)
		return true;
	if (word < p->head || word >= p->head_end)
		return false;
	point_around(v, p, word, &first, &last);
	return word >= first && word < last;
}

/* -------------------------------------------------- target expressions */

/* The word of the bracket that WORD, a closing one, closes; WORD itself if it closes no bracket. */
static size_t opening(const struct view *v, size_t word)
{
	size_t depth = 0;

	for (size_t i = word + 1; i-- > 0;) {
		depth += view_word_is(v, i, "]") || view_word_is(v, i, ")");
		depth -= view_word_is(v, i, "[") || view_word_is(v, i, "(");
		if (!depth)
			return i;
	}
	return word;
}

size_t target_begin(const struct view *v, size_t last)
{
	for (size_t i = last; i < v->words.n;) {
		size_t open = view_word_is(v, i, "]") || view_word_is(v, i, ")") ? opening(v, i)
										 : i;

		if (v->words.v[i].kind == WORD_TARGET)
			return i;
		if (view_word_is(v, i, ")")) /* @cast(...), @var(...) */
			return open && v->words.v[open - 1].kind == WORD_AT ? open - 1 : last;
		if (view_word_is(v, i, "]") && open && open < i)
			i = open - 1;
		else if (v->words.v[i].kind == WORD_NAME && i > 1 && view_word_is(v, i - 1, "->"))
			i -= 2;
		else
			return v->words.v[i].kind == WORD_NAME ? i : last;
	}
	return last;
}

/* ------------------------------------------------------------- names */

static bool is_param(const struct part *p, const char *name)
{
	for (size_t i = 0; i < p->params.n; i++)
		if (!strcmp(p->params.v[i], name))
			return true;
	return false;
}

static struct symbol_use at_word(const struct view *v, const struct part *p, size_t word)
{
	const char *name = v->words.v[word].text;
	struct symbol_use t = {.kind = SYMBOL_USE_MACRO, .name = name, .word = word, .part = p};

	if (p && p->kind == PART_MACRO && is_param(p, name + 1))
		t.kind = SYMBOL_USE_LOCAL, t.name = name + 1;
	else if (!part_named(v, PART_MACRO, name) && keyword_find(name))
		t.kind = SYMBOL_USE_KEYWORD;
	return t;
}

static enum symbol_use_kind name_kind(const struct view *v, const struct part *p, size_t word)
{
	const char *name = v->words.v[word].text;

	if (word && view_word_is(v, word - 1, "->"))
		return SYMBOL_USE_MEMBER;
	if (p && in_points(v, p, word))
		return SYMBOL_USE_POINT;
	if (keyword_find(name))
		return SYMBOL_USE_KEYWORD;
	if (p && p->name_word == word)
		return p->kind == PART_FUNCTION ? SYMBOL_USE_FUNCTION
		       : p->kind == PART_MACRO  ? SYMBOL_USE_MACRO
						: SYMBOL_USE_GLOBAL;
	if (view_word_is(v, word + 1, "("))
		return SYMBOL_USE_FUNCTION;
	if (word && view_word_is(v, word - 1, ":") && p &&
	    (p->kind == PART_GLOBAL || (p->kind == PART_FUNCTION && word < p->body)))
		return SYMBOL_USE_NONE; /* a type */
	if (p && is_param(p, name))
		return SYMBOL_USE_LOCAL;
	if (part_named(v, PART_GLOBAL, name) || in_catalogue(v, 'g', name))
		return SYMBOL_USE_GLOBAL;
	return p && p->kind != PART_GLOBAL ? SYMBOL_USE_LOCAL : SYMBOL_USE_NONE;
}

struct symbol_use symbol_of_word(const struct view *v, size_t word)
{
	struct symbol_use t = {.word = word};

	if (word >= v->words.n)
		return t;
	t.part = part_of_word(v, word);
	t.name = v->words.v[word].text;
	if (v->words.v[word].kind == WORD_AT)
		return at_word(v, t.part, word);
	if (v->words.v[word].kind == WORD_TARGET)
		t.kind = SYMBOL_USE_TARGET;
	else if (v->words.v[word].kind == WORD_NAME)
		t.kind = name_kind(v, t.part, word);
	else if (t.part && in_points(v, t.part, word))
		t.kind = SYMBOL_USE_POINT;
	if (t.kind == SYMBOL_USE_MACRO)
		t.name = xprintf("@%s", t.name);
	return t;
}

struct symbol_use symbol_at(const struct view *v, size_t at)
{
	return symbol_of_word(v, view_word_at(v, at));
}

bool symbol_same(const struct symbol_use *a, const struct symbol_use *b)
{
	if (a->kind != b->kind || !a->kind || strcmp(a->name, b->name))
		return false;
	return (a->kind != SYMBOL_USE_LOCAL && a->kind != SYMBOL_USE_TARGET &&
		a->kind != SYMBOL_USE_MEMBER) ||
	       a->part == b->part;
}

/* A local is declared by its first mention. */
bool word_is_declaration(const struct view *v, const struct symbol_use *t)
{
	if (t->kind != SYMBOL_USE_LOCAL)
		return t->part && t->part->name_word == t->word && t->part->kind != PART_PROBE;
	for (size_t i = t->part->first; i < t->word; i++) {
		struct symbol_use other;

		if (strcmp(v->words.v[i].text, v->words.v[t->word].text))
			continue;
		other = symbol_of_word(v, i);
		if (symbol_same(&other, t))
			return false;
	}
	return true;
}
