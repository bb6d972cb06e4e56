/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tokens of C text, as the compiler sees them: lines are joined, comments dropped, escapes of
 * literals decoded.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

enum kind { END, WORD, NUMBER, STRING, CHARACTER, MARK, LINE, BROKEN };

/* TEXT is owned by the scanner, and valid until the next token. */
struct scanner {
	const char *p;
	char *text;
	size_t n, cap;
	bool line_start, directive;
};

static void add(struct scanner *s, char ch)
{
	if (s->n + 1 >= s->cap) {
		s->cap = s->cap * 2 + 64;
		s->text = realloc(s->text, s->cap);
		if (!s->text)
			abort();
	}
	s->text[s->n++] = ch;
	s->text[s->n] = 0;
}

/* Skip joined lines. */
static const char *joined(const char *p)
{
	while (p[0] == '\\' && p[1] == '\n')
		p += 2;
	return p;
}

static char peek(struct scanner *s) { return *(s->p = joined(s->p)); }

static char peek_second(struct scanner *s) { return peek(s) ? *joined(s->p + 1) : 0; }

static char take(struct scanner *s)
{
	char ch = peek(s);

	s->p += ch != 0;
	return ch;
}

static bool skip_comment(struct scanner *s)
{
	take(s), take(s);
	while (peek(s) && !(peek(s) == '*' && peek_second(s) == '/'))
		take(s);
	if (!peek(s))
		return false;
	take(s), take(s);
	return true;
}

/* Blanks and comments; 0, LINE at the end of a directive, BROKEN at a comment without end. */
static enum kind skip(struct scanner *s)
{
	for (;;) {
		char ch = peek(s);

		if (ch == '/' && peek_second(s) == '*') {
			if (!skip_comment(s))
				return BROKEN;
		} else if (ch == '/' && peek_second(s) == '/') {
			while (peek(s) && peek(s) != '\n')
				take(s);
		} else if (ch == '\n') {
			take(s);
			s->line_start = true;
			if (s->directive) {
				s->directive = false;
				return LINE;
			}
		} else if (ch && isspace((unsigned char)ch)) {
			take(s);
		} else {
			return END;
		}
	}
}

static int escape(struct scanner *s)
{
	static const char from[] = "ntrabfv", to[] = "\n\t\r\a\b\f\v";
	char ch = take(s);
	const char *at = ch ? strchr(from, ch) : NULL;
	int value = ch - '0';

	if (at)
		return to[at - from];
	if (ch < '0' || ch > '7')
		return ch && strchr("\\\"'?", ch) ? ch : -1;
	for (int i = 0; i < 2 && peek(s) >= '0' && peek(s) <= '7'; i++)
		value = value * 8 + take(s) - '0';
	return value & 0xff;
}

static enum kind literal(struct scanner *s, char quote)
{
	take(s);
	while (peek(s) != quote) {
		char ch = take(s);
		int value = ch == '\\' ? escape(s) : (unsigned char)ch;

		if (!ch || ch == '\n' || value < 0)
			return BROKEN;
		add(s, names_letter((char)value));
	}
	take(s);
	/* the name of a stack map depends on its content: the names */
	if (s->n && strstr(s->text, ".incbin"))
		s->n = (size_t)(strstr(s->text, ".incbin") - s->text);
	return quote == '"' ? STRING : CHARACTER;
}

static enum kind next(struct scanner *s)
{
	enum kind kind = skip(s);
	char ch = peek(s);

	s->n = 0;
	add(s, 0);
	s->n = 0;
	if (kind != END)
		return kind;
	if (!ch)
		return END;
	if (ch == '"' || ch == '\'')
		return literal(s, ch);
	kind = isdigit((unsigned char)ch)                ? NUMBER
	       : isalpha((unsigned char)ch) || ch == '_' ? WORD
							 : MARK;
	s->directive |= ch == '#' && s->line_start;
	s->line_start = false;
	do
		add(s, take(s));
	while (kind != MARK && (isalnum((unsigned char)peek(s)) || peek(s) == '_'));
	return kind;
}

bool names_same_tokens(const char *a, const char *b, char *why, size_t max)
{
	struct scanner sa = {.p = a, .line_start = true}, sb = {.p = b, .line_start = true};
	enum kind ka, kb;
	bool same;

	do {
		ka = next(&sa);
		kb = next(&sb);
		same = ka == kb && ka != BROKEN && sa.n == sb.n && !memcmp(sa.text, sb.text, sa.n);
	} while (same && ka != END);
	if (!same)
		snprintf(why, max, "token %d `%.60s' before `%.60s', not %d `%.60s' before `%.60s'",
			 kb, sb.text, sb.p, ka, sa.text, sa.p);
	free(sa.text);
	free(sb.text);
	return same;
}
