/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heap, allocated by init() in the loader before any process is traced and never freed; and
 * functions that the compiler calls by name. No string instructions: the probed program may have
 * set the direction flag.
 */
#include "user.h"

#define ALIGN 64u

extern char heap_start[]; /* after .bss, see blob.lds */

static char *next, *end;

void heap_init(void *heap_end)
{
	next = heap_start;
	end = heap_end;
}

void *heap_limit(void) { return next; }

void *heap_alloc(size_t size)
{
	char *p = next;

	if (size > (size_t)(end - p) || (size + ALIGN - 1) / ALIGN * ALIGN > (size_t)(end - p))
		return NULL;
	next += (size + ALIGN - 1) / ALIGN * ALIGN;
	return p;
}

/* ---------------------------------------------- what the compiler calls */

struct word {
	u64 v;
} __attribute__((packed, may_alias));

void *memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;
	u64 last;

	if (likely(n >= 8)) {
		/* the last word overlaps the one before; read first: memmove() calls this */
		last = ((const struct word *)(f + n - 8))->v;
		for (; n > 8; n -= 8, t += 8, f += 8)
			((struct word *)t)->v = ((const struct word *)f)->v;
		((struct word *)(t + n - 8))->v = last;
		return to;
	}
	while (n--)
		*t++ = *f++;
	return to;
}

static void copy_back(char *to, const char *from, size_t n)
{
	for (; n >= 8; n -= 8)
		((struct word *)(to + n - 8))->v = ((const struct word *)(from + n - 8))->v;
	while (n--)
		to[n] = from[n];
}

void *memmove(void *to, const void *from, size_t n)
{
	if ((size_t)((char *)to - (const char *)from) >= n)
		return memcpy(to, from, n);
	copy_back(to, from, n);
	return to;
}

void *memset(void *to, int c, size_t n)
{
	u64 v = (u8)c * 0x0101010101010101ull;
	char *t = to;

	for (; n >= 8; n -= 8, t += 8)
		((struct word *)t)->v = v;
	while (n--)
		*t++ = c;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *p = a, *q = b;

	for (; n >= 8 && ((const struct word *)p)->v == ((const struct word *)q)->v;
	     n -= 8, p += 8, q += 8)
		;
	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}
