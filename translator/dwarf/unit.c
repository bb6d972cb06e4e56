/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compile units by address. Only units that hold a requested address are read. */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "bisect.h"

/* The unit with the code itself, where DIE is only a skeleton (-gsplit-dwarf). */
Dwarf_Die unit_full(Dwarf_Die *die)
{
	Dwarf_Die sub, other;
	Dwarf_Half version;
	uint8_t type;
	memset(&sub, 0, sizeof sub);
	if (dwarf_cu_info(die->cu, &version, &type, NULL, &sub, NULL, NULL, NULL) != 0 ||
	    !split_skeleton(die, type))
		return *die;
	if ((!sub.cu || (version == 4 && split_lacks_types(&sub))) && split_unit(die, &other))
		return other;
	return sub.cu ? sub : *die;
}

static struct unit *unit_by_offset(struct module *m, Dwarf_Off off)
{
	size_t lo = BISECT(mid, m->units.n, m->units.v[mid]->off < off);
	Dwarf_Die die;

	if (lo < m->units.n && m->units.v[lo]->off == off)
		return m->units.v[lo];
	if (!dwarf_offdie(m->dw, off, &die))
		return NULL;
	struct unit *u = xalloc(sizeof *u);
	u->off = off;
	u->die = unit_full(&die);
	vec_push(&m->units, u);
	memmove(&m->units.v[lo + 1], &m->units.v[lo], (m->units.n - 1 - lo) * sizeof m->units.v[0]);
	m->units.v[lo] = u;
	return u;
}

static int range_cmp(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;
	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void ranges_build(struct module *m)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	m->ranges_built = true;
	while (dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		struct unit_range r = {.off = dwarf_dieoffset(&die)};
		Dwarf_Addr base;
		ptrdiff_t at = 0;
		while ((at = die_ranges(&die, at, &base, &r.lo, &r.hi)) > 0)
			if (r.lo) /* 0: in a section that the linker dropped */
				vec_push(&m->ranges, r);
	}
	if (m->ranges.n)
		qsort(m->ranges.v, m->ranges.n, sizeof m->ranges.v[0], range_cmp);
}

static struct unit *unit_by_ranges(struct module *m, uint64_t addr)
{
	if (!m->ranges_built)
		ranges_build(m);
	size_t lo = BISECT(mid, m->ranges.n, m->ranges.v[mid].lo <= addr);

	if (!lo || addr >= m->ranges.v[lo - 1].hi)
		return NULL;
	return unit_by_offset(m, m->ranges.v[lo - 1].off);
}

struct unit *unit_at(struct module *m, uint64_t addr)
{
	Dwarf_Aranges *aranges;
	Dwarf_Off off;
	if (!module_dwarf(m))
		return NULL;
	if (dwarf_getaranges(m->dw, &aranges, NULL) == 0) {
		Dwarf_Arange *a = dwarf_getarange_addr(aranges, addr);
		if (a && dwarf_getarangeinfo(a, NULL, NULL, &off) == 0)
			return unit_by_offset(m, off);
	}
	return unit_by_ranges(m, addr);
}

bool unit_func_fill(struct unit_func *f)
{
	Dwarf_Addr base, lo, hi;
	if (!die_entry(&f->die, &f->entry) || !f->entry)
		return false;
	/* The part that holds the entry; a cold part may lie elsewhere. */
	for (ptrdiff_t at = 0; (at = die_ranges(&f->die, at, &base, &lo, &hi)) > 0;)
		if (f->entry >= lo && f->entry < hi)
			f->size = hi - f->entry;
	return true;
}
