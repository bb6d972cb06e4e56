/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins that change the state of the probed process; the translator requires guru mode. */
#include "common.h"

void ust_set_user_char(struct ust_ctx *c, ust_long addr, ust_long v)
{
	ust_store(c, (u64)addr, 1, (u64)v);
}
void ust_set_user_short(struct ust_ctx *c, ust_long addr, ust_long v)
{
	ust_store(c, (u64)addr, 2, (u64)v);
}
void ust_set_user_int(struct ust_ctx *c, ust_long addr, ust_long v)
{
	ust_store(c, (u64)addr, 4, (u64)v);
}
void ust_set_user_long(struct ust_ctx *c, ust_long addr, ust_long v)
{
	ust_store(c, (u64)addr, 8, (u64)v);
}

/* Store the N bytes of S, which is padded with NULs, in words of eight; no byte after them is
 * written. */
static void store(struct ust_ctx *c, u64 addr, const char *s, u32 n)
{
	u32 i, part;
	u64 word;

	for (i = 0; i < n && !c->failed; i += part) {
		part = n - i >= 8 ? 8 : 1;
		word = 0;
		memcpy(&word, s + i, part);
		ust_store(c, addr + i, part, word);
	}
}

void ust_set_user_string(struct ust_ctx *c, ust_long addr, const char *s)
{
	store(c, (u64)addr, s, (u32)strlen(s) + 1);
}

void ust_set_user_string_arg(struct ust_ctx *c, ust_long addr, const char *s)
{
	ust_set_user_string(c, addr, s);
	if (c->failed && ust_catch(c, NULL))
		ust_warn(c, "set_user_string_arg(): the string cannot be written");
}

/* Write at most N characters of S, and a NUL after them. */
void ust_set_user_string_n(struct ust_ctx *c, ust_long addr, ust_long n, const char *s)
{
	u32 len = (u32)strlen(s);

	if (n < len)
		len = n < 0 ? 0 : (u32)n;
	store(c, (u64)addr, s, len);
	if (!c->failed)
		ust_store(c, (u64)addr + len, 1, 0);
}

/* No other limit ends a handler that busy-waits. */
enum { MAX_DELAY_US = 1000000 };

static void delay(struct ust_ctx *c, ust_long n, u32 unit)
{
	u64 end;

	if (n < 0 || n > MAX_DELAY_US / unit) {
		ctx_fail(c, "a delay must be from 0 to 1 second");
		return;
	}
	end = port_monotonic_ns() + (u64)n * unit * 1000;
	while (port_monotonic_ns() < end)
		;
}

void ust_mdelay(struct ust_ctx *c, ust_long ms) { delay(c, ms, 1000); }
void ust_udelay(struct ust_ctx *c, ust_long us) { delay(c, us, 1); }
