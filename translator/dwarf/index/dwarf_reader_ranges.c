/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code ranges of an entry: DW_AT_low_pc and DW_AT_high_pc, or a list of ranges (DWARF 5, section
 * 7.25; DWARF 4, section 2.17.3). */
#include <dwarf.h>
#include <string.h>

#include "dwarf_reader.h"

#define MAX_RANGES 100000

struct list {
	const struct raw_unit *u;
	const unsigned char *p, *end;
	uint64_t base;
	bool (*f)(uint64_t lo, uint64_t hi, void *);
	void *arg;
};

static bool take(struct list *l, void *to, size_t n)
{
	if ((size_t)(l->end - l->p) < n)
		return false;
	memcpy(to, l->p, n);
	l->p += n;
	return true;
}

static bool leb(struct list *l, uint64_t *out)
{
	l->p = raw_uleb(l->p, l->end, out);
	return l->p != NULL;
}

static bool address_at(const struct list *l, uint64_t i, uint64_t *out)
{
	const struct raw_section *s = &l->u->file->addr;

	if (l->u->addr_base > s->n || i >= (s->n - l->u->addr_base) / 8)
		return false;
	memcpy(out, s->p + l->u->addr_base + 8 * i, 8);
	return true;
}

static bool indexed(struct list *l, uint64_t *out)
{
	uint64_t i;

	return leb(l, &i) && address_at(l, i, out);
}

/* An entry of .debug_rnglists; false at the end of the list. */
static bool range_entry(struct list *l)
{
	unsigned char kind;
	uint64_t a, b;

	if (!take(l, &kind, 1))
		return false;
	switch (kind) {
	case DW_RLE_base_addressx:
		return indexed(l, &l->base);
	case DW_RLE_startx_endx:
		return indexed(l, &a) && indexed(l, &b) && l->f(a, b, l->arg);
	case DW_RLE_startx_length:
		return indexed(l, &a) && leb(l, &b) && l->f(a, a + b, l->arg);
	case DW_RLE_offset_pair:
		return leb(l, &a) && leb(l, &b) && l->f(l->base + a, l->base + b, l->arg);
	case DW_RLE_base_address:
		return take(l, &l->base, 8);
	case DW_RLE_start_end:
		return take(l, &a, 8) && take(l, &b, 8) && l->f(a, b, l->arg);
	case DW_RLE_start_length:
		return take(l, &a, 8) && leb(l, &b) && l->f(a, a + b, l->arg);
	default:
		return false;
	}
}

/* A pair of .debug_ranges; false at the end. */
static bool old_entry(struct list *l)
{
	uint64_t a, b;

	if (!take(l, &a, 8) || !take(l, &b, 8) || (!a && !b))
		return false;
	if (a == UINT64_MAX) {
		l->base = b;
		return true;
	}
	return l->f(l->base + a, l->base + b, l->arg);
}

static void read_list(const struct raw_unit *u, const struct raw_die *d, struct list *l)
{
	const struct raw_section *s = u->version < 5 ? &u->file->ranges : &u->file->rnglists;
	uint64_t off;

	if (!raw_number(u, d, RA_RANGES, &off))
		return;
	if (d->form[RA_RANGES] == DW_FORM_rnglistx) {
		if (u->ranges_base > s->n || off >= (s->n - u->ranges_base) / u->offset_size)
			return;
		uint64_t rel = 0;
		memcpy(&rel, s->p + u->ranges_base + off * u->offset_size, u->offset_size);
		off = u->ranges_base + rel;
	}
	if (off >= s->n)
		return;
	l->p = s->p + off;
	l->end = s->p + s->n;
	for (int i = 0; i < MAX_RANGES && (u->version < 5 ? old_entry(l) : range_entry(l)); i++)
		;
}

void raw_ranges(const struct raw_unit *u, const struct raw_die *d,
		bool (*f)(uint64_t lo, uint64_t hi, void *), void *arg)
{
	struct list l = {.u = u, .base = u->low_pc, .f = f, .arg = arg};
	uint64_t lo, hi;

	if (raw_address(u, d, RA_LOW_PC, &lo) && d->form[RA_HIGH_PC]) {
		if (!raw_address(u, d, RA_HIGH_PC, &hi))
			hi = raw_number(u, d, RA_HIGH_PC, &hi) ? lo + hi : lo;
		f(lo, hi, arg);
	} else {
		read_list(u, d, &l);
	}
}
