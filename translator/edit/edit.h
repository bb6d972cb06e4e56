/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries of editors and shells about a text that is being typed: completion, hover, outline.
 * Memory is the arena.
 *
 *   shell -> complete -> complete_point;  complete, describe -> {analyse, catalogue, symbol_at} ->
 * view
 * -> outline
 */
#ifndef EDIT_H
#define EDIT_H

#include "passes.h"
#include "parse/tokens.h"

/* --------------------------------------------------------------- outline.c */

enum part_kind { PART_PROBE, PART_ALIAS, PART_FUNCTION, PART_GLOBAL, PART_MACRO };

/* A declaration as far as it can be made out; words [first, last) of the document. */
struct part {
	enum part_kind kind;
	const char *name; /* of probes their points */
	size_t name_word;
	size_t first, last;
	size_t head, head_end; /* points of a probe or alias, parameters of others */
	size_t body, body_end; /* between the braces; equal if there is no body */
	bool has_body, closed;
	name_vec params;
};
typedef VEC(struct part) part_vec;
/* Append the declarations of the document WORDS to OUT, in order. Tolerates syntax errors: words
 * that no declaration begins with are skipped, a missing '}' ends at the next declaration. */
void outline(const lexeme_vec *words, part_vec *out);

/* ------------------------------------------------------------------ view.c */

struct view {
	const struct session *base; /* options of the command line */
	struct source *src;         /* its name: the file's path */
	lexeme_vec words;
	part_vec parts;
	bool snippets;      /* completions may have $1 where the cursor shall be */
	struct server *srv; /* lsp/ only */
	const struct document *doc;
};
/* Set up V for the document TEXT of LEN bytes, text[len] == 0, whose path is NAME; both must
 * outlive V. Not parsed yet; see view_analyse(). */
void view_make(struct view *v, const struct session *base, const char *name, const char *text,
	       size_t len);
/* the word that holds, or ends at, byte AT; words.n: none */
size_t view_word_at(const struct view *v, size_t at);
size_t view_word_after(const struct view *v, size_t at); /* the first that ends behind byte AT */
const struct part *view_part_at(const struct view *v, size_t at); /* NULL: none */
/* True if byte AT is inside a comment or at its end. */
bool view_in_comment(const struct view *v, size_t at);
bool view_word_is(const struct view *v, size_t word, const char *text); /* false beyond the ends,
									   too */
bool part_contains(const struct part *p, size_t word);                  /* in its head or body */
/* The text of the words [FIRST, LAST). */
const char *words_text(const struct view *v, size_t first, size_t last);

struct loc loc_of_use(struct loc loc); /* where a macro was used that LOC stands in */

/* --------------------------------------------------------------- analyse.c */

struct analysis {
	struct session s;
	const struct source *src;
	message_vec messages;
	bool broken;   /* some of it is left out, */
	size_t parsed; /* of which the first so many messages do not suffer */
};
/* Passes up to the one called LAST on TEXT (NULL: what the document holds). */
enum { ANALYSE_ALL_FUNCTIONS = 1, ANALYSE_LIST = 2, ANALYSE_VARIABLES = 6 };
/* As a compile that ends after that pass: results, messages and errors are in *A. FLAGS: of the
 * enum above. Prints nothing. */
void view_analyse(const struct view *v, const char *text, unsigned flags, const char *last,
		  struct analysis *a);
/* The document without its probes, but with `probe POINTS { BODY }' behind it. */
const char *text_with_probe(const struct view *v, const char *points, const char *body);
/* The points of the probe or alias P that it is probed by; NULL while it has no probe points. */
const char *part_points(const struct view *v, const struct part *p);

/* ------------------------------------------------------------- catalogue.c */

/* A name that scripts can use: of the tapset library, or builtin. */
struct entry {
	char kind;                /* f function, m macro, a alias, g global */
	const char *name;         /* of macros with their @ */
	const char *head;         /* as it is declared */
	const char *doc;          /* the comment above it, or "" */
	const struct source *src; /* NULL: it is built in */
	uint32_t at;              /* where its name stands */
};
typedef VEC(struct entry) entry_vec;
/* Declarations of the tapset library and builtins from doc/built_in.txt, without those of the
 * document V itself. Read once a process, in the arena. */
