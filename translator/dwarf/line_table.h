/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a line table, by address. */
#ifndef USTAP_DWARF_LINE_TABLE_H
#define USTAP_DWARF_LINE_TABLE_H

#include "dwarf.h"

struct rows {
	Dwarf_Lines *lines;
	size_t n;
};

/* The rows of the unit of DIE, in the memory of libdw; false: they cannot be read. */
bool unit_rows(Dwarf_Die *die, struct rows *r);
/* The first row at or after ADDR; r->n: none. */
size_t row_at(const struct rows *r, uint64_t addr);

#endif
