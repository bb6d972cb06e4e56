/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preprocessor between scanner and parser: preproc.c, macro.c, condition.c. To be included after
 * gram.h.
 */
#ifndef PREPROC_H
#define PREPROC_H

#include "parse/parse.h"

/* Tokens of the scanner that the parser never sees. */
enum {
	T_AT = 1000,   /* @name: a macro, one of its parameters, or an operator */
	T_NO_ARGUMENT, /* $1 or @1 in a macro, where the script was given no such argument */
	T_BADNUM,      /* 64bit: fits only into a probe point, after a wildcard */
	T_OPEN,
	T_THEN,
	T_ELSE,
	T_CLOSE /* %( %? %: %) */
};

struct token {
	int kind;
	struct loc loc;
	USTAP_YYSTYPE val;
};

/* Tokens, and the call of the macro whose body they are from; NULL: none. */
struct slice {
	const struct token *v;
	size_t n;
	const struct call *call;
};

struct macro {
	const char *name;         /* with its @ */
	struct loc loc;           /* of the name in its definition */
	VEC(const char *) params; /* with their @ */
	VEC(struct token) body;
};

/* One expansion of a macro. */
struct call {
	const struct macro *macro;
	const struct call *up;    /* whose body the call stands in */
	const struct source *src; /* the macro's source as it is seen in this expansion */
	struct slice *args;
	unsigned depth;
};

/* Inputs that are read instead of the source; the innermost last. */
struct reader {
	struct slice s;
	size_t i;
};

struct condition {
	struct loc loc;
	bool in_else;
}; /* an open %( */

struct preproc {
	VEC(struct reader) readers;
	VEC(struct condition) open;
	struct smap macros; /* of this source */
	size_t expanded;    /* tokens that macros gave so far */
	struct token ahead; /* read too far, if has_ahead */
	bool has_ahead;
};

/* lex.l: the next token of SCANNER, before preprocessing, with its value and location; USTAP_YYEOF
 * at the end, USTAP_YYerror after an error was reported. */
int lex_raw(USTAP_YYSTYPE *val, struct loc *loc, void *scanner);
int lex_keyword(const char *text, USTAP_YYSTYPE *val); /* or IDENT */
/* Report that the script argument TEXT ($1x, @1) at LOC was not given. */
void lex_report_argument(struct parser *p, const char *text, struct loc loc);
void lex_words(name_vec *keywords, name_vec *operators); /* all that there are */
/* True if TEXT, a word with @, is an operator such as @count, also one that is not supported yet;
 * else it is a macro. */
bool lex_is_operator(const char *text);
/* The token of the @-operator TEXT, with its number in val->count; YYerror after an error was
 * reported at LOC, once in a declaration. */
int lex_operator(struct parser *p, const char *text, struct loc loc, USTAP_YYSTYPE *val);

/* preproc.c: as the parser calls it */
int ustap_yylex(USTAP_YYSTYPE *val, struct loc *loc, void *scanner);

/* macro.c: the next token, not expanded, and the call whose body it is from. */
const struct call *macro_fetch(struct parser *p, struct token *t);
/* The next token after definitions are removed and macros expanded. */
void macro_next(struct parser *p, struct token *t);

/* condition.c: read the condition of a %( up to its %?, and say whether it
 * holds.  After an error it does not, and is reported. */
bool condition_read(struct parser *p);

/* Report once in a declaration. */
void pp_error(struct parser *p, enum errtag tag, struct loc loc, const char *fmt, ...) PRINTF(4, 5);

#endif
