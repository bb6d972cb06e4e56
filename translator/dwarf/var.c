/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way along a target variable's path ($x->member[i]) to the operations
 * that read it, and what is said where it ends early.
 */
#include <string.h>

#include "dwarf.h"

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

/* "did you mean X? WHAT: a, b, c", as far as there is something to say. */
static const char *names_hint(const char *name, const name_vec *names, const char *what)
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

/* How far the path has been followed: an object of TYPE, `bits` bits wide if a
 * bit-field, BIT_OFF bits into PLACE. */
struct walk {
	struct context c;
	const struct function *f;
	const struct node *node;
	struct var_error *err;
	struct place place;
	int64_t bit_off;                         /* negative after $a[-1] */
	unsigned bits;
	Dwarf_Die type;                          /* peeled, unless is_void */
	const char *text;                        /* of the type before peeling */
	bool is_void;
	int dim;                                 /* dimensions of the array already indexed */
	int nindex;                              /* run-time indexes so far */
};

static bool fail(struct walk *w, enum errtag tag, struct loc loc, const char *hint, const char *msg)
{
	*w->err = (struct var_error){.tag = tag, .loc = loc, .msg = msg, .hint = hint};
	return false;
}

static bool set_type(struct walk *w, Dwarf_Die *type)
{
	w->text = type_text(type);
	w->is_void = !type || !type_peel(w->c.mod, type, &w->type);
	w->dim = 0;
	w->bits = 0;
	return true;
}

/* The piece that holds all of the next NBITS; *OFF is where in it they begin. */
static const struct piece *piece_at(const struct walk *w, int64_t nbits, int64_t *off)
{
	*off = w->bit_off;
	for (size_t i = 0; i < w->place.pieces.n; i++) {
		const struct piece *p = &w->place.pieces.v[i];
		int64_t bits = (int64_t)p->bits;
		if (!bits || (*off >= 0 && *off + nbits <= bits))
			return p;
		if (*off < bits)
			return NULL;             /* it crosses a border */
		*off -= bits;
	}
	return NULL;
}

static bool gone(struct walk *w, struct loc loc)
{
	name_vec names = variables_at(w->f, w->c.pc, true);
	const char *hint = names_hint(NULL, &names, "available here");
	return fail(w, E_OPTIMIZED_OUT, loc, hint,
		    xprintf("this part of %s was optimised out here", w->node->target.name));
}

/* Push the address of the object. */
static bool push_object(struct walk *w, struct loc loc, aop_vec *out)
{
	int64_t off;
	const struct piece *p = piece_at(w, 8, &off);
	if (!p || p->kind == P_NONE)
		return gone(w, loc);
	if (p->kind != P_MEMORY || p->bits)
		return fail(w, E_BAD_ACCESS, loc,
			    !w->is_void && type_is_struct(&w->type) ? "name one member of it"
								    : NULL,
			    xprintf("%s is not in memory here but in registers, so it has no "
				    "address",
				    w->node->target.name));
	*out = (aop_vec){0};
	for (size_t i = 0; i < p->ops.n; i++)
		vec_push(out, p->ops.v[i]);
	push_add(out, off / 8);
	return true;
}

/* Replace the object by what its address OPS leads to. */
static void set_memory(struct walk *w, const aop_vec *ops)
{
	struct piece p = {.kind = P_MEMORY, .ops = *ops};
	w->place = (struct place){0};
	vec_push(&w->place.pieces, p);
	w->bit_off = 0;
	w->bits = 0;
}

static void push_field(aop_vec *out, int64_t shift, unsigned bits, bool sign)
{
	struct aop op = {.kind = A_BITS, .a = shift, .bits = (uint8_t)bits, .sign = sign};
	vec_push(out, op);
}

/* A bit-field in memory: the smallest aligned read that holds it, so that no
 * byte past its object is touched; else the bytes it lies in. */
