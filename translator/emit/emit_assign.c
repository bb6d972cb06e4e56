/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assignments: =, op=, ++, --, <<< and delete.
 *
 * For an array element the keys are evaluated first, then the right-hand side; the element is
 * looked up last, as evaluation may change the array.
 */
#include <string.h>

#include "emit.h"

/* Forget the statistics read so far: their values may have changed. */
static void changed(struct emit *e) { e->u.stats.n = 0; }

static struct val nothing(void) { return (struct val){.c = C("0"), .atom = true}; }

/* ------------------------------------------------------------ variables */

static struct ctext place(struct emit *e, struct symbol *sym) { return var_value(e, sym).c; }

/* The variable that a value for SYM may be put in directly: one where a
 * failure in the middle could not be noticed. */
static struct ctext direct(struct emit *e, const struct symbol *sym)
{
	return sym->kind != SYM_GLOBAL && !e->u.tries ? sym->cname : (struct ctext){0};
}

static void set_long(struct emit *e, struct symbol *sym, const struct val *v)
{
	if (!ctext_same(v->c, place(e, sym)))
		line(e, "%s = %s;", place(e, sym), v->c);
	changed(e);
}

/* The new value of `sym op= r`. */
static struct val updated(struct emit *e, struct node *n, struct symbol *sym, struct val r)
{
	struct ctext dst = e->dst;
	const struct node *dst_node = e->dst_node;
	struct val v;

	e->dst = direct(e, sym);
	e->dst_node = n;
	v = arith(e, n, n->bin.op, var_value(e, sym), r, n->bin.r);
	e->dst = dst;
	e->dst_node = dst_node;
	return v;
}

/* R, which is added to SYM, times the weight of the hit if SYM is a count. */
static struct val scaled_val(struct emit *e, const struct symbol *sym, struct val r)
{
	if (!is_weighted(e) || !sym->is_count)
		return r;
	r.c = scaled(e, sym, r.c);
	r.atom = r.truth = false;
	r.bits = 0;
	return r;
}

/* The value by which `sym op= r' changes SYM. */
static struct val added(struct emit *e, struct node *n, const struct symbol *sym)
{
	struct val r = expr(e, n->bin.r);

	return n->bin.op == OP_ADD ? scaled_val(e, sym, r) : r;
}

static struct val assign_long(struct emit *e, struct node *n, struct symbol *sym, bool used)
{
	struct val v;

	if (n->bin.op == OP_SET && !is_read(e, sym))
		return used ? expr(e, n->bin.r) : expr_to(e, n->bin.r, C(""));
	v = n->bin.op == OP_SET ? expr_to(e, n->bin.r, direct(e, sym))
				: updated(e, n, sym, added(e, n, sym));
	set_long(e, sym, &v);
	return var_value(e, sym);
}

static struct val assign_string(struct emit *e, struct node *n, struct symbol *sym)
{
	struct val v;

	if (n->bin.op == OP_SET && !is_read(e, sym))
		return expr(e, n->bin.r);
	if (n->bin.op == OP_SET) {
		string_into(e, n->bin.r, place(e, sym), sym);
	} else {
		v = expr(e, n->bin.r);
		if (reads_symbol(&v, sym))
			v = spill(e, v, T_STRING);
		line(e, "ust_strcat(%s, %s);", place(e, sym), v.c);
	}
	changed(e);
	return var_value(e, sym);
}

/* Counters are only added to, and the value of the assignment is not used. */
static struct val assign_counter(struct emit *e, struct node *n, struct symbol *sym)
{
	struct val v = expr(e, n->bin.r);

	line(e,
	     n->bin.op == OP_SUB ? "ust_counter_add(&%s, ust_sub(0, %s));"
				 : "ust_counter_add(&%s, %s);",
	     sym->cname, n->bin.op == OP_SUB ? v.c : scaled(e, sym, v.c));
	return nothing();
}

/* The value that `s <<< e` adds; USED if it is also the value of the expression. */
static struct val added_value(struct emit *e, struct node *n, bool used)
{
	struct val v = expr(e, n);

	if (used && !v.atom)
		v = spill(e, v, T_LONG);
	return v;
}

/* Does a statistic keep more than what all of them do, and perhaps percentiles? */
static bool keeps_more(const struct symbol *sym) { return sym->hist || sym->keeps_variance; }

/* The function's name: _sketch for percentiles and nothing else. */
static struct ctext stat_suffix(const struct symbol *sym)
{
	return keeps_more(sym) ? C("_more") : sym->keeps_percentiles ? C("_sketch") : C("");
}

