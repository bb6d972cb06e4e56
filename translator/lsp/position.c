/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Position: lines and characters as clients count them, and bytes.  A line ends with LF, CR LF or
 * CR. */
#include <string.h>
#include "lsp.h"

size_t position_next_line(const char *text, size_t len, size_t from)
{
	for (size_t i = from; i < len; i++) {
		if (text[i] == '\n')
			return i + 1;
		if (text[i] == '\r')
			return i + 1 < len && text[i + 1] == '\n' ? i + 2 : i + 1;
	}
	return len;
}

/* Bytes of the character that begins at S; text is valid UTF-8, as JSON is. */
static size_t char_size(const char *s)
{
	unsigned char c = (unsigned char)*s;

	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Length of a character of SIZE bytes of UTF-8 in units of the encoding. */
static int64_t char_units(enum encoding e, size_t size)
{
	if (e == ENCODING_UTF8)
		return (int64_t)size;
	return e == ENCODING_UTF16 && size == 4 ? 2 : 1;
}

static bool at_line_end(const char *text, size_t len, size_t at)
{
	return at >= len || text[at] == '\n' || text[at] == '\r';
}

size_t position_offset(const char *text, size_t len, enum encoding e, int64_t line,
		       int64_t character)
{
	size_t at = 0, size;

	for (; line > 0; line--) {
		size_t next = position_next_line(text, len, at);

		if (next == len && (next == at || (text[len - 1] != '\n' && text[len - 1] != '\r')))
			return len;
		at = next;
	}
	for (; character > 0 && !at_line_end(text, len, at); at += size) {
		size = char_size(text + at);
		character -= char_units(e, size);
		if (character < 0)
			break; /* the middle of a character is its beginning */
	}
	return at < len ? at : len;
}

int64_t position_character(const char *text, enum encoding e, size_t line, size_t at)
{
	int64_t units = 0;

	for (size_t i = line; i < at;) {
		size_t size = char_size(text + i);

		units += char_units(e, size);
		i += size;
	}
	return units;
}
