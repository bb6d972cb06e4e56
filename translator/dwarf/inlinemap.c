/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined functions at each address of a module, for backtraces: nested intervals of addresses,
 * flattened to rows that name the innermost instance from an address on.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "address_maps.h"

/* Instances of larger modules stay unknown: all of them are read, and become a part of what is
 * loaded. */
enum { MAX_ROWS = 2000000, MAX_DEPTH = 64, MAX_INFO = 128 << 20 };

struct interval {
	uint64_t lo, hi;
	uint32_t depth, call;
};
typedef VEC(struct interval) interval_vec;

struct reading {
	struct module *m;
	interval_vec intervals;
	inlined_vec *calls;
	Dwarf_Files *files; /* of the unit */
	size_t nfiles;
};

static int64_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	return dwarf_attr(die, name, &a) && !dwarf_formudata(&a, &v) && v <= INT32_MAX ? (int64_t)v
										       : 0;
}

/* As symbols name functions. */
static const char *symbol_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
					   dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a)
				   ? dwarf_formstring(&a)
				   : NULL;

	return name ? shown_name(name) : dwarf_diename(die);
}

static const char *calling_file(const struct reading *r, Dwarf_Die *die)
{
	int64_t at = number(die, DW_AT_call_file);
	const char *name = at > 0 && (size_t)at < r->nfiles
				   ? dwarf_filesrc(r->files, (size_t)at, NULL, NULL)
				   : NULL;

	return name ? name : "";
}

/* The number of a new instance DIE, which is in OUTER. */
static uint32_t add_call(struct reading *r, Dwarf_Die *die, uint32_t outer)
{
	const char *name = symbol_name(die);
	struct inlined_call call = {name ? name : "?", calling_file(r, die),
				    (int)number(die, DW_AT_call_line), outer};

	vec_push(r->calls, call);
	return (uint32_t)r->calls->n;
}

static uint32_t add_instance(struct reading *r, Dwarf_Die *die, uint32_t outer, uint32_t depth)
{
	Dwarf_Addr base, lo, hi;
	uint32_t call = 0;

	for (ptrdiff_t at = 0; (at = die_ranges(die, at, &base, &lo, &hi)) > 0;) {
		if (lo >= hi || !module_is_code(r->m, lo))
			continue;
		if (!call)
			call = add_call(r, die, outer);
		vec_push(&r->intervals, ((struct interval){lo, hi, depth, call}));
	}
	return call;
}

/* Read the instances in PARENT, whose innermost instance is OUTER (0: none). */
static void read_children(struct reading *r, Dwarf_Die *parent, uint32_t outer, uint32_t depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || r->intervals.n > MAX_ROWS || dwarf_child(parent, &die) != 0)
		return;
	do {
		uint32_t call = outer;

		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			call = add_instance(r, &die, outer, depth);
			if (!call)
				break;
			/* fall through */
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			read_children(r, &die, call, depth + 1);
		}
	} while (die_sibling(&die, &die) == 0);
}

static int by_place(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->depth != y->depth ? (x->depth < y->depth ? -1 : 1) : 0;
}

static void add_row(inline_row_vec *out, uint64_t addr, uint32_t innermost)
{
	struct inline_row *last = out->n ? &out->v[out->n - 1] : NULL;

	if (last && last->addr == addr)
		last->innermost = innermost;
	else if ((last ? last->innermost : 0) != innermost)
		vec_push(out, ((struct inline_row){addr, innermost}));
}

/* From one interval to the next, with those that are open on a stack. */
static void flatten(const interval_vec *v, inline_row_vec *out)
{
	const struct interval *open[MAX_DEPTH + 2];
	size_t n = 0;

	for (size_t i = 0; i <= v->n; i++) {
		const struct interval *next = i < v->n ? &v->v[i] : NULL;

		while (n && (!next || open[n - 1]->hi <= next->lo)) {
			uint64_t end = open[--n]->hi;

			while (n && open[n - 1]->hi <= end)
				n--;
			add_row(out, end, n ? open[n - 1]->call : 0);
		}
		if (!next || n == ARRAY_LEN(open))
			continue;
		open[n++] = next;
		add_row(out, next->lo, next->call);
	}
}

/* Bytes of debug information. */
static uint64_t size_of_info(Dwarf *dw)
{
	Elf_Scn *scn = NULL;
	uint64_t size = 0;
	GElf_Shdr sh;
	size_t strings;
	Elf *elf = dwarf_getelf(dw);

	if (!elf || elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name)
							  : NULL;

		if (name && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			size += sh.sh_size;
	}
	return size;
}

void module_inline_map(struct module *m, inline_row_vec *rows, inlined_vec *calls)
{
	Dwarf *dw = module_dwarf(m);
	struct reading r = {.m = m, .calls = calls};
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	if (!dw || size_of_info(dw) > MAX_INFO)
		return;
	while (dwarf_get_units(dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);

		if (dwarf_getsrcfiles(&unit, &r.files, &r.nfiles))
			r.nfiles = 0;
		read_children(&r, &unit, 0, 0);
	}
	if (r.intervals.n > MAX_ROWS)
		return;
	if (r.intervals.n)
		qsort(r.intervals.v, r.intervals.n, sizeof *r.intervals.v, by_place);
	flatten(&r.intervals, rows);
}
