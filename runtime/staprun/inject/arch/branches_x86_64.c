// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches from anywhere in a module's code. Functions jump into each other: split parts (.cold)
 * and assembler code (memcpy and mempcpy share their bodies). Far branches are searched at every
 * byte, without decoding, and decoded only if one seems to target the window. The search for near
 * ones is the same, around the window alone, because nearly any byte looks like one.
 */
#include "inject/arch/insn.h"
#include "inject/patch/patch.h"
#include "inject/ptrace/ptrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_BYTES = 2, NEAR = 128 + NEAR_BYTES, SYNC = 200, SYNCS = 4 };
/* Longer code is not searched a second time for possible branches. */
enum { SEARCHED = 32 << 20 };

/* Length of the far branch that may start at P: call or jmp, jcc. */
static inline size_t far_length(const uint8_t *p)
{
	if ((*p & 0xfe) == 0xe8)
		return 5;
	return *p == 0x0f && (p[1] & 0xf0) == 0x80 ? 6 : 0;
}

/* Target of a far branch whose first byte is at FROM; SIZE if it is not one. */
static inline uint64_t far_target(const struct patch_text *t, size_t from)
{
	const uint8_t *p = t->bytes + from;
	size_t len = far_length(p);
	int32_t d;
	uint64_t to;

	if (!len)
		return t->size;
	memcpy(&d, p + len - 4, 4);
	to = from + len + (int64_t)d;
	return to < t->size ? to : t->size;
}

struct patch_text *patch_text_new(const uint8_t *bytes, size_t size)
{
	struct patch_text *t = malloc(sizeof *t);
	size_t i;

	if (!t)
		return NULL;
	*t = (struct patch_text){.bytes = bytes,
				 .size = size,
				 .targets = calloc(size / 8 + 1, 1),
				 .lengths = calloc(size + 1, 1)};
	if (!t->targets || !t->lengths) {
		patch_text_free(t);
		return NULL;
	}
	for (i = 0; i + 6 <= size; i++) {
		uint64_t to = far_target(t, i);

		if (to < size)
			t->targets[to / 8] |= 1 << to % 8;
	}
	return t;
}

void patch_text_free(struct patch_text *t)
{
	if (t) {
		free(t->targets);
		free(t->named);
		free(t->lengths);
	}
	free(t);
}

static size_t decode_at(const struct patch_text *t, struct insn *i, size_t at)
{
	size_t left = t->size - at;

	if (!insn_decode(i, t->bytes + at, left < INSN_BYTES ? left : INSN_BYTES, at))
		*i = (struct insn){.len = 1};
	return at + i->len;
}

/* Offset behind the instruction at AT. Neighbouring sites decode the same code, so lengths are
 * kept. */
static size_t behind(const struct patch_text *t, size_t at)
{
	struct insn i;

	if (!t->lengths[at])
		t->lengths[at] = (uint8_t)(decode_at(t, &i, at) - at);
	return at + t->lengths[at];
}

/* True if a branch of LEN bytes starts at AT, or behind prefixes there. Decoding from any byte soon
 * synchronises; several starting points make it certain. */
static bool begins_at(const struct patch_text *t, size_t at, size_t len)
{
	struct insn i;
	unsigned n;

	for (n = 0; n < SYNCS; n++) {
		size_t from = at < SYNC + n ? 0 : at - SYNC - n, next;

		while ((next = behind(t, from)) <= at)
			from = next;
		if (from == at)
			return true;
		if (next != at + len)
			continue;
		decode_at(t, &i, from);
		if (i.target && i.kind != INSN_PLAIN)
			return true;
	}
	return false;
}

bool text_refers(const struct patch_text *t, size_t at, size_t len, uint64_t to)
{
	struct insn i;
	unsigned n;

	for (n = 0; n < SYNCS; n++) {
		size_t from = at < SYNC + n ? 0 : at - SYNC - n, next;

		while ((next = behind(t, from)) <= at)
			from = next;
		if (next != at + len)
			continue;
		decode_at(t, &i, from);
		if (i.rip && i.target == to)
			return true;
	}
	return false;
}

static bool far_confirmed(const struct patch_text *t, size_t lo, size_t hi)
{
	size_t i;

	if (t->size > SEARCHED)
		return true;
	for (i = 0; i + 6 <= t->size; i++) {
		uint64_t to = far_target(t, i);

		if (to > lo && to < hi && begins_at(t, i, far_length(t->bytes + i)))
			return true;
	}
	return false;
}

static bool far_enters(const struct patch_text *t, size_t lo, size_t hi)
{
	size_t i;

	for (i = lo + 1; i < hi; i++)
		if (t->targets[i / 8] >> i % 8 & 1)
			return far_confirmed(t, lo, hi);
	return false;
}

/* True if the byte at FROM could start a near branch into (lo, hi). */
static bool looks_near(const struct patch_text *t, size_t from, size_t lo, size_t hi)
{
	uint8_t op = t->bytes[from];
	uint64_t to = from + 2 + (int64_t)(int8_t)t->bytes[from + 1];

	return to > lo && to < hi && (op == 0xeb || (op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0);
}

static bool near_enters(const struct patch_text *t, size_t from, size_t to, size_t lo, size_t hi)
{
	for (; from + 1 < to; from++)
		if (looks_near(t, from, lo, hi) && begins_at(t, from, NEAR_BYTES))
			return true;
	return false;
}

bool text_enters(const struct patch_text *t, size_t lo, size_t hi)
{
	size_t before = lo < NEAR ? 0 : lo - NEAR, after = hi + NEAR;

	if (lo >= hi || hi > t->size)
		return false;
	return far_enters(t, lo, hi) || near_enters(t, before, lo, lo, hi) ||
	       near_enters(t, hi, after < t->size ? after : t->size, lo, hi);
}
