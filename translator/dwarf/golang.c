/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go functions: parameters and results by ABIInternal, stack check, exits, declaration lines.
 *
 * The assignment of registers follows the description in Go's source,
 * src/cmd/compile/abi-internal.md: each scalar part of a value takes one register, a value whose
 * parts do not all fit goes to the stack, and a value of size 0 takes none.  Parameters and results
 * are assigned alike, each from the first register on.
 */
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "arch/arch.h"

enum { MAX_DEPTH = 32 };

/* One scalar part of a value: its bytes, and the DWARF register that holds it. */
struct part {
	uint64_t off, size;
	bool is_float;
	int reg;
};
struct value {
	VEC(struct part) parts;
	bool on_stack;
	int64_t off;
	uint64_t size, align;
};
/* Registers and stack bytes in use.  */
struct taken {
	int ints, floats;
	int64_t stack;
};

/* -------------------------------------------------------------------- types */

static bool add_parts(struct module *m, Dwarf_Die *type, uint64_t off, struct value *v, int depth);

static bool add_members(struct module *m, Dwarf_Die *type, uint64_t off, struct value *v, int depth)
{
	Dwarf_Die die;
	struct member mb = {0};

	if (dwarf_child(type, &die) != 0)
		return true;
	do {
		if (dwarf_tag(&die) != DW_TAG_member)
			continue;
		if (!member_place(m, &die, &mb) ||
		    !add_parts(m, &mb.type, off + mb.bit_off / 8, v, depth + 1))
			return false;
	} while (die_sibling(&die, &die) == 0);
	return true;
}

/* Arrays of one element are assigned as that element; longer ones never go to registers. */
static bool add_array(struct module *m, Dwarf_Die *type, uint64_t off, struct value *v, int depth)
{
	int64_t counts[16];
	int n = array_dims(type, counts, 16);
	uint64_t all = 1;
	size_t before = v->parts.n;
	Dwarf_Die element;

	for (int i = 0; i < n; i++) {
		if (counts[i] < 0)
			return false;
		all *= (uint64_t)counts[i];
	}
	if (n < 1 || !die_type(type, &element) || !add_parts(m, &element, off, v, depth + 1))
		return false;
	if (!all)
		v->parts.n = before;
	v->on_stack |= all > 1;
	return true;
}

static void add_part(struct value *v, uint64_t off, uint64_t size, bool is_float)
{
	vec_push(&v->parts, ((struct part){.off = off, .size = size, .is_float = is_float}));
	v->align = size > v->align ? size : v->align;
}

/* Append the scalar parts of TYPE at OFF; false if the type is not known well enough. */
static bool add_parts(struct module *m, Dwarf_Die *type, uint64_t off, struct value *v, int depth)
{
	Dwarf_Die t;
	uint64_t size;
	unsigned encoding;

	if (depth > MAX_DEPTH || !type_peel(m, type, &t))
		return false;
	switch (dwarf_tag(&t)) {
	case DW_TAG_structure_type:
		return add_members(m, &t, off, v, depth);
	case DW_TAG_array_type:
		return add_array(m, &t, off, v, depth);
	case DW_TAG_pointer_type:
	case DW_TAG_subroutine_type:
		add_part(v, off, 8, false);
		return true;
	case DW_TAG_base_type:
		break;
	default:
		return false;
	}
	if (!type_size(m, &t, &size) || !size || size > 16)
		return false;
	encoding = type_float_encoding(&t);
	if (encoding == DW_ATE_complex_float) {
		add_part(v, off, size / 2, true);
		add_part(v, off + size / 2, size / 2, true);
	} else if (size <= 8) {
		add_part(v, off, size, encoding != 0);
	} else {
		return false;
	}
	return true;
}

static bool value_of(struct module *m, Dwarf_Die *type, struct value *v)
{
	Dwarf_Die t;

	*v = (struct value){.align = 1};
	if (!type_peel(m, type, &t))
		return false;
	if (dwarf_tag(&t) == DW_TAG_pointer_type || dwarf_tag(&t) == DW_TAG_subroutine_type)
		v->size = 8;
	else if (!type_size(m, &t, &v->size))
		return false;
	return add_parts(m, &t, 0, v, 0);
}

/* --------------------------------------------------------------- assignment */

