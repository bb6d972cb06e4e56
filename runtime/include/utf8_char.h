/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UTF-8 characters (RFC 3629), for the loader and the runtimes, which share no header of libc or
 * the kernel.
 */
#ifndef USTAP_UTF8_CHAR_H
#define USTAP_UTF8_CHAR_H

/* Length of the character that begins with the byte FIRST; 0 if it is invalid. */
static inline unsigned utf8_size(unsigned first)
{
	return first < 0x80   ? 1
	       : first < 0xc2 ? 0
	       : first < 0xe0 ? 2
	       : first < 0xf0 ? 3
	       : first < 0xf5 ? 4
			      : 0;
}

/* Code bits of the first of SIZE bytes, and the code extended by one more byte. */
static inline unsigned utf8_first(unsigned first, unsigned size)
{
	return size == 1 ? first : first & (0x7fu >> size);
}

/* CODE extended by the six bits of the continuation byte BYTE. */
static inline unsigned utf8_next(unsigned code, unsigned byte) { return code << 6 | (byte & 63); }

/* True if BYTE is a continuation byte, 10xxxxxx. */
static inline int utf8_continues(unsigned byte) { return (byte & 0xc0) == 0x80; }

/* True if SIZE bytes may encode CODE: not if fewer would do, and not for surrogates. */
static inline int utf8_is_valid(unsigned code, unsigned size)
{
	unsigned least = size < 2 ? 0 : size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;

	return code >= least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

#endif
