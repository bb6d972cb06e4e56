/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of expressions: text that only reads, and temporaries.
 *
 * Text that only reads may move later, so a value is copied to a temporary only if something that
 * is evaluated after it could change what it reads.
 */
#include <string.h>

#include "emit.h"
#include "sema/sema.h"

/* -------------------------------------------------------------- values */

struct val val_text(struct ctext text, bool atom) { return (struct val){.c = text, .atom = atom}; }

bool reads_symbol(const struct val *v, const struct symbol *sym)
{
	for (size_t i = 0; i < v->reads.n; i++)
		if (v->reads.v[i] == sym)
			return true;
	return false;
}

void reads_add(struct val *v, const struct val *from)
{
	for (size_t i = 0; i < from->reads.n; i++)
		if (!reads_symbol(v, from->reads.v[i]))
			vec_push(&v->reads, from->reads.v[i]);
	v->now |= from->now;
	v->temps |= from->temps;
}

struct ctext operand(const struct val *v) { return v->atom ? v->c : ctext("(%s)", v->c); }

/* Compilers warn of a bare ?: as a condition. */
struct ctext truth_text(const struct val *v) { return v->choice ? ctext("(%s) != 0", v->c) : v->c; }

struct ctext new_buffer(struct emit *e) { return frame_slot(e, SLOT_STRING); }

struct val temporary(struct ctext name)
{
	return (struct val){.c = name, .atom = true, .temps = true};
}

struct val spill(struct emit *e, struct val v, enum type type)
{
	struct ctext name;

	if (type == T_LONG) {
		name = new_long(e);
		set_new(e, C("ust_long "), name, v.c);
	} else if (!v.reads.n) {
		name = new_pointer(e, C("s"));
		set_new(e, C("const char *"), name, v.c);
	} else {
		name = new_buffer(e);
		line(e, "ust_strcpy(%s, %s);", name, v.c);
		return val_text(name, true);
	}
	return temporary(name);
}

struct val call_long(struct emit *e, const struct node *n, struct ctext text)
{
	bool placed = e->dst.at && e->dst_node == n;
	struct val v = placed ? val_text(e->dst, true) : temporary(new_long(e));

	if (!placed)
		set_new(e, C("ust_long "), v.c, text);
	else if (*ctext_chars(v.c))
		line(e, "%s = %s;", v.c, text);
	else
		line(e, "%s%s;", *ctext_chars(text) == '(' ? C("(void)") : C(""), text);
	return v;
}

struct val call_string(struct emit *e, struct ctext text)
{
	struct ctext name = new_pointer(e, C("s"));

	set_new(e, C("const char *"), name, text);
	return temporary(name);
}

struct val call_long_checked(struct emit *e, const struct node *n, struct ctext text)
{
	struct val v = call_long(e, n, text);

	jump_if(e, C("c->failed"), e->u.fail);
	return v;
}

struct val call_string_checked(struct emit *e, struct ctext text)
{
	struct val v = call_string(e, text);

	jump_if(e, C("c->failed"), e->u.fail);
	return v;
}

const struct access *target_access(const struct emit *e, const struct node *n)
{
	return &(e->u.probe ? &e->u.probe->accesses : &e->u.func->accesses)->v[n->target.access];
}

/* ------------------------------------------------- what code may change */

bool is_read(const struct emit *e, const struct symbol *sym)
{
	for (size_t i = 0; i < e->u.read.n; i++)
		if (e->u.read.v[i] == sym)
			return true;
	return sym->kind == SYM_GLOBAL || sym->kind == SYM_SAVED;
}

struct search {
	const struct symbol *sym;
	const struct val *val;
	bool found;
};

static bool see_mention(struct node *n, void *arg)
{
	struct search *s = arg;
	effect_vec v = {0};

	if (n->kind == N_CALL && n->call.func && s->sym->kind == SYM_GLOBAL) {
		effects_of(n->call.func->body, &v);
		s->found |= effect_find(&v, s->sym) != NULL;
	}
	s->found |= n->sym == s->sym;
	return !s->found;
}

bool mentions(struct node *n, const struct symbol *sym)
{
	struct search s = {.sym = sym};

	if (sym)
		node_walk(n, see_mention, NULL, &s);
	return s.found;
}

bool call_changes(struct func *f, const struct val *v)
{
	effect_vec effects = {0};

	effects_of(f->body, &effects);
	for (size_t i = 0; i < effects.n; i++)
		if (effects.v[i].written && reads_symbol(v, effects.v[i].sym))
			return true;
	return false;
}

static bool see_change(struct node *n, void *arg)
{
	struct search *s = arg;

	if (n->kind == N_ASSIGN)
		s->found |= reads_symbol(s->val, n->bin.l->sym);
	else if (n->kind == N_INCDEC)
		s->found |= reads_symbol(s->val, n->inc.e->sym);
	else if (n->kind == N_CALL && n->call.func)
		s->found |= call_changes(n->call.func, s->val);
	return !s->found;
}

bool is_clock(const struct builtin *b) { return !strncmp(b->name, "gettimeofday", 12); }

static bool see_effect(struct node *n, void *arg)
{
	bool *found = arg;

	if (n->kind == N_ASSIGN || n->kind == N_INCDEC || n->kind == N_PRINT ||
	    n->kind == N_REGEX || n->kind == N_EMBEDDED)
		*found = true;
	else if (n->kind == N_CALL)
		*found |= !n->call.builtin || !(n->call.builtin->flags & BF_PURE) ||
			  is_clock(n->call.builtin);
	return !*found;
}

static bool has_effect(struct node *n)
{
	bool found = false;

	node_walk(n, see_effect, NULL, &found);
	return found;
}

struct val settle(struct emit *e, struct val v, enum type type, struct node *later)
{
	struct search s = {.val = &v};

	if (!v.now && !v.reads.n)
		return v;
	for (; later && !s.found; later = later->next) {
		s.found = v.now && has_effect(later);
		if (v.reads.n)
			node_walk(later, see_change, NULL, &s);
	}
	return s.found ? spill(e, v, type) : v;
}
