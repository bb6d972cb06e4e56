/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C text: the only type that emitted C is written from.
 *
 * Names in debug information, symbol tables, notes, paths and scripts are data.  A `const char *'
 * cannot become C text except through a function below, each of which encodes it: as a literal, a
 * comment, an identifier.  Passing a plain string where C text is expected does not compile, so no
 * caller can forget the encoding.
 */
#ifndef USTAP_CTEXT_H
#define USTAP_CTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ctext_type.h"

struct node;
struct smap;

/* C text from a string literal of the translator's own source; "" makes anything else a syntax
 * error. */
#define C(literal) ((struct ctext){(const struct ctext_chars *)("" literal)})

const char *ctext_chars(struct ctext t); /* the text, to read it; "" if it is empty */
/* True if A and B are the same text. */
bool ctext_same(struct ctext a, struct ctext b);

/* ------------------------------------------------------- strings as C text */

struct ctext c_string(const char *s, size_t len); /* a string literal, with quotes */
struct ctext c_quoted(const char *s);             /* the same of a whole string */
struct ctext c_char(char ch);                     /* a character constant */
/* A comment with its delimiters, on one line. */
struct ctext c_comment(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The identifier PREFIX with S, whose other characters become `_'. */
struct ctext c_identifier(const char *prefix, const char *s);
/* S, which is an identifier: from a table of the translator, or checked by the scanner.  Aborts if
 * it is not. */
struct ctext c_word(const char *s);
struct ctext c_operator(int op);        /* of enum op */
struct ctext c_register(int dwarf_reg); /* of the host; .at is NULL if probes do not save it */
struct ctext c_embedded(const struct node *n); /* the C of an N_EMBEDDED, as the script has it */
/* A definition of SYMBOL as the content of the file PATH behind its first SKIP bytes, as an __asm__
 * of the file's scope. */
struct ctext c_incbin(struct ctext symbol, const char *path, unsigned skip);

/* ------------------------------------------------------------- formatting */

/*
 * ctext(FORMAT, ...) formats C text.  Arguments are integers or struct ctext, which `%s' takes; the
 * compiler refuses strings.  FORMAT is a literal, which emit.h has the compiler check.
 */
#define ctext(...) ctext_format(CTEXT_ARGS(__VA_ARGS__))
/* printf() for pieces that are C already; the macro ctext() has checked the arguments. In the
 * arena. */
struct ctext ctext_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ctext_arg_*() pass an integer as the type that its conversion in FORMAT takes. */
static inline int ctext_arg_bool(_Bool v) { return v; }
static inline int ctext_arg_int(int v) { return v; }
static inline unsigned ctext_arg_uint(unsigned v) { return v; }
static inline long ctext_arg_long(long v) { return v; }
static inline unsigned long ctext_arg_ulong(unsigned long v) { return v; }
static inline long long ctext_arg_llong(long long v) { return v; }
static inline unsigned long long ctext_arg_ullong(unsigned long long v) { return v; }

/* clang-format off: _Generic, and one row a number of arguments */
#define CTEXT_ARG(x)                                   \
	_Generic((x), struct ctext                     \
		 : ctext_chars, _Bool                  \
		 : ctext_arg_bool, int                 \
		 : ctext_arg_int, unsigned char        \
		 : ctext_arg_int, unsigned short       \
		 : ctext_arg_int, unsigned             \
		 : ctext_arg_uint, long                \
		 : ctext_arg_long, unsigned long       \
		 : ctext_arg_ulong, long long          \
		 : ctext_arg_llong, unsigned long long \
		 : ctext_arg_ullong)(x)
