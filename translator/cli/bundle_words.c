/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of `ustap bundle': options that the bundle itself consumes, apart from those that each
 * compile gets. The rows of options decide which words are values of options.
 */
#include <string.h>
#include "bundle.h"

/* The row of the long option WORD ("--name" or "--name=value"), also if NAME is abbreviated. */
static const struct option_row *long_row(const char *word)
{
	size_t n = strcspn(word + 2, "=");
	const struct option_row *found = NULL;

	for (size_t i = 0; i < option_count; i++) {
		const char *name = option_rows[i].name;

		if (!name || strncmp(name, word + 2, n))
			continue;
		if (!name[n])
			return &option_rows[i];
		found = &option_rows[i];
	}
	return found;
}

static const struct option_row *short_row(char letter)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].letter == letter)
			return &option_rows[i];
	return NULL;
}

/* The option that WORD ends with, and its *VALUE in the word; NULL if it is another word. Letters
 * before it in the same word are options without a value. */
static const struct option_row *option_of(const char *word, const char **value)
{
	const struct option_row *row = NULL;

	*value = NULL;
	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-') {
		row = long_row(word);
		*value = strchr(word, '=') ? strchr(word, '=') + 1 : NULL;
		return row;
	}
	for (const char *p = word + 1; *p; p++) {
		row = short_row(*p);
		if (row && row->value == VALUE) {
			*value = p[1] ? p + 1 : NULL;
			break;
		}
	}
	return row;
}

/* Consume the option ROW with this VALUE; false: it belongs to each compile. */
static bool consume(struct bundle_words *w, const struct option_row *row, const char *value)
{
	if (row->letter == 'o')
		w->output = value;
	else if (row->name && !strcmp(row->name, "sign"))
		w->key = value;
	else if (row->letter == 'r')
		vec_push(&w->releases, value);
	else if (row->name && !strcmp(row->name, "sysroot"))
		vec_push(&w->roots, value);
	else if (row->name && !strcmp(row->name, "runtime"))
		vec_push(&w->runtime, value);
	else
		return false;
	return true;
}

void bundle_words_sort(struct bundle_words *w, int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--"); i++) {
		const char *value;
		const struct option_row *row = option_of(argv[i], &value);
		bool next = row && row->value == VALUE && !value && i + 1 < argc;

		if (row && row->value == VALUE && (value || next) &&
		    consume(w, row, next ? argv[i + 1] : value)) {
			i += next;
			continue;
		}
		vec_push(&w->rest, argv[i]);
		if (next)
			vec_push(&w->rest, argv[++i]);
	}
	for (; i < argc; i++)
		vec_push(&w->rest, argv[i]);
}