static void assign(struct taken *t, struct value *v)
{
	const struct arch *arch = arch_target();
	struct taken was = *t;
	int64_t align = (int64_t)v->align;

	for (size_t i = 0; i < v->parts.n && v->size && !v->on_stack; i++) {
		struct part *p = &v->parts.v[i];

		if (p->is_float ? t->floats == arch->ngo_floats : t->ints == arch->ngo_regs)
			v->on_stack = true;
		else
			p->reg = p->is_float ? arch->go_float + t->floats++
					     : arch->go_regs[t->ints++];
	}
	if (!v->on_stack && v->size)
		return;
	t->ints = was.ints;
	t->floats = was.floats;
	v->on_stack = true;
	v->off = (t->stack + align - 1) / align * align;
	t->stack = v->off + (int64_t)v->size;
}

bool go_is_result(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	bool flag = false;

	return dwarf_tag(die) == DW_TAG_formal_parameter &&
	       dwarf_attr_integrate(die, DW_AT_variable_parameter, &a) &&
	       dwarf_formflag(&a, &flag) == 0 && flag;
}

/* Does FUNC have a parameter of the name of DIE before it?  Go 1.24 describes results that closures
 * capture twice. */
static bool is_repeated(Dwarf_Die *func, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die), *its;
	Dwarf_Die p;

	if (!name || dwarf_child(func, &p) != 0)
		return false;
	do {
		if (dwarf_dieoffset(&p) == dwarf_dieoffset(die))
			return false;
		its = dwarf_tag(&p) == DW_TAG_formal_parameter ? dwarf_diename(&p) : NULL;
		if (its && !strcmp(its, name))
			return true;
	} while (die_sibling(&p, &p) == 0);
	return false;
}

/* Position of the dictionary among the parameters of an instance of a generic function. The debug
 * information does not describe it. */
enum dictionary { DICT_NONE, DICT_FIRST, DICT_SECOND };

static enum dictionary dictionary_of(Dwarf_Die *func)
{
	const char *name = dwarf_diename(func), *last;

	if (!name || !strstr(name, "[go.shape.") || !(last = strrchr(name, ']')))
		return DICT_NONE;
	if (!last[1])
		return DICT_FIRST;
	return strstr(last, ".func") ? DICT_NONE : DICT_SECOND; /* of a closure it is a captured
								   variable */
}

typedef bool value_fn(Dwarf_Die *die, const struct value *v, void *arg);

/* Call FN for the parameters of FUNC in order, or for its RESULTS, until it returns false; false: a
 * type is not known. */
static bool each_value(struct module *m, Dwarf_Die *func, bool results, struct taken *t,
		       value_fn *fn, void *arg)
{
	enum dictionary dict = results ? DICT_NONE : dictionary_of(func);
	Dwarf_Die p, type;
	struct value v;
	int n = 0;

	if (dwarf_child(func, &p) != 0)
		return true;
	t->ints += dict == DICT_FIRST;
	do {
		if (dwarf_tag(&p) != DW_TAG_formal_parameter || go_is_result(&p) != results ||
		    is_repeated(func, &p))
			continue;
		if (!die_type(&p, &type) || !value_of(m, &type, &v))
			return false;
		assign(t, &v);
		if (!n++)
			t->ints += dict == DICT_SECOND;
		if (fn && !fn(&p, &v, arg))
			return true;
	} while (die_sibling(&p, &p) == 0);
	return true;
}

/* Results on the stack lie behind the parameters there. */
static bool each_result(struct module *m, Dwarf_Die *func, value_fn *fn, void *arg)
{
	struct taken parameters = {0}, results = {0};

	if (!each_value(m, func, false, &parameters, NULL, NULL))
		return false;
	results.stack = (parameters.stack + 7) & ~7;
	return each_value(m, func, true, &results, fn, arg);
}

/* --------------------------------------------- agreement with location lists */

enum agreement { SILENT, AGREES, DIFFERS };
struct check {
	struct module *m;
	uint64_t pc;
	bool silent, differs;
};

