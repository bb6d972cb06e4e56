/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings in the kernel's memory. */
#include "common.h"

/* Up to MAX bytes, ended by a NUL, in DST; false where they cannot all be read.  Words are read where they are aligned, and
 * so never go into a page that need not be there. */
static bool get_string(struct ust_ctx *c, char *dst, u64 addr, u32 max)
{
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
	return !c->failed;
}

const char *ust_kernel_string(struct ust_ctx *c, char *dst, ust_long addr)
{
	if (!get_string(c, dst, (u64)addr, string_size - 1))
		dst[0] = 0;
	return dst;
}

const char *ust_kernel_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt)
{
	if (get_string(c, dst, (u64)addr, string_size - 1))
		return dst;
	c->failed = false;
	return alt;
}

const char *ust_kernel_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n)
{
	u32 max = n < 0 ? 0 : n < (ust_long)string_size - 1 ? (u32)n : string_size - 1;

	if (!get_string(c, dst, (u64)addr, max))
		dst[0] = 0;
	return dst;
}
