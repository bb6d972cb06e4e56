/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summaries of types: which one describes a type of a module, and its expressions as operations.
 *
 * $self in an expression is a path like any other target variable's, so members are found as for
 * `$x->a.b`.  A summary whose expressions name what a type does not have is not the one: libraries
 * change from version to version.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"

/* What the runtime has for an expression's values, and for operations of one. */
#define MAX_VALUES 8
#define MAX_OPS 64

/* A value, and what it is the address of if that is known. */
struct part {
	aop_vec ops;
	bool typed;
	struct ctype to;
};

/* A summary in the making: $self is the object of the walk, $node one of the type of NODE. */
struct maker {
	const struct summary *sum;
	const struct walk *self;
	const struct ctype *node;
	bool at_probe; /* the object is at a place of the probe, that handlers read */
	struct var_error err;
};

static bool fail(struct maker *k, const struct node *n, const char *msg)
{
	k->err = (struct var_error){.tag = E_UNSUPPORTED, .loc = n->loc, .msg = msg};
	return false;
}

static bool compile(struct maker *k, const struct node *n, struct part *out);

static void append(struct part *to, const struct part *from)
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

static bool compile_object(struct maker *k, const struct node *n, struct part *out);

/* [PATH,] NUMBER: that type argument of $self or of the object at PATH. */
static bool type_operand(struct maker *k, const struct node *n, Dwarf_Die *out)
{
	const struct node *number = n->next ? n->next : n;
	struct part path = {0};
	Dwarf_Die type = k->self->type;
	int64_t left;

	if (number->kind != N_NUM || number->next)
		return fail(
		    k, n,
		    "a type is a path, if it is not $self, and the number of its type argument");
	if (n != number && !compile_object(k, n, &path))
		return false;
	if (n != number &&
	    !(path.typed && !path.to.stars && type_peel(path.to.mod, &path.to.die, &type)))
		return fail(k, n, "the type of this is not known");
	left = number->num;
	return type_argument(&type, &left, 0, out) ||
	       fail(k, number,
		    xprintf("%s has no type argument %lld", type_text(&type),
			    (long long)number->num));
}

/* typed(ADDRESS, [PATH,] NUMBER) */
static bool compile_typed(struct maker *k, const struct node *args, struct part *out)
{
	Dwarf_Die type;

	if (!args || !args->next || !type_operand(k, args->next, &type) || !compile(k, args, out))
		return k->err.msg ? false
				  : fail(k, k->sum->args, "typed() takes an address and a type");
	out->typed = true;
	out->to = (struct ctype){k->self->c.mod, type, 0, 0};
	return true;
}

/* size([PATH,] NUMBER) */
static bool compile_size(struct maker *k, const struct node *args, struct part *out)
{
	Dwarf_Die type;
	uint64_t size;

	if (!args || !type_operand(k, args, &type))
		return false;
	if (!type_size(k->self->c.mod, &type, &size))
		return fail(k, args, "the size of this type is not known");
	push_op(&out->ops, A_CONST, (int64_t)size);
	return true;
}

/* count(PATH): the elements of an array in the object */
static bool compile_count(struct maker *k, const struct node *args, struct part *out)
{
	struct part array = {0};
	int64_t counts[16];

	if (!args || !compile_object(k, args, &array))
		return false;
	if (!array.typed || array.to.stars || dwarf_tag(&array.to.die) != DW_TAG_array_type ||
	    array_dims(&array.to.die, counts, 16) <= array.to.dim || counts[array.to.dim] < 0)
		return fail(k, args, "this is not an array of a known length");
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
	} else if (n->target.start != TS_POINTER || !compile(k, n->target.value, &from)) {
		return k->err.msg
			   ? false
			   : fail(k, n,
				  "expressions of a summary are about $self, $node and $index");
	} else if (!from.typed) {
		return fail(k, n, "the type of this is not known");
	}
	walk_set_memory(w, &from.ops);
	walk_set_ctype(w, &from.to);
	return true;
}

static bool has_plain_indexes(const struct node *n)
{
	for (size_t i = 0; i < n->target.ncomps; i++)
		if (n->target.comps[i].kind == TC_INDEX && n->target.comps[i].index->kind != N_NUM)
			return false;
	return true;
}

