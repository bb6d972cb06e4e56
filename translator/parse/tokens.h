/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source as the scanner sees it, for what looks at text that need not be right. */
#ifndef USTAP_PARSE_TOKENS_H
#define USTAP_PARSE_TOKENS_H

#include "base/diag.h"

/* MARK: operators, brackets and the like; DOLLAR: a `$` alone; BROKEN: a string without an end, a
 * stray character. */
enum word_kind {
	WORD_NAME,
	WORD_TARGET,
	WORD_DOLLAR,
	WORD_AT,
	WORD_STRING,
	WORD_NUMBER,
	WORD_C,
	WORD_MARK,
	WORD_BROKEN
};
struct lexeme {
	enum word_kind kind;
	struct loc loc;
	const char *text;
};
typedef VEC(struct lexeme) lexeme_vec;
/* Append all words of SRC to OUT, without preprocessing, comments or messages. Nothing if it is
 * larger than 2 GB. */
void source_lexemes(const struct source *src, lexeme_vec *out);

#endif
