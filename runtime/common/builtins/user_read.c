/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: numbers and strings in the memory of the probed process. */
#include "common.h"

/* ----------------------------------------------------------------- strings */

/* Copy at most LIMIT bytes, or as many as a string can hold, and a NUL to DST; false on a fault,
 * with the bytes before it in DST. */
static bool read_user_string(struct ust_ctx *c, char *dst, u64 addr, ust_long limit)
{
	u32 last = string_size - 1, max = limit < 0 ? 0 : limit < last ? (u32)limit : last, n;

	if (unlikely(!port_read_string(c, dst, addr, max, &n)))
		return false;
	string_check_end(c, addr, n, limit);
	return true;
}

const char *ust_user_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n)
{
	if (unlikely(!read_user_string(c, dst, addr, n))) {
		port_fault(c, addr);
		dst[0] = 0;
	}
	return dst;
}

const char *ust_user_string(struct ust_ctx *c, char *dst, ust_long addr)
{
	return ust_user_string_n(c, dst, addr, STRING_ANY_LENGTH);
}

const char *ust_user_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt)
{
	return read_user_string(c, dst, addr, STRING_ANY_LENGTH) ? dst : alt;
}

void ust_put_user_string(struct ust_ctx *c, char *start, ust_long addr)
{
	char *dst = c->out.p;
	u32 n;

	if (unlikely(!port_read_string(c, dst, addr, string_size - 1, &n))) {
		c->out.p = start;
		port_fault(c, addr);
		return;
	}
	c->out.p = dst + n;
	string_check_end(c, addr, n, STRING_ANY_LENGTH);
}

/* ----------------------------------------------------------------- numbers */

/* By the language these return 0 if the memory cannot be read. */
static u64 load_or_zero(struct ust_ctx *c, u64 addr, u32 size)
{
	u64 v = 0;

	return port_read(c, addr, size, &v) ? v : 0;
}

#define READER(name, type, size)                               \
	ust_long name(struct ust_ctx *c, ust_long addr)        \
	{                                                      \
		return (type)load_or_zero(c, (u64)addr, size); \
	}

READER(ust_user_char, signed char, 1)
READER(ust_user_short, short, 2)
READER(ust_user_ushort, unsigned short, 2)
READER(ust_user_int, int, 4)
READER(ust_user_uint, u32, 4)
READER(ust_user_long, s64, 8)
READER(ust_user_ulong, u64, 8)
READER(ust_user_int8, signed char, 1)
READER(ust_user_uint8, u8, 1)
READER(ust_user_int16, short, 2)
READER(ust_user_uint16, unsigned short, 2)
READER(ust_user_int32, int, 4)
READER(ust_user_uint32, u32, 4)
READER(ust_user_int64, s64, 8)
READER(ust_user_uint64, u64, 8)
