/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instances of inlined functions: their locations, and the function at an address where instances
 * count as functions of their own. Labels are found on the same walk.
 */
#include <stdlib.h>
#include <string.h>

#include "values.h"

/* ------------------------------------------------------------------ instances */

/* A copy of OUTER that stays: one for all instances in it, which come together. */
static Dwarf_Die *kept_outer(const Dwarf_Die *outer)
{
	static ARENA_STATE Dwarf_Die *last;

	if (!last || last->addr != outer->addr) {
		last = xalloc(sizeof *last);
		*last = *outer;
	}
	return last;
}

struct function *function_instance(struct module *m, Dwarf_Die *die, const Dwarf_Die *outer)
{
	struct function *f;
	Dwarf_Die *copy;
	Dwarf_Addr base, lo, hi, entry;
	const char *name = dwarf_diename(die);

	if (!name || !die_entry(die, &entry) || !module_is_code(m, entry))
		return NULL;
	f = xalloc(sizeof *f);
	copy = xalloc(sizeof *copy);
	*copy = *die;
	*f = (struct function){.mod = m,
			       .name = name,
			       .linkage = "",
			       .entry = entry,
			       .body = entry,
			       .die = copy,
			       .outer = kept_outer(outer),
			       .file = die_file(die)};
	dwarf_decl_line(die, &f->line);
	if (abi_language(copy) == LANGUAGE_GO)
		go_declaration(m, copy, f);
	for (ptrdiff_t at = 0; (at = die_ranges(die, at, &base, &lo, &hi)) > 0;)
		if (entry >= lo && entry < hi)
			f->size = hi - entry;
	return f;
}

bool function_same_instance(const struct function *a, const struct function *b)
{
	const Dwarf_Die *x = a->die, *y = b->die;

	return a->outer && b->outer && x && y && x->addr == y->addr;
}

static bool in_place(const struct func_pattern *pat, const struct function *f)
{
	if (!pat->file)
		return true;
	return f->file && file_tail_match(pat->file, f->file) &&
	       (!pat->line || pat->line == f->line);
}

struct instances {
	struct module *m;
	const struct func_pattern *pat;
	struct name_pattern name;
	function_vec *out;
};

/* Those below PARENT, in the code of OUTER (NULL: not in a function yet). */
static void find_instances(const struct instances *in, Dwarf_Die *parent, const Dwarf_Die *outer,
			   int depth)
{
	Dwarf_Die die;

	if (depth > 64 || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		struct function *f = NULL;

		if (outer && tag == DW_TAG_inlined_subroutine && name_matches_die(&in->name, &die))
			f = function_instance(in->m, &die, outer);
		if (f && in_place(in->pat, f))
			vec_push_large(in->out, f);
		if (tag == DW_TAG_subprogram)
			find_instances(in, &die, dwarf_hasattr(&die, DW_AT_inline) ? NULL : &die,
				       depth + 1);
		else if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
			 is_space(tag))
			find_instances(in, &die, outer, depth + 1);
	} while (die_sibling(&die, &die) == 0);
}

/* May the function DIE have been inlined?  Link-time optimisation, where the compiler writes
 * functions down before it decides that, leaves one without code. */
static bool may_be_inlined(Dwarf_Die *die)
{
	Dwarf_Addr entry;

	return dwarf_func_inline(die) || (!die_entry(die, &entry) && !die_is_declaration(die) &&
					  !dwarf_hasattr(die, DW_AT_abstract_origin));
}

/* Does something at the top of UNIT, or of a function in it, say that a function that PATTERN names
 * was inlined? */
