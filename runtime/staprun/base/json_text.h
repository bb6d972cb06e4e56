/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing text buffers, lines of text, and JSON strings. */
#ifndef STAPRUN_JSON_TEXT_H
#define STAPRUN_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *s;
	size_t n, cap;
};

/* text_add() appends LEN bytes, text_put() a string, text_print() formatted text of at most 511
 * bytes. The text is on the heap, the owner of T frees t->s; exit if there is no memory. */
void text_add(struct text *t, const char *s, size_t len);
void text_put(struct text *t, const char *s);
void text_print(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Length in bytes of the UTF-8 character at S, by RFC 3629; 0 if it is not valid. */
size_t utf8_length(const unsigned char *s, size_t len);
/* Append S as a JSON string. Bytes that are not valid UTF-8 become U+FFFD; returns false then. */
bool json_string(struct text *t, const char *s, size_t len);
/* Append `,"NAME":"..."', and `,"NAME_base64":"..."' if S is not valid UTF-8. */
void json_member(struct text *t, const char *name, const char *s, size_t len);
/* Append LEN bytes in base64 (RFC 4648), in quotes. */
void json_base64(struct text *t, const char *s, size_t len);
/* The next line of *LINES, which advances; NULL at the end. */
const char *next_line(const char **lines, size_t *len);

#endif