static struct val assign_stat(struct emit *e, struct node *n, bool used)
{
	struct val v = added_value(e, n->bin.r, used);

	if (is_weighted(e))
		line(e, "ust_stat_add_weighted(&%s, %s, %s);", n->bin.l->sym->cname, v.c,
		     hit_weight(e));
	else
		line(e, "ust_stat_add%s(&%s, %s);", stat_suffix(n->bin.l->sym),
		     n->bin.l->sym->cname, v.c);
	changed(e);
	v.now = false;
	return v;
}

static struct val assign_variable(struct emit *e, struct node *n, bool used)
{
	struct symbol *sym = n->bin.l->sym;

	if (n->bin.op == OP_STAT)
		return assign_stat(e, n, used);
	if (sym->kind == SYM_GLOBAL && sym->storage == STORE_COUNTER)
		return assign_counter(e, n, sym);
	return sym->type == T_STRING ? assign_string(e, n, sym) : assign_long(e, n, sym, used);
}

/* ------------------------------------------------------------- elements */

/* A pointer to the value of the element of SYM with these keys. */
static struct ctext element_ref(struct emit *e, const struct node *at, const struct val *keys)
{
	const struct symbol *sym = at->sym;
	bool string = sym->type == T_STRING;
	struct ctext type = string ? C("char *") : C("ust_long *"), name = new_pointer(e, C("r"));

	set_where(e, at->loc);
	set_new(e, type, name,
		keyed(keys,
		      ctext("ust_map_ref%s(c, &%s, key)", string ? C("_s") : C(""), sym->cname)));
	jump_if(e, ctext("!%s", name), e->u.fail);
	return frame_member(name).at ? ctext("((%s)%s)", type, name) : name;
}

static struct val element_at(struct ctext ref, struct symbol *sym)
{
	struct val v = {.atom = true};

	v.c = sym->type == T_STRING ? ref : ctext("*%s", ref);
	vec_push(&v.reads, sym);
	return v;
}

bool adds_to_integer_key(const struct emit *e, const struct node *n)
{
	const struct node *l = n->bin.l, *key = l->kind == N_INDEX ? l->index.keys : NULL;

	return !is_weighted(e) && n->bin.op == OP_STAT && key && !key->next &&
	       key->type == T_LONG && !keeps_more(l->sym) && !l->sym->keeps_percentiles;
}

static struct val add_to_element(struct emit *e, struct node *n, bool used)
{
	struct symbol *sym = n->bin.l->sym;
	struct node *key = n->bin.l->index.keys;
	bool more = keeps_more(sym), weighted = is_weighted(e);
	bool one_long = !key->next && key->type == T_LONG && !more && !weighted;
	bool sketch = sym->keeps_percentiles;
	struct val keys = one_long ? operands(e, key, n->bin.r)[0]
				   : element_keys(e, sym, key, n->bin.r);
	struct val v = added_value(e, n->bin.r, used);

	if (!e->u.has_ctx) {
		line(e, "ust_map_stat_add_hit(hit, &%s, %s, %s, %u);", sym->cname, keys.c, v.c,
		     where_of(e, n->bin.l->loc));
		changed(e);
		v.now = false;
		return v;
	}
	set_where(e, n->bin.l->loc);
	if (one_long)
		line(e, "ust_map_stat_add%s_l(c, &%s, %s, %s);", stat_suffix(sym), sym->cname,
		     keys.c, v.c);
	else if (weighted)
		line(e, "%s;",
		     keyed(&keys, ctext("ust_map_stat_add_weighted(c, &%s, key, %s, %s)",
					sym->cname, v.c, hit_weight(e))));
	else
		line(e, "%s;",
		     keyed(&keys, ctext("ust_map_stat_add%s(c, &%s, key, %s)",
					more || sketch ? C("_more") : C(""), sym->cname, v.c)));
	jump_if(e, C("c->failed"), e->u.fail);
	changed(e);
	v.now = false;
	return v;
}

/* `a[k] /= v` can fail, which must not make an element. */
static struct val divide_element(struct emit *e, struct node *n, const struct val *keys,
				 struct val r)
{
	struct symbol *sym = n->bin.l->sym;
	struct val old = val_text(keyed(keys, ctext("ust_map_get(&%s, key)", sym->cname)), true);
	struct val v = arith(e, n, n->bin.op, old, r, n->bin.r);
	struct ctext ref = element_ref(e, n->bin.l, keys);

