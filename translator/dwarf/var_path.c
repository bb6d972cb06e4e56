/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compilation of a target variable's path ($x->member[i]) to the operations that read it, and the
 * errors where it ends early.
 */
#include <string.h>

#include "values.h"

/* Limit on the words of a struct in registers. */
#define MAX_WORDS 16

/* --------------------------------------------------------------------- hints */

static const char *join(const name_vec *names)
{
	struct strbuf sb = {0};
	for (size_t i = 0; i < names->n && i < 24; i++)
		sb_printf(&sb, "%s%s", i ? ", " : "", names->v[i]);
	if (names->n > 24)
		sb_printf(&sb, " and %zu more", names->n - 24);
	return sb.s;
}

const char *names_hint(const char *name, const name_vec *names, const char *what)
{
	struct strbuf sb = {0};
	const char *near = name ? nearest(name, names->v, names->n) : NULL;
	if (near)
		sb_printf(&sb, "did you mean \"%s\"? ", near);
	if (names->n)
		sb_printf(&sb, "%s: %s", what, join(names));
	return sb.s;
}

/* --------------------------------------------------------------------- paths */

/* From a pointer that was optimised away to the variable that it would point to. */
static bool follow_implicit(struct walk *w, const struct piece *p, struct loc loc)
{
	Dwarf_Die to = p->to;
	int64_t off = p->off;
	w->place = (struct place){0};
	if (!place_of_variable(&w->c, &to, &w->place))
		return walk_fail(
			w, w->c.tag, loc, NULL,
			xprintf("the object that %s points to %s", w->node->target.name, w->c.why));
	w->bit_off = off * 8;
	w->bits = 0;
	return true;
}

/* From a pointer to what it points to. */
static bool follow(struct walk *w, struct loc loc)
{
	int64_t off;
	aop_vec ops;
	Dwarf_Die to;
	const struct piece *p = piece_at(&w->place, w->bit_off, 64, &off);
	if (p && p->kind == P_POINTER && off == 0) {
		if (!follow_implicit(w, p, loc))
			return false;
	} else {
		if (!walk_value(w, loc, 8, false, &ops))
			return false;
		walk_set_memory(w, &ops);
	}
	if (w->stars) {
		w->stars--;
		w->bits = 0;
		w->text = walk_type_text(w);
	} else {
		walk_set_type(w, die_type(&w->type, &to) ? &to : NULL);
	}
	return true;
}

static bool follow_reference(struct walk *w, struct loc loc)
{
	int tag = w->is_void || w->stars ? 0 : dwarf_tag(&w->type);
	bool ref = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
	return !ref || follow(w, loc);
}

static bool no_member(struct walk *w, const struct target_comp *comp, enum member_found found)
{
	name_vec names = {0};
	if (found == MEMBER_NO_OFFSET)
		return walk_fail(
			w, E_UNSUPPORTED, comp->loc, NULL,
			xprintf("member \"%s\" of %s has no fixed offset", comp->name, w->text));
	type_member_names(w->c.mod, &w->type, &names);
	if (!names.n && die_is_declaration(&w->type))
		return walk_fail(w, E_NO_MEMBER, comp->loc,
				 "it is only declared in the debug information of this file",
				 xprintf("the members of %s are not known", w->text));
	return walk_fail(w, E_NO_MEMBER, comp->loc, names_hint(comp->name, &names, "members"),
			 xprintf("no member \"%s\" in %s", comp->name, w->text));
}

static bool walk_member(struct walk *w, const struct target_comp *comp);

/* The symbol of the static member that DIE declares, by its definition in the same unit; clang has
 * it only there. */
static const char *static_member_symbol(Dwarf_Die *scope, Dwarf_Die *die, int depth)
{
	Dwarf_Die d, of;
	Dwarf_Attribute a;
	const char *found = NULL;
	if (depth > 8 || dwarf_child(scope, &d) != 0)
		return NULL;
	do {
		if (dwarf_tag(&d) == DW_TAG_namespace &&
		    (found = static_member_symbol(&d, die, depth + 1)))
			return found;
		if (dwarf_tag(&d) == DW_TAG_variable && dwarf_attr(&d, DW_AT_specification, &a) &&
		    dwarf_formref_die(&a, &of) && dwarf_dieoffset(&of) == dwarf_dieoffset(die))
			return die_linkage_name(&d);
	} while (die_sibling(&d, &d) == 0);
	return NULL;
}

