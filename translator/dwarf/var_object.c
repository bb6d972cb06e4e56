/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The object that the path of a target variable has come to: its type, and where it is.
 */
#include <string.h>

#include "values.h"

bool walk_fail(struct walk *w, enum errtag tag, struct loc loc, const char *hint, const char *msg)
{
	*w->err = (struct var_error){.tag = tag, .loc = loc, .msg = msg, .hint = hint};
	return false;
}

bool walk_lost(struct walk *w, bool known)
{
	struct lost *l = xalloc(sizeof *l);
	*l = (struct lost){w->f, w->c.pc, w->node->target.name, known};
	w->err->lost = w->f ? l : NULL;
	return false;
}

void walk_set_type(struct walk *w, Dwarf_Die *type)
{
	w->text = type_text(type);
	w->is_void = !type || !type_peel(w->c.mod, type, &w->type);
	w->dim = 0;
	w->stars = 0;
	w->bits = 0;
	w->c.object = NULL;
	w->holder = NULL;
}

static const char *ctype_text_of(Dwarf_Die *die, int dim, int stars)
{
	const char *text = dim ? array_text(die, dim) : type_text(die);
	char *all = stars ? xprintf("%s%s%.*s", text, text[strlen(text) - 1] == '*' ? "" : " ",
				    stars, "****************")
			  : NULL;

	return all ? all : text;
}

const char *walk_type_text(const struct walk *w)
{
	Dwarf_Die die = w->type;
	return ctype_text_of(&die, w->dim, w->stars);
}

const char *ctype_text(const struct ctype *t)
{
	Dwarf_Die die = t->die;
	return ctype_text_of(&die, t->dim, t->stars);
}

void walk_set_ctype(struct walk *w, const struct ctype *t)
{
	Dwarf_Die die = t->die;
	w->c.mod = t->mod;
	walk_set_type(w, &die);
	w->dim = t->dim;
	w->stars = t->stars;
	w->text = ctype_text(t);
}

bool walk_is_pointer(const struct walk *w)
{
	Dwarf_Die type = w->type;
	return w->stars || (!w->is_void && !w->dim && dwarf_tag(&type) == DW_TAG_pointer_type);
}

bool walk_is_array(const struct walk *w)
{
	Dwarf_Die type = w->type;
	return !w->stars && !w->is_void && dwarf_tag(&type) == DW_TAG_array_type;
}

bool walk_is_text(const struct walk *w)
{
	Dwarf_Die type = w->type;
	return !w->stars && !w->is_void && type_is_text(&type);
}

bool walk_gone(struct walk *w, struct loc loc)
{
	const char *name = w->node->target.name;
	int64_t off;
	const struct piece *p = piece_at(&w->place, w->bit_off, 64, &off);
	if (p && p->kind == P_POINTER)
		return walk_fail(
			w, E_OPTIMIZED_OUT, loc,
			xprintf("read the object it points to: %s[0], %s->member", name, name),
			xprintf("%s is a pointer that was optimised away", name));
	walk_fail(w, E_OPTIMIZED_OUT, loc, NULL,
		  xprintf("this part of %s was optimised out here", name));
	return walk_lost(w, true);
}

bool walk_in_memory(const struct walk *w)
{
	int64_t off;
	const struct piece *p = piece_at(&w->place, w->bit_off, 8, &off);
	return p && p->kind == P_MEMORY && !p->bits;
}

bool walk_address(struct walk *w, struct loc loc, aop_vec *out)
{
	int64_t off;
	const struct piece *p = piece_at(&w->place, w->bit_off, 8, &off);
	if (!p || p->kind == P_NONE || p->kind == P_POINTER)
		return walk_gone(w, loc);
	if (p->kind != P_MEMORY || p->bits)
		return walk_fail(w, E_BAD_ACCESS, loc,
				 !w->is_void && type_is_struct(&w->type) ? "name one member of it"
									 : NULL,
				 xprintf("%s is in registers here and has no address",
					 w->node->target.name));
	*out = (aop_vec){0};
	for (size_t i = 0; i < p->ops.n; i++)
		vec_push(out, p->ops.v[i]);
	push_add(out, off / 8);
	return true;
}

void walk_set_memory(struct walk *w, const aop_vec *ops)
{
	struct piece p = {.kind = P_MEMORY, .ops = *ops};
	w->place = (struct place){0};
	vec_push(&w->place.pieces, p);
	w->bit_off = 0;
	w->bits = 0;
}

bool walk_value(struct walk *w, struct loc loc, unsigned size, bool sign, aop_vec *out)
{
	unsigned nbits = w->bits ? w->bits : size * 8;
	*out = (aop_vec){0};
	return place_read(&w->place, w->bit_off, nbits, w->bits != 0, sign, out) ||
	       walk_gone(w, loc);
}

bool walk_size(struct walk *w, uint64_t *size)
{
	Dwarf_Die elem;
	int64_t counts[16];
	if (w->stars) {
		*size = 8;
		return true;
	}
	if (w->is_void || !w->dim)
		return !w->is_void && type_size(w->c.mod, &w->type, size);
	int n = array_dims(&w->type, counts, 16);
	/* a part of an array whose elements are not all together */
	if (w->dim < n && (array_is_column_major(&w->type) || !array_is_dense(&w->type)))
		return false;
	if (!die_type(&w->type, &elem) || !type_size(w->c.mod, &elem, size))
		return false;
	for (int i = w->dim; i < n; i++) {
		if (counts[i] < 0)
			return false;
		*size *= (uint64_t)counts[i];
	}
	return true;
}
