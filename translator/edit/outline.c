/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outline: the declarations of a text that is being typed. Keywords that begin declarations
 * cannot be names, so each begins a declaration even where braces are missing.
 */
#include <string.h>
#include "edit.h"

struct reader {
	const lexeme_vec *words;
	size_t at;
};

static bool is(const struct reader *r, size_t i, const char *text)
{
	return i < r->words->n && !strcmp(r->words->v[i].text, text);
}

/* Does a declaration begin with word I?  After `.` and `->` these words are names, in points also
 * after `{` and `,`. */
static bool begins(const struct reader *r, size_t i, bool in_point)
{
	static const char *const words[] = {"probe", "function", "global", "private", "@define"};
	bool name = i && (is(r, i - 1, ".") || is(r, i - 1, "->"));

	if (i >= r->words->n || name || (in_point && (is(r, i - 1, ",") || is(r, i - 1, "{"))))
		return false;
	for (size_t k = 0; k < ARRAY_LEN(words); k++)
		if (is(r, i, words[k]))
			return true;
	return false;
}

/* Up to the brace that closes the one before word r->at, or the next declaration. */
static void read_block(struct reader *r, struct part *p)
{
	size_t depth = 0;

	if (!p->has_body)
		p->body = r->at;
	p->has_body = true;
	for (; r->at < r->words->n && !begins(r, r->at, false); r->at++) {
		if (is(r, r->at, "{"))
			depth++;
		if (is(r, r->at, "}") && !depth--) {
			p->body_end = r->at++;
			p->closed = true;
			return;
		}
	}
	p->body_end = r->at;
	p->closed = false;
}

/* Is the `{` at r->at one of points {a,b}, and not the body's? */
static bool opens_group(const struct reader *r)
{
	static const char *const before[] = {"probe", ".", ",", "{", "=", "+="};

	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		if (is(r, r->at - 1, before[i]))
			return true;
	return false;
}

static void read_points(struct reader *r, struct part *p)
{
	int groups = 0, parens = 0;

	for (; r->at < r->words->n && !begins(r, r->at, true); r->at++) {
		groups -= is(r, r->at, "}");
		parens += is(r, r->at, "(") - is(r, r->at, ")");
		if (!groups && !parens && (is(r, r->at, "=") || is(r, r->at, "+=")) &&
		    p->kind == PART_PROBE) {
			p->kind = PART_ALIAS;
			p->name_word = p->head;
			p->head_end = r->at;
		}
		if (!is(r, r->at, "{"))
			continue;
		if (!opens_group(r) || groups < 0)
			break;
		groups++;
	}
}

static void read_probe(struct reader *r, part_vec *out, size_t first)
{
	struct part p = {.kind = PART_PROBE, .first = first, .head = r->at, .name_word = r->at};

	read_points(r, &p);
	if (p.kind == PART_PROBE)
		p.head_end = r->at;
	else
		p.head = p.head_end + 1, p.head_end = r->at;
	if (is(r, r->at, "{")) {
		r->at++;
		read_block(r, &p);
	}
	if (p.closed && p.kind == PART_ALIAS && is(r, r->at, ",") && is(r, r->at + 1, "{")) {
		r->at += 2;
		read_block(r, &p);
	}
	p.last = r->at;
	vec_push(out, p);
}

/* (a:long, b) */
static void read_params(struct reader *r, struct part *p)
{
	p->head = r->at;
	if (!is(r, r->at, "("))
		return;
	for (r->at++; r->at < r->words->n && !is(r, r->at, ")") && !is(r, r->at, "{") &&
		      !begins(r, r->at, false);
	     r->at++)
		if (r->words->v[r->at].kind == WORD_NAME && !is(r, r->at - 1, ":"))
			vec_push(&p->params, r->words->v[r->at].text);
	r->at += is(r, r->at, ")");
	p->head_end = r->at;
}

static void read_function(struct reader *r, part_vec *out, size_t first)
{
	struct part p = {.kind = PART_FUNCTION, .first = first, .name_word = r->at, .name = ""};

	if (r->at < r->words->n && r->words->v[r->at].kind == WORD_NAME)
		p.name = r->words->v[r->at++].text;
	if (is(r, r->at, ":"))
		r->at += 2;
	p.head_end = r->at;
	read_params(r, &p);
	if (is(r, r->at, ":")) /* its priority */
		r->at += 2;
	if (is(r, r->at, "{")) {
		r->at++;
		read_block(r, &p);
	} else if (r->at < r->words->n && r->words->v[r->at].kind == WORD_C) {
		r->at++;
	}
	p.last = r->at < r->words->n ? r->at : r->words->n;
	vec_push(out, p);
}

static void read_globals(struct reader *r, part_vec *out, size_t first)
{
	bool name = true;

	for (; r->at < r->words->n && !begins(r, r->at, false) && !is(r, r->at, ";"); r->at++) {
		const struct lexeme *w = &r->words->v[r->at];

		if (w->kind == WORD_NAME && name)
			vec_push(out, ((struct part){.kind = PART_GLOBAL,
						     .name = w->text,
						     .name_word = r->at,
						     .first = first,
						     .head = r->at,
						     .head_end = r->at}));
		else if (w->kind == WORD_NAME && !is(r, r->at - 1, ":"))
			return;
		name = is(r, r->at, ",");
		if (out->n)
			out->v[out->n - 1].last = r->at + 1;
	}
}

static void read_macro(struct reader *r, part_vec *out, size_t first)
{
	struct part p = {.kind = PART_MACRO, .first = first, .name_word = r->at, .name = ""};
	size_t depth = 0;

	if (r->at < r->words->n && r->words->v[r->at].kind == WORD_NAME)
		p.name = xprintf("@%s", r->words->v[r->at++].text);
	p.head_end = r->at;
	read_params(r, &p);
	if (is(r, r->at, "%(")) {
		p.has_body = true;
		p.body = ++r->at;
		for (; r->at < r->words->n && !(is(r, r->at, "%)") && !depth); r->at++)
			depth += is(r, r->at, "%("), depth -= is(r, r->at, "%)");
		p.body_end = r->at;
		p.closed = r->at < r->words->n;
		r->at += p.closed;
	}
	p.last = r->at;
	vec_push(out, p);
}

void outline(const lexeme_vec *words, part_vec *out)
{
	struct reader r = {.words = words};

	while (r.at < words->n) {
		size_t first = r.at;

		if (!begins(&r, r.at, false)) {
			r.at++;
			continue;
		}
		if (is(&r, r.at, "private"))
			r.at++;
		if (is(&r, r.at, "probe"))
			r.at++, read_probe(&r, out, first);
		else if (is(&r, r.at, "function"))
			r.at++, read_function(&r, out, first);
		else if (is(&r, r.at, "@define"))
			r.at++, read_macro(&r, out, first);
		else
			r.at += is(&r, r.at, "global"), read_globals(&r, out, first);
	}
}