const entry_vec *catalogue(const struct view *v);
/* The comment right above the line of byte AT. */
const char *comment_find(const char *text, size_t at);

/* -------------------------------------------------------------- keywords.c */

struct keyword {
	const char *word, *form, *doc;
};
/* The row of the keyword WORD; NULL if it is not one. */
const struct keyword *keyword_find(const char *word);
extern const struct keyword keywords[]; /* one without a word at the end */

/* ----------------------------------------------------------------- symbol_at.c */

enum symbol_use_kind {
	SYMBOL_USE_NONE,
	SYMBOL_USE_KEYWORD,
	SYMBOL_USE_FUNCTION,
	SYMBOL_USE_GLOBAL,
	SYMBOL_USE_LOCAL,
	SYMBOL_USE_MACRO,
	SYMBOL_USE_TARGET,
	SYMBOL_USE_MEMBER,
	SYMBOL_USE_POINT
};

/* Meaning of a word: its kind and its declaration. */
struct symbol_use {
	enum symbol_use_kind kind;
	const char *name;
	size_t word;
	const struct part *part; /* that it stands in; of a LOCAL, whose it is */
};
/* Resolve the identifier at word number WORD of V, symbol_at() at byte AT, to what it names. .kind
 * is 0 if the word is not an identifier or unknown in its context. */
struct symbol_use symbol_of_word(const struct view *v, size_t word);
struct symbol_use symbol_at(const struct view *v, size_t at);
/* True if A and B are uses of the same declaration; locals and target variables are the same only
 * within one probe or function. Unknown symbols are never the same. */
bool symbol_same(const struct symbol_use *a, const struct symbol_use *b);
/* The first declaration of a global, function or macro NAME in the document; NULL. */
const struct part *part_named(const struct view *v, enum part_kind kind, const char *name);
/* Is WORD the name in a declaration, not a use? */
bool word_is_declaration(const struct view *v, const struct symbol_use *t);
/* The words of a target expression that ends with word LAST, "$a->b[1]": its first one. */
size_t target_begin(const struct view *v, size_t last);
/* The point that word W is in, as its own words [*FIRST, *LAST). */
void point_around(const struct view *v, const struct part *p, size_t w, size_t *first,
		  size_t *last);

/* -------------------------------------------------------------- describe.c */

/* The first line of the function P: with types if the analysis A inferred them, else as it is
 * written. In the arena. */
const char *function_head(const struct view *v, const struct analysis *a, const struct part *p);
/* A global or local with its type. */
const char *variable_text(const struct view *v, const struct analysis *a,
			  const struct symbol_use *t);

/* -------------------------------------------------------------- complete.c */

/* LSP's numbers of kinds. */
enum {
	OFFER_FUNCTION = 3,
	OFFER_FIELD = 5,
	OFFER_VARIABLE = 6,
	OFFER_MODULE = 9,
	OFFER_KEYWORD = 14,
	OFFER_FILE = 17,
	OFFER_FOLDER = 19,
	OFFER_EVENT = 23,
	OFFER_OPERATOR = 24
};

/* A completion at the cursor. */
struct offer {
	int kind;
	const char *label, *insert; /* insert: NULL: the label */
	const char *detail, *doc;   /* may be NULL */
	bool snippet;               /* `insert` has $1 */
};
struct completion {
	struct view *v;
	size_t at;       /* the cursor */
	size_t from, to; /* the bytes that the completion replaces */
	bool more;       /* there is more than is offered */
	void (*add)(struct completion *c, const struct offer *o);
	void *arg;
};
/* Pass one item to c->add(); KIND is a CompletionItemKind of LSP. Texts are not copied; DETAIL and
 * DOC may be NULL. */
void completion_add(struct completion *c, int kind, const char *label, const char *detail,
		    const char *doc);
void complete(struct completion *c); /* at c->at */
/* complete_point.c: at the cursor in the points of P; false: in a condition. */
bool complete_point(struct completion *c, const struct part *p);

#endif
