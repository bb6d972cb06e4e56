/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings of the script: NUL-terminated, at most string_size - 1 bytes. A longer one is cut, and
 * counted, so that staprun can report it. Cutting to a limit that the script gives is not counted.
 */
#include "common.h"

void ust_strcpy(char *dst, const char *src)
{
	u32 n = 0, last = string_size - 1;

	if (dst == src)
		return;
	while (n < last && src[n]) {
		dst[n] = src[n];
		n++;
	}
	if (unlikely(src[n]))
		port_string_cut();
	dst[n] = 0;
}

void ust_strcat(char *dst, const char *src)
{
	u32 at = strlen(dst), last = string_size - 1, n = 0;
	/* `s .= s` must end where s ended before */
	u32 room = at < last ? last - at : 0, len = strlen(src);

	if (len <= room)
		room = len;
	else
		port_string_cut();
	for (; n < room; n++)
		dst[at + n] = src[n];
	dst[at + n] = 0;
}

void string_check_full(struct ust_ctx *c, u64 end)
{
	u64 next;

	if (port_read(c, end, 1, &next) && next)
		port_string_cut();
}

int ust_strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

ust_long ust_strlen(struct ust_ctx *c, const char *s)
{
	(void)c;
	return (ust_long)strlen(s);
}

const char *ust_substr(struct ust_ctx *c, char *dst, const char *s, ust_long start, ust_long length)
{
	ust_long n = (ust_long)strlen(s);

	(void)c;
	if (start < 0 || start >= n || length <= 0) {
		dst[0] = 0;
		return dst;
	}
	if (length > n - start)
		length = n - start;
	if (length > (ust_long)string_size - 1)
		length = string_size - 1;
	memmove(dst, s + start, (size_t)length);
	dst[length] = 0;
	return dst;
}

/* A text that nearly matches everywhere costs its length times that of SUB, so comparisons are
 * charged during the search. */
const char *string_find(struct ust_ctx *c, const char *s, const char *sub)
{
	enum { SOME = 16 * STEPS_PER_ACTION };
	u32 compared = 0, n;

	for (;; s++) {
		for (n = 0; sub[n] && s[n] == sub[n]; n++)
			;
		compared += n + 1;
		if (!sub[n] || !*s)
			break;
		if (unlikely(compared >= SOME)) {
			if (!ctx_work(c, compared))
				return NULL;
			compared = 0;
		}
	}
	return ctx_work(c, compared) && !sub[n] ? s : NULL;
}

ust_long ust_isinstr(struct ust_ctx *c, const char *s, const char *sub)
{
	return string_find(c, s, sub) != NULL;
}

static int digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'z')
		return ch - 'a' + 10;
	if (ch >= 'A' && ch <= 'Z')
		return ch - 'A' + 10;
	return 99;
}

static bool is_hex_prefix(const char *s)
{
	return s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16;
}

/* As C's strtol(), but does not skip blanks; returns 0 for a base that C does not define, for which
 * any character, even the end, could be a digit. */
ust_long ust_strtol(struct ust_ctx *c, const char *s, ust_long base)
{
	bool minus = *s == '-';
	u64 v = 0;

	(void)c;
	if (base < 0 || base == 1 || base > 36)
		return 0;
	s += *s == '-' || *s == '+';
	if ((base == 0 || base == 16) && is_hex_prefix(s)) {
		s += 2;
		base = 16;
	}
	if (base == 0)
		base = *s == '0' ? 8 : 10;
	for (; digit(*s) < base; s++)
		v = v * (u64)base + (u64)digit(*s);
	return (ust_long)(minus ? 0 - v : v);
}
