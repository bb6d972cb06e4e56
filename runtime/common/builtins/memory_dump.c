/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * %m and %M: memory of the probed process, raw or as hexadecimal digits, in order of address.
 *
 * It is read twice, the first time only to check that it is readable: an error must occur before
 * anything is printed.
 */
#include "common.h"

#define MAX_DUMP_BYTES 4096 /* bytes of one dump, as in SystemTap */

static u32 bytes_of(const struct ust_spec *spec) { return spec->prec > 0 ? (u32)spec->prec : 1; }

/* Number of bytes to read at once if N remain. */
static u32 step_of(u32 n) { return n < 8 ? 1 : 8; }

void ust_check_memory(struct ust_ctx *c, const struct ust_spec *spec, ust_long addr)
{
	u32 n = bytes_of(spec), i;

	if (n > MAX_DUMP_BYTES) {
		ctx_fail_number(c, "", n, " is too many bytes for a memory dump");
		return;
	}
	for (i = 0; i < n && !c->failed; i += step_of(n - i))
		ust_load(c, (u64)addr + i, step_of(n - i));
}

static void put_blanks(struct ust_out *o, ust_long n)
{
	for (; n > 0; n--)
		ust_put(o, " ", 1);
}

static void put_byte(struct ust_out *o, char conv, unsigned char byte)
{
	static const char digit[] = "0123456789abcdef";
	char hex[2];

	hex[0] = digit[byte >> 4];
	hex[1] = digit[byte & 15];
	if (conv == 'M')
		ust_put(o, hex, 2);
	else
		ust_put(o, (const char *)&byte, 1);
}

void ust_put_memory(struct ust_ctx *c, struct ust_out *o, const struct ust_spec *spec,
		    ust_long addr)
{
	u32 n = bytes_of(spec), i, j, at_once;
	bool left = (spec->flags & UST_F_MINUS) || spec->width < -1;
	ust_long width = spec->width < -1 ? -(ust_long)spec->width : spec->width;
	ust_long pad = (width < MAX_DUMP_BYTES ? width : MAX_DUMP_BYTES) -
		       (ust_long)n * (spec->conv == 'M' ? 2 : 1);

	if (!left)
		put_blanks(o, pad);
	for (i = 0; i < n && !c->failed; i += at_once) {
		u64 v;

		at_once = step_of(n - i);
		v = ust_load(c, (u64)addr + i, at_once);
		for (j = 0; j < at_once && !c->failed; j++, v >>= 8)
			put_byte(o, spec->conv, (unsigned char)v);
	}
	if (left)
		put_blanks(o, pad);
}
