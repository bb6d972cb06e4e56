/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compilation of the expressions of summaries to operations of a stack machine: members, types and
 * their arguments.
 */
#include <string.h>

#include "type_summary.h"
#include "parse/summary_decl.h"

bool summary_fail(struct maker *k, const struct node *n, const char *msg)
{
	k->err = (struct var_error){.tag = E_UNSUPPORTED, .loc = n->loc, .msg = msg};
	return false;
}

void summary_append(struct part *to, const struct part *from)
{
	for (size_t i = 0; i < from->ops.n; i++)
		vec_push(&to->ops, from->ops.v[i]);
}

/* ------------------------------------------------------------- type arguments */

/* Argument NUMBER of a template or generic type, counting types only. */
static bool type_argument(Dwarf_Die *type, int64_t *number, int depth, Dwarf_Die *out)
{
	Dwarf_Die die;

	if (depth > 2 || dwarf_child(type, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_GNU_template_parameter_pack &&
		    type_argument(&die, number, depth + 1, out))
			return true;
		if (dwarf_tag(&die) == DW_TAG_template_type_parameter && (*number)-- == 0)
			return die_type(&die, out);
	} while (die_sibling(&die, &die) == 0);
	return false;
}

/* The same; an enumeration with data has the arguments of its variants, which are all alike. */
bool summary_type_argument(Dwarf_Die *type, int64_t number, Dwarf_Die *out)
{
	int64_t left = number;
	bool variants = false;
	Dwarf_Die die;

	if (type_argument(type, &left, 0, out))
		return true;
	if (left != number || dwarf_child(type, &die) != 0)
		return false;
	do {
		left = number;
		variants |= dwarf_tag(&die) == DW_TAG_variant_part;
		if (variants && dwarf_tag(&die) == DW_TAG_structure_type &&
		    type_argument(&die, &left, 0, out))
			return true;
	} while (die_sibling(&die, &die) == 0);
	return false;
}

static bool add_value(struct maker *k, const struct node *n, struct part *out);

static bool are_numbers(const struct node *n)
{
	bool any = n;

	for (; n; n = n->next)
		any = any && n->kind == N_NUM;
	return any;
}

/* The type argument of TYPE that N says, of that the one that the next number says, and so on. */
static bool arguments_of(struct maker *k, const struct node *n, Dwarf_Die *type)
{
	for (; n; n = n->next) {
		Dwarf_Die of;

		if (!type_peel(k->self->c.mod, type, &of) ||
		    !summary_type_argument(&of, n->num, type))
			return summary_fail(k, n,
					    xprintf("%s has no type argument %lld", type_text(type),
						    (long long)n->num));
	}
	return true;
}

/* "NAME"; PATH, the type of the object there; or [PATH,] NUMBER...: a type argument of $self or of
 * the object at PATH. */
static bool type_operand(struct maker *k, const struct node *n, struct ctype *out)
{
	const struct node *number = n->kind == N_NUM ? n : n->next;
	struct part path = {0};

	*out = (struct ctype){.mod = k->self->c.mod, .die = k->self->type};
	if (n->kind == N_STR && !n->next)
		return type_by_name(k->self->c.mod, n->str.s, out) ||
		       summary_fail(k, n, xprintf("no type \"%s\"", n->str.s));
	if (number && !are_numbers(number))
		return summary_fail(k, n,
				    "a type is its name, or a path and numbers of type arguments");
	if (n != number && !summary_object(k, n, &path))
		return false;
	if (n != number && (!path.typed || path.to.stars))
		return summary_fail(k, n, "the type of this is not known");
	if (n != number)
		*out = path.to;
	return arguments_of(k, number, &out->die);
}

/* typed(ADDRESS, TYPE) */
static bool compile_typed(struct maker *k, const struct node *args, struct part *out)
{
	struct ctype type;

	if (!args || !args->next || !type_operand(k, args->next, &type) ||
	    !summary_value(k, args, out))
		return k->err.msg ? false
				  : summary_fail(k, k->sum->args,
						 "typed() takes an address and a type");
	out->typed = true;
	out->to = type;
	return true;
}

