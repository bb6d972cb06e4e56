/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tokens: a source as the scanner sees it, for users of text that may be incorrect, such as the
 * language server. Nothing is reported, no macro is expanded, and script arguments leave
 * nothing.
 */
#include <string.h>
#include "parse/parse.h"
#include "parse/gram.h"
#include "parse/preproc.h"
#include "parse/tokens.h"

/* The scanner's interface, as flex makes it. */
typedef void *yyscan_t;
int ustap_yylex_init_extra(struct parser *extra, yyscan_t *scanner);
struct yy_buffer_state *ustap_yy_scan_bytes(const char *bytes, int len, yyscan_t scanner);
int ustap_yylex_destroy(yyscan_t scanner);

static enum word_kind kind_of(int token)
{
	switch (token) {
	case IDENT:
		return WORD_NAME;
	case TARGET:
		return WORD_TARGET;
	case PRETTY:
		return WORD_DOLLAR;
	case T_AT:
		return WORD_AT;
	case STR:
		return WORD_STRING;
	case NUM:
	case DECIMAL:
		return WORD_NUMBER;
	case EMBEDDED:
		return WORD_C;
	case USTAP_YYerror:
	case T_NO_ARGUMENT:
	case T_BADNUM:
		return WORD_BROKEN;
	default:
		return WORD_MARK;
	}
}

void source_lexemes(const struct source *src, lexeme_vec *out)
{
	struct session nothing = {0};
	struct preproc pp = {0};
	struct parser p = {
		.s = &nothing, .script = &nothing.script, .src = src, .pp = &pp, .skipping = true};
	USTAP_YYSTYPE val;
	struct loc loc;
	int token;

	if (src->len > INT32_MAX || ustap_yylex_init_extra(&p, &p.scanner))
		return;
	ustap_yy_scan_bytes(src->text, (int)src->len, p.scanner);
	while ((token = lex_raw(&val, &loc, p.scanner)) != USTAP_YYEOF) {
		if (loc.end > src->len)
			loc.end = (uint32_t)src->len;
		vec_push(out, ((struct lexeme){
				      .kind = kind_of(token),
				      .loc = loc,
				      .text = xstrndup(src->text + loc.beg, loc.end - loc.beg)}));
	}
	ustap_yylex_destroy(p.scanner);
}
