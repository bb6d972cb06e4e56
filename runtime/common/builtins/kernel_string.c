/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: strings in the kernel's memory. */
#include "common.h"

/* True if the string continues at ADDR. */
static bool has_more(struct ust_ctx *c, u64 addr)
{
	return ust_kernel_load(c, addr, 1) && !c->failed;
}

/* Copy at most LIMIT bytes, or as many as a string can hold, and a NUL to DST; false if part of
 * them cannot be read. Reads aligned words only, which never cross into another page. */
static bool read_kernel_string(struct ust_ctx *c, char *dst, u64 addr, ust_long limit)
{
	u32 last = string_size - 1, max = limit < 0 ? 0 : limit < last ? (u32)limit : last;
	u32 n = 0, size, i;
	u64 word;

	while (n < max) {
		size = !((addr + n) & 7) && max - n >= 8 ? 8 : 1;
		word = ust_kernel_load(c, addr + n, size);
		if (c->failed)
			break;
		for (i = 0; i < size; i++, n++, word >>= 8) {
			dst[n] = (char)word;
			if (!dst[n])
				return true;
		}
	}
	dst[n] = 0;
	if (c->failed)
		return false;
	if (unlikely(n == last) && limit > last && has_more(c, addr + n))
		port_string_cut();
	/* memory after the string need not be readable */
	c->failed = false;
	return true;
}

const char *ust_kernel_string(struct ust_ctx *c, char *dst, ust_long addr)
{
	if (!read_kernel_string(c, dst, (u64)addr, STRING_ANY_LENGTH))
		dst[0] = 0;
	return dst;
}

const char *ust_kernel_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt)
{
	if (read_kernel_string(c, dst, (u64)addr, STRING_ANY_LENGTH))
		return dst;
	c->failed = false;
	return alt;
}

const char *ust_kernel_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n)
{
	if (!read_kernel_string(c, dst, (u64)addr, n))
		dst[0] = 0;
	return dst;
}