/* size(TYPE) */
static bool compile_size(struct maker *k, const struct node *args, struct part *out)
{
	struct ctype type;
	uint64_t size = 8;

	if (!args || !type_operand(k, args, &type))
		return false;
	if (!type.stars && !type_size(type.mod, &type.die, &size))
		return summary_fail(k, args, "the size of this type is not known");
	push_op(&out->ops, A_CONST, (int64_t)size);
	return true;
}

static void raise_alignment(const struct member *mb, const char *name, void *arg);

/* The alignment of TYPE: that of its member with the largest. */
struct alignment {
	struct module *m;
	int depth;
	uint64_t most;
};

static uint64_t alignment_of(struct module *m, Dwarf_Die *type, int depth)
{
	struct alignment a = {m, depth + 1, 1};
	Dwarf_Attribute attr;
	Dwarf_Word aligned;
	Dwarf_Die t;
	uint64_t size;

	if (depth > 8 || !type_peel(m, type, &t))
		return 1;
	if (dwarf_attr(&t, DW_AT_alignment, &attr) && dwarf_formudata(&attr, &aligned) == 0)
		return aligned && aligned <= 4096 ? aligned : 1;
	if (dwarf_tag(&t) == DW_TAG_array_type)
		return die_type(&t, &t) ? alignment_of(m, &t, depth + 1) : 1;
	if (!type_is_struct(&t))
		return type_size(m, &t, &size) && size && size <= 16 ? size : 1;
	type_members(m, &t, raise_alignment, &a);
	return a.most;
}

static void raise_alignment(const struct member *mb, const char *name, void *arg)
{
	struct alignment *a = arg;
	Dwarf_Die type = mb->type;
	uint64_t of = alignment_of(a->m, &type, a->depth);

	(void)name;
	a->most = of > a->most ? of : a->most;
}

/* align(TYPE) */
static bool compile_align(struct maker *k, const struct node *args, struct part *out)
{
	struct ctype type;

	if (!args || !type_operand(k, args, &type))
		return false;
	push_op(&out->ops, A_CONST, type.stars ? 8 : (int64_t)alignment_of(type.mod, &type.die, 0));
	return true;
}

/* count(PATH): the elements of an array in the object */
static bool compile_count(struct maker *k, const struct node *args, struct part *out)
{
	struct part array = {0};
	int64_t counts[16];

	if (!args || !summary_object(k, args, &array))
		return false;
	if (!array.typed || array.to.stars || dwarf_tag(&array.to.die) != DW_TAG_array_type ||
	    array_dims(&array.to.die, counts, 16) <= array.to.dim || counts[array.to.dim] < 0)
		return summary_fail(k, args, "this is not an array of a known length");
	push_op(&out->ops, A_CONST, counts[array.to.dim]);
	return true;
}

/* ---------------------------------------------------------------------- paths */

/* The object that the path N starts from. */
static bool start_path(struct maker *k, const struct node *n, struct walk *w)
{
	struct part from = {0};
	const char *name = n->target.name;

	*w = *k->self;
	if (n->target.start == TS_NAME && !strcmp(name, "$self"))
		return true;
	if (n->target.start == TS_NAME && !strcmp(name, "$node") && k->node) {
		push_op(&from.ops, A_INDEX, OPERAND_NODE);
		from.to = *k->node;
	} else if (n->target.start != TS_POINTER || !summary_value(k, n->target.value, &from)) {
		return k->err.msg ? false
				  : summary_fail(k, n,
						 "a summary's expressions use $self, $node, $index "
						 "and $bucket");
	} else if (!from.typed) {
		return summary_fail(k, n, "the type of this is not known");
	}
	walk_set_memory(w, &from.ops);
	walk_set_ctype(w, &from.to);
	return true;
}

static bool is_operand(const struct node *n, const char *name)
{
	return n->kind == N_TARGET && n->target.start == TS_NAME && !n->target.ncomps &&
	       !n->target.addrof && !strcmp(n->target.name, name);
}

/* Walks number the indexes that they compute; those of a summary from here on, so that no other
 * operand has such a number. */
enum { FIRST_INDEX = 1 << 20 };

