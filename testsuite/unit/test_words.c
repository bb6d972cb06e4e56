/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Word tables that editors and shells complete from: options.def, edit/keywords.c. */
#include <stdio.h>
#include <string.h>
#include "edit/edit.h"
#include "cli/options.h"

void lex_words(name_vec *keywords, name_vec *operators);

static int failed;

static void verdict(const char *name, const struct strbuf *bad)
{
	if (bad->n)
		printf("not ok %s:%s\n", name, bad->s);
	else
		printf("ok %s\n", name);
	failed |= bad->n != 0;
}

/* Each option that is supported has words of the right kind. */
static void options_have_words(void)
{
	struct strbuf bad = {0};

	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->how == REFUSED)
			continue;
		if ((row->value == NO_VALUE) != (row->takes == TAKES_NOTHING))
			sb_printf(&bad, " %s takes a value, or not", option_row_name(row));
		else if ((row->takes == TAKES_WORD) != (row->choices != NULL) || !*row->says)
			sb_printf(&bad, " %s is not described", option_row_name(row));
	}
	verdict("options_have_words", &bad);
}

/* The parser takes the first row of a name or letter, so a second one would be unreachable. */
static void options_are_unique(void)
{
	struct strbuf bad = {0};

	for (size_t i = 0; i < option_count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct option_row *a = &option_rows[k], *b = &option_rows[i];

			if ((a->letter && a->letter == b->letter) ||
			    (a->name && b->name && !strcmp(a->name, b->name)))
				sb_printf(&bad, " %s has two rows", option_row_name(b));
		}
	verdict("options_are_unique", &bad);
}

/* The --help line of a row; "" if it belongs to another row. */
static const struct {
	const char *name, letter[2], *choices, *help;
} described[] = {
#define USTAP_OPTION(name, letter, value, how, takes, choices, says, help) \
	{name, {letter}, choices, help},
#define BOTH_OPTION(name, letter, value, how, takes, choices, says, help, ...) \
	{name, {letter}, choices, help},
#include "../../runtime/include/options/options.def"
};

/* The text that has to name the choices of row I: its --help line, or what that refers to. */
static const char *text_of_choices(size_t i)
{
	const char *help = described[i].help, *text = help;

	if (strstr(help, "; --help="))
		text = option_help(described[i].name ? described[i].name : described[i].letter);
	return text ? text : "no description";
}

static void help_has_choices(void)
{
	struct strbuf bad = {0};

	for (size_t i = 0; i < ARRAY_LEN(described); i++) {
		const char *p = described[i].choices;

		for (size_t n; p && *p && *described[i].help; p += n + strspn(p + n, " =")) {
			n = strcspn(p, " =");
			if (!strstr(text_of_choices(i), xstrndup(p, n)))
				sb_printf(&bad, " %.*s is not in: %s", (int)n, p,
					  text_of_choices(i));
		}
	}
	verdict("help_has_choices", &bad);
}

static void keywords_are_the_scanners(void)
{
	name_vec words = {0};
	struct strbuf bad = {0};
	size_t n = 0;

	lex_words(&words, &words);
	for (size_t i = 0; i < words.n; i++)
		if (!keyword_find(words.v[i]))
			sb_printf(&bad, " %s has no row in keywords.c", words.v[i]);
	for (const struct keyword *k = keywords; k->word; k++)
		n += strcmp(k->word, "@define") != 0; /* that the preprocessor takes */
	if (n != words.n)
		sb_printf(&bad, " there are %zu keywords, and %zu rows", words.n, n);
	verdict("keywords_are_the_scanners", &bad);
}

/* Each option has a description, which begins with its name; no roff is left in it. */
static void options_are_described(void)
{
	struct strbuf bad = {0};

	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		const char *name = option_row_name(row), *text = option_help(name);

		if (row->how == REFUSED)
			continue;
		if (!text || !strstr(text, name))
			sb_printf(&bad, " %s has no description", name);
		else if (strstr(text, "\\f") || strstr(text, "\n.") || strchr(text, '\\'))
			sb_printf(&bad, " the description of %s has roff", name);
		if (text && option_help(name + strspn(name, "-")) != text)
			sb_printf(&bad, " %s without dashes differs", name);
	}
	if (option_help("no-such") || option_help("") || option_help("-"))
		sb_printf(&bad, " an unknown option has a description");
	verdict("options_are_described", &bad);
}

int main(void)
{
	options_have_words();
	options_are_unique();
	help_has_choices();
	options_are_described();
	keywords_are_the_scanners();
	arena_free_all();
	return failed;
}