static enum agreement compare_parts(const struct value *v, const Dwarf_Op *ops, size_t n)
{
	size_t part = 0;
	int reg = -1;

	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom >= DW_OP_reg0 && ops[i].atom <= DW_OP_reg31)
			reg = ops[i].atom - DW_OP_reg0;
		else if (ops[i].atom == DW_OP_regx)
			reg = (int)ops[i].number;
		else if (ops[i].atom != DW_OP_piece)
			return DIFFERS;
		if (ops[i].atom != DW_OP_piece && i + 1 < n)
			continue;
		if (part == v->parts.n || (reg >= 0 && reg != v->parts.v[part].reg))
			return DIFFERS;
		part++;
		reg = -1;
	}
	return AGREES;
}

static enum agreement compare(struct check *c, Dwarf_Die *die, const struct value *v)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!die_location(die, DW_AT_location, &a) || dwarf_whatform(&a) == DW_FORM_exprloc ||
	    die_location_at(&a, c->pc, &ops, &n) != 1 || !n)
		return SILENT;
	if (!v->on_stack)
		return compare_parts(v, ops, n);
	if (ops[0].atom == DW_OP_call_frame_cfa)
		return v->off == 0 ? AGREES : DIFFERS;
	return ops[0].atom == DW_OP_fbreg && (int64_t)ops[0].number == v->off ? AGREES : DIFFERS;
}

static bool check_value(Dwarf_Die *die, const struct value *v, void *arg)
{
	struct check *c = arg;
	enum agreement how = compare(c, die, v);

	c->differs |= how == DIFFERS;
	c->silent |= how == SILENT && !v->on_stack;
	return !c->differs;
}

static const char *go_producer(Dwarf_Die *func)
{
	Dwarf_Die cu;
	Dwarf_Attribute a;
	const char *text = dwarf_diecu(func, &cu, NULL, NULL) && dwarf_attr(&cu, DW_AT_producer, &a)
				   ? dwarf_formstring(&a)
				   : NULL;

	return text ? text : "";
}

/* Does the compiler describe blank parameters too?
 * Go 1.19 leaves them out, 1.24 names them ~p0. */
static bool describes_blanks(const char *producer)
{
	const char *version = strstr(producer, " go1.");

	return version && atoi(version + 5) >= 24;
}

static bool uses_registers(Dwarf_Die *func)
{
	return abi_language(func) == LANGUAGE_GO && strstr(go_producer(func), "regabi");
}

static unsigned count_parameters(Dwarf_Die *func)
{
	unsigned n = 0;
	Dwarf_Die p;

	if (dwarf_child(func, &p) != 0)
		return 0;
	do
		n += dwarf_tag(&p) == DW_TAG_formal_parameter && !go_is_result(&p) &&
		     !is_repeated(func, &p);
	while (die_sibling(&p, &p) == 0);
	return n;
}

/* Has the copy FUNC of an inlined function as many parameters as the abstract one? */
static bool is_complete(Dwarf_Die *func)
{
	Dwarf_Attribute a;
	Dwarf_Die origin;

	return !dwarf_attr(func, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &origin) ||
	       count_parameters(&origin) == count_parameters(func);
}

bool go_abi_known(struct module *m, Dwarf_Die *func, uint64_t entry)
{
	struct check c = {.m = m, .pc = entry};
	struct taken t = {0};

	if (!uses_registers(func) || !is_complete(func) ||
	    !each_value(m, func, false, &t, check_value, &c))
		return false;
	return !c.differs && (!c.silent || (describes_blanks(go_producer(func)) &&
					    dictionary_of(func) == DICT_NONE));
}

/* ------------------------------------------------------------------- places */

struct wanted {
	Dwarf_Off die;
	struct value value;
	bool found;
};

static bool find_value(Dwarf_Die *die, const struct value *v, void *arg)
{
	struct wanted *w = arg;

	if (dwarf_dieoffset(die) != w->die)
		return true;
	w->value = *v;
	w->found = true;
	return false;
}

static void push_gap(struct place *out, uint64_t bytes)
{
	if (bytes)
		vec_push(&out->pieces, ((struct piece){.kind = P_NONE, .bits = bytes * 8}));
}

static void push_parts(const struct value *v, struct place *out)
{
	uint64_t at = 0;

	for (size_t i = 0; i < v->parts.n; i++) {
		const struct part *p = &v->parts.v[i];
		struct piece piece = {.kind = P_VALUE, .bits = p->size * 8};

		push_gap(out, p->off - at);
		if (p->is_float)
			push_op(&piece.ops, A_VECTOR, 2 * (p->reg - arch_target()->go_float));
		else
			push_op(&piece.ops, A_REG, p->reg);
		vec_push(&out->pieces, piece);
		at = p->off + p->size;
	}
	push_gap(out, v->size - at);
}