#define CTEXT_ARGS_1(f)          f
#define CTEXT_ARGS_2(f, a)       f, CTEXT_ARG(a)
#define CTEXT_ARGS_3(f, a, ...)  CTEXT_ARGS_2(f, a), CTEXT_ARG(__VA_ARGS__)
#define CTEXT_ARGS_4(f, a, ...)  CTEXT_ARGS_2(f, a), CTEXT_REST_3(__VA_ARGS__)
#define CTEXT_ARGS_5(f, a, ...)  CTEXT_ARGS_2(f, a), CTEXT_REST_4(__VA_ARGS__)
#define CTEXT_ARGS_6(f, a, ...)  CTEXT_ARGS_2(f, a), CTEXT_REST_5(__VA_ARGS__)
#define CTEXT_ARGS_7(f, a, ...)  CTEXT_ARGS_2(f, a), CTEXT_REST_6(__VA_ARGS__)
#define CTEXT_ARGS_8(f, a, ...)  CTEXT_ARGS_2(f, a), CTEXT_REST_7(__VA_ARGS__)
#define CTEXT_ARGS_9(f, a, ...)  CTEXT_ARGS_2(f, a), CTEXT_REST_8(__VA_ARGS__)
#define CTEXT_ARGS_10(f, a, ...) CTEXT_ARGS_2(f, a), CTEXT_REST_9(__VA_ARGS__)
#define CTEXT_ARGS_11(f, a, ...) CTEXT_ARGS_2(f, a), CTEXT_REST_10(__VA_ARGS__)
#define CTEXT_ARGS_12(f, a, ...) CTEXT_ARGS_2(f, a), CTEXT_REST_11(__VA_ARGS__)
#define CTEXT_REST_3(a, ...)     CTEXT_ARG(a), CTEXT_ARG(__VA_ARGS__)
#define CTEXT_REST_4(a, ...)     CTEXT_ARG(a), CTEXT_REST_3(__VA_ARGS__)
#define CTEXT_REST_5(a, ...)     CTEXT_ARG(a), CTEXT_REST_4(__VA_ARGS__)
#define CTEXT_REST_6(a, ...)     CTEXT_ARG(a), CTEXT_REST_5(__VA_ARGS__)
#define CTEXT_REST_7(a, ...)     CTEXT_ARG(a), CTEXT_REST_6(__VA_ARGS__)
#define CTEXT_REST_8(a, ...)     CTEXT_ARG(a), CTEXT_REST_7(__VA_ARGS__)
#define CTEXT_REST_9(a, ...)     CTEXT_ARG(a), CTEXT_REST_8(__VA_ARGS__)
#define CTEXT_REST_10(a, ...)    CTEXT_ARG(a), CTEXT_REST_9(__VA_ARGS__)
#define CTEXT_REST_11(a, ...)    CTEXT_ARG(a), CTEXT_REST_10(__VA_ARGS__)
/* clang-format on */
#define CTEXT_PICK(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define CTEXT_ARGS(...)                                                                    \
	CTEXT_PICK(__VA_ARGS__, CTEXT_ARGS_12, CTEXT_ARGS_11, CTEXT_ARGS_10, CTEXT_ARGS_9, \
		   CTEXT_ARGS_8, CTEXT_ARGS_7, CTEXT_ARGS_6, CTEXT_ARGS_5, CTEXT_ARGS_4,   \
		   CTEXT_ARGS_3, CTEXT_ARGS_2, CTEXT_ARGS_1, none)                         \
	(__VA_ARGS__)

/* ---------------------------------------------------------------- buffers */

/* Append T to TO; cbuf_append() appends a copy of FROM. */
void cbuf_add(struct cbuf *to, struct ctext t);
void cbuf_append(struct cbuf *to, const struct cbuf *from);
void cbuf_cut(struct cbuf *b, size_t n);      /* only its first N characters stay */
struct ctext cbuf_text(const struct cbuf *b); /* all of it */
/* N bytes of B from offset FROM on, as a copy in the arena. */
struct ctext cbuf_from(const struct cbuf *b, size_t from, size_t n);
/* the rest of T; .at is NULL if it begins otherwise */
struct ctext ctext_behind(struct ctext t, const char *prefix);
#define cbuf_printf(to, ...) cbuf_add(to, ctext(__VA_ARGS__))

/* C text by name. */
struct ctext ctext_get(const struct smap *m, const char *key); /* .at is NULL if KEY is not in the
								  map */
/* Set m[key]; the text must live as long as M. */
void ctext_put(struct smap *m, const char *key, struct ctext t);

#endif
