/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of a function or handler: what it keeps in the context's memory and not on the stack.
 *
 * A kernel stack has 16 KB, of which a probed function may have used most, and a thread's signal
 * stack may have 2 KB.  So only a bounded number of integers and pointers are C variables.
 * Iterators, statistics, output state, strings and all further integers are members of `*f`.
 * Statements that do not overlap share these members.
 */
#include "emit.h"

/* Integers and pointers that one statement keeps in C variables, and integer locals of one body. */
enum { MAX_TEMPS = 16, MAX_LOCALS = 24 };

/* Sizes in runtime/include/ustap_rt.h, which asserts them. */
enum { ITER_SIZE = 256, STAT_SIZE = 32, OUT_SIZE = 32, WORD_SIZE = 8 };

static const struct {
	struct ctext type, prefix;
	size_t size;
	bool array;
} kinds[NSLOTS] = {
	[SLOT_ITER] = {C("struct ust_iter "), C("it"), ITER_SIZE, false},
	[SLOT_STAT] = {C("struct ust_stat "), C("st"), STAT_SIZE, false},
	[SLOT_OUT] = {C("struct ust_out "), C("o"), OUT_SIZE, false},
	[SLOT_LONG] = {C("ust_long "), C("n"), WORD_SIZE, true},
	[SLOT_POINTER] = {C("const void *"), C("p"), WORD_SIZE, true},
	[SLOT_STRING] = {C("ust_string "), C("t"), 0, false},
};

/* ---------------------------------------------------------------- slots */

struct ctext frame_slot(struct emit *e, enum slot_kind kind)
{
	struct slots *s = &e->u.slots[kind];

	if (++s->used > s->most)
		s->most = s->used;
	return kinds[kind].array ? ctext("f->%s[%d]", kinds[kind].prefix, s->used - 1)
				 : ctext("f->%s%d", kinds[kind].prefix, s->used);
}

void slots_release(struct emit *e)
{
	for (int i = 0; i < NSLOTS; i++)
		e->u.slots[i].used = e->u.slots[i].held;
	e->u.temps = e->u.held_temps;
}

struct held_slots slots_hold(struct emit *e)
{
	struct held_slots before = {.temps = e->u.held_temps};

	for (int i = 0; i < NSLOTS; i++) {
		before.n[i] = e->u.slots[i].held;
		e->u.slots[i].held = e->u.slots[i].used;
	}
	e->u.held_temps = e->u.temps;
	return before;
}

void slots_unhold(struct emit *e, const struct held_slots *before)
{
	for (int i = 0; i < NSLOTS; i++)
		e->u.slots[i].held = before->n[i];
	e->u.held_temps = before->temps;
}

/* ----------------------------------------------------------- temporaries */

struct ctext frame_member(struct ctext name) { return ctext_behind(name, "f->"); }

static bool is_full(struct emit *e)
{
	if (++e->u.temps > e->u.most_temps)
		e->u.most_temps = e->u.temps;
	return e->u.temps > MAX_TEMPS && e->u.has_ctx;
}

struct ctext new_long(struct emit *e)
{
	return is_full(e) ? frame_slot(e, SLOT_LONG) : ctext("t%d", ++e->u.nlongs);
}

struct ctext new_pointer(struct emit *e, struct ctext prefix)
{
	return is_full(e) ? frame_slot(e, SLOT_POINTER) : ctext("%s%d", prefix, ++e->u.nptrs);
}

void set_new(struct emit *e, struct ctext type, struct ctext name, struct ctext value)
{
	line(e, "%s%s = %s;", frame_member(name).at ? C("") : type, name, value);
}

/* ---------------------------------------------------------------- locals */

bool too_many_locals(size_t n) { return n > MAX_LOCALS; }

bool local_in_frame(struct emit *e, const struct symbol *sym)
{
	if (sym->type == T_STRING)
		return true;
	return sym->kind != SYM_PARAM && sym->type == T_LONG && e->u.has_ctx &&
	       ++e->u.nlocals > MAX_LOCALS;
}

/* ------------------------------------------------------------- the frame */

bool has_frame(const struct emit *e)
{
	int n = 0;

	for (int i = 0; i < NSLOTS; i++)
		n += e->u.slots[i].most;
	return n || e->u.framed.n || e->u.buckets;
}

size_t frame_bytes(const struct emit *e)
{
	size_t string = (size_t)e->s->lim.maxstringlen, n = e->u.buckets * sizeof(int64_t);

	for (size_t i = 0; i < e->u.framed.n; i++)
		n += e->u.framed.v[i]->type == T_STRING ? string : WORD_SIZE;
	for (int i = 0; i < NSLOTS; i++)
		n += (size_t)e->u.slots[i].most * (kinds[i].size ? kinds[i].size : string);
	return (n + 15) & ~(size_t)15;
}

static void add_name(struct cbuf *sb, struct ctext type, struct ctext name)
{
	cbuf_printf(sb, "%s%s", sb->n ? C(", ") : type, name);
}

/* Members of one kind: locals of that type, then the slots. */
static void members(const struct emit *e, enum slot_kind kind, struct cbuf *sb)
{
	enum type type = kind == SLOT_STRING ? T_STRING : kind == SLOT_LONG ? T_LONG : T_UNKNOWN;
	int most = e->u.slots[kind].most;

	for (size_t i = 0; i < e->u.framed.n && type != T_UNKNOWN; i++)
		if (e->u.framed.v[i]->type == type)
			add_name(sb, kinds[kind].type, frame_member(e->u.framed.v[i]->cname));
	if (kinds[kind].array && most)
		add_name(sb, kinds[kind].type, ctext("%s[%d]", kinds[kind].prefix, most));
	for (int i = 1; i <= most && !kinds[kind].array; i++)
		add_name(sb, kinds[kind].type, ctext("%s%d", kinds[kind].prefix, i));
}

void declare_frame(struct emit *e)
{
	struct cbuf all = {0};
	int lines = 0;

	for (int i = 0; i < NSLOTS; i++) {
		struct cbuf sb = {0};

		if (i == SLOT_STRING && e->u.buckets)
			cbuf_printf(&all, "%sust_long buckets[%u];", lines++ ? C("\n\t\t") : C(""),
				    e->u.buckets);
		members(e, i, &sb);
		if (sb.n)
			cbuf_printf(&all, "%s%s;", lines++ ? C("\n\t\t") : C(""), cbuf_text(&sb));
	}
	if (lines > 1)
		line(e, "struct {\n\t\t%s\n\t} *f;", cbuf_text(&all));
	else
		line(e, "struct { %s } *f;", cbuf_text(&all));
}

void push_frame(struct emit *e, struct label *failed)
{
	if (!has_frame(e))
		return;
	line(e, "f = ust_frame_push(c, sizeof *f);");
	jump_if(e, C("!f"), failed);
}

/* ------------------------------------------------------------- the stack */

/* Saved registers, arguments and spilled values; the address of each member of the frame may be one
 * of these. */
size_t frame_own_bytes(const struct emit *e)
{
	size_t n = 12 + (size_t)(e->u.nlocals < MAX_LOCALS ? e->u.nlocals : MAX_LOCALS);

	n += (size_t)(e->u.most_temps < MAX_TEMPS ? e->u.most_temps : MAX_TEMPS) +
	     (size_t)e->u.most_loads;
	for (int i = 0; i < NSLOTS; i++)
		n += (size_t)e->u.slots[i].most;
	return n * WORD_SIZE;
}
