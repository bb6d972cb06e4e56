/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What editors and shells are told of options and keywords is what there is: option_words.c,
 * edit/keywords.c. */
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

/* Each option that is not refused has words, and the right kind. */
static void options_have_words(void)
{
	struct strbuf bad = {0};

	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		const struct option_words *w = option_words_of(row);

		if (row->how == REFUSED)
			continue;
		if (!w)
			sb_printf(&bad, " %s has no row in option_words.c", option_row_name(row));
		else if ((row->value == NO_VALUE) != (w->takes == TAKES_NOTHING))
			sb_printf(&bad, " %s takes a value, or not", w->option);
		else if ((w->takes == TAKES_WORD) != (w->choices != NULL) || !*w->says)
			sb_printf(&bad, " %s is not described", w->option);
	}
	verdict("options_have_words", &bad);
}

static bool is_option(const char *name)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].how != REFUSED &&
		    !strcmp(option_row_name(&option_rows[i]), name))
			return true;
	return false;
}

static void words_are_options(void)
{
	struct strbuf bad = {0};

	for (const struct option_words *w = option_words; w->option; w++)
		if (!is_option(w->option))
			sb_printf(&bad, " there is no option %s", w->option);
	verdict("words_are_options", &bad);
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

int main(void)
{
	options_have_words();
	words_are_options();
	keywords_are_the_scanners();
	arena_free_all();
	return failed;
}