static bool load_bits(const struct walk *w, int64_t off, bool sign, aop_vec *out)
{
	int64_t unit, start = 0, need = w->bits;
	for (unit = 1; unit <= 8; unit *= 2) {
		start = (off & ~(unit * 8 - 1)) / 8;
		if (off - start * 8 + need <= unit * 8)
			break;
	}
	if (unit > 8) {
		unit = 8;
		start = (off & ~7) / 8;
		if (off - start * 8 + need > 64)
			return false;
	}
	push_add(out, start);
	vec_push(out, ((struct aop){.kind = A_DEREF, .size = (uint8_t)unit}));
	push_field(out, off - start * 8, w->bits, sign);
	return true;
}

/* Bits of a value that is known now. */
static bool load_bytes(const struct piece *p, int64_t off, unsigned nbits, bool sign, aop_vec *out)
{
	uint64_t v = 0;
	if (off < 0 || (uint64_t)(off + nbits + 7) / 8 > p->nbytes)
		return false;
	for (unsigned i = 0; i < nbits; i++)
		v |= (uint64_t)(p->bytes[(off + i) / 8] >> (off + i) % 8 & 1) << i;
	if (sign && nbits < 64 && v >> (nbits - 1) & 1)
		v |= ~0ull << nbits;
	push_op(out, A_CONST, (int64_t)v);
	return true;
}

/* Push the value of the object, a scalar of SIZE bytes. */
static bool push_value(struct walk *w, struct loc loc, unsigned size, bool sign, aop_vec *out)
{
	unsigned nbits = w->bits ? w->bits : size * 8;
	int64_t off;
	const struct piece *p = piece_at(w, nbits, &off);
	*out = (aop_vec){0};
	if (!p || p->kind == P_NONE)
		return gone(w, loc);
	for (size_t i = 0; i < p->ops.n; i++)
		vec_push(out, p->ops.v[i]);
	if (p->kind == P_BYTES)
		return load_bytes(p, off, nbits, sign, out) || gone(w, loc);
	if (p->kind == P_VALUE) {
		if (off < 0 || off + nbits > 64)
			return gone(w, loc);
		if (off || w->bits)
			push_field(out, off, nbits, sign);
		else if (size < 8)
			vec_push(out, ((struct aop){.kind = A_EXT, .size = (uint8_t)size,
						    .sign = sign}));
		return true;
	}
	if (w->bits)
		return load_bits(w, off, sign, out) ||
		       fail(w, E_UNSUPPORTED, loc, NULL, "this bit-field spans nine bytes");
	push_add(out, off / 8);
	vec_push(out, ((struct aop){.kind = A_DEREF, .size = (uint8_t)size, .sign = sign}));
	return true;
}

/* From a pointer to what it points to. */
static bool follow(struct walk *w, struct loc loc)
{
	aop_vec ops;
	Dwarf_Die to;
	if (!push_value(w, loc, 8, false, &ops))
		return false;
	set_memory(w, &ops);
	return set_type(w, die_type(&w->type, &to) ? &to : NULL);
}

static bool follow_reference(struct walk *w, struct loc loc)
{
	int tag = w->is_void ? 0 : dwarf_tag(&w->type);
	bool ref = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
	return !ref || follow(w, loc);
}

static bool no_member(struct walk *w, const struct target_comp *comp, enum member_found found)
{
	name_vec names = {0};
	if (found == MEMBER_NO_OFFSET)
		return fail(w, E_UNSUPPORTED, comp->loc, NULL,
			    xprintf("member \"%s\" of %s has no fixed offset", comp->name,
				    w->text));
	type_member_names(w->c.mod, &w->type, &names);
	if (!names.n && die_is_declaration(&w->type))
		return fail(w, E_NO_MEMBER, comp->loc,
			    "it is only declared in the debug information of this file",
			    xprintf("the members of %s are not known", w->text));
	return fail(w, E_NO_MEMBER, comp->loc, names_hint(comp->name, &names, "members"),
		    xprintf("no member \"%s\" in %s", comp->name, w->text));
}

static bool walk_member(struct walk *w, const struct target_comp *comp)
{
	struct member mb;
	if (!w->is_void && dwarf_tag(&w->type) == DW_TAG_pointer_type && !follow(w, comp->loc))
		return false;
	if (w->is_void || w->dim || !type_is_struct(&w->type))
		return fail(w, E_BAD_ACCESS, comp->loc, NULL,
			    xprintf("no member \"%s\" in %s, which is not a struct or union",
				    comp->name, w->text));
	enum member_found found = type_member(w->c.mod, &w->type, comp->name, &mb);
	if (found != MEMBER_FOUND)
		return no_member(w, comp, found);
	w->bit_off += mb.bit_off;
	set_type(w, &mb.type);
	w->bits = mb.bits;
	return true;
}