static bool has_inlined(Dwarf_Die *unit, const struct name_pattern *pattern, int depth)
{
	Dwarf_Die die;

	if (depth > 8 || dwarf_child(unit, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((is_space(tag) || tag == DW_TAG_subprogram) &&
		    has_inlined(&die, pattern, depth + 1))
			return true;
		if (tag == DW_TAG_subprogram && may_be_inlined(&die) &&
		    name_matches_die(pattern, &die))
			return true;
	} while (die_sibling(&die, &die) == 0);
	return false;
}

static int by_place(const void *a, const void *b)
{
	const struct function *x = *(struct function *const *)a, *y = *(struct function *const *)b;

	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* By address, each once, and none that OUT has: units may share what they import. */
static void add_sorted(function_vec *found, function_vec *out)
{
	function_vec known = {0};

	for (size_t i = 0; i < out->n; i++)
		vec_push(&known, out->v[i]);
	if (known.n)
		qsort(known.v, known.n, sizeof *known.v, by_place);
	if (found->n)
		qsort(found->v, found->n, sizeof *found->v, by_place);
	for (size_t i = 0; i < found->n; i++)
		if ((!i || by_place(&found->v[i - 1], &found->v[i])) &&
		    (!known.n ||
		     !bsearch(&found->v[i], known.v, known.n, sizeof *known.v, by_place)))
			vec_push_large(out, found->v[i]);
}

/* Search the units of DW that name the function; ELSEWHERE is set if one of them holds no
 * instance. */
static void see_named(const struct instances *in, Dwarf *dw, bool *elsewhere)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dw && dwarf_get_units(dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);
		size_t before = in->out->n;

		if (!has_inlined(&unit, &in->name, 0))
			continue;
		find_instances(in, &unit, NULL, 0);
		*elsewhere |= in->out->n == before;
	}
}

static void see_indexed(const struct instances *in)
{
	outer_vec outers = {0};
	Dwarf_Die die;

	index_outers(in->m, &in->name, &outers);
	for (size_t i = 0; i < outers.n; i++)
		if (dwarf_offdie(in->m->dw, outers.v[i], &die))
			find_instances(in, &die, &die, 0);
}

void module_inlined(struct module *m, const struct func_pattern *pat, function_vec *out)
{
	function_vec found = {0};
	struct instances in = {m, pat, name_pattern(pat->func), &found};
	bool elsewhere = false;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	if (!module_dwarf(m))
		return;
	if (module_index(m)) {
		see_indexed(&in);
		add_sorted(&found, out);
		return;
	}
	see_named(&in, m->dw, &elsewhere);
	/* dwz leaves what several files have in common in one of its own */
	see_named(&in, dwarf_getalt(m->dw), &elsewhere);
	/* link-time optimisation inlines into other units than that of the function, and units
	 * import what dwz found to be common */
	while (elsewhere && dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);

		find_instances(&in, &unit, NULL, 0);
	}
	add_sorted(&found, out);
}

/* ------------------------------------------------------------- address -> scope */

static bool innermost(Dwarf_Die *scope, uint64_t pc, Dwarf_Die *out, int depth)
{
	Dwarf_Die die;
	bool found = false;

	if (depth > 64 || dwarf_child(scope, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) ||
		    die_haspc(&die, pc) != 1)
			continue;
		if (tag == DW_TAG_inlined_subroutine) {
			*out = die;
			found = true;
		}
		return innermost(&die, pc, out, depth + 1) || found;
	} while (die_sibling(&die, &die) == 0);
	return false;
}

const struct function *module_scope_at(struct module *m, uint64_t addr)
{
	const struct function *f = module_function_at(m, addr), *instance;
	Dwarf_Die die;

	if (!f->die || !innermost(f->die, addr, &die, 0))
		return f;
	instance = function_instance(m, &die, f->die);
	return instance ? instance : f;
}

/* --------------------------------------------------------------------- labels */

static void find_labels(const struct function *f, Dwarf_Die *parent, const char *pattern,
			label_vec *out, int depth)
{
	Dwarf_Die die;

	if (depth > 64 || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_label ? dwarf_diename(&die) : NULL;
		struct code_label l = {.name = name, .f = f};

		if (name && glob_match(pattern, name) && dwarf_lowpc(&die, &l.addr) == 0 &&
		    module_is_code(f->mod, l.addr)) {
			dwarf_decl_line(&die, &l.line);
			vec_push(out, l);
		}
		if (tag == DW_TAG_lexical_block)
			find_labels(f, &die, pattern, out, depth + 1);
	} while (die_sibling(&die, &die) == 0);
}

void function_labels(const struct function *f, const char *pattern, label_vec *out)
{
	if (f->die && index_has_labels(f->mod, f->entry))
		find_labels(f, f->die, pattern, out, 0);
}
