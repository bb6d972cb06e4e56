/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counted steps through debug information. Entries may share lists of ranges, refer to themselves,
 * import each other and nest without end, so that a small file holds an endless tree. Each step of
 * the translator is made by these functions (check-includes), which end ustap with an error that
 * names the file when there are more steps than the size of the files explains. libdw's own walks
 * through whole units, which cannot be counted (dwarf_getscopes() and the like), are not used.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"

enum {
	FIRST_STEPS = 50000000, /* for any file: some seconds */
	STEPS_PER_BYTE = 200,   /* of .debug_info */
	PASSED_BYTES = 16,      /* that libdw passes over in the time of a step */
	RANGE_STEPS = 20,       /* a range or row is kept in memory by most callers */
	MAX_SCOPES = 1024
};

static ARENA_STATE uint64_t permitted, made;

void work_permit(uint64_t size) { permitted += size * STEPS_PER_BYTE; }

static void __attribute__((noreturn, cold)) too_much(Dwarf_CU *cu)
{
	const struct module *m = cu ? module_of(dwarf_cu_getdwarf(cu)) : NULL;

	diag_keep(NULL);
	diag_error(E_BAD_ELF, (struct loc){0},
		   "%s is damaged: reading its debug information does not end",
		   m ? m->path : "a file with debug information");
	diag_hint("entries refer to themselves, or share parts so often that reading them takes "
		  "too long");
	exit(1);
}

void work_charge(Dwarf_CU *cu, uint64_t steps)
{
	made += steps;
	if (made > FIRST_STEPS + permitted)
		too_much(cu);
}

int die_sibling(Dwarf_Die *die, Dwarf_Die *next)
{
	const char *from = die->addr, *to;
	Dwarf_CU *cu = die->cu;
	bool jumps = false;
	int end = 0;

	/* an entry says where the next one is, or all that is below it is passed over */
	if (dwarf_haschildren(die) > 0)
		jumps = dwarf_hasattr(die, DW_AT_sibling);
	end = dwarf_siblingof(die, next);
	to = next->addr;
	work_charge(cu,
		    1 + (!end && !jumps && to > from ? (uint64_t)(to - from) / PASSED_BYTES : 0));
	return end;
}

ptrdiff_t die_ranges(Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *lo, Dwarf_Addr *hi)
{
	work_charge(die->cu, RANGE_STEPS);
	return dwarf_ranges(die, at, base, lo, hi);
}

int die_haspc(Dwarf_Die *die, Dwarf_Addr pc)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		work_charge(die->cu, 1);
		if (pc >= lo && pc < hi)
			return 1;
	}
	return (int)at;
}

ptrdiff_t die_locations(Dwarf_Attribute *attr, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *lo,
			Dwarf_Addr *hi, Dwarf_Op **ops, size_t *n)
{
	at = dwarf_getlocations(attr, at, base, lo, hi, ops, n);
	work_charge(attr->cu, at > 0 ? 1 + *n : 1);
	return at;
}

int die_location_at(Dwarf_Attribute *attr, Dwarf_Addr pc, Dwarf_Op **ops, size_t *n)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while ((at = die_locations(attr, at, &base, &lo, &hi, ops, n)) > 0)
		if (pc >= lo && pc < hi)
			return 1;
	return (int)at;
}

int die_lines(Dwarf_Die *unit, Dwarf_Lines **rows, size_t *n)
{
	static ARENA_STATE struct smap known;
	static ARENA_STATE Dwarf_Lines *last;
	int err = dwarf_getsrclines(unit, rows, n);
	const char *key;

	if (err || *rows == last)
		return err;
	last = *rows;
	key = xprintf("%p", (void *)last);
	if (!smap_get(&known, key)) { /* libdw reads a table once */
		smap_put(&known, key, last);
		work_charge(unit->cu, *n * RANGE_STEPS);
	}
	return 0;
}

/* The last entry among CHILD and those after it that begins at or before WHAT. */
static void last_before(Dwarf_Die *child, const Dwarf_Die *what)
{
	Dwarf_Die next = *child;

	while (child->addr != what->addr && die_sibling(&next, &next) == 0 &&
	       (const char *)next.addr <= (const char *)what->addr)
		*child = next;
}

int die_scopes(const Dwarf_Die *what, Dwarf_Die **scopes)
{
	Dwarf_Die path[MAX_SCOPES], die = *what;
	int n = 0;

	*scopes = NULL;
	if (!dwarf_diecu(&die, &path[0], NULL, NULL))
		return 0;
	for (; path[n].addr != what->addr; n++) {
		if (n + 1 == MAX_SCOPES || dwarf_child(&path[n], &path[n + 1]) != 0)
			return 0;
		last_before(&path[n + 1], what);
		if ((const char *)path[n + 1].addr > (const char *)what->addr)
			return 0;
	}
	*scopes = xalloc((size_t)++n * sizeof **scopes);
	for (int i = 0; i < n; i++) /* the innermost first */
		(*scopes)[i] = path[n - 1 - i];
	return n;
}