/* Size of what one index of the array steps over; and what is indexed after it. */
static bool element(struct walk *w, uint64_t *size)
{
	Dwarf_Die elem;
	int64_t counts[16];
	int n = array_dims(&w->type, counts, 16);
	if (!die_type(&w->type, &elem) || !type_size(w->c.mod, &elem, size))
		return false;
	for (int i = w->dim + 1; i < n; i++) {
		if (counts[i] < 0)
			return false;
		*size *= (uint64_t)counts[i];
	}
	if (++w->dim == n)
		return set_type(w, &elem);
	w->text = array_text(&w->type, w->dim);
	return true;
}

static bool bad_index(struct walk *w, const struct target_comp *comp)
{
	return fail(w, E_BAD_ACCESS, comp->loc, NULL,
		    xprintf("%s cannot be indexed, the size of its elements is not known",
			    w->text));
}

static bool walk_index(struct walk *w, const struct target_comp *comp)
{
	uint64_t size;
	aop_vec ops;
	const char *what = w->text;
	int tag = w->is_void ? 0 : dwarf_tag(&w->type);
	if (tag == DW_TAG_pointer_type) {
		if (!follow(w, comp->loc))
			return false;
		w->text = what;
		if (w->is_void || !type_size(w->c.mod, &w->type, &size))
			return bad_index(w, comp);
		Dwarf_Die t = w->type;
		set_type(w, &t);
	} else if (tag != DW_TAG_array_type) {
		return fail(w, E_BAD_ACCESS, comp->loc, NULL,
			    xprintf("%s cannot be indexed, it is not an array or pointer", what));
	} else if (!element(w, &size)) {
		return bad_index(w, comp);
	}
	if (comp->index->kind == N_NUM) {
		w->bit_off += comp->index->num * (int64_t)size * 8;
		return true;
	}
	if (!push_object(w, comp->loc, &ops))
		return false;
	push_op(&ops, A_INDEX, w->nindex++);
	if (size != 1) {
		push_op(&ops, A_CONST, (int64_t)size);
		push_op(&ops, A_MUL, 0);
	}
	push_op(&ops, A_ADD, 0);
	set_memory(w, &ops);
	return true;
}

/* ------------------------------------------------------------------- the end */

static bool finish_address(struct walk *w, bool aggregate, struct access *out)
{
	struct loc loc = w->node->loc;
	aop_vec ops;
	if (w->bits)
		return fail(w, E_BAD_ACCESS, loc, NULL, "a bit-field has no address");
	if (!push_object(w, loc, &ops))
		return false;
	*out = (struct access){.ops = ops.v, .nops = ops.n, .size = 8, .is_address = aggregate};
	out->is_pointer = !aggregate;
	out->ctype = aggregate ? w->text : xprintf("%s *", w->text);
	return true;
}

static bool is_float(Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Word enc;
	return dwarf_tag(type) == DW_TAG_base_type && dwarf_attr(type, DW_AT_encoding, &a) &&
	       dwarf_formudata(&a, &enc) == 0 &&
	       (enc == DW_ATE_float || enc == DW_ATE_complex_float ||
		enc == DW_ATE_imaginary_float || enc == DW_ATE_decimal_float);
}

