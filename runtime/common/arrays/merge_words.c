/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of the records of globals. They come from other machines: nothing is read behind the end of
 * a line, and numbers and strings that do not fit are refused.
 */
#include "arrays/merge.h"
#include "common.h"

char *merge_word(char **at)
{
	char *word = *at, *end = word;

	if (!*word)
		return NULL;
	while (*end && *end != ' ')
		end++;
	*at = end;
	if (*end) {
		*end = 0;
		*at = end + 1;
	}
	return word;
}

/* Digits up to END only; false on overflow. */
static bool merge_digits(const char *text, char end, u64 *to)
{
	u64 n = 0;

	if (*text == end)
		return false;
	for (; *text != end; text++) {
		u32 digit = (u32)(*text - '0');

		if (digit > 9 || n > (~0ull - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*to = n;
	return true;
}

bool merge_unsigned(char **at, u64 *to)
{
	const char *word = merge_word(at);

	return word && merge_digits(word, 0, to);
}

bool merge_long(char **at, ust_long *to)
{
	const char *word = merge_word(at);
	bool negative = word && *word == '-';
	u64 n;

	if (!word || !merge_digits(word + negative, 0, &n) || n > (1ull << 63) - !negative)
		return false;
	*to = (ust_long)(negative ? 0 - n : n);
	return true;
}

bool merge_bucket(char **at, u64 *bucket, u64 *count)
{
	char *word = merge_word(at), *colon = word;

	while (colon && *colon && *colon != ':')
		colon++;
	if (!colon || !*colon)
		return false;
	*colon = 0;
	return merge_digits(word, 0, bucket) && merge_digits(colon + 1, 0, count);
}

static const char merge_hex[] = "0123456789abcdef";

static int merge_nibble(char ch)
{
	int i = 0;

	while (i < 16 && merge_hex[i] != ch)
		i++;
	return i < 16 ? i : -1;
}

const char *merge_string(char **at)
{
	char *word = merge_word(at), *to = word, *from = word;

	if (!word || *from++ != '=')
		return NULL;
	for (; *from; from++) {
		char ch = *from;

		if (ch == '%') {
			int high = merge_nibble(from[1]);
			int low = high < 0 ? -1 : merge_nibble(from[2]);

			ch = (char)(high * 16 + low);
			from += 2;
			if (low < 0 || !ch)
				return NULL;
		}
		*to++ = ch;
	}
	*to = 0;
	return (u32)(to - word) < string_size ? word : NULL;
}

void merge_escape(char *text, unsigned char ch)
{
	bool plain = ch > ' ' && ch < 0x7f && ch != '%';

	text[0] = plain ? (char)ch : '%';
	text[1] = plain ? 0 : merge_hex[ch >> 4];
	text[2] = merge_hex[ch & 15];
	text[3] = 0;
}
