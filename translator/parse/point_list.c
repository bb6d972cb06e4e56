/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Point list: what the grammar makes of the points of a declaration.
 *
 * A group in braces is every one of its members with what stands before and
 * after it: a.{b,c.{d,e}}.f is a.b.f, a.c.d.f, a.c.e.f.  So the parts of a point
 * are lists of points, and a dot is their product.
 */
#include <string.h>
#include "parse/parse.h"

#define MAX_POINTS 10000
#define MAX_WORDS  100 /* of one point */

point_vec *points_one(struct point_comp c)
{
	point_vec *v = xalloc(sizeof *v);
	struct point *pt = xalloc(sizeof *pt);

	pt->loc = c.loc;
	vec_push(&pt->comps, c);
	vec_push(v, pt);
	return v;
}

point_vec *points_append(point_vec *a, const point_vec *b)
{
	for (size_t i = 0; i < b->n; i++)
		vec_push(a, b->v[i]);
	return a;
}

static struct point *joined(const struct point *a, const struct point *b, struct loc loc)
{
	struct point *pt = xalloc(sizeof *pt);

	*pt = *b;
	pt->loc = loc;
	memset(&pt->comps, 0, sizeof pt->comps);
	for (size_t i = 0; i < a->comps.n; i++)
		vec_push(&pt->comps, a->comps.v[i]);
	for (size_t i = 0; i < b->comps.n; i++)
		vec_push(&pt->comps, b->comps.v[i]);
	return pt;
}

point_vec *points_cross(const point_vec *a, const point_vec *b, struct loc loc)
{
	point_vec *v = xalloc(sizeof *v);

	for (size_t i = 0; i < a->n; i++)
		if (a->v[i]->optional || a->v[i]->sufficient || a->v[i]->cond) {
			diag_error(E_SYNTAX, a->v[i]->loc,
				   "?, ! and if () follow the last component of a probe point");
			return NULL;
		}
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i]->comps.n > MAX_WORDS) {
			diag_error(E_LIMIT, loc, "a probe point has at most %d components",
				   MAX_WORDS);
			return NULL;
		}
	if (a->n * b->n > MAX_POINTS) {
		diag_error(E_LIMIT, loc, "a probe has at most %d points", MAX_POINTS);
		return NULL;
	}
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			vec_push(v, joined(a->v[i], b->v[j], loc));
	return v;
}

struct node *condition_and(struct node *a, struct node *b)
{
	struct node *n;

	if (!a || !b)
		return a ? a : b;
	n = node_new(N_LOGIC, a->loc);
	n->bin.op = OP_LAND;
	n->bin.l = a;
	n->bin.r = b;
	return n;
}

point_vec *points_mark(point_vec *v, int64_t mark, struct node *cond)
{
	for (size_t i = 0; i < v->n; i++) {
		v->v[i]->optional |= mark == '?';
		v->v[i]->sufficient |= mark == '!';
		v->v[i]->cond = condition_and(v->v[i]->cond, cond);
	}
	return v;
}

void points_locate(point_vec *v, struct loc loc)
{
	if (v->n == 1)
		v->v[0]->loc = loc;
}

/* ------------------------------------------------------------- aliases */

point_vec *points_named(point_vec *v, bool epilogue, struct loc loc)
{
	const struct point *pt = v->v[0];

	for (size_t i = 0; i < pt->comps.n; i++) {
		const struct point_comp *c = &pt->comps.v[i];

		if (c->arg || strchr(c->name, '*')) {
			diag_error(E_SYNTAX, c->loc, "the name of an alias cannot have %s",
				   c->arg ? "arguments" : "wildcards");
			return NULL;
		}
	}
	if (v->n > 1 || pt->optional || pt->sufficient) {
		diag_error(E_SYNTAX, loc,
			   "an alias has one name; groups, ? and ! belong to its probe points");
		return NULL;
	}
	v->v[0]->epilogue = epilogue;
	return v;
}

bool alias_new(struct script *script, const point_vec *names, size_t i, const point_vec *points,
	       struct node *first, struct node *second)
{
	struct alias *a = xalloc(sizeof *a);

	a->name = names->v[i];
	a->points = *points;
	if (a->name->epilogue && second) {
		diag_error(E_SYNTAX, second->loc, "an alias made by += has one body, its epilogue");
		return false;
	}
	a->prologue = a->name->epilogue ? NULL : first;
	a->epilogue = a->name->epilogue ? first : second;
	vec_push(&script->aliases, a);
	return true;
}
