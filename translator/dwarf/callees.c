/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callees of a function: those of the call sites that its DWARF describes (DWARF 5, section 3.4),
 * and the functions that are inlined into it. Calls through pointers and into other files are not
 * included.
 */
#include <string.h>

#include "dwarf.h"

struct search {
	const struct function *f;
	callee_vec *out;
	unsigned *tails;
};

/* ------------------------------------------------------------- the function called */

static void add_callee(const struct search *s, const struct function *f, uint64_t ret)
{
	for (size_t i = 0; i < s->out->n; i++) {
		struct callee *c = &s->out->v[i];

		if (c->f->entry != f->entry || strcmp(c->f->name, f->name) != 0)
			continue;
		if (ret)
			vec_push(&c->returns, ret);
		return;
	}
	vec_push(s->out, (struct callee){.f = f});
	if (ret)
		vec_push(&s->out->v[s->out->n - 1].returns, ret);
}

static bool add_at(const struct search *s, uint64_t entry, uint64_t ret)
{
	const struct function *f = module_function_at(s->f->mod, entry);

	if (f->entry != entry || !*f->name)
		return false;
	add_callee(s, f, ret);
	return true;
}

/* Add the code of WHAT, an abstract function or a declaration. Its clones count too, as the return
 * address distinguishes them. */
static void add_instances(const struct search *s, const Dwarf_Die *what, uint64_t ret)
{
	struct unit *u = unit_at(s->f->mod, s->f->entry);
	Dwarf_Attribute a;
	Dwarf_Die die = *what;
	struct func_pattern pat = {0};
	function_vec found = {0};
	bool any = false;

	unit_function(s->f->mod, s->f->entry); /* which reads the functions of the unit */
	for (size_t i = 0; u && i < u->funcs.n; i++)
		if (die_is_instance_of(&u->funcs.v[i].die, what))
			any |= add_at(s, u->funcs.v[i].entry, ret);
	if (any)
		return;
	if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &a) ||
	    dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &a))
		pat.func = dwarf_formstring(&a);
	if (!pat.func)
		pat.func = dwarf_diename(&die);
	if (pat.func && !is_glob(pat.func))
		module_functions(s->f->mod, &pat, &found);
	for (size_t i = 0; i < found.n; i++)
		if (!strncmp(found.v[i]->linkage, pat.func, strlen(pat.func)))
			add_callee(s, found.v[i], ret);
}

/* ------------------------------------------------------------------ call sites */

static bool is_flagged(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	bool flag = false;

	return dwarf_attr(die, name, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

static void see_call(const struct search *s, Dwarf_Die *site)
{
	Dwarf_Attribute a;
	Dwarf_Die what;
	Dwarf_Addr ret = 0, entry;

	if (!(dwarf_attr(site, DW_AT_call_origin, &a) ||
	      dwarf_attr(site, DW_AT_abstract_origin, &a)) ||
	    !dwarf_formref_die(&a, &what))
		return;
	if (is_flagged(site, DW_AT_call_tail_call) || is_flagged(site, DW_AT_GNU_tail_call)) {
		++*s->tails;
		return;
	}
	if (!(dwarf_attr(site, DW_AT_call_return_pc, &a) && dwarf_formaddr(&a, &ret) == 0) &&
	    dwarf_lowpc(site, &ret) != 0)
		return;
	if (dwarf_entrypc(&what, &entry) != 0 || !add_at(s, entry, ret))
		add_instances(s, &what, ret);
}

static void see_inlined(const struct search *s, Dwarf_Die *die)
{
	Dwarf_Addr entry;

	if (dwarf_entrypc(die, &entry) == 0 && module_is_code(s->f->mod, entry)) {
		const struct function *f = function_instance(s->f->mod, die,
							     s->f->outer ? s->f->outer : s->f->die);

		if (f)
			add_callee(s, f, 0);
	}
}

static void see_scope(const struct search *s, Dwarf_Die *scope, int depth)
{
	Dwarf_Die die;

	if (depth > 64 || dwarf_child(scope, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			see_call(s, &die);
			break;
		case DW_TAG_inlined_subroutine:
			see_inlined(s, &die);
			break;
		case DW_TAG_lexical_block:
			see_scope(s, &die, depth + 1);
			break;
		}
	} while (die_sibling(&die, &die) == 0);
}

void function_callees(const struct function *f, callee_vec *out, unsigned *tails)
{
	struct search s = {f, out, tails};

	if (f->die)
		see_scope(&s, f->die, 0);
}