/* Walk to a member outside of the object: a static one, or one of a virtual base, whose offset is
 * in the object itself. */
static bool walk_odd_member(struct walk *w, const struct target_comp *comp, struct member *mb)
{
	aop_vec ops;
	const char *symbol;
	uint64_t addr;
	Dwarf_Die type;
	if (mb->odd == MEMBER_STATIC) {
		symbol = die_linkage_name(&mb->die);
		if (!symbol && dwarf_diecu(&mb->die, &type, NULL, NULL))
			symbol = static_member_symbol(&type, &mb->die, 0);
		if (!symbol || !module_data_symbol(w->c.mod, symbol, &addr))
			return false;
		ops = (aop_vec){0};
		push_op(&ops, A_ADDR, (int64_t)addr);
		walk_set_memory(w, &ops);
		walk_set_type(w, die_type(&mb->die, &type) ? &type : NULL);
		return true;
	}
	if (mb->odd != MEMBER_VIRTUAL)
		return false;
	w->bit_off += (int64_t)mb->bit_off;
	if (!walk_address(w, comp->loc, &ops) || !place_of_base(&w->c, &mb->die, &ops) ||
	    !die_type(&mb->die, &type))
		return false;
	walk_set_memory(w, &ops);
	walk_set_type(w, &type);
	return walk_member(w, comp);
}

static bool walk_member(struct walk *w, const struct target_comp *comp)
{
	struct member mb;
	aop_vec *holder;
	bool in_memory;
	if (walk_is_pointer(w) && !follow(w, comp->loc))
		return false;
	if (w->is_void || w->dim || w->stars || !type_is_struct(&w->type))
		return walk_fail(w, E_BAD_ACCESS, comp->loc, NULL,
				 xprintf("no member \"%s\" in %s, which is not a struct or union",
					 comp->name, w->text));
	enum member_found found = type_member(w->c.mod, &w->type, comp->name, &mb);
	if (found == MEMBER_NO_OFFSET && walk_odd_member(w, comp, &mb))
		return true;
	if (found != MEMBER_FOUND)
		return w->err->msg ? false : no_member(w, comp, found);
	holder = xalloc(sizeof *holder);
	in_memory = walk_in_memory(w) && walk_address(w, comp->loc, holder);
	w->bit_off += mb.bit_off;
	walk_set_type(w, &mb.type);
	w->bits = mb.bits;
	w->holder = in_memory ? holder : NULL;
	return true;
}

/* By a summary: the elements of a vector are behind a pointer that it has. */
static bool index_summary(struct walk *w, const struct target_comp *comp)
{
	struct ctype elem;
	aop_vec first;
	uint64_t size;
	if (w->is_void || !summary_row(w, &first, &elem, &size))
		return false;
	walk_set_memory(w, &first);
	walk_set_ctype(w, &elem);
	return walk_index(w, comp, size);
}

/* Index a pointer, an array, or an object whose summary has elements. */
static bool index_object(struct walk *w, const struct target_comp *comp)
{
	const char *what = w->text;
	bool pointer = walk_is_pointer(w);
	(void)array_unconstrained(w);
	if (!pointer && !walk_is_array(w) && index_summary(w, comp))
		return true;
	if (!pointer && !walk_is_array(w))
		return w->err->msg ? false
				   : walk_fail(w, E_BAD_ACCESS, comp->loc, NULL,
					       xprintf("%s cannot be indexed: it is not an array "
						       "or pointer",
						       what));
	if (!pointer)
		return array_element(w, comp);
	return follow(w, comp->loc) && pointed_element(w, comp, what);
}

/* ------------------------------------------------------------------- the end */

static const struct ctype *ctype_new(struct module *m, const Dwarf_Die *die, int dim, int stars)
{
	struct ctype *t = xalloc(sizeof *t);
	*t = (struct ctype){m, *die, dim, stars};
	return t;
}