static bool finish_scalar(struct walk *w, struct access *out)
{
	struct loc loc = w->node->loc;
	uint64_t size;
	aop_vec ops;
	bool sign = type_is_signed(&w->type);
	if (is_float(&w->type))
		return fail(
		    w, E_BAD_ACCESS, loc, NULL,
		    xprintf("%s is a floating-point number (%s), which is not supported yet",
			    w->node->target.name, w->text));
	if (!type_size(w->c.mod, &w->type, &size) ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return fail(w, E_BAD_ACCESS, loc, NULL,
			    xprintf("%s is of type %s, which is not a number of 1, 2, 4 or 8 bytes",
				    w->node->target.name, w->text));
	if (!push_value(w, loc, (unsigned)size, sign, &ops))
		return false;
	*out = (struct access){.ops = ops.v, .nops = ops.n, .ctype = w->text, .is_signed = sign,
			       .size = (uint8_t)size, .is_pointer = type_is_pointer(&w->type)};
	return true;
}

static bool finish(struct walk *w, struct access *out)
{
	if (!follow_reference(w, w->node->loc))
		return false;
	if (w->node->target.addrof)
		return finish_address(w, false, out);
	if (w->is_void)
		return fail(w, E_BAD_ACCESS, w->node->loc, NULL,
			    xprintf("%s has no value, its type is void", w->node->target.name));
	if (type_is_struct(&w->type) || dwarf_tag(&w->type) == DW_TAG_array_type ||
	    dwarf_tag(&w->type) == DW_TAG_subroutine_type)
		return finish_address(w, true, out);
	return finish_scalar(w, out);
}

/* ----------------------------------------------------------------- the start */

static bool no_debuginfo(struct walk *w)
{
	struct module *m = w->c.mod;
	if (module_dwarf(m))
		return fail(
		    w, E_NO_DEBUGINFO, w->node->loc, "compile that source file with -g",
		    xprintf("%s needs debug information, and function \"%s\" of %s has none",
			    w->node->target.name, w->f->name, m->path));
	return fail(w, E_NO_DEBUGINFO, w->node->loc,
		    xprintf("%s; reading arguments through registers is planned",
			    module_debuginfo_hint(m)),
		    xprintf("%s needs debug information, and %s has none", w->node->target.name,
			    m->path));
}

static bool start_variable(struct walk *w, Dwarf_Die *die)
{
	const char *name = w->node->target.name;
	name_vec names;
	switch (find_variable(&w->c, name + 1, die, &w->place)) {
	case LOOKUP_PLACED:
		return true;
	case LOOKUP_LOST:
		names = variables_at(w->f, w->c.pc, true);
		return fail(w, w->c.tag, w->node->loc,
			    w->c.tag == E_OPTIMIZED_OUT ? names_hint(NULL, &names, "available here")
							: NULL,
			    xprintf("%s %s", name, w->c.why));
	case LOOKUP_NONE:
		break;
	}
	names = variables_at(w->f, w->c.pc, false);
	return fail(w, E_NO_VARIABLE, w->node->loc, names_hint(name, &names, "variables here"),
		    xprintf("no variable %s in function \"%s\"", name, w->f->name));
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
		return fail(w, w->c.tag, w->node->loc, NULL, xprintf("$return %s", w->c.why));
	*die = *w->c.func;
	return true;
}

static bool start(struct walk *w, bool at_return)
{
	const char *name = w->node->target.name;
	bool is_return = strcmp(name, "$return") == 0;
	Dwarf_Die die, type;
	if (!w->c.func)
		return no_debuginfo(w);
	if (is_return && !at_return)
		return fail(w, E_CONTEXT, w->node->loc, "add .return to the probe point",
			    "$return is known only when the function returns");
	if (at_return && !is_return && is_global(w, name + 1) == false)
		return fail(w, E_CONTEXT, w->node->loc,
			    "read it in a probe on the function's entry and keep it in an array "
			    "indexed by tid()",
			    xprintf("%s is gone when the function returns", name));
	if (is_return ? !start_return(w, &die) : !start_variable(w, &die))
		return false;
	set_type(w, die_type(&die, &type) ? &type : NULL);
	return true;
}

bool var_access(const struct function *f, uint64_t pc, bool at_return, const struct node *node,
		struct access *out, struct var_error *err)
{
	struct walk w = {.f = f, .node = node, .err = err, .c = context_at(f, pc)};
	if (!start(&w, at_return))
		return false;
	for (size_t i = 0; i < node->target.ncomps; i++) {
		const struct target_comp *comp = &node->target.comps[i];
		if (!follow_reference(&w, comp->loc))
			return false;
		if (comp->kind == TC_MEMBER ? !walk_member(&w, comp) : !walk_index(&w, comp))
			return false;
	}
	return finish(&w, out);
}
