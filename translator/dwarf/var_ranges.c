/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables and lines at an address, for --explain: its line, the functions inlined there, and the
 * location of each variable. Locations are those that probes would read: found by
 * place_of_variable(), range after range of a location list.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "bisect.h"

#define PLACE_STEPS 200 /* work units to find and print a location */

/* ------------------------------------------------------------------------ lines */

struct inlined {
	uint64_t lo, hi;
};
struct seen {
	const struct function *f;
	uint64_t pc;
	seen_vec *out;
	VEC(struct inlined) inlined; /* code that is of other functions */
};

/* Note the code of functions that were inlined into SCOPE. */
static void find_inlined(struct seen *s, Dwarf_Die *scope, int depth)
{
	struct inlined in;
	Dwarf_Addr base;
	Dwarf_Die die;

	if (depth > 64 || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_lexical_block)
			find_inlined(s, &die, depth + 1);
		for (ptrdiff_t at = 0; tag == DW_TAG_inlined_subroutine &&
				       (at = die_ranges(&die, at, &base, &in.lo, &in.hi)) > 0;)
			vec_push(&s->inlined, in);
	} while (die_sibling(&die, &die) == 0);
}

static bool is_inlined(const struct seen *s, uint64_t addr)
{
	for (size_t i = 0; i < s->inlined.n; i++)
		if (addr >= s->inlined.v[i].lo && addr < s->inlined.v[i].hi)
			return true;
	return false;
}

static Dwarf_Addr row_addr(Dwarf_Lines *rows, size_t i)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(dwarf_onesrcline(rows, i), &addr);
	return addr;
}

/* The first of the N rows, which are by address, whose code may reach to ADDR. */
static size_t first_row(Dwarf_Lines *rows, size_t n, uint64_t addr)
{
	size_t lo = BISECT(mid, n, row_addr(rows, mid) <= addr);

	return lo ? lo - 1 : 0;
}

/* The lowest and highest line of the function itself that has code in R. */
static void lines_of(const struct seen *s, struct var_range *r)
{
	const struct function *f = s->f;
	struct unit *u = unit_at(f->mod, r->lo);
	Dwarf_Lines *rows;
	size_t n;

	if (!u || die_lines(&u->die, &rows, &n) != 0)
		return;
	for (size_t i = first_row(rows, n, r->lo); i + 1 < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		const char *src = dwarf_linesrc(row, NULL, NULL);
		Dwarf_Addr from, to;
		bool ends = true;
		int line = 0;

		dwarf_lineendsequence(row, &ends);
		if (dwarf_lineaddr(row, &from) || from >= r->hi)
			break;
		if (ends || dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &to) || to <= r->lo ||
		    from == to)
			continue;
		if (dwarf_lineno(row, &line) || !line || !src ||
		    (f->file && strcmp(src, f->file) != 0) || is_inlined(s, from))
			continue;
		r->first = r->first && r->first < line ? r->first : line;
		r->last = r->last > line ? r->last : line;
	}
}

/* ------------------------------------------------------------------ inlined into */

static const char *call_site(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Word line = 0, i = 0;
	Dwarf_Files *files;
	Dwarf_Die cu;
	size_t n;

	if (dwarf_attr(die, DW_AT_call_line, &a))
		dwarf_formudata(&a, &line);
	if (dwarf_attr(die, DW_AT_call_file, &a))
		dwarf_formudata(&a, &i);
	if (!line || !dwarf_diecu(die, &cu, NULL, NULL) ||
	    dwarf_getsrcfiles(&cu, &files, &n) != 0 || i >= n)
		return "";
	return xprintf(", %s:%" PRIu64, dwarf_filesrc(files, i, NULL, NULL), (uint64_t)line);
}