	line(e, "*%s = %s;", ref, v.c);
	return element_at(ref, sym);
}

static struct val assign_element(struct emit *e, struct node *n)
{
	struct symbol *sym = n->bin.l->sym;
	struct val keys = element_keys(e, sym, n->bin.l->index.keys, n->bin.r), r;
	enum op op = n->bin.op;
	struct ctext ref;

	r = expr(e, n->bin.r);
	changed(e);
	if (op == OP_DIV || op == OP_MOD)
		return divide_element(e, n, &keys, r);
	/* making the element changes what is in the array */
	if (reads_symbol(&r, sym))
		r = spill(e, r, sym->type);
	ref = element_ref(e, n->bin.l, &keys);
	if (sym->type == T_STRING) {
		line(e, "%s(%s, %s);", op == OP_SET ? C("ust_strcpy") : C("ust_strcat"), ref, r.c);
	} else {
		if (op == OP_ADD)
			r = scaled_val(e, sym, r);
		if (op != OP_SET)
			r = arith(e, n, op, element_at(ref, sym), r, n->bin.r);
		line(e, "*%s = %s;", ref, r.c);
	}
	return element_at(ref, sym);
}

struct val emit_assign(struct emit *e, struct node *n, bool used)
{
	if (n->bin.l->kind == N_INDEX)
		return n->bin.op == OP_STAT ? add_to_element(e, n, used) : assign_element(e, n);
	if (n->bin.l->kind == N_VAR)
		return assign_variable(e, n, used);
	return emit_target_assign(e, n);
}

/* -------------------------------------------------------------- ++ and -- */

static struct ctext stepped(const struct emit *e, const struct node *n, struct ctext text)
{
	const struct symbol *sym = n->inc.e->sym;

	if (is_weighted(e) && sym->is_count)
		return ctext("ust_add(%s, %s)", text, scaled(e, sym, C("1")));
	return ctext("%s(%s, 1)", n->inc.delta > 0 ? C("ust_add") : C("ust_sub"), text);
}

static struct val step_place(struct emit *e, struct node *n, bool used, struct val at)
{
	struct val old = at;

	if (used && n->inc.post)
		old = spill(e, at, T_LONG);
	line(e, "%s = %s;", at.c, stepped(e, n, at.c));
	changed(e);
	return old;
}

struct val emit_incdec(struct emit *e, struct node *n, bool used)
{
	struct symbol *sym = n->inc.e->sym;
	struct val keys;

	if (n->inc.e->kind == N_TARGET)
		return emit_target_step(e, n);
	if (n->inc.e->kind == N_INDEX) {
		keys = element_keys(e, sym, n->inc.e->index.keys, NULL);
		return step_place(e, n, used, element_at(element_ref(e, n->inc.e, &keys), sym));
	}
	if (sym->kind == SYM_GLOBAL && sym->storage == STORE_COUNTER) {
		line(e, "ust_counter_add(&%s, %s);", sym->cname,
		     scaled(e, sym, ctext("%d", n->inc.delta)));
		return nothing();
	}
	return step_place(e, n, used, var_value(e, sym));
}

/* ---------------------------------------------------------------- delete */

void emit_reset(struct emit *e, const struct symbol *sym)
{
	changed(e);
	line(e, "ust_global_reset(&%s);", sym->cname);
}

void emit_delete(struct emit *e, struct node *n)
{
	struct symbol *sym = n->sym;
	struct val keys;

	changed(e);
	if (n->kind == N_INDEX) {
		keys = element_keys(e, sym, n->index.keys, NULL);
		if (any_keys(n->index.keys))
			line(e, "if (ust_map_charge(c, &%s)) %s;", sym->cname,
			     keyed(&keys, ctext("ust_map_del_any(&%s, key, %#x)", sym->cname,
						any_keys(n->index.keys))));
		else
			line(e, "%s;", keyed(&keys, ctext("ust_map_del(&%s, key)", sym->cname)));
	} else if (sym->nkeys > 0) {
		line(e, "if (ust_map_charge(c, &%s)) ust_map_clear(&%s);", sym->cname, sym->cname);
	} else if (sym->type == T_STAT) {
		line(e, "ust_stat_clear(&%s);", sym->cname);
	} else if (!is_read(e, sym)) {
		return;
	} else if (sym->type == T_STRING) {
		line(e, "%s[0] = 0;", place(e, sym));
	} else {
		line(e, "%s = 0;", place(e, sym));
	}
}
