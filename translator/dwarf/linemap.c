/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a module by address, for symbolic addresses at run time. */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "address_maps.h"

struct ordered {
	struct line_row row;
	size_t number;
};
typedef VEC(struct ordered) ordered_vec;

/* Rows of one address stay in the order of the table, but that an end comes first: it belongs to
 * what was before. */
static int by_address(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->row.addr != y->row.addr)
		return x->row.addr < y->row.addr ? -1 : 1;
	if (!x->row.line != !y->row.line)
		return x->row.line ? 1 : -1;
	return x->number < y->number ? -1 : 1;
}

static void add_unit(struct module *m, Dwarf_Die *unit, ordered_vec *out)
{
	Dwarf_Lines *rows;
	size_t n;

	if (die_lines(unit, &rows, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *from = dwarf_onesrcline(rows, i);
		struct ordered o = {.number = out->n};
		bool ends = false;

		if (dwarf_lineaddr(from, &o.row.addr))
			continue;
		dwarf_lineendsequence(from, &ends);
		if (!ends && (dwarf_lineno(from, &o.row.line) || !module_is_code(m, o.row.addr)))
			continue;
		o.row.file = ends ? "" : dwarf_linesrc(from, NULL, NULL);
		if (o.row.file)
			vec_push(out, o);
	}
}

static bool same_line(const struct line_row *a, const struct line_row *b)
{
	return a->line == b->line && (a->file == b->file || !strcmp(a->file, b->file));
}

void module_line_rows(struct module *m, line_row_vec *out)
{
	Dwarf *dw = module_dwarf(m);
	ordered_vec all = {0};
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dw && dwarf_get_units(dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);

		add_unit(m, &unit, &all);
	}
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, by_address);
	for (size_t i = 0; i < all.n; i++) {
		struct line_row *row = &all.v[i].row, *last = out->n ? &out->v[out->n - 1] : NULL;

		if (last && last->addr == row->addr)
			*last = *row;
		else if (!last || !same_line(last, row))
			vec_push(out, *row);
	}
}