void function_inlined_into(const struct function *f, name_vec *out)
{
	Dwarf_Die *scopes, *inner = f->die;
	int n;

	if (!f->outer)
		return;
	n = die_scopes(f->die, &scopes);
	for (int i = 1; i < n; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name = dwarf_diename(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		vec_push(out, xprintf("%s%s", name ? name : "?", call_site(inner)));
		inner = &scopes[i];
		if (tag == DW_TAG_subprogram)
			break;
	}
}

/* ---------------------------------------------------------------- places as text */

struct reg_search {
	int reg;
	char name[24];
};

static int see_register(void *arg, int reg, const char *set, const char *prefix, const char *name,
			int bits, int type)
{
	struct reg_search *s = arg;

	(void)set, (void)bits, (void)type;
	if (reg != s->reg)
		return DWARF_CB_OK;
	snprintf(s->name, sizeof s->name, "%s%s", prefix, name);
	return DWARF_CB_ABORT;
}

static const char *register_text(struct module *m, int reg)
{
	struct reg_search s = {.reg = reg};

	dwfl_module_register_names(m->mod, see_register, &s);
	return *s.name ? xstrdup(s.name) : xprintf("register %d", reg);
}

static const char *piece_text(struct module *m, const struct piece *p)
{
	const struct aop *op = p->ops.v;
	const char *text = NULL;

	if (p->kind == P_NONE)
		return "optimised out";
	if (p->kind == P_POINTER)
		return "a pointer optimised away";
	if (p->kind == P_BYTES)
		return "a constant";
	if (p->ops.n == 1 && op[0].kind == A_REG)
		text = register_text(m, (int)op[0].a);
	else if (p->ops.n == 1 && op[0].kind == A_CONST)
		text = xprintf("%" PRId64, op[0].a);
	else if (p->ops.n == 1 && op[0].kind == A_ADDR)
		text = xprintf("%#" PRIx64, (uint64_t)op[0].a);
	else if (p->ops.n == 3 && op[0].kind == A_REG && op[1].kind == A_CONST &&
		 op[2].kind == A_ADD)
		text = xprintf("%s%+" PRId64, register_text(m, (int)op[0].a), op[1].a);
	if (p->kind == P_VALUE)
		return text ? text : "computed";
	return text ? xprintf("[%s]", text) : "[computed]";
}

static const char *place_text(struct module *m, const struct place *place)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < place->pieces.n; i++)
		sb_printf(&sb, "%s%s",
			  i                     ? ", "
			  : place->pieces.n > 1 ? "in pieces "
						: "",
			  piece_text(m, &place->pieces.v[i]));
	return sb.s ? sb.s : "";
}

/* ---------------------------------------------------------------- where variables are */

/* The text of the location of DIE at PC; NULL: C has the reason. */
static const char *place_at(struct context *c, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	struct place place = {0};

	return place_of_global(c, name, die, &place) ? place_text(c->mod, &place) : NULL;
}

/* The offset of DIE from the frame base, which stays the same while the stack pointer moves; NULL:
 * it is not located like that. */
static const char *in_frame(Dwarf_Die *die, uint64_t pc)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!die_location(die, DW_AT_location, &a) || die_location_at(&a, pc, &ops, &n) < 1)
		return NULL;
	return n == 1 && ops[0].atom == DW_OP_fbreg
		       ? xprintf("[frame%+" PRId64 "]", (int64_t)ops[0].number)
		       : NULL;
}

static void add_range(const struct seen *s, struct var_seen *v, Dwarf_Die *die, uint64_t lo,
		      uint64_t hi)
{
	struct context c = context_at(s->f, lo);
	struct var_range r = {.lo = lo, .hi = hi},
			 *last = v->ranges.n ? &v->ranges.v[v->ranges.n - 1] : NULL;

	work_charge(die->cu, PLACE_STEPS);
	c.at_entry = false; /* here it is what the debug information says that counts */
	if (lo >= hi)
		return;
	r.place = place_at(&c, die);
	if (!r.place)
		r.place = xprintf("(%s)", c.why);
	else if (in_frame(die, lo))
		r.place = in_frame(die, lo);
	if (last && last->hi == lo && !strcmp(last->place, r.place))
		last->hi = hi;
	else
		vec_push(&v->ranges, r);
}