/* The expression of computed index NUMBER of the path N. */
static const struct node *index_of(const struct node *n, int64_t number)
{
	for (size_t i = 0; i < n->target.ncomps; i++) {
		const struct target_comp *c = &n->target.comps[i];

		if (c->kind == TC_INDEX && c->index->kind != N_NUM && number-- == 0)
			return c->index;
	}
	return NULL;
}

/* Append OPS of the path N, each computed index in the position of its A_INDEX. */
static bool append_path(struct maker *k, const struct node *n, const struct access *acc,
			struct part *out)
{
	for (size_t i = 0; i < acc->nops; i++) {
		const struct aop *op = &acc->ops[i];
		const struct node *index = op->kind == A_INDEX ? index_of(n, op->a - FIRST_INDEX)
							       : NULL;

		if (!index)
			vec_push(&out->ops, *op);
		else if (!add_value(k, index, out))
			return false;
	}
	return true;
}

/* The path of W.  Its first component can index the pointer that it starts from. */
static bool walk_from_start(struct walk *w, struct access *acc)
{
	const struct node *n = w->node;
	uint64_t size;
	bool pointer = n->target.start == TS_POINTER || !strcmp(n->target.name, "$node");

	if (!pointer || !n->target.ncomps || n->target.comps[0].kind != TC_INDEX)
		return walk_path(w, 0, acc);
	return walk_size(w, &size) && walk_index(w, &n->target.comps[0], size) &&
	       walk_path(w, 1, acc);
}

/* The value at the path N, or the address of what is there. */
static bool compile_path(struct maker *k, const struct node *n, bool address, struct part *out)
{
	struct node copy = *n;
	struct access acc = {0};
	struct walk w;

	if (!start_path(k, n, &w))
		return false;
	copy.target.addrof = address;
	copy.target.pretty = 0;
	w.nindex = FIRST_INDEX;
	w.node = &copy;
	w.err = &k->err;
	if (!walk_from_start(&w, &acc))
		return k->err.msg ? false : summary_fail(k, n, "this cannot be read");
	if (acc.nwords || acc.base)
		return summary_fail(k, n, "a summary cannot read this location");
	if (!append_path(k, n, &acc, out))
		return false;
	out->typed = address ? !w.is_void : acc.points_to != NULL;
	if (address && !w.is_void)
		out->to = (struct ctype){w.c.mod, w.type, w.dim, w.stars};
	else if (acc.points_to)
		out->to = *acc.points_to;
	return true;
}

/* The address of the object that N is: a path's end, or what any other expression points to. */
bool summary_object(struct maker *k, const struct node *n, struct part *out)
{
	bool path = n->kind == N_TARGET && !n->target.addrof && !is_operand(n, "$index") &&
		    !is_operand(n, "$bucket");

	if (path)
		return compile_path(k, n, true, out);
	if (!summary_value(k, n, out))
		return false;
	return out->typed ||
	       summary_fail(k, n, "the type of this is not known; give it with typed()");
}

/* ---------------------------------------------------------------- expressions */

static bool add_value(struct maker *k, const struct node *n, struct part *out)
{
	struct part p = {0};

	if (!summary_value(k, n, &p))
		return false;
	summary_append(out, &p);
	return true;
}

static bool compile_binary(struct maker *k, const struct node *n, struct part *out)
{
	static const unsigned char kinds[OP_COUNT] = {
		[OP_ADD] = A_ADD,  [OP_SUB] = A_SUB, [OP_MUL] = A_MUL, [OP_DIV] = A_DIV,
		[OP_MOD] = A_MOD,  [OP_SHL] = A_SHL, [OP_SHR] = A_SRA, [OP_AND] = A_AND,
		[OP_OR] = A_OR,    [OP_XOR] = A_XOR, [OP_EQ] = A_EQ,   [OP_NE] = A_NE,
		[OP_LT] = A_LT,    [OP_LE] = A_LE,   [OP_GT] = A_GT,   [OP_GE] = A_GE,
		[OP_USHR] = A_SHR,
	};

	if (!kinds[n->bin.op])
		return summary_fail(k, n, "this operator does not apply to numbers");
	if (!add_value(k, n->bin.l, out) || !add_value(k, n->bin.r, out))
		return false;
	push_op(&out->ops, kinds[n->bin.op], 0);
	return true;
}

