/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins on strings: searching, replacing, and escaping. */
#include "pretty/pretty.h"
#include "utf8_char.h"

ust_long ust_strpos(struct ust_ctx *c, const char *s, const char *sub)
{
	const char *p = string_find(c, s, sub);

	return p ? p - s : -1;
}

ust_long ust_stringat(struct ust_ctx *c, const char *s, ust_long pos)
{
	if (pos >= 0 && pos < (ust_long)strlen(s))
		return (unsigned char)s[pos];
	ctx_fail(c, "Position out of bounds");
	return 0;
}

/* An empty FROM never matches. */
const char *ust_str_replace(struct ust_ctx *c, char *dst, const char *s, const char *from,
			    const char *to)
{
	u32 len = (u32)strlen(from), with = (u32)strlen(to);
	const char *at = len ? string_find(c, s, from) : NULL;
	struct ust_out o;

	ust_out_string(&o, dst);
	for (; at && ctx_work(c, with); s = at + len, at = string_find(c, s, from)) {
		ust_put(&o, s, (u32)(at - s));
		ust_put(&o, to, with);
	}
	ust_put_s(&o, s);
	ust_out_finish(&o);
	return dst;
}

u32 string_escape_char(char *text, unsigned char ch)
{
	static const char special[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";
	u32 i;

	text[0] = '\\';
	for (i = 0; special[i]; i++)
		if (ch == (unsigned char)special[i]) {
			text[1] = letters[i];
			return 2;
		}
	if (ch >= 32 && ch < 127) {
		text[0] = (char)ch;
		return 1;
	}
	text[1] = (char)('0' + (ch >> 6));
	text[2] = (char)('0' + (ch >> 3 & 7));
	text[3] = (char)('0' + (ch & 7));
	return 4;
}

/* The code of the character of several bytes at S, whose number is *SIZE; 0 if the bytes are not
 * valid UTF-8. */
static u32 decode_utf8(const unsigned char *s, u32 left, u32 *size)
{
	u32 code, i;

	*size = utf8_size(s[0]);
	if (*size < 2 || *size > left)
		return 0;
	code = utf8_first(s[0], *size);
	for (i = 1; i < *size; i++) {
		if (!utf8_continues(s[i]))
			return 0;
		code = utf8_next(code, s[i]);
	}
	return utf8_is_valid(code, *size) ? code : 0;
}

u32 string_escape(char *text, const unsigned char *s, u32 left, u32 *used)
{
	u32 size, code = decode_utf8(s, left, &size), digits = code > 0xffff ? 8 : 4, i;

	*used = code ? size : 1;
	if (!code)
		return string_escape_char(text, s[0]);
	text[0] = '\\';
	text[1] = digits == 8 ? 'U' : 'u';
	for (i = 0; i < digits; i++)
		text[2 + i] = "0123456789ABCDEF"[code >> 4 * (digits - 1 - i) & 15];
	return 2 + digits;
}

u32 string_encode_utf8(char *text, u32 code)
{
	u32 n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, i;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (i = n; i > 1; code >>= 6)
		text[--i] = (char)(0x80 | (code & 63));
	text[0] = (char)(lead[n] | code);
	return n;
}

/* Escape S into DST, at most MAX characters (0: as many as a string holds). Quoted text counts its
 * quotes, and the "..." after them if it was cut; it needs at least five characters, as in
 * SystemTap. */
const char *ust_text_strn(struct ust_ctx *c, char *dst, const char *s, ust_long max,
			  ust_long quoted)
{
	enum { QUOTES = 2, DOTS = 3 };
	bool limited = max > 0 && max < (ust_long)string_size;
	u32 at = 0, room = limited ? (u32)max : string_size - 1, whole = 0, n, used;
	u32 left = strlen(s);
	char text[STRING_ESCAPED];

	ctx_work(c, 4ull * left);
	if (quoted) {
		room = room < QUOTES + DOTS ? DOTS : room - QUOTES;
		dst[at++] = '"';
		whole = at;
	}
	for (; *s; s += used, left -= used, at += n, room -= n) {
		n = string_escape(text, (const unsigned char *)s, left, &used);
		if (n > room)
			break;
		memcpy(dst + at, text, n);
		if (room - n >= DOTS)
			whole = at + n; /* the text up to here leaves room for the dots */
	}
	if (quoted && *s)
		at = whole;
	if (quoted)
		dst[at++] = '"';
	for (n = 0; quoted && *s && n < DOTS; n++)
		dst[at++] = '.';
	dst[at] = 0;
	if (unlikely(*s) && !limited)
		port_string_cut();
	return dst;
}

const char *ust_text_str(struct ust_ctx *c, char *dst, const char *s)
{
	return ust_text_strn(c, dst, s, 0, 0);
}
const char *ust_string_quoted(struct ust_ctx *c, char *dst, const char *s)
{
	return ust_text_strn(c, dst, s, 0, 1);
}