/* The part of [LO, HI) in which SCOPE has code. */
static void add_in_scope(const struct seen *s, struct var_seen *v, Dwarf_Die *die, Dwarf_Die *scope,
			 uint64_t lo, uint64_t hi)
{
	Dwarf_Addr base, from, to;

	for (ptrdiff_t at = 0; (at = die_ranges(scope, at, &base, &from, &to)) > 0;)
		if (from < hi && to > lo)
			add_range(s, v, die, from > lo ? from : lo, to < hi ? to : hi);
}

static void add_ranges(const struct seen *s, struct var_seen *v, Dwarf_Die *die, Dwarf_Die *scope)
{
	Dwarf_Addr base, lo, hi;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!die_location(die, DW_AT_location, &a) || dwarf_whatform(&a) == DW_FORM_exprloc ||
	    dwarf_whatform(&a) == DW_FORM_block1) {
		add_in_scope(s, v, die, scope, 0, UINT64_MAX);
		return;
	}
	for (ptrdiff_t at = 0; (at = die_locations(&a, at, &base, &lo, &hi, &ops, &n)) > 0;)
		if (n)
			add_in_scope(s, v, die, scope, lo, hi);
}

static void see_variable(const struct seen *s, Dwarf_Die *die, Dwarf_Die *scope)
{
	struct context c = context_at(s->f, s->pc);
	const char *name = dwarf_diename(die);
	struct var_seen v = {0};
	Dwarf_Die type;

	if (!name)
		return;
	v.name = xprintf("$%s", name);
	v.type = die_type(die, &type) ? type_text(&type) : "void";
	v.in_scope = die_haspc(scope, s->pc) == 1;
	v.here = v.in_scope ? place_at(&c, die) : NULL;
	v.why = v.here ? NULL : v.in_scope ? c.why : "out of scope";
	add_ranges(s, &v, die, scope);
	for (size_t i = 0; i < v.ranges.n; i++)
		lines_of(s, &v.ranges.v[i]);
	vec_push(s->out, v);
}

/* Add the variables that are declared in SCOPE, then those of the blocks in it. */
static void see_scope(const struct seen *s, Dwarf_Die *scope, int depth)
{
	Dwarf_Die die;
	int tag;

	if (depth > 64 || dwarf_child(scope, &die) != 0)
		return;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable)
			see_variable(s, &die, scope);
	} while (die_sibling(&die, &die) == 0);
	dwarf_child(scope, &die);
	do {
		if (dwarf_tag(&die) == DW_TAG_lexical_block)
			see_scope(s, &die, depth + 1);
	} while (die_sibling(&die, &die) == 0);
}

/* Variables that the source has, but no instance of the function has kept. */
static void see_lost(const struct seen *s)
{
	name_vec names = {0};
	bool known;

	var_list(s->f, s->pc, VARS_PARMS | VARS_LOCALS, &names);
	for (size_t i = 0; i < names.n; i++) {
		known = false;
		for (size_t k = 0; k < s->out->n && !known; k++)
			known = !strcmp(s->out->v[k].name, names.v[i]);
		if (!known)
			vec_push(s->out, ((struct var_seen){.name = names.v[i],
							    .why = "was optimised out"}));
	}
}

void function_variables(const struct function *f, uint64_t pc, seen_vec *out)
{
	struct seen s = {.f = f, .pc = pc, .out = out};

	if (!f->die)
		return;
	find_inlined(&s, f->die, 0);
	see_scope(&s, f->die, 0);
	see_lost(&s);
}

const char *function_result_type(const struct function *f)
{
	Dwarf_Die type;

	return f->die && die_type(f->die, &type) ? type_text(&type) : NULL;
}
