/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Index: what a library file may define, from its words alone.
 *
 * Both branches of conditionals are looked at, so that the result is good for
 * every kernel.  Private names are left out: no other file can mean them.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include "parse/tapset.h"
#include "base/util.h"

struct reader {
	const char *beg, *p, *end;
	struct strbuf out;
};

static bool is_word(int c) { return isalnum(c) || c == '_' || c == '$'; }

static bool at(const struct reader *r, const char *s)
{
	size_t n = strlen(s);

	return (size_t)(r->end - r->p) >= n && !memcmp(r->p, s, n);
}

static void skip_to(struct reader *r, const char *s)
{
	const char *found = memmem(r->p, (size_t)(r->end - r->p), s, strlen(s));

	r->p = found ? found + strlen(s) : r->end;
}

static void skip_string(struct reader *r)
{
	for (r->p++; r->p < r->end && *r->p != '"' && *r->p != '\n'; r->p++)
		if (*r->p == '\\' && r->p + 1 < r->end)
			r->p++;
	r->p += r->p < r->end;
}

/* Past blanks, comments, strings and C code. */
static void skip_blanks(struct reader *r)
{
	while (r->p < r->end) {
		if (at(r, "//") || (*r->p == '#' && (r->p == r->beg || !strchr("$@", r->p[-1]))))
			skip_to(r, "\n");
		else if (at(r, "/*"))
			skip_to(r, "*/");
		else if (isspace((unsigned char)*r->p))
			r->p++;
		else
			return;
	}
}

/* The next word after blanks into OUT; false if there is something else. */
static bool next_word(struct reader *r, struct strbuf *out)
{
	const char *beg;

	skip_blanks(r);
	for (beg = r->p; r->p < r->end && is_word((unsigned char)*r->p);)
		r->p++;
	*out = (struct strbuf){0};
	sb_addn(out, beg, (size_t)(r->p - beg));
	return r->p > beg;
}

static bool next_is(struct reader *r, char c)
{
	skip_blanks(r);
	return r->p < r->end && *r->p == c;
}

/* a, b[5] = "x", c%: tokens other than names are skipped. */
static void read_globals(struct reader *r)
{
	struct strbuf name;

	while (next_word(r, &name)) {
		sb_printf(&r->out, "g %s\n", name.s);
		while (!next_is(r, ',') && r->p < r->end) {
			if (*r->p == '"')
				skip_string(r);
			else if (strchr("[]%=-+0123456789", *r->p))
				next_word(r, &name) ? (void)0 : (void)r->p++;
			else
				return;
		}
		r->p++;
	}
}

/* name.name = or +=; the path of an alias, or of points, which are left alone. */
static void read_alias(struct reader *r)
{
	struct strbuf path = {0}, word;

	while (next_word(r, &word)) {
		sb_add(&path, word.s);
		if (!next_is(r, '.'))
			break;
		sb_add(&path, ".");
		r->p++;
	}
	skip_blanks(r);
	if (path.n && (at(r, "=") || at(r, "+=")))
		sb_printf(&r->out, "a %s\n", path.s);
	else if (at(r, "@") || at(r, "%("))
		sb_add(&r->out, "a *\n"); /* only the parser can tell */
}

/* A word that may begin a declaration */
static void read_word(struct reader *r)
{
	struct strbuf word, name;
	bool private = false;

	while (next_word(r, &word) && !strcmp(word.s, "private"))
	private = true;
	if (!strcmp(word.s, "function") && next_word(r, &name) && !private) {
		sb_printf(&r->out, "f %s\n", name.s);
	} else if (!strcmp(word.s, "global") && !private) {
		read_globals(r);
	} else if (!strcmp(word.s, "summary") && next_is(r, '"') && !strstr(r->out.s, "s *\n")) {
		sb_add(&r->out, "s *\n");
	} else if (!strcmp(word.s, "probe")) {
		read_alias(r);
	}
}

static void read_at(struct reader *r, bool macros)
{
	struct strbuf word, name;

	r->p++;
	if (next_word(r, &word) && macros && !strcmp(word.s, "define") && next_word(r, &name))
		sb_printf(&r->out, "m @%s\n", name.s);
}

const char *file_definitions(const char *path, bool macros)
{
	struct reader r = {0};
	size_t len = 0;
	char *text = read_file(path, &len);

	if (!text)
		return "";
	r.beg = r.p = text;
	r.end = text + len;
	sb_add(&r.out, "");
	for (skip_blanks(&r); r.p < r.end; skip_blanks(&r)) {
		if (*r.p == '"')
			skip_string(&r);
		else if (at(&r, "%{"))
			skip_to(&r, "%}");
		else if (*r.p == '@')
			read_at(&r, macros);
		else if (is_word((unsigned char)*r.p))
			read_word(&r);
		else
			r.p++;
	}
	return r.out.s;
}
