/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -c CMD: splits the command into words without a shell if the shell would only split it, so that
 * the traced process is the program and not a shell.
 */
#include "base/command_words.h"
#include "base/message.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Words that only the shell interprets. */
static const char *const shell_words[] = {
	"!",        ".",        ":",      "alias", "bg",    "break",  "case",     "cd",
	"command",  "continue", "eval",   "exec",  "exit",  "export", "fg",       "for",
	"function", "hash",     "if",     "jobs",  "local", "read",   "readonly", "return",
	"set",      "shift",    "source", "time",  "times", "trap",   "type",     "ulimit",
	"umask",    "unalias",  "unset",  "until", "wait",  "while",  NULL};

/* One word under construction. */
struct text {
	char *s;
	size_t n;
};

static void add(struct text *t, char c)
{
	t->s = xrealloc(t->s, t->n + 2);
	t->s[t->n++] = c;
	t->s[t->n] = 0;
}

/* Returns the position after the closing quote; NULL if a shell is required, or the quote is not
 * closed. */
static const char *single_quoted(const char *p, struct text *t)
{
	for (; *p && *p != '\''; p++)
		add(t, *p);
	return *p ? p + 1 : NULL;
}

static const char *double_quoted(const char *p, struct text *t)
{
	for (; *p && *p != '"'; p++) {
		if (*p == '$' || *p == '`')
			return NULL;
		if (*p == '\\' && p[1] && strchr("$`\"\\", p[1]))
			p++;
		else if (*p == '\\' && p[1] == '\n')
			return NULL;
		add(t, *p);
	}
	return *p ? p + 1 : NULL;
}

/* True for a character with a meaning to the shell at this position. */
static bool special(const char *p, bool word_start, bool first_word)
{
	if (strchr("|&;<>()$`*?[]{}\n", *p))
		return true;
	return (word_start && strchr("#~", *p)) || (first_word && *p == '=');
}

/* Parse one word at P; returns the position after it, NULL if a shell is required. */
static const char *one_word(const char *p, struct text *t, bool first)
{
	const char *start = p;

	while (p && *p && !strchr(" \t", *p)) {
		if (special(p, p == start, first))
			return NULL;
		if (*p == '\'') {
			p = single_quoted(p + 1, t);
		} else if (*p == '"') {
			p = double_quoted(p + 1, t);
		} else {
			if (*p == '\\' && (!*++p || *p == '\n'))
				return NULL;
			add(t, *p++);
		}
	}
	return p;
}

static bool shell_word(const char *word)
{
	for (const char *const *w = shell_words; *w; w++)
		if (!strcmp(*w, word))
			return true;
	return false;
}

void words_push(struct words *w, char *word)
{
	w->v = xrealloc(w->v, (w->n + 2) * sizeof *w->v);
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

void words_free(struct words *w)
{
	while (w->n)
		free(w->v[--w->n]);
	free(w->v);
	w->v = NULL;
}

bool split_command(const char *line, struct words *w)
{
	const char *p = line;

	*w = (struct words){0};
	while (p && *(p += strspn(p, " \t"))) {
		struct text t = {xstrndup("", 0), 0};

		p = one_word(p, &t, !w->n);
		words_push(w, t.s);
	}
	if (p && w->n && *w->v[0] && !shell_word(w->v[0]))
		return true;
	words_free(w);
	return false;
}