/* The value at the path N, or the address of what is there. */
static bool compile_path(struct maker *k, const struct node *n, bool address, struct part *out)
{
	struct node copy = *n;
	struct access acc = {0};
	struct walk w;

	if (!has_plain_indexes(n))
		return fail(k, n, "indexes in a summary are numbers");
	if (!start_path(k, n, &w))
		return false;
	copy.target.addrof = address;
	copy.target.pretty = 0;
	w.node = &copy;
	w.err = &k->err;
	if (!walk_path(&w, 0, &acc))
		return k->err.msg ? false : fail(k, n, "this cannot be read");
	if (acc.nwords || acc.base)
		return fail(k, n, "this is not at a place that a summary can read");
	append(out, &(struct part){.ops = {acc.ops, acc.nops, acc.nops}});
	out->typed = address ? !w.is_void : acc.points_to != NULL;
	if (address && !w.is_void)
		out->to = (struct ctype){w.c.mod, w.type, w.dim, w.stars};
	else if (acc.points_to)
		out->to = *acc.points_to;
	return true;
}

/* The address of the object that N is: a path's end, or what any other expression points to. */
static bool compile_object(struct maker *k, const struct node *n, struct part *out)
{
	bool path =
	    n->kind == N_TARGET && !n->target.addrof && strcmp(n->target.name, "$index") != 0;

	if (path)
		return compile_path(k, n, true, out);
	if (!compile(k, n, out))
		return false;
	return out->typed || fail(k, n, "the type of this is not known; typed() says it");
}

/* ---------------------------------------------------------------- expressions */

static bool operand(struct maker *k, const struct node *n, struct part *out)
{
	struct part p = {0};

	if (!compile(k, n, &p))
		return false;
	append(out, &p);
	return true;
}

static bool compile_binary(struct maker *k, const struct node *n, struct part *out)
{
	static const unsigned char kinds[OP_COUNT] = {
	    [OP_ADD] = A_ADD, [OP_SUB] = A_SUB, [OP_MUL] = A_MUL, [OP_DIV] = A_DIV,
	    [OP_MOD] = A_MOD, [OP_SHL] = A_SHL, [OP_SHR] = A_SRA, [OP_AND] = A_AND,
	    [OP_OR] = A_OR,   [OP_XOR] = A_XOR, [OP_EQ] = A_EQ,   [OP_NE] = A_NE,
	    [OP_LT] = A_LT,   [OP_LE] = A_LE,   [OP_GT] = A_GT,   [OP_GE] = A_GE,
	};

	if (!kinds[n->bin.op])
		return fail(k, n, "this operator is not one of numbers");
	if (!operand(k, n->bin.l, out) || !operand(k, n->bin.r, out))
		return false;
	push_op(&out->ops, kinds[n->bin.op], 0);
	return true;
}

/* Push whether N is not 0. */
static bool truth(struct maker *k, const struct node *n, struct part *out)
{
	if (!operand(k, n, out))
		return false;
	push_op(&out->ops, A_CONST, 0);
	push_op(&out->ops, A_NE, 0);
	return true;
}

static bool compile_logic(struct maker *k, const struct node *n, struct part *out)
{
	if (!truth(k, n->bin.l, out) || !truth(k, n->bin.r, out))
		return false;
	push_op(&out->ops, n->bin.op == OP_LAND ? A_AND : A_OR, 0);
	return true;
}

static bool compile_unary(struct maker *k, const struct node *n, struct part *out)
{
	if (!operand(k, n->un.e, out))
		return false;
	if (n->un.op == OP_NOT) {
		push_op(&out->ops, A_CONST, 0);
		push_op(&out->ops, A_EQ, 0);
	} else if (n->un.op != OP_PLUS) {
		push_op(&out->ops, n->un.op == OP_NEG ? A_NEG : A_NOT, 0);
	}
	return true;
}

