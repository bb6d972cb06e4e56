/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables in scope at an address: by name, or all of them. */
#include <string.h>

#include "values.h"

#define MAX_BLOCKS 64

/* ------------------------------------------------------------------- scopes */

/* Call F for each parameter, variable and named constant of the function or block SCOPE, of the
 * common blocks of Fortran in it, and of the blocks in it that hold PC, outer ones first. */
static void each_local(Dwarf_Die *scope, uint64_t pc, int depth, void (*f)(Dwarf_Die *, void *),
		       void *arg)
{
	Dwarf_Die die;
	if (depth > MAX_BLOCKS || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable ||
		    tag == DW_TAG_constant)
			f(&die, arg);
	} while (die_sibling(&die, &die) == 0);
	dwarf_child(scope, &die);
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_common_block ||
		    (tag == DW_TAG_lexical_block && die_haspc(&die, pc) == 1))
			each_local(&die, pc, depth + 1, f, arg);
	} while (die_sibling(&die, &die) == 0);
}

struct by_name {
	const char *name;
	Dwarf_Die die;
	bool found;
};

static void local_by_name(Dwarf_Die *die, void *arg)
{
	struct by_name *b = arg;
	const char *n = dwarf_diename(die);
	if (!n || strcmp(n, b->name) != 0)
		return;
	b->die = *die; /* the last one is the innermost */
	b->found = true;
}

/* The abstract function that FUNC is an instance of; it keeps variables that the instance lost. */
static bool abstract_function(Dwarf_Die *func, Dwarf_Die *out)
{
	Dwarf_Attribute a;
	return dwarf_attr(func, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, out);
}

bool find_local(Dwarf_Die *func, uint64_t pc, const char *name, Dwarf_Die *out)
{
	struct by_name b = {.name = name};
	Dwarf_Die origin;
	each_local(func, pc, 0, local_by_name, &b);
	if (!b.found && abstract_function(func, &origin))
		each_local(&origin, pc, 0, local_by_name, &b);
	*out = b.die;
	return b.found;
}

/* Is DIE the definition of what a namespace or class declares? */
static bool is_of_space(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_specification) && die_linkage_name(die);
}

/* NAME at the top of the unit SCOPE: its definition if there is one, else a declaration. */
static bool find_in_part(Dwarf_Die *scope, const char *name, int depth, unsigned *left,
			 Dwarf_Die *out)
{
	Dwarf_Die die, imported;
	bool found = false;
	if (depth > 4 || dwarf_child(scope, &die) != 0)
		return false;
	do {
		if (!*left)
			return found;
		--*left;
		if (!found && die_import(&die, &imported))
			found = find_in_part(&imported, name, depth + 1, left, out);
		if (dwarf_tag(&die) != DW_TAG_variable)
			continue;
		const char *n = dwarf_diename(&die);
		if (!n || strcmp(n, name) != 0 || is_of_space(&die))
			continue;
		*out = die;
		found = true;
		if (!die_is_declaration(&die))
			return true;
	} while (die_sibling(&die, &die) == 0);
	return found;
}

/* A wildcard asks for one name in thousands of functions of a unit, whose entries are read once. */
bool find_in_unit(Dwarf_Die *scope, const char *name, Dwarf_Die *out)
{
	static ARENA_STATE struct smap results;
	const char *key = xprintf("%p %s", scope->addr, name);
	const struct result {
		Dwarf_Die die;
		bool found;
	} *known = smap_get(&results, key);

	if (!known) {
		struct result *r = xalloc(sizeof *r);
		unsigned left = DIE_LIMIT;

		r->found = find_in_part(scope, name, 0, &left, &r->die);
		smap_put(&results, key, r);
		known = r;
	}
	if (known->found)
		*out = known->die;
	return known->found;
}

/* Find NAME among the variables of the unit of FUNC, or of the unit that FUNC
 * was written in where link-time optimisation moved it out of there. */
static bool find_global(Dwarf_Die *func, const char *name, Dwarf_Die *out)
{
	Dwarf_Die cu, other, origin;
	bool moved = abstract_function(func, &origin) && dwarf_diecu(&origin, &other, NULL, NULL);
	if (dwarf_diecu(func, &cu, NULL, NULL) && find_in_unit(&cu, name, out))
		return true;
	if (moved && find_in_unit(&other, name, out))
		return true;
	return find_in_namespaces(moved ? &other : &cu, func, name, out);
}

static bool is_external(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	bool flag = false;
	return dwarf_attr_integrate(die, DW_AT_external, &a) && dwarf_formflag(&a, &flag) == 0 &&
	       flag;
}

/* A global whose unit does not say where it is: the symbol table does. */
static bool place_of_symbol(struct context *c, const char *name, struct place *out)
{
	uint64_t addr;
	if (!module_data_symbol(c->mod, name, &addr))
		return context_fail(c, E_OPTIMIZED_OUT,
				    "was optimised out, or is defined in another file than %s",
				    c->mod->path);
	struct piece p = {.kind = P_MEMORY};
	push_op(&p.ops, A_ADDR, (int64_t)addr);
	vec_push(&out->pieces, p);
	return true;
}

bool place_of_global(struct context *c, const char *name, Dwarf_Die *die, struct place *out)
{
	const char *linkage = die_linkage_name(die);
	Dwarf_Die instance;
	bool said = dwarf_hasattr_integrate(die, DW_AT_location) ||
		    dwarf_hasattr_integrate(die, DW_AT_const_value);
	if (!said && !die_is_declaration(die) && variable_instance(c->mod, die, &instance))
		return place_of_variable(c, &instance, out);
	return !said && is_external(die) ? place_of_symbol(c, linkage ? linkage : name, out)
					 : place_of_variable(c, die, out);
}