/* The type that the address of the object points to: for an array that of its elements. */
static const struct ctype *decayed(struct walk *w)
{
	int64_t counts[16];
	Dwarf_Die elem;
	if (w->is_void)
		return NULL;
	if (!walk_is_array(w) || !die_type(&w->type, &elem))
		return ctype_new(w->c.mod, &w->type, w->dim, w->stars);
	int n = array_dims(&w->type, counts, 16);
	/* not a row as C has them */
	if (!array_is_dense(&w->type) || (n > 1 && array_is_column_major(&w->type)))
		return NULL;
	if (w->dim + 1 < n)
		return ctype_new(w->c.mod, &w->type, w->dim + 1, 0);
	return ctype_new(w->c.mod, &elem, 0, 0);
}

/* The type that the object, a number, points to; NULL: void, or not a pointer. */
static const struct ctype *pointee(struct walk *w)
{
	Dwarf_Die to;
	if (w->stars)
		return ctype_new(w->c.mod, &w->type, w->dim, w->stars - 1);
	return walk_is_pointer(w) && die_type(&w->type, &to) ? ctype_new(w->c.mod, &to, 0, 0)
							     : NULL;
}

static bool finish_address(struct walk *w, bool aggregate, struct access *out)
{
	struct loc loc = w->node->loc;
	aop_vec ops;
	if (w->bits)
		return walk_fail(w, E_BAD_ACCESS, loc, NULL, "a bit-field has no address");
	if (!walk_address(w, loc, &ops))
		return false;
	*out = (struct access){.ops = ops.v, .nops = ops.n, .size = 8, .is_address = aggregate};
	out->is_pointer = !aggregate;
	out->ctype = aggregate ? w->text : xprintf("%s *", w->text);
	out->points_to = decayed(w);
	return true;
}

/* The long double of x87, in memory: sixteen bytes, ten of which count. */
static bool finish_extended(struct walk *w, struct access *out)
{
	struct loc loc = w->node->loc;
	aop_vec ops = {0};
	if (!place_read(&w->place, w->bit_off, 64, false, false, &ops) ||
	    !place_read(&w->place, w->bit_off + 64, 16, false, false, &ops))
		return walk_gone(w, loc);
	push_op(&ops, A_EXTENDED, 0);
	*out = (struct access){.ops = ops.v, .nops = ops.n, .ctype = w->text, .size = 8};
	return true;
}

/* A double is its bits, as the script library's fp_...() functions take it; a float becomes a
 * double. */
static bool finish_scalar(struct walk *w, struct access *out)
{
	struct loc loc = w->node->loc;
	uint64_t size;
	aop_vec ops;
	bool sign = !w->stars && type_is_signed(&w->type);
	Dwarf_Word enc = w->stars ? 0 : type_float_encoding(&w->type);
	if (enc == DW_ATE_float && !w->bits && type_is_extended(&w->type))
		return finish_extended(w, out);
	if (!walk_size(w, &size) || (size != 1 && size != 2 && size != 4 && size != 8))
		return walk_fail(
			w, E_BAD_ACCESS, loc, NULL,
			xprintf("%s is of type %s, which is not a number of 1, 2, 4 or 8 bytes",
				w->node->target.name, w->text));
	if (enc && (enc != DW_ATE_float || size < 4))
		return walk_fail(w, E_BAD_ACCESS, loc, NULL,
				 xprintf("%s is of type %s, which is not supported; float, double "
					 "and long double are",
					 w->node->target.name, w->text));
	if (!walk_value(w, loc, (unsigned)size, sign, &ops))
		return false;
	if (enc && size == 4 && !w->node->target.pretty)
		push_op(&ops, A_WIDEN, 0);
	*out = (struct access){.ops = ops.v,
			       .nops = ops.n,
			       .ctype = w->text,
			       .is_signed = sign,
			       .size = (uint8_t)size,
			       .is_pointer = w->stars || type_is_pointer(&w->type),
			       .points_to = pointee(w)};
	return true;
}

static bool is_aggregate(struct walk *w)
{
	return !w->stars &&
	       (type_is_struct(&w->type) || dwarf_tag(&w->type) == DW_TAG_array_type ||
		type_is_text(&w->type) || type_float_encoding(&w->type) == DW_ATE_complex_float);
}