/* c ? t : f is f ^ ((t ^ f) & -(c != 0)): both are computed, as neither has an effect. */
static bool compile_choice(struct maker *k, const struct node *n, struct part *out)
{
	struct part t = {0}, f = {0};

	if (!compile(k, n->cond.t, &t) || !compile(k, n->cond.f, &f))
		return false;
	append(out, &f);
	append(out, &t);
	append(out, &f);
	push_op(&out->ops, A_XOR, 0);
	if (!truth(k, n->cond.c, out))
		return false;
	push_op(&out->ops, A_NEG, 0);
	push_op(&out->ops, A_AND, 0);
	push_op(&out->ops, A_XOR, 0);
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
	if (!strcmp(name, "count"))
		return compile_count(k, n->call.args, out);
	if (strncmp(name, "@uderef", 7) != 0)
		return fail(k, n,
			    xprintf("%s() is not a function of summaries; typed(), size(), count() "
				    "and @uderef() are",
				    name));
	if (!operand(k, n->call.args, out))
		return false;
	vec_push(&out->ops, ((struct aop){.kind = A_DEREF, .size = (uint8_t)(name[7] - '0')}));
	return true;
}

static bool compile(struct maker *k, const struct node *n, struct part *out)
{
	switch (n->kind) {
	case N_NUM:
		push_op(&out->ops, A_CONST, n->num);
		return true;
	case N_TARGET:
		if (n->target.start == TS_NAME && !strcmp(n->target.name, "$index")) {
			push_op(&out->ops, A_INDEX, OPERAND_INDEX);
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
		return fail(k, n,
			    "expressions of a summary are made of numbers, members and operators");
	}
}

/* ----------------------------------------------------- which summary it is */

/* Are the namespaces and classes around TYPE those that the N bytes of SCOPE name? */
static bool scope_fits(Dwarf_Die *type, const char *scope, size_t n)
{
	Dwarf_Die *scopes;
	struct strbuf path = {0};
	int count = die_scopes(type, &scopes);

	sb_add(&path, "");
	for (int i = count - 1; i > 0; i--) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_namespace || type_is_struct(&scopes[i]))
			sb_printf(&path, "%s::",
				  dwarf_diename(&scopes[i]) ? dwarf_diename(&scopes[i]) : "");
	}
	return summary_glob(scope, n, path.s);
}

static bool describes(const struct summary *sum, Dwarf_Die *type, const char *name)
{
	for (size_t i = 0; i < sum->patterns.n; i++) {
		const char *pattern = sum->patterns.v[i];
		size_t scope = summary_scope(pattern);

		if (summary_glob(pattern + scope, strlen(pattern + scope), name) &&
		    scope_fits(type, pattern, scope))
			return true;
		/* names of Rust's pointers and slices have their path */
		if (scope && strchr(name, ':') && summary_glob(pattern, strlen(pattern), name))
			return true;
	}
	return false;
}

/* A summary of the script's author, or of a library of theirs, that does not fit its type is a
 * mistake to report. */
static void report_misfit(const struct summary *sum, const struct var_error *err, const char *name)
{
	static ARENA_STATE struct smap reported;
	const char *key = xprintf("%p:%s", (const void *)sum, name);

	if (sum->ours || !err->msg || smap_get(&reported, key))
		return;
	smap_put(&reported, key, (void *)key);
	diag_warn(err->tag, err->loc, "this summary does not fit %s: %s", name, err->msg);
	if (err->hint)
		diag_hint("%s", err->hint);
}

/* MAKE is called with each summary that names the type of W until it returns true. */
static bool find_summary(const struct walk *w, bool (*make)(struct maker *, void *), void *arg)
{
	Dwarf_Die type = w->type;
	const char *name = dwarf_diename(&type);
	const struct summary *sum;

	for (size_t i = 0; name && (sum = summary_at(i, !w->c.mod->is_kernel)); i++) {
		struct maker k = {.sum = sum, .self = w};

		if (!describes(sum, &type, name))
			continue;
		if (make(&k, arg))
			return true;
		report_misfit(sum, &k.err, name);
	}
	return false;
}

/* ------------------------------------------------------ operations of a part */

