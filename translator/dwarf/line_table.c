/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of code by its addresses. */
#include <string.h>

#include "line_table.h"
#include "bisect.h"

bool unit_rows(Dwarf_Die *die, struct rows *r)
{
	Dwarf_Die cu;
	return dwarf_diecu(die, &cu, NULL, NULL) && die_lines(&cu, &r->lines, &r->n) == 0;
}

static Dwarf_Addr row_addr(const struct rows *r, size_t i)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(dwarf_onesrcline(r->lines, i), &addr);
	return addr;
}

size_t row_at(const struct rows *r, uint64_t addr)
{
	return BISECT(mid, r->n, row_addr(r, mid) < addr);
}

static bool is_statement(Dwarf_Line *row)
{
	bool begins = false;
	dwarf_linebeginstatement(row, &begins);
	return begins;
}

/* The row that the code at ADDR is of: the last of those of one address, those before it have no
 * code; one that begins a statement before one that does not.  As gdb does. */
static Dwarf_Line *row_of(const struct rows *r, uint64_t addr)
{
	size_t last = row_at(r, addr + 1), i;
	Dwarf_Addr at = 0, a;
	if (!last)
		return NULL;
	dwarf_lineaddr(dwarf_onesrcline(r->lines, --last), &at);
	for (i = last; i && !is_statement(dwarf_onesrcline(r->lines, i)); i--)
		if (dwarf_lineaddr(dwarf_onesrcline(r->lines, i - 1), &a) != 0 || a != at)
			break;
	return dwarf_onesrcline(r->lines, is_statement(dwarf_onesrcline(r->lines, i)) ? i : last);
}

bool module_line_at(struct module *m, uint64_t addr, const char **file, int *line)
{
	struct unit *u = unit_at(m, addr);
	struct rows r;
	Dwarf_Line *row = u && unit_rows(&u->die, &r) ? row_of(&r, addr) : NULL;
	bool ends = true;
	*line = 0;
	*file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	return row && dwarf_lineendsequence(row, &ends) == 0 && !ends && *file &&
	       dwarf_lineno(row, line) == 0 && *line;
}

uint64_t module_next_line(struct module *m, uint64_t addr)
{
	struct unit *u = unit_at(m, addr);
	struct rows r;
	int here = 0;
	if (!u || !unit_rows(&u->die, &r))
		return UINT64_MAX;
	size_t i = row_at(&r, addr + 1);
	if (i)
		dwarf_lineno(dwarf_onesrcline(r.lines, i - 1), &here);
	for (; i < r.n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(r.lines, i);
		Dwarf_Addr a;
		int line = 0;
		if (is_statement(l) && dwarf_lineno(l, &line) == 0 && line != here &&
		    dwarf_lineaddr(l, &a) == 0)
			return a;
	}
	return UINT64_MAX;
}

/* The last line of FILE that has code in [lo, hi); 0 if none has. */
static int last_line(Dwarf_Die *die, uint64_t lo, uint64_t hi, const char *file)
{
	struct rows r;
	int last = 0;
	if (!unit_rows(die, &r))
		return 0;
	for (size_t i = row_at(&r, lo); i < r.n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(r.lines, i);
		Dwarf_Addr a = hi;
		int line = 0;
		const char *src = dwarf_linesrc(l, NULL, NULL);
		dwarf_lineaddr(l, &a);
		if (a >= hi)
			break;
		dwarf_lineno(l, &line);
		if (src && line > last && file_tail_match(file, src))
			last = line;
	}
	return last;
}

/* The first line after FROM on which the unit of DIE declares another function
 * of FILE; INT_MAX if none.  Code inlined from below must not stretch a function. */
static int next_function_line(Dwarf_Die *die, const char *file, int from)
{
	Dwarf_Die cu, d;
	int best = __INT_MAX__;
	if (!dwarf_diecu(die, &cu, NULL, NULL) || dwarf_child(&cu, &d) != 0)
		return best;
	do {
		int line = 0;
		if (dwarf_tag(&d) != DW_TAG_subprogram || dwarf_hasattr(&d, DW_AT_declaration))
			continue;
		if (dwarf_decl_line(&d, &line) != 0 || line <= from || line >= best)
			continue;
		const char *f = die_file(&d);
		if (f && file_tail_match(file, f))
			best = line;
	} while (die_sibling(&d, &d) == 0);
	return best;
}

bool function_holds_line(const struct unit_func *f, const char *file, int line)
{
	Dwarf_Die die = f->die;
	int first = 0;
	if (dwarf_decl_line(&die, &first) != 0 || line < first)
		return false;
	if (line == first)
		return true;
	return line <= last_line(&die, f->entry, f->entry + f->size, file) &&
	       line < next_function_line(&die, file, first);
}
