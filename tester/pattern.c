/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions as POSIX has them (extended), and of other dialects what they have in common:
 * \d \s \w and their opposites, \m \M \y at the ends of words, (?:...), quantifiers with `?' behind
 * them.
 */
#include "tester.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* In brackets and outside of them. */
static const struct {
	char letter;
	const char *inside, *outside;
} escapes[] = {
	{'d', "0-9", "[0-9]"},
	{'D', NULL, "[^0-9]"},
	{'s', "[:space:]", "[[:space:]]"},
	{'S', NULL, "[^[:space:]]"},
	{'w', "[:alnum:]_", "[[:alnum:]_]"},
	{'W', NULL, "[^[:alnum:]_]"},
	{'m', NULL, "\\<"},
	{'M', NULL, "\\>"},
	{'y', NULL, "\\b"},
	{'t', "\t", "\t"},
};

static const char *escape(char letter, bool inside)
{
	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
		if (escapes[i].letter == letter)
			return inside ? escapes[i].inside : escapes[i].outside;
	return NULL;
}

/* A list in brackets that begins at P; gives what is behind it. */
static const char *translate_list(struct text *t, const char *p)
{
	const char *first = p + 1 + (p[1] == '^');

	text_add(t, p, (size_t)(first - p));
	for (p = first; *p && (*p != ']' || p == first); p++) {
		const char *named = *p == '\\' ? escape(p[1], true) : NULL;
		const char *end = *p == '[' && p[1] == ':' ? strstr(p, ":]") : NULL;

		if (named) {
			text_put(t, named);
			p++;
		} else if (end) {
			text_add(t, p, (size_t)(end - p) + 2);
			p = end + 1;
		} else if (*p == '\\' && p[1]) {
			text_add(t, ++p, 1);
		} else {
			text_add(t, p, 1);
		}
	}
	text_put(t, *p ? "]" : "");
	return *p ? p + 1 : p;
}

static const char *translate_escape(struct text *t, const char *p)
{
	const char *named = escape(p[1], false);

	if (named)
		text_put(t, named);
	else
		text_add(t, p, p[1] ? 2 : 1);
	return p + (p[1] ? 2 : 1);
}

static void translate(struct text *t, const char *p)
{
	text_put(t, "");
	while (*p) {
		if (*p == '[') {
			p = translate_list(t, p);
		} else if (*p == '\\') {
			p = translate_escape(t, p);
		} else if (!strncmp(p, "(?:", 3)) {
			text_put(t, "(");
			p += 3;
		} else if (*p == '{' && !isdigit((unsigned char)p[1])) {
			text_put(t, "\\{");
			p++;
		} else {
			text_add(t, p, 1);
			p += strchr("*+?}", *p) && p[1] == '?' ? 2 : 1;
		}
	}
}

int pattern_matches(const char *re, const char *s)
{
	struct text t = {0};
	regex_t compiled;
	int err;

	translate(&t, re);
	err = regcomp(&compiled, t.s, REG_EXTENDED | REG_NOSUB * !strchr(re, '\\'));
	free(t.s);
	if (err)
		return -1;
	err = regexec(&compiled, s, 0, NULL, 0);
	regfree(&compiled);
	return !err;
}