static bool points_to_struct(struct walk *w)
{
	Dwarf_Die to;
	if (w->stars)
		return w->stars == 1 && type_is_struct(&w->type);
	return dwarf_tag(&w->type) == DW_TAG_pointer_type && die_type(&w->type, &to) &&
	       type_peel(w->c.mod, &to, &to) && type_is_struct(&to);
}

/* A value that $var$ shows as `?` needs not be read. */
static void finish_unknown(struct walk *w, struct access *out)
{
	aop_vec ops = {0};
	push_op(&ops, A_CONST, 0);
	*out = (struct access){.ops = ops.v, .nops = ops.n, .ctype = w->text, .size = 8};
}

/* All of an aggregate: where it is, or, if it is not in memory, its words. */
static bool finish_aggregate(struct walk *w, struct access *out)
{
	struct loc loc = w->node->loc;
	uint64_t size;
	int64_t off;
	aop_vec ops = {0};
	const struct piece *p = piece_at(&w->place, w->bit_off, 8, &off);
	if ((p && p->kind == P_MEMORY && !p->bits) || !walk_size(w, &size) || !size ||
	    size > MAX_WORDS * 8)
		return finish_address(w, true, out);
	if (!place_fill(w->c.mod, &w->place, &w->type, w->bit_off))
		return walk_gone(w, loc);
	*out = (struct access){.ctype = w->text, .size = 8};
	for (uint64_t at = 0; at < size; at += 8, out->nwords++) {
		unsigned n = size - at < 8 ? (unsigned)(size - at) : 8;
		if (!place_read(&w->place, w->bit_off + (int64_t)at * 8, n * 8, true, false, &ops))
			return walk_gone(w, loc);
	}
	out->ops = ops.v;
	out->nops = ops.n;
	return true;
}

/* std_string($var): its text as it is. */
static bool bare_text(struct walk *w, const struct shape **shape)
{
	struct shape *bare = xalloc(sizeof *bare);
	if ((*shape)->kind != SHAPE_TEXT)
		return walk_fail(
			w, E_BAD_ACCESS, w->node->loc,
			"a type becomes text by a summary in the tapset library or in the script",
			xprintf("%s is of type %s, which is not text", w->node->target.name,
				w->text));
	*bare = **shape;
	bare->kind = SHAPE_BARE_TEXT;
	*shape = bare;
	return true;
}

/* len($var): the number of elements. */
static bool finish_length(struct walk *w, struct access *out)
{
	aop_vec ops = {0};
	if (points_to_struct(w) && !follow(w, w->node->loc))
		return false;
	(void)array_unconstrained(w);
	if ((walk_is_array(w) && array_length(w, &ops)) ||
	    (walk_is_text(w) && string_length(w, &ops)))
		;
	else if (w->is_void || w->stars || w->dim || !summary_length(w, &ops))
		return !w->err->msg &&
		       walk_fail(w, E_BAD_ACCESS, w->node->loc,
				 "the length of a type is defined by a summary in the tapset "
				 "library or in the script",
				 xprintf("%s is of type %s, whose length is not known",
					 w->node->target.name, w->text));
	*out = (struct access){
		.ops = ops.v, .nops = ops.n, .ctype = "long", .size = 8, .is_signed = true};
	return true;
}

/* Is it an array or string that is not one in memory as SHAPE describes it? */
static bool is_row(const struct walk *w, const struct shape *shape)
{
	bool known = !walk_is_text(w) || shape->kind != SHAPE_UNKNOWN;
	Dwarf_Die type = w->type;
	if (w->holder && walk_is_array(w) && array_has_member_bounds(&type))
		known = false;
	else if (shape->kind == SHAPE_ARRAY)
		known = shape->count >= 0;
	else if (walk_is_array(w) && shape->kind == SHAPE_ITEMS)
		known = !w->c.object;
	return !known && w->node->target.use != USE_TEXT && !w->c.mod->is_kernel;
}

/* An array or string whose size is known at run time only, or whose object is a descriptor: its
 * address, size and the like as words. False: it is another object. */