/* Push whether N is not 0. */
static bool truth(struct maker *k, const struct node *n, struct part *out)
{
	if (!add_value(k, n, out))
		return false;
	push_op(&out->ops, A_CONST, 0);
	push_op(&out->ops, A_NE, 0);
	return true;
}

/* The second is read only if the first, which is on the stack, is not 0; else the third. */
static void choose(struct part *out, const struct part *t, const struct part *f)
{
	push_op(&out->ops, A_IF, (int64_t)t->ops.n + 1);
	summary_append(out, t);
	push_op(&out->ops, A_ELSE, (int64_t)f->ops.n);
	summary_append(out, f);
	push_op(&out->ops, A_END_IF, 0);
}

static bool compile_logic(struct maker *k, const struct node *n, struct part *out)
{
	struct part other = {0}, known = {0};
	bool both = n->bin.op == OP_LAND;

	if (!add_value(k, n->bin.l, out) || !truth(k, n->bin.r, &other))
		return false;
	push_op(&known.ops, A_CONST, !both);
	choose(out, both ? &other : &known, both ? &known : &other);
	return true;
}

static bool compile_unary(struct maker *k, const struct node *n, struct part *out)
{
	if (!add_value(k, n->un.e, out))
		return false;
	if (n->un.op == OP_NOT) {
		push_op(&out->ops, A_CONST, 0);
		push_op(&out->ops, A_EQ, 0);
	} else if (n->un.op != OP_PLUS) {
		push_op(&out->ops, n->un.op == OP_NEG ? A_NEG : A_NOT, 0);
	}
	return true;
}

static bool compile_choice(struct maker *k, const struct node *n, struct part *out)
{
	struct part t = {0}, f = {0};

	if (!add_value(k, n->cond.c, out) || !summary_value(k, n->cond.t, &t) ||
	    !summary_value(k, n->cond.f, &f))
		return false;
	choose(out, &t, &f);
	out->typed = t.typed;
	out->to = t.to;
	return true;
}

static bool compile_call(struct maker *k, const struct node *n, struct part *out)
{
	const char *name = n->call.name;

	if (!strcmp(name, "typed"))
		return compile_typed(k, n->call.args, out);
	if (!strcmp(name, "size"))
		return compile_size(k, n->call.args, out);
	if (!strcmp(name, "align"))
		return compile_align(k, n->call.args, out);
	if (!strcmp(name, "count"))
		return compile_count(k, n->call.args, out);
	if (strncmp(name, "@uderef", 7) != 0)
		return summary_fail(k, n,
				    xprintf("%s() is not a function of summaries; they are "
					    "typed(), size(), align(), count() and @uderef()",
					    name));
	if (!add_value(k, n->call.args, out))
		return false;
	vec_push(&out->ops, ((struct aop){.kind = A_DEREF, .size = (uint8_t)(name[7] - '0')}));
	return true;
}

bool summary_value(struct maker *k, const struct node *n, struct part *out)
{
	switch (n->kind) {
	case N_NUM:
		push_op(&out->ops, A_CONST, n->num);
		return true;
	case N_TARGET:
		if (is_operand(n, "$index") || is_operand(n, "$bucket")) {
			push_op(&out->ops, A_INDEX,
				is_operand(n, "$index") ? OPERAND_INDEX : OPERAND_BUCKET);
			return true;
		}
		if (is_operand(n, "$node") && !k->node && k->sum->form == FORM_BUCKETS) {
			push_op(&out->ops, A_INDEX, OPERAND_NODE);
			return true;
		}
		return compile_path(k, n, n->target.addrof, out);
	case N_BINARY:
		return compile_binary(k, n, out);
	case N_LOGIC:
		return compile_logic(k, n, out);
	case N_UNARY:
		return compile_unary(k, n, out);
	case N_COND:
		return compile_choice(k, n, out);
	case N_CALL:
		return compile_call(k, n, out);
	default:
		return summary_fail(
			k, n, "a summary's expressions consist of numbers, members and operators");
	}
}
