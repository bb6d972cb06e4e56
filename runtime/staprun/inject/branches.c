// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches from anywhere in a module's text.  Functions jump into each other: parts that a compiler put elsewhere
 * (.cold) and assembler code (memcpy and mempcpy share their bodies).  Far jumps are looked for at every byte,
 * without decoding: what looks like one but is none costs a site its jump in some thousands.  Near ones are
 * decoded around the place in question, as nearly any byte looks like them.
 */
#include "insn.h"

#include <stdlib.h>
#include <string.h>

struct patch_text {
	const uint8_t *bytes;
	size_t size;
	uint8_t *targets;       /* a bit for each byte: something may jump or call there */
};

enum { NEAR = 128 + 2, SYNC = 200 };

static void mark(struct patch_text *t, size_t next)
{
	int32_t d;
	uint64_t to;

	memcpy(&d, t->bytes + next - 4, 4);
	to = next + (int64_t)d;
	if (to < t->size)
		t->targets[to / 8] |= 1 << to % 8;
}

struct patch_text *patch_text_new(const uint8_t *bytes, size_t size)
{
	struct patch_text *t = malloc(sizeof *t);
	size_t i;

	if (!t)
		return NULL;
	*t = (struct patch_text){.bytes = bytes, .size = size, .targets = calloc(size / 8 + 1, 1)};
	if (!t->targets) {
		free(t);
		return NULL;
	}
	for (i = 0; i + 6 <= size; i++) {
		if ((bytes[i] & 0xfe) == 0xe8)
			mark(t, i + 5);
		else if (bytes[i] == 0x0f && (bytes[i + 1] & 0xf0) == 0x80)
			mark(t, i + 6);
	}
	return t;
}

void patch_text_free(struct patch_text *t)
{
	if (t)
		free(t->targets);
	free(t);
}

static bool far_enters(const struct patch_text *t, size_t lo, size_t hi)
{
	size_t i;

	for (i = lo + 1; i < hi; i++)
		if (t->targets[i / 8] >> i % 8 & 1)
			return true;
	return false;
}

/* Could a byte at FROM begin a near branch to within (lo, hi)? */
static bool looks_near(const struct patch_text *t, size_t from, size_t lo, size_t hi)
{
	uint8_t op = t->bytes[from];
	uint64_t to = from + 2 + (int64_t)(int8_t)t->bytes[from + 1];

	return to > lo && to < hi && (op == 0xeb || (op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0);
}

static bool looks_entered(const struct patch_text *t, size_t from, size_t to, size_t lo, size_t hi)
{
	for (; from + 1 < to; from++)
		if (looks_near(t, from, lo, hi))
			return true;
	return false;
}

static bool decoded_enters(const struct patch_text *t, size_t from, size_t to, size_t lo, size_t hi)
{
	struct insn i;

	for (; from < to; from += i.len) {
		size_t left = t->size - from;

		if (!insn_decode(&i, t->bytes + from, left < INSN_BYTES ? left : INSN_BYTES, from))
			i = (struct insn){.len = 1};
		else if (i.target > lo && i.target < hi)
			return true;
	}
	return false;
}

static bool near_enters(const struct patch_text *t, size_t from, size_t to, size_t lo, size_t hi, size_t sync)
{
	return from < to && looks_entered(t, from, to, lo, hi) &&
	       decoded_enters(t, from < sync ? 0 : from - sync, to, lo, hi);
}

bool text_enters(const struct patch_text *t, size_t start, size_t next, size_t lo, size_t hi)
{
	size_t before = lo < NEAR ? 0 : lo - NEAR, behind = hi + NEAR;

	if (start > lo || lo >= hi || hi > next || next > t->size)
		return false;
	return far_enters(t, lo, hi) || near_enters(t, before, start, lo, hi, SYNC) ||
	       near_enters(t, next, behind < t->size ? behind : t->size, lo, hi, 0);
}