static bool finish_row(struct walk *w, struct access *out)
{
	struct var_error none = *w->err;
	struct walk here = *w;
	bool deep = w->node->target.pretty > 1;
	aop_vec ops;
	Dwarf_Die elem;
	if (walk_is_text(w)
		    ? !string_row(&here, &ops)
		    : !walk_is_array(w) || !array_row(&here, &ops) || !die_type(&w->type, &elem)) {
		*w->err = none;
		return false;
	}
	*out = (struct access){.ops = ops.v,
			       .nops = ops.n,
			       .ctype = w->text,
			       .size = 8,
			       .nwords = walk_is_text(w) ? 2 : 3,
			       .shape = walk_is_text(w) ? text_shape()
							: row_shape(w->c.mod, &elem, deep)};
	return true;
}

/* $var$: the value, or the address of an aggregate, and its shape; a pointer to a struct shows the
 * struct. */
static bool finish_pretty(struct walk *w, struct access *out)
{
	const struct shape *shape;
	if (w->node->target.addrof)
		return walk_fail(w, E_BAD_ACCESS, w->node->loc, NULL,
				 "an address cannot be pretty-printed");
	if (w->is_void)
		return walk_fail(
			w, E_BAD_ACCESS, w->node->loc, NULL,
			xprintf("%s has no value, its type is void", w->node->target.name));
	if (points_to_struct(w) && !follow(w, w->node->loc))
		return false;
	(void)array_unconstrained(w);
	if (w->dim)
		return walk_fail(
			w, E_UNSUPPORTED, w->node->loc, "give all indexes, or none",
			"pretty-printing a part of an array of arrays is not supported yet");
	shape = w->stars ? pointer_shape(w->c.mod, w->stars == 1 ? &w->type : NULL)
			 : type_shape(w->c.mod, &w->type, w->node->target.pretty > 1);
	if (w->node->target.use == USE_TEXT && !bare_text(w, &shape))
		return false;
	if (is_row(w, shape) && finish_row(w, out))
		return true;
	if (shape->kind == SHAPE_UNKNOWN)
		finish_unknown(w, out);
	else if (is_aggregate(w) || shape->size > 8 || shape->kind >= SHAPE_TEXT
			 ? !finish_aggregate(w, out)
			 : !finish_scalar(w, out))
		return false;
	out->shape = shape;
	return true;
}

static bool finish(struct walk *w, struct access *out)
{
	if (!follow_reference(w, w->node->loc))
		return false;
	if (w->node->target.use == USE_LENGTH)
		return finish_length(w, out);
	if (w->node->target.pretty)
		return finish_pretty(w, out);
	if (w->node->target.addrof)
		return finish_address(w, false, out);
	if (w->is_void)
		return walk_fail(
			w, E_BAD_ACCESS, w->node->loc, NULL,
			xprintf("%s has no value, its type is void", w->node->target.name));
	if ((walk_is_array(w) || walk_is_text(w)) && !array_enter(w, w->node->loc))
		return false;
	if (!w->stars && (type_is_struct(&w->type) || walk_is_array(w) || walk_is_text(w) ||
			  dwarf_tag(&w->type) == DW_TAG_subroutine_type))
		return finish_address(w, true, out);
	return finish_scalar(w, out);
}

/* ----------------------------------------------------------------- the start */

static bool no_debuginfo(struct walk *w)
{
	struct module *m = w->c.mod;
	if (m->is_kernel)
		return walk_fail(w, E_NO_DEBUGINFO, w->node->loc,
				 xprintf("use kernel.function or module(\"M\").function, which "
					 "know the parameters of most functions, or read them by "
					 "number with ulong_arg(1) and so on%s",
					 w->node->target.name[1] == 'r'
						 ? ", the result is returnval()"
						 : ""),
				 xprintf("%s: the variables of \"%s\" are not known",
					 w->node->target.name, w->f->name));
	if (module_dwarf(m))
		return walk_fail(w, E_NO_DEBUGINFO, w->node->loc,
				 "compile that source file with -g",
				 xprintf("%s needs debug information, which function \"%s\" of %s "
					 "does not have",
					 w->node->target.name, w->f->name, m->path));
	return walk_fail(
		w, E_NO_DEBUGINFO, w->node->loc,
		xprintf("%s; without it, long_arg(1), pointer_arg(2) and the like read arguments",
			module_debuginfo_hint(m)),
		xprintf("%s needs debug information, which %s does not have", w->node->target.name,
			m->path));
}