/* The values that OPS have at a time; 0: the runtime cannot run them. */
static int most_values(const aop_vec *ops)
{
	int now = 0, most = 0;

	for (size_t i = 0; i < ops->n; i++) {
		enum aop_kind kind = ops->v[i].kind;

		if (kind == A_CONST || kind == A_INDEX || kind == A_DUP)
			now++;
		else if (kind >= A_ADD && kind <= A_GE && kind != A_NEG && kind != A_NOT)
			now--;
		else if (kind != A_NEG && kind != A_NOT && kind != A_DEREF && kind != A_EXT &&
			 kind != A_BITS)
			return 0;
		most = now > most ? now : most;
	}
	return now == 1 && most <= MAX_VALUES && ops->n <= MAX_OPS ? most : 0;
}

static bool set_part(struct maker *k, struct shape *s, enum shape_part which, const struct part *p)
{
	if (!k->at_probe && !most_values(&p->ops))
		return fail(k, k->sum->args,
			    "an expression of this summary has too many operations");
	s->parts[which] = (struct shape_ops){p->ops.v, p->ops.n};
	return true;
}

/* A part that is a number. */
static bool number(struct maker *k, struct shape *s, enum shape_part which, const struct node *n)
{
	struct part p = {0};

	return compile(k, n, &p) && set_part(k, s, which, &p);
}

/* ------------------------------------------------------------------- shapes */

struct building {
	struct plan *plan;
	int level;
	struct shape *s;
};

static bool object_part(struct maker *k, struct building *b, enum shape_part which,
			const struct node *n, int level, const struct shape **shown)
{
	struct part p = {0};

	if (!compile_object(k, n, &p) || !set_part(k, b->s, which, &p))
		return false;
	*shown = ctype_shape(b->plan, &p.to, level);
	return true;
}

static bool make_text(struct maker *k, struct building *b, const struct node *arg)
{
	struct part first = {0};
	const struct node *unit = arg->next->next;
	uint64_t size = 1;

	b->s->kind = SHAPE_TEXT;
	if (!compile(k, arg, &first) || !set_part(k, b->s, PART_FIRST, &first) ||
	    !number(k, b->s, PART_COUNT, arg->next))
		return false;
	if (unit)
		size = unit->kind == N_NUM ? (uint64_t)unit->num : 0;
	else if (first.typed && !first.to.stars && !first.to.dim)
		(void)type_size(first.to.mod, &first.to.die, &size);
	if (size != 1 && size != 2 && size != 4)
		return fail(k, unit ? unit : arg, "characters have 1, 2 or 4 bytes");
	b->s->size = (uint8_t)size;
	return true;
}

/* What a row of elements begins with, and how large each is. */
static bool row(struct maker *k, struct building *b, const struct node *n, struct part *first,
		uint64_t *size)
{
	b->s->kind = SHAPE_ITEMS;
	if (!compile(k, n, first) || !set_part(k, b->s, PART_FIRST, first))
		return false;
	if (!first->typed || first->to.dim)
		return fail(k, n, "the type of the elements is not known; typed() says it");
	if (first->to.stars)
		*size = 8;
	else if (!type_size(first->to.mod, &first->to.die, size))
		return fail(k, n, "the size of the elements is not known");
	return true;
}

/* Element number $index of the row. */
static bool row_element(struct maker *k, struct building *b, const struct part *first,
			uint64_t size)
{
	struct part value = {0};

	append(&value, first);
	push_op(&value.ops, A_INDEX, OPERAND_INDEX);
	push_op(&value.ops, A_CONST, (int64_t)size);
	push_op(&value.ops, A_MUL, 0);
	push_op(&value.ops, A_ADD, 0);
	b->s->elem = ctype_shape(b->plan, &first->to, b->level + 1);
	return set_part(k, b->s, PART_VALUE, &value);
}

static bool make_sequence(struct maker *k, struct building *b, const struct node *arg)
{
	struct part first = {0};
	uint64_t size = 0;

	return row(k, b, arg, &first, &size) && number(k, b->s, PART_COUNT, arg->next) &&
	       row_element(k, b, &first, size);
}

