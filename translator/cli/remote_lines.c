/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a host's output. A host may send anything: an endless line is cut, and its rest is
 * counted, so the memory of a host is bounded; on a terminal control characters have no effect.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "remote.h"

/* Make room for more; the text stays shorter than LONGEST_LINE. */
static bool grow(struct remote_lines *l)
{
	enum { FIRST = 16 << 10 };
	size_t cap = l->cap ? 2 * l->cap : FIRST;
	char *text;

	if (l->n < l->cap)
		return true;
	text = realloc(l->text, cap);
	if (!text)
		return false;
	l->text = text;
	l->cap = cap;
	return true;
}

/* Take the complete lines; keep the rest. */
static void split(struct remote_lines *l, void (*take)(void *arg, const char *line, size_t n),
		  void *arg)
{
	char *at = l->text, *end = l->text + l->n, *newline;

	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		if (l->skips) {
			l->dropped_bytes += (uint64_t)(newline - at);
		} else {
			take(arg, at, (size_t)(newline - at));
		}
		l->skips = false;
		at = newline + 1;
	}
	l->n = (size_t)(end - at);
	if (l->skips) {
		l->dropped_bytes += l->n;
		l->n = 0;
	} else if (l->n >= LONGEST_LINE) {
		take(arg, at, l->n);
		l->skips = true;
		l->n = 0;
	}
	memmove(l->text, at, l->n);
}

bool remote_lines_read(struct remote_lines *l, int fd,
		       void (*take)(void *arg, const char *line, size_t n), void *arg)
{
	ssize_t n;

	if (!grow(l))
		return false;
	n = read(fd, l->text + l->n, l->cap - l->n);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	l->n += (size_t)n;
	split(l, take, arg);
	return true;
}

void remote_lines_end(struct remote_lines *l, bool whole,
		      void (*take)(void *arg, const char *line, size_t n), void *arg)
{
	if (l->n && whole) {
		take(arg, l->text, l->n);
	} else {
		l->dropped_bytes += l->n;
	}
	free(l->text);
	l->text = NULL;
	l->n = l->cap = 0;
}

/* C0 but tabs, DEL, and C1 in UTF-8 (C2 80 to C2 9F) or as a single byte of other encodings. */
static bool is_control(const char *text, size_t i, size_t n)
{
	unsigned char c = (unsigned char)text[i];

	if ((c < 0x20 && c != '\t') || c == 0x7f)
		return true;
	if (c == 0xc2)
		return i + 1 < n && (text[i + 1] & 0xe0) == 0x80;
	return c >= 0x80 && c < 0xa0 &&
	       (!i || (unsigned char)text[i - 1] < 0x80 || (unsigned char)text[i - 1] == 0xc2);
}

void remote_line_print(FILE *out, const char *text, size_t n, bool escape)
{
	if (!escape) {
		fwrite(text, 1, n, out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (is_control(text, i, n))
			fprintf(out, "\\x%02x", (unsigned char)text[i]);
		else
			putc(text[i], out);
}
