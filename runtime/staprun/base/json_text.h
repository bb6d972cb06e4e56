/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that grows, lines of text, and strings of JSON. */
#ifndef STAPRUN_JSON_TEXT_H
#define STAPRUN_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *s;
	size_t n, cap;
};

void text_add(struct text *t, const char *s, size_t len);
void text_put(struct text *t, const char *s);
void text_print(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* How many bytes of S are one character of UTF-8, as RFC 3629 has it; 0: none. */
size_t utf8_length(const unsigned char *s, size_t len);
/* S as a string of JSON.  What is no UTF-8 becomes U+FFFD, and the result is false. */
bool json_string(struct text *t, const char *s, size_t len);
/* `,"NAME":"..."', and if need be `,"NAME_base64":"..."'. */
void json_member(struct text *t, const char *name, const char *s, size_t len);
void json_base64(struct text *t, const char *s, size_t len);
/* The next line of *LINES, which moves on; NULL at the end. */
const char *next_line(const char **lines, size_t *len);

#endif