bool place_of_go_value(struct context *c, Dwarf_Die *die, struct place *out)
{
	struct wanted w = {.die = dwarf_dieoffset(die)};
	struct piece p = {.kind = P_MEMORY};
	struct taken t = {0};
	bool known = go_is_result(die) ? each_result(c->mod, c->func, find_value, &w)
				       : each_value(c->mod, c->func, false, &t, find_value, &w);

	if (!known || !w.found)
		return context_fail(c, E_OPTIMIZED_OUT,
				    "is of a type whose registers are not known");
	if (!w.value.size)
		return context_fail(c, E_BAD_ACCESS, "is empty");
	if (!w.value.on_stack) {
		push_parts(&w.value, out);
		return true;
	}
	if (!c->go_abi)
		return context_fail(
			c, E_OPTIMIZED_OUT,
			"is on the stack behind parameters that the debug information leaves out");
	push_op(&p.ops, A_REG, arch_target()->sp_reg); /* on top of the stack is the return address
							*/
	push_add(&p.ops, 8 + w.value.off);
	vec_push(&out->pieces, p);
	return true;
}

/* ------------------------------------------------------------------ results */

static bool nth_result(Dwarf_Die *func, unsigned n, const char *name, Dwarf_Die *out)
{
	const char *its;

	if (dwarf_child(func, out) != 0)
		return false;
	do
		if (go_is_result(out) && !is_repeated(func, out) &&
		    (name ? (its = dwarf_diename(out)) && !strcmp(its, name) : !n--))
			return true;
	while (die_sibling(out, out) == 0);
	return false;
}

bool go_result(Dwarf_Die *func, const char *name, Dwarf_Die *out)
{
	if (abi_language(func) != LANGUAGE_GO)
		return false;
	return name ? nth_result(func, 0, name, out) : nth_result(func, 0, NULL, out);
}

bool function_result(const struct function *f, const char *name)
{
	Dwarf_Die die;

	return f && f->mod && f->die && *name == '$' && go_result(f->die, name + 1, &die);
}

void function_results(const struct function *f, name_vec *out)
{
	Dwarf_Die die;

	if (!f->die || abi_language(f->die) != LANGUAGE_GO)
		return;
	for (unsigned n = 0; nth_result(f->die, n, NULL, &die); n++)
		vec_push(out, xprintf("$%s", dwarf_diename(&die) ? dwarf_diename(&die) : "?"));
}

bool place_of_go_return(struct context *c, struct place *out, Dwarf_Die *die)
{
	Dwarf_Die second;

	if (!nth_result(c->func, 0, NULL, die))
		return context_fail(c, E_BAD_ACCESS,
				    "does not exist, the function returns nothing");
	if (nth_result(c->func, 1, NULL, &second))
		return context_fail(c, E_UNSUPPORTED,
				    "stands for one result and the function has several; name one, "
				    "as $%s or $%s",
				    dwarf_diename(die), dwarf_diename(&second));
	if (!uses_registers(c->func))
		return context_fail(
			c, E_UNSUPPORTED,
			"cannot be read: this compiler of Go passes no results in registers");
	return place_of_go_value(c, die, out);
}

/* --------------------------------------------------------------------- code */

uint64_t go_body(struct module *m, uint64_t entry)
{
	size_t len;
	const unsigned char *code = module_bytes(m, entry, &len);

	return code ? entry + arch_target()->go_stack_check(code, len) : entry;
}

/* Go 1.19 gives parameters a declaration line and functions none; no version names the file of
 * functions that are inlined. */
void go_declaration(struct module *m, Dwarf_Die *func, struct function *f)
{
	int line = 0, its = 0;
	const char *file = NULL;
	Dwarf_Die p;

	if (f->line && f->file)
		return;
	if (!module_line_at(m, f->entry, &file, &line))
		line = 0;
	if (!f->file)
		f->file = file;
	if (f->line)
		return;
	if (dwarf_child(func, &p) == 0 && dwarf_tag(&p) == DW_TAG_formal_parameter &&
	    dwarf_decl_line(&p, &its) == 0 && its > 0 && (!line || its < line))
		line = its;
	f->line = line;
}