enum lookup find_variable(struct context *c, const char *name, Dwarf_Die *die, struct place *out)
{
	uint64_t addr;
	if (find_local(c->func, c->pc, name, die) || find_global(c->func, name, die)) {
		return place_of_global(c, name, die, out) ? LOOKUP_PLACED : LOOKUP_LOST;
	}
	if (!module_data_symbol(c->mod, name, &addr))
		return LOOKUP_NONE;
	/* A global of another unit, which this one does not even declare. */
	Dwarf_Die *def = module_definition(c->mod, DW_TAG_variable, name);
	if (!def)
		return LOOKUP_NONE;
	*die = *def;
	return place_of_symbol(c, name, out) ? LOOKUP_PLACED : LOOKUP_LOST;
}

struct listing {
	name_vec *out;
	enum var_set set;
};

static void list_local(Dwarf_Die *die, void *arg)
{
	struct listing *l = arg;
	bool parm = dwarf_tag(die) == DW_TAG_formal_parameter;
	const char *n = dwarf_diename(die);
	if (!n || go_is_result(die) || !(l->set & (parm ? VARS_PARMS : VARS_LOCALS)))
		return;
	n = xprintf("$%s", n);
	for (size_t i = 0; i < l->out->n; i++)
		if (strcmp(l->out->v[i], n) == 0)
			return;
	vec_push(l->out, n);
}

void var_list(const struct function *f, uint64_t pc, enum var_set set, name_vec *out)
{
	struct listing parms = {out, set & VARS_PARMS}, locals = {out, set & VARS_LOCALS};
	Dwarf_Die origin;
	if (!f->die)
		return;
	bool abstract = abstract_function(f->die, &origin);
	each_local(f->die, pc, 0, list_local, &parms);
	if (abstract)
		each_local(&origin, pc, 0, list_local, &parms);
	each_local(f->die, pc, 0, list_local, &locals);
	if (abstract)
		each_local(&origin, pc, 0, list_local, &locals);
}

/* "char **" as "char**" */
static const char *short_type(const char *text)
{
	struct strbuf sb = {0};
	for (; *text; text++)
		if (*text != ' ' || text[1] != '*')
			sb_addn(&sb, text, 1);
	return sb.s ? sb.s : "";
}

static const char *described(Dwarf_Die *die, const char *name)
{
	Dwarf_Die type;
	const char *text = die_type(die, &type) ? type_text(&type) : "void";
	return xprintf("%s:%s", name, short_type(text ? text : "void"));
}

/* $return, or the names of several. */
static void describe_results(const struct function *f, name_vec *out)
{
	name_vec results = {0};
	Dwarf_Die die;

	function_results(f, &results);
	for (size_t i = 0; i < results.n; i++)
		if (go_result(f->die, results.v[i] + 1, &die))
			vec_push(out, described(&die, results.n > 1 ? results.v[i] : "$return"));
	if (!results.n && function_returns_value(f))
		vec_push(out, described(f->die, "$return"));
}

void var_describe(const struct function *f, uint64_t pc, bool at_return, name_vec *out)
{
	name_vec names;
	Dwarf_Die die;
	if (!f->die)
		return;
	if (at_return)
		describe_results(f, out);
	/* where a probe on the function goes if it reads a variable */
	if (at_return || pc == f->entry || pc == function_site(f))
		pc = f->body;
	names = variables_at(f, pc, true);
	for (size_t i = 0; i < names.n; i++)
		if (find_local(f->die, pc, names.v[i] + 1, &die))
			vec_push(out, described(&die, names.v[i]));
}

bool function_returns_value(const struct function *f)
{
	Dwarf_Die type;
	return f->die && die_type(f->die, &type);
}

/* ------------------------------------------------------------------- probes */

/* Changes by the compiler that the suffixes of F's symbol indicate, as CHANGED_ flags. */
static unsigned changes(const struct function *f)
{
	const char *name = f->linkage ? f->linkage : "";
	bool isra = strstr(name, ".isra.");

	if (f->outer)
		return 0;
	return (isra || strstr(name, ".constprop.") || strstr(name, ".part.") ? CHANGED_ARGUMENTS
									      : 0) |
	       (isra ? CHANGED_RESULT : 0);
}

struct context context_at(const struct function *f, uint64_t pc)
{
	bool at_entry = !f->outer &&
			(pc == f->entry || pc == function_site(f) || (f->go_abi && pc == f->body));
	return (struct context){.mod = f->mod,
				.func = f->die,
				.pc = at_entry ? f->entry : pc,
				.changed = changes(f),
				.frame = f->outer ? f->outer : f->die,
				.at_entry = at_entry,
				.go_abi = f->go_abi && at_entry};
}

name_vec variables_at(const struct function *f, uint64_t pc, bool readable)
{
	name_vec all = {0}, out = {0};
	var_list(f, pc, VARS_PARMS | VARS_LOCALS, &all);
	for (size_t i = 0; i < all.n; i++) {
		struct context c = context_at(f, pc);
		struct place place = {0};
		Dwarf_Die die;
		c.only_asked = true;
		if (!readable || find_variable(&c, all.v[i] + 1, &die, &place) == LOOKUP_PLACED)
			vec_push(&out, all.v[i]);
	}
	return out;
}