static bool make_range(struct maker *k, struct building *b, const struct node *arg)
{
	struct part first = {0}, count = {0};
	uint64_t size = 0;

	if (!row(k, b, arg, &first, &size) || !operand(k, arg->next, &count))
		return false;
	append(&count, &first);
	push_op(&count.ops, A_SUB, 0);
	push_op(&count.ops, A_CONST, size ? (int64_t)size : 1);
	push_op(&count.ops, A_DIV, 0);
	return set_part(k, b->s, PART_COUNT, &count) && row_element(k, b, &first, size);
}

/* [KEY,] VALUE */
static bool elements(struct maker *k, struct building *b, const struct node *arg)
{
	if (arg->next && !object_part(k, b, PART_KEY, arg, b->level + 1, &b->s->key))
		return false;
	return object_part(k, b, PART_VALUE, arg->next ? arg->next : arg, b->level + 1,
			   &b->s->elem);
}

static bool make_indexed(struct maker *k, struct building *b, const struct node *arg)
{
	b->s->kind = SHAPE_ITEMS;
	return number(k, b->s, PART_COUNT, arg) && elements(k, b, arg->next);
}

static bool make_slots(struct maker *k, struct building *b, const struct node *arg)
{
	b->s->kind = SHAPE_ITEMS;
	return number(k, b->s, PART_COUNT, arg) && number(k, b->s, PART_PRESENT, arg->next) &&
	       elements(k, b, arg->next->next);
}

/* The first node of a list or tree; others have its type. */
static bool first_node(struct maker *k, struct building *b, const struct node *arg,
		       struct part *first)
{
	if (!compile(k, arg, first) || !set_part(k, b->s, PART_FIRST, first) ||
	    !number(k, b->s, PART_COUNT, arg->next))
		return false;
	if (!first->typed)
		return fail(k, arg, "the type of the first node is not known");
	k->node = &first->to;
	return true;
}

static bool make_list(struct maker *k, struct building *b, const struct node *arg)
{
	struct part first = {0};

	b->s->kind = SHAPE_LIST;
	return first_node(k, b, arg, &first) && number(k, b->s, PART_RIGHT, arg->next->next) &&
	       elements(k, b, arg->next->next->next);
}

static bool make_tree(struct maker *k, struct building *b, const struct node *arg)
{
	const struct node *left = arg->next->next;
	struct part first = {0};

	b->s->kind = SHAPE_TREE;
	return first_node(k, b, arg, &first) && number(k, b->s, PART_LEFT, left) &&
	       number(k, b->s, PART_RIGHT, left->next) &&
	       number(k, b->s, PART_PARENT, left->next->next) &&
	       elements(k, b, left->next->next->next);
}

static bool make_optional(struct maker *k, struct building *b, const struct node *arg)
{
	const struct node *label = arg->next->next;

	b->s->kind = SHAPE_OPTIONAL;
	if (label->kind != N_STR || label->next->kind != N_STR)
		return fail(k, label, "the names of a present and of an absent value are strings");
	b->s->labels[0] = label->str.s;
	b->s->labels[1] = label->next->str.s;
	return number(k, b->s, PART_PRESENT, arg) &&
	       object_part(k, b, PART_VALUE, arg->next, b->level, &b->s->elem);
}

/* The type arguments of $self in order. */
static bool make_variant(struct maker *k, struct building *b, const struct node *arg)
{
	enum { MOST = 64 };
	Dwarf_Die self = k->self->type;

	b->s->kind = SHAPE_VARIANT;
	if (!number(k, b->s, PART_COUNT, arg) || !number(k, b->s, PART_VALUE, arg->next))
		return false;
	for (int64_t i = 0; i < MOST; i++) {
		struct shape_member m = {.name = ""};
		struct ctype t = {.mod = k->self->c.mod};
		int64_t left = i;

		if (!type_argument(&self, &left, 0, &t.die))
			break;
		m.shape = ctype_shape(b->plan, &t, b->level);
		vec_push(&b->s->members, m);
		vec_push(&b->s->names, ((struct shape_name){"", i}));
	}
	return b->s->members.n || fail(k, arg, "the type has no type arguments");
}

