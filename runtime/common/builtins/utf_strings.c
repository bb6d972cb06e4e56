/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: text other than NUL-terminated bytes, in the probed process and the kernel: buffers of
 * a known length, and UTF-16 and UTF-32 strings, which are converted to UTF-8.
 */
#include "pretty/pretty.h"
#include "utf8_char.h"

typedef u64 (*loader)(struct ust_ctx *c, u64 addr, u32 size);

static u64 load_user(struct ust_ctx *c, u64 addr, u32 size) { return target_load(c, addr, size); }
static u64 load_kernel(struct ust_ctx *c, u64 addr, u32 size)
{
	return ust_kernel_load(c, addr, size);
}

/* Text for unreadable memory: the address. */
static const char *address(char *dst, u64 addr)
{
	static const struct ust_spec hex = {'x', UST_F_ALT, -1, -1};
	struct ust_out o;

	ust_out_string(&o, dst);
	ust_put_l(&o, &hex, (ust_long)addr);
	ust_out_finish(&o);
	return dst;
}

/* INLEN bytes in quotes, cut to OUTLEN characters with the quotes; "..." follows if it is cut. */
static const char *buffer_quoted(struct ust_ctx *c, char *dst, ust_long addr, ust_long inlen,
				 ust_long outlen, loader load)
{
	bool limited = outlen > 0 && outlen < (ust_long)string_size;
	u32 at = 0, room, n, used;
	char text[STRING_ESCAPED];
	unsigned char bytes[4];
	ust_long i;

	if (!limited)
		outlen = string_size - 1;
	room = outlen > 2 ? (u32)outlen - 2 : 0;
	target_begin(c);
	dst[at++] = '"';
	for (i = 0; i < inlen; i += used, at += n, room -= n) {
		u32 have = 0, need = 1;

		for (; have < need && i + (ust_long)have < inlen; have++) {
			bytes[have] = (unsigned char)load(c, (u64)(addr + i) + have, 1);
			if (c->failed && ust_catch(c, 0))
				return address(dst, (u64)addr);
			need = utf8_size(bytes[0]);
		}
		n = string_escape(text, bytes, have, &used);
		if (n > room)
			break;
		memcpy(dst + at, text, n);
	}
	dst[at++] = '"';
	for (n = 0; i < inlen && n < 3 && at < string_size - 1; n++)
		dst[at++] = '.';
	dst[at] = 0;
	if (unlikely(i < inlen) && !limited)
		port_string_cut();
	return dst;
}

const char *ust_user_buffer_quoted(struct ust_ctx *c, char *dst, ust_long addr, ust_long inlen,
				   ust_long outlen)
{
	return buffer_quoted(c, dst, addr, inlen, outlen, load_user);
}

const char *ust_kernel_buffer_quoted(struct ust_ctx *c, char *dst, ust_long addr, ust_long inlen,
				     ust_long outlen)
{
	return buffer_quoted(c, dst, addr, inlen, outlen, load_kernel);
}

/* Read the character at *ADDR, in units of UNIT bytes, and advance; U+FFFFFFFF if it is invalid. */
static u32 next_code(struct ust_ctx *c, u64 *addr, u32 unit, loader load)
{
	u32 code = (u32)load(c, *addr, unit), low;

	*addr += unit;
	if (unit == 2 && code >> 10 == 0xd800 >> 10) {
		low = (u32)load(c, *addr, unit);
		*addr += unit;
		return low >> 10 == 0xdc00 >> 10 ? 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff)
						 : ~0u;
	}
	return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? ~0u : code;
}

static const char *string_utf(struct ust_ctx *c, char *dst, ust_long addr, ust_long unit,
			      loader load)
{
	u32 at = 0, n, code;
	u64 from = (u64)addr;
	char text[4];

	dst[0] = 0;
	target_begin(c);
	for (;;) {
		code = next_code(c, &from, (u32)unit, load);
		if (c->failed)
			return dst;
		if (code == ~0u) {
			ctx_fail(c, unit == 2 ? "invalid UTF-16" : "invalid UTF-32");
			return dst;
		}
		n = string_encode_utf8(text, code);
		if (!code || at + n > string_size - 1)
			break;
		memcpy(dst + at, text, n);
		at += n;
		dst[at] = 0;
	}
	if (unlikely(code))
		port_string_cut();
	return dst;
}

const char *ust_user_string_utf(struct ust_ctx *c, char *dst, ust_long addr, ust_long unit)
{
	return string_utf(c, dst, addr, unit, load_user);
}

const char *ust_kernel_string_utf(struct ust_ctx *c, char *dst, ust_long addr, ust_long unit)
{
	return string_utf(c, dst, addr, unit, load_kernel);
}
