/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing text buffers, lines of text, and JSON strings. */
#include "base/json_text.h"
#include "base/message.h"
#include "utf8_char.h"

#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_add(struct text *t, const char *s, size_t len)
{
	if (t->cap - t->n <= len) {
		t->cap = 2 * (t->n + len) + 256;
		t->s = xrealloc(t->s, t->cap);
	}
	if (len)
		memcpy(t->s + t->n, s, len);
	t->n += len;
	t->s[t->n] = 0;
}

void text_put(struct text *t, const char *s) { text_add(t, s, strlen(s)); }

void text_print(struct text *t, const char *fmt, ...)
{
	char buf[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	text_add(t, buf, n < (int)sizeof buf ? (size_t)n : sizeof buf - 1);
}

size_t utf8_length(const unsigned char *s, size_t len)
{
	unsigned n = utf8_size(*s), code = utf8_first(*s, n);

	if (n > len)
		return 0;
	for (unsigned i = 1; i < n; i++) {
		if (!utf8_continues(s[i]))
			return 0;
		code = utf8_next(code, s[i]);
	}
	return utf8_is_valid(code, n) ? n : 0;
}

static void put_control(struct text *t, unsigned char ch)
{
	static const char special[] = "\b\f\n\r\t", letters[] = "bfnrt";
	const char *at = ch ? strchr(special, ch) : NULL;

	if (at)
		text_print(t, "\\%c", letters[at - special]);
	else
		text_print(t, "\\u%04x", ch);
}

bool json_string(struct text *t, const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + len;
	bool good = true;
	size_t n;

	text_add(t, "\"", 1);
	for (; p < end; p += n ? n : 1) {
		n = utf8_length(p, (size_t)(end - p));
		if (!n)
			text_put(t, "\\ufffd");
		else if (*p < 0x20 || *p == 0x7f)
			put_control(t, *p);
		else if (*p == '"' || *p == '\\')
			text_print(t, "\\%c", *p);
		else
			text_add(t, (const char *)p, n);
		good &= n > 0;
	}
	text_add(t, "\"", 1);
	return good;
}

void json_base64(struct text *t, const char *s, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)s;

	text_add(t, "\"", 1);
	for (size_t i = 0; i < len; i += 3) {
		unsigned v = (unsigned)p[i] << 16 | (i + 1 < len ? p[i + 1] << 8 : 0) |
			     (i + 2 < len ? p[i + 2] : 0);
		char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
				i + 1 < len ? digits[v >> 6 & 63] : '=',
				i + 2 < len ? digits[v & 63] : '='};

		text_add(t, four, 4);
	}
	text_add(t, "\"", 1);
}

void json_member(struct text *t, const char *name, const char *s, size_t len)
{
	text_print(t, ",\"%s\":", name);
	if (json_string(t, s, len))
		return;
	text_print(t, ",\"%s_base64\":", name);
	json_base64(t, s, len);
}

const char *next_line(const char **lines, size_t *len)
{
	const char *line = *lines;

	if (!line || !*line)
		return NULL;
	*len = strcspn(line, "\n");
	*lines = line + *len + (line[*len] == '\n');
	return line;
}