static bool make_reference(struct maker *k, struct building *b, const struct node *arg)
{
	struct part p = {0};

	b->s->kind = k->sum->form == FORM_VALUE ? SHAPE_VALUE : SHAPE_ADDRESS;
	if (k->sum->form == FORM_VALUE)
		return object_part(k, b, PART_FIRST, arg, b->level, &b->s->elem);
	if (!compile(k, arg, &p) || !set_part(k, b->s, PART_FIRST, &p))
		return false;
	if (!p.typed)
		return fail(k, arg, "what this points to is not known; typed() says it");
	b->s->elem = ctype_shape(b->plan, &p.to, b->level);
	return true;
}

typedef bool maker_fn(struct maker *k, struct building *b, const struct node *arg);
static maker_fn *const makers[] = {
	[FORM_TEXT] = make_text, [FORM_SEQUENCE] = make_sequence, [FORM_RANGE] = make_range,
	[FORM_INDEXED] = make_indexed, [FORM_SLOTS] = make_slots, [FORM_LIST] = make_list,
	[FORM_TREE] = make_tree, [FORM_OPTIONAL] = make_optional, [FORM_VARIANT] = make_variant,
	[FORM_POINTER] = make_reference, [FORM_VALUE] = make_reference,
};

static bool is_nested(enum summary_form form) { return form >= FORM_OPTIONAL; }

static bool make_shape(struct maker *k, void *arg)
{
	struct building *b = arg;
	struct plan *plan = b->plan;
	bool made, nested = is_nested(k->sum->form), cut;

	b->s = xalloc(sizeof *b->s);
	cut = !plan->left || (k->sum->form == FORM_TEXT || nested ? plan->nested >= PLAN_NESTED
								  : b->level >= plan->most);
	if (cut) {
		b->s->kind = nested || k->sum->form == FORM_TEXT ? SHAPE_STRUCT : SHAPE_ARRAY;
		b->s->count = -1;
		b->s->cut = true;
		return true;
	}
	plan->left--;
	plan->nested += nested;
	made = makers[k->sum->form](k, b, k->sum->args);
	plan->nested -= nested;
	return made;
}

const struct shape *summary_shape(struct plan *plan, Dwarf_Die *type, int level)
{
	struct building b = {.plan = plan, .level = level};
	struct walk w = {0};
	struct ctype t = {.mod = plan->m, .die = *type};
	aop_vec self = {0};

	push_op(&self, A_INDEX, OPERAND_SELF);
	walk_set_memory(&w, &self);
	walk_set_ctype(&w, &t);
	return find_summary(&w, make_shape, &b) ? b.s : NULL;
}

/* ------------------------------------------------------- what scripts ask for */

struct wanted {
	struct part part;
	enum shape_part which;
	uint64_t size;
};

static bool make_wanted(struct maker *k, void *arg)
{
	enum summary_form form = k->sum->form;
	struct wanted *q = arg;
	struct plan plan = {k->self->c.mod, 0, 1, 0};
	struct building b = {.plan = &plan, .level = 0, .s = xalloc(sizeof *b.s)};
	bool in_row = form == FORM_SEQUENCE || form == FORM_RANGE;
	const struct node *args = k->sum->args;

	k->at_probe = true;
	q->part = (struct part){0};
	if (q->which == PART_FIRST && !in_row)
		return false;
	if (q->which == PART_FIRST)
		return row(k, &b, args, &q->part, &q->size);
	if (form == FORM_SLOTS || is_nested(form) || !makers[form](k, &b, args))
		return false;
	q->part.ops =
	    (aop_vec){b.s->parts[PART_COUNT].v, b.s->parts[PART_COUNT].n, b.s->parts[PART_COUNT].n};
	return true;
}

bool summary_length(const struct walk *w, aop_vec *out)
{
	struct wanted q = {.which = PART_COUNT};

	if (!find_summary(w, make_wanted, &q))
		return false;
	*out = q.part.ops;
	return true;
}

bool summary_row(const struct walk *w, aop_vec *first, struct ctype *elem, uint64_t *size)
{
	struct wanted q = {.which = PART_FIRST};

	if (!find_summary(w, make_wanted, &q))
		return false;
	*first = q.part.ops;
	*elem = q.part.to;
	*size = q.size;
	return true;
}
