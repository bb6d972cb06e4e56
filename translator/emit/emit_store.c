/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assignments to target variables.  An access that ends with a read of memory,
 * or is a register, is turned round; of bit-fields the unit around them is
 * read and written back.  The place is found before the new value is computed.
 */
#include "emit.h"

/* Where a variable is: at C expression `addr`, or in the register that `reg` names. */
struct place {
	struct ctext addr, reg;
	int size;        /* bytes, of the unit around a bit-field */
	int shift, bits; /* bits 0: no bit-field */
	bool is_signed;
};

static bool see_written(struct node *n, void *found)
{
	if (n->kind == N_TARGET && n->target.written)
		*(bool *)found = true;
	return true;
}

bool writes_target(struct node *body)
{
	bool found = false;

	node_walk(body, see_written, NULL, &found);
	return found;
}

static struct ctext temp(struct emit *e, struct ctext value)
{
	struct ctext name = ctext("t%d", ++e->u.nlongs);

	line(e, "ust_u64 %s = %s;", name, value);
	return name;
}

static bool find_place(struct emit *e, struct node *n, struct place *p)
{
	const struct access *a = n->target.access < 0 ? NULL : target_access(e, n);
	const struct aop *last = a ? &a->ops[a->nops - 1] : NULL;
	size_t nops;

	if (!a || !access_writable(a)) {
		diag_error(E_BAD_ACCESS, n->loc, "\"%s\" cannot be set here", n->target.name);
		return false;
	}
	*p = (struct place){.size = a->size, .is_signed = a->is_signed};
	nops = a->nops - (last->kind == A_BITS);
	if (last->kind == A_BITS) {
		p->shift = (int)last->a;
		p->bits = last->bits;
		p->is_signed = last->sign;
	}
	if (a->ops[nops - 1].kind == A_DEREF) {
		p->size = a->ops[nops - 1].size;
		p->addr = temp(e, emit_target_ops(e, n, nops - 1));
	} else {
		p->reg = c_register((int)a->ops[0].a);
		p->size = p->bits ? 8 : p->size;
	}
	return true;
}

/* -------------------------------------------------------------- old values */

static struct ctext narrow(const struct place *p, struct ctext value)
{
	static const struct ctext types[2][9] = {
		{[1] = C("unsigned char"),
		 [2] = C("unsigned short"),
		 [4] = C("unsigned int"),
		 [8] = C("ust_u64")},
		{[1] = C("signed char"), [2] = C("short"), [4] = C("int"), [8] = C("ust_long")},
	};

	if (!p->bits)
		return ctext("(ust_long)(%s)(%s)", types[p->is_signed][p->size], value);
	return ctext("(ust_long)((%s)((ust_u64)(%s) << %d) >> %d)",
		     p->is_signed ? C("ust_long") : C("ust_u64"), value, 64 - p->shift - p->bits,
		     64 - p->bits);
}

/* All of the unit. */
static struct ctext unit(struct emit *e, struct node *n, const struct place *p)
{
	struct ctext name;

	if (p->reg.at)
		return p->reg;
	set_where(e, n->loc);
	name = temp(e, ctext("ust_load(c, %s, %d)", p->addr, p->size));
	jump_if(e, C("c->failed"), e->u.fail);
	return name;
}

static struct val value(struct emit *e, struct node *n, const struct place *p)
{
	return spill(e, val_text(narrow(p, unit(e, n, p)), false), T_LONG);
}

/* -------------------------------------------------------------- new values */

/* Bits of V in the unit, the others as they are. */
static struct ctext merged(struct emit *e, struct node *n, const struct place *p, struct ctext v)
{
	uint64_t mask = (p->bits < 64 ? (1ull << p->bits) - 1 : ~0ull) << p->shift;

	return ctext("(%s & ~0x%llxull) | ((ust_u64)(%s) << %d & 0x%llxull)", unit(e, n, p),
		     (unsigned long long)mask, v, p->shift, (unsigned long long)mask);
}

static void set(struct emit *e, struct node *n, const struct place *p, struct ctext v)
{
	if (p->bits)
		v = merged(e, n, p, v);
	else if (p->reg.at && p->size < 8) /* as a function of this machine expects it */
		v = ctext("(unsigned int)%s", narrow(p, v));
	if (p->reg.at) {
		line(e, "%s = (unsigned long)(%s);", p->reg, v);
		return;
	}
	set_where(e, n->loc);
	line(e, "ust_store(c, %s, %d, (ust_u64)(%s));", p->addr, p->size, v);
	jump_if(e, C("c->failed"), e->u.fail);
}

struct val emit_target_assign(struct emit *e, struct node *n)
{
	struct val v = val_text(C("0"), true);
	struct place p;

	if (!find_place(e, n->bin.l, &p))
		return v;
	if (n->bin.op == OP_SET) {
		v = expr(e, n->bin.r);
	} else {
		struct val old = value(e, n->bin.l, &p);

		v = arith(e, n, n->bin.op, old, expr(e, n->bin.r), n->bin.r);
	}
	v = spill(e, v, T_LONG);
	set(e, n->bin.l, &p, v.c);
	return v;
}

struct val emit_target_step(struct emit *e, struct node *n)
{
	struct val old = val_text(C("0"), true), v;
	struct place p;

	if (!find_place(e, n->inc.e, &p))
		return old;
	old = value(e, n->inc.e, &p);
	v = spill(e, val_text(ctext("ust_add(%s, %d)", old.c, n->inc.delta), true), T_LONG);
	set(e, n->inc.e, &p, v.c);
	return n->inc.post ? old : v;
}
