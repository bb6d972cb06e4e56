// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses of code in a module's data and code: entries of jump tables, pointers, labels loaded
 * into registers. Any bytes that may be one count, so a few are none. Compilers' tables have the
 * distances of the targets from the table, which is loaded by lea, or pointers.
 */
#include "inject/arch/insn.h"
#include "inject/patch/patch.h"
#include "base/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEA_BYTES = 6 }; /* without a prefix */

/* Possible table of distances at virtual address ADDR, loaded by lea at byte AT of the text.
 */
struct table {
	uint64_t addr;
	size_t at;
};

/* A search for addresses: offsets in T are from its first byte, at virtual address ADDR. */
struct search {
	struct patch_text *t;
	uint64_t addr;
	const struct patch_data *v;
	size_t n;
	bool in_place;
	struct table *tables; /* by address */
	size_t ntables;
	uint64_t left; /* entries of tables to be read at most */
};

static void name(struct patch_text *t, uint64_t at)
{
	if (at < t->size)
		t->named[at / 8] |= 1 << at % 8;
}

/* Pointers in data. Those of a position-independent module are in relocations: R_X86_64_RELATIVE,
 * whose addend is behind its type; or in place, as SHT_RELR has only their addresses. */
static void name_pointers(const struct search *s, const struct patch_data *d)
{
	enum { RELATIVE_INFO = 8 };
	uint64_t v, before = 0;

	for (size_t i = -d->addr % sizeof v; i + sizeof v <= d->size; i += sizeof v) {
		memcpy(&v, d->bytes + i, sizeof v);
		if (s->in_place || before == RELATIVE_INFO)
			name(s->t, v - s->addr);
		before = v;
	}
}

static const struct patch_data *data_at(const struct search *s, uint64_t addr)
{
	for (size_t i = 0; i < s->n; i++)
		if (addr - s->v[i].addr < s->v[i].size)
			return &s->v[i];
	return NULL;
}

/* The entry at ADDR of a table of distances from BASE, as an offset in the text; false if it leads
 * elsewhere. */
static bool read_entry(const struct search *s, const struct patch_data *d, uint64_t addr,
		       uint64_t base, uint64_t *to)
{
	int32_t v;

	if (!d || addr - d->addr >= d->size || d->size - (addr - d->addr) < sizeof v)
		return false;
	memcpy(&v, d->bytes + (addr - d->addr), sizeof v);
	*to = base + (uint64_t)(int64_t)v - s->addr;
	return *to < s->t->size;
}

static void spend(struct search *s, uint64_t n) { s->left -= s->left < n ? s->left : n; }

/* True if an instruction loads TABLE. */
static bool is_loaded(struct search *s, const struct table *table)
{
	/* decoding takes as long as about so many entries */
	enum { DECODING = 256 };

	spend(s, DECODING);
	return text_refers(s->t, table->at, LEA_BYTES, table->addr - s->addr);
}

/* The targets of the table at ADDR, up to the first entry that leads elsewhere, or to NEXT, the
 * next one by what looks like lea. */
static void name_table(struct search *s, uint64_t addr, uint64_t base, const struct table *next)
{
	const struct patch_data *d = data_at(s, addr);
	const struct table *end = s->tables + s->ntables;
	uint64_t to;

	for (; s->left && read_entry(s, d, addr, base, &to); addr += sizeof(int32_t)) {
		while (next && next < end && next->addr < addr)
			next++;
		if (next && next < end && next->addr == addr && is_loaded(s, next))
			return;
		name(s->t, to);
		spend(s, 1);
	}
}

static void add_table(struct search *s, uint64_t addr, size_t at)
{
	uint64_t to;

	if (!read_entry(s, data_at(s, addr), addr, addr, &to))
		return;
	if (!(s->ntables & (s->ntables - 1)))
		s->tables = xrealloc(s->tables,
				     (s->ntables ? 2 * s->ntables : 1) * sizeof *s->tables);
	s->tables[s->ntables++] = (struct table){addr, at};
}

/* Whatever lea loads: a label, or a table. */
static void find_loaded(struct search *s)
{
	enum { LEA = 0x8d, MODRM_MASK = 0xc7, MODRM_RIP = 5 };
	const struct patch_text *t = s->t;
	int32_t d;

	const uint8_t *p = t->bytes, *end = p + t->size;

	for (; (p = memchr(p, LEA, (size_t)(end - p))) && end - p >= LEA_BYTES; p++) {
		size_t at = (size_t)(p - t->bytes);
		uint64_t to;

		if ((p[1] & MODRM_MASK) != MODRM_RIP)
			continue;
		memcpy(&d, p + 2, sizeof d);
		to = at + LEA_BYTES + (uint64_t)(int64_t)d;
		name(s->t, to);
		add_table(s, s->addr + to, at);
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Tables of distances lie side by side: the entries of the next one would lead elsewhere from the
 * start of the one before. */
static void name_tables(struct search *s)
{
	find_loaded(s);
	if (s->ntables)
		qsort(s->tables, s->ntables, sizeof *s->tables, by_addr);
	for (size_t i = 0, n; i < s->ntables; i = n) {
		uint64_t addr = s->tables[i].addr;

		for (n = i + 1; n < s->ntables && s->tables[n].addr == addr; n++)
			;
		name_table(s, addr, addr, &s->tables[n]);
	}
	free(s->tables);
}

/* True if the four bytes at P may be an immediate operand of mov or push. */
static bool is_immediate(const uint8_t *p)
{
	enum { MOV = 0xb8, MOV_MASK = 0xf8, PUSH = 0x68, MOV_RM = 0xc7, MOV_RM_BYTES = 7 };

	if ((p[-1] & MOV_MASK) == MOV || p[-1] == PUSH)
		return true;
	for (int i = 2; i <= MOV_RM_BYTES; i++)
		if (p[-i] == MOV_RM)
			return true;
	return false;
}

/* In a module at a fixed address instructions have addresses of 32 bits: labels, and tables of
 * pointers as short. */
static void name_short(struct search *s)
{
	enum { OPCODES = 8 };
	const struct patch_text *t = s->t;
	uint32_t v;

	for (size_t i = OPCODES; i + sizeof v <= t->size; i++) {
		memcpy(&v, t->bytes + i, sizeof v);
		if (v - s->addr >= t->size)
			name_table(s, v, 0, NULL);
		else if (is_immediate(t->bytes + i))
			name(s->t, v - s->addr);
	}
}

/* False if some data cannot be read. */
static bool name_all_pointers(struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->v[i].bytes)
			return false;
		s->left += s->v[i].size;
		name_pointers(s, &s->v[i]);
	}
	return true;
}

void patch_text_add_data(struct patch_text *t, uint64_t addr, const struct patch_data *v, size_t n,
			 bool fixed, bool in_place)
{
	struct search s = {.t = t, .addr = addr, .v = v, .n = n, .left = t->size};

	s.in_place = fixed || in_place;
	t->named = xrealloc(NULL, t->size / 8 + 1);
	memset(t->named, 0, t->size / 8 + 1);
	if (name_all_pointers(&s)) {
		name_tables(&s);
		if (fixed)
			name_short(&s);
	} else {
		s.left = 0;
	}
	/* compilers' tables have less entries: these overlap */
	if (!s.left)
		memset(t->named, 0xff, t->size / 8 + 1);
}

bool text_is_named(const struct patch_text *t, size_t at)
{
	return t->named && at < t->size && t->named[at / 8] >> at % 8 & 1;
}