static const char *variable_name(const struct node *n)
{
	return n->target.start == TS_VAR ? n->target.text : n->target.name + 1;
}

static bool start_variable(struct walk *w, Dwarf_Die *die)
{
	const char *name = w->node->target.name;
	switch (find_variable(&w->c, variable_name(w->node), die, &w->place)) {
	case LOOKUP_PLACED:
		return true;
	case LOOKUP_LOST:
		walk_fail(w, w->c.tag, w->node->loc, NULL, xprintf("%s %s", name, w->c.why));
		return w->c.tag == E_OPTIMIZED_OUT && walk_lost(w, true);
	case LOOKUP_NONE:
		break;
	}
	walk_fail(w, E_NO_VARIABLE, w->node->loc, NULL,
		  xprintf("no variable %s in %s \"%s\"", name,
			  w->f->is_trace ? "tracepoint" : "function", w->f->name));
	return walk_lost(w, false);
}

/* A name that outlives the function: all that can be read by name at its return. */
static bool is_global(struct walk *w, const char *name)
{
	Dwarf_Die die;
	return !find_local(w->c.func, w->c.pc, name, &die);
}

static bool start_return(struct walk *w, Dwarf_Die *die)
{
	if (!place_of_return(&w->c, &w->place))
		return walk_fail(w, w->c.tag, w->node->loc, NULL, xprintf("$return %s", w->c.why));
	if (!go_result(w->c.func, NULL, die))
		*die = *w->c.func;
	return true;
}

/* A result of a Go function by its name. */
static bool start_result(struct walk *w, Dwarf_Die *die)
{
	return place_of_go_value(&w->c, die, &w->place) ||
	       walk_fail(w, w->c.tag, w->node->loc, NULL,
			 xprintf("%s %s", w->node->target.name, w->c.why));
}

static bool start(struct walk *w, bool at_return)
{
	const char *name = w->node->target.name;
	bool is_return = strcmp(name, "$return") == 0;
	Dwarf_Die die, type;
	if (!w->c.func)
		return no_debuginfo(w);
	if (at_return && !is_return && go_result(w->c.func, variable_name(w->node), &die)) {
		if (!start_result(w, &die))
			return false;
		walk_set_type(w, die_type(&die, &type) ? &type : NULL);
		return true;
	}
	if (is_return && !at_return)
		return walk_fail(w, E_CONTEXT, w->node->loc, "add .return to the probe point",
				 "$return is known only when the function returns");
	if (at_return && !is_return && is_global(w, variable_name(w->node)) == false)
		return walk_fail(w, E_CONTEXT, w->node->loc,
				 "read it in a probe on the function's entry and save it in an "
				 "array indexed by tid()",
				 xprintf("%s no longer exists when the function returns", name));
	if (is_return ? !start_return(w, &die) : !start_variable(w, &die))
		return false;
	walk_set_type(w, die_type(&die, &type) ? &type : NULL);
	return true;
}

bool walk_path(struct walk *w, size_t first, struct access *out)
{
	for (size_t i = first; i < w->node->target.ncomps; i++) {
		const struct target_comp *comp = &w->node->target.comps[i];
		if (!follow_reference(w, comp->loc))
			return false;
		if (comp->kind == TC_MEMBER ? !walk_member(w, comp) : !index_object(w, comp))
			return false;
	}
	if (!finish(w, out))
		return false;
	out->in_kernel = w->c.mod && w->c.mod->is_kernel;
	for (size_t i = 0; i < out->nops && out->in_kernel; i++)
		if (out->ops[i].kind == A_ADDR)
			out->base = w->c.mod;
	return true;
}

bool var_access(const struct function *f, uint64_t pc, bool at_return, const struct node *node,
		struct access *out, struct var_error *err)
{
	struct walk w = {.f = f, .node = node, .err = err, .c = context_at(f, pc)};
	return start(&w, at_return) && walk_path(&w, 0, out);
}
