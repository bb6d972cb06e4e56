/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summaries of types: the choice of the one for a type of a module, and the shape that it gives.
 *
 * $self in an expression is a path like any other target variable's, so members are found as for
 * `$x->a.b`. A summary whose expressions name members that a type does not have is not used for it:
 * libraries change from version to version.
 */
#include <string.h>

#include "type_summary.h"
#include "parse/summary_decl.h"

/* Limits of the runtime: values of an expression, and operations of one value. */
#define MAX_VALUES 8
#define MAX_OPS    256

/* ----------------------------------------------------- which summary it is */

static const struct summary *(*summary_nth)(size_t i, bool library);

void summaries_set(const struct summary *(*at)(size_t i, bool library)) { summary_nth = at; }

/* Is TEXT what the N bytes of PATTERN say?  `*` stands for any text; nothing else is special. */
static bool summary_glob(const char *pattern, size_t n, const char *text)
{
	const char *star = memchr(pattern, '*', n);
	size_t fixed = star ? (size_t)(star - pattern) : n, rest;

	if (strncmp(pattern, text, fixed) || strnlen(text, fixed) < fixed)
		return false;
	if (!star)
		return !text[fixed];
	rest = n - fixed - 1;
	if (!memchr(star + 1, '*', rest)) { /* the last one: what follows ends the name */
		size_t left = strlen(text + fixed);

		return left >= rest && !memcmp(text + fixed + left - rest, star + 1, rest);
	}
	for (text += fixed;; text++) {
		if (summary_glob(star + 1, rest, text))
			return true;
		if (!*text)
			return false;
	}
}

/* Number of bytes of PATTERN that name namespaces and classes, with the `::` behind them. */
static size_t summary_scope(const char *pattern)
{
	size_t end = 0;
	int depth = 0;

	for (size_t i = 0; pattern[i]; i++) {
		depth += (pattern[i] == '<') - (pattern[i] == '>' && depth);
		if (!depth && pattern[i] == ':' && pattern[i + 1] == ':')
			end = ++i + 1;
	}
	return end;
}

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

	for (size_t i = 0; name && summary_nth && (sum = summary_nth(i, !w->c.mod->is_kernel));
	     i++) {
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

bool part_runs(const aop_vec *ops)
{
	int now = 0, most = 0;

	for (size_t i = 0; i < ops->n; i++) {
		enum aop_kind kind = ops->v[i].kind;

		if (kind == A_CONST || kind == A_INDEX || kind == A_DUP)
			now++;
		else if ((kind >= A_ADD && kind <= A_GE && kind != A_NEG && kind != A_NOT) ||
			 kind == A_IF || kind == A_ELSE)
			now--;
		else if (kind != A_END_IF && kind != A_NEG && kind != A_NOT && kind != A_DEREF &&
			 kind != A_EXT && kind != A_BITS)
			return false;
		most = now > most ? now : most;
	}
	return now == 1 && most <= MAX_VALUES && ops->n <= MAX_OPS;
}

static bool set_part(struct maker *k, struct shape *s, enum shape_part which, const struct part *p)
{
	if (!k->at_probe && !part_runs(&p->ops))
		return summary_fail(k, k->sum->args,
				    "an expression of this summary has too many operations");
	s->parts[which] = (struct shape_ops){p->ops.v, p->ops.n};
	return true;
}

/* A part that is a number. */
static bool number(struct maker *k, struct shape *s, enum shape_part which, const struct node *n)
{
	struct part p = {0};

	return summary_value(k, n, &p) && set_part(k, s, which, &p);
}

/* ------------------------------------------------------------------- shapes */

struct building {
	struct plan *plan;
	int level;
	struct shape *s;
};

/* hex(NUMBER) */
static bool word_part(struct maker *k, struct building *b, enum shape_part which,
		      const struct node *n, const struct shape **shown)
{
	struct shape *word = xalloc(sizeof *word);

	word->kind = SHAPE_WORD;
	*shown = word;
	return n->call.nargs == 1 ? number(k, b->s, which, n->call.args)
				  : summary_fail(k, n, "hex() takes a number");
}

static bool object_part(struct maker *k, struct building *b, enum shape_part which,
			const struct node *n, int level, const struct shape **shown)
{
	struct part p = {0};

	if (n->kind == N_CALL && !strcmp(n->call.name, "hex"))
		return word_part(k, b, which, n, shown);
	if (!summary_object(k, n, &p) || !set_part(k, b->s, which, &p))
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
	if (!summary_value(k, arg, &first) || !set_part(k, b->s, PART_FIRST, &first) ||
	    !number(k, b->s, PART_COUNT, arg->next))
		return false;
	if (unit)
		size = unit->kind == N_NUM ? (uint64_t)unit->num : 0;
	else if (first.typed && !first.to.stars && !first.to.dim)
		(void)type_size(first.to.mod, &first.to.die, &size);
	if (size != 1 && size != 2 && size != 4)
		return summary_fail(k, unit ? unit : arg, "characters have 1, 2 or 4 bytes");
	b->s->size = (uint8_t)size;
	return true;
}

/* The address of the first element of a row, and the size of each element. */
static bool row(struct maker *k, struct building *b, const struct node *n, struct part *first,
		uint64_t *size)
{
	b->s->kind = SHAPE_ITEMS;
	if (!summary_value(k, n, first) || !set_part(k, b->s, PART_FIRST, first))
		return false;
	if (!first->typed || first->to.dim)
		return summary_fail(k, n,
				    "the type of the elements is not known; give it with typed()");
	if (first->to.stars)
		*size = 8;
	else if (!type_size(first->to.mod, &first->to.die, size))
		return summary_fail(k, n, "the size of the elements is not known");
	return true;
}

/* Element number $index of the row. */
static bool row_element(struct maker *k, struct building *b, const struct part *first,
			uint64_t size)
{
	struct part value = {0};

	summary_append(&value, first);
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

	if (!row(k, b, arg, &first, &size) || !summary_value(k, arg->next, &count))
		return false;
	summary_append(&count, &first);
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
	if (!summary_value(k, arg, first) || !set_part(k, b->s, PART_FIRST, first) ||
	    !number(k, b->s, PART_COUNT, arg->next))
		return false;
	if (!first->typed)
		return summary_fail(k, arg, "the type of the first node is not known");
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

static bool make_buckets(struct maker *k, struct building *b, const struct node *arg)
{
	const struct node *first = arg->next, *next = first->next, *length = next->next;
	struct part p = {0};

	b->s->kind = SHAPE_BUCKETS;
	if (!number(k, b->s, PART_COUNT, arg) || !summary_value(k, first, &p) ||
	    !set_part(k, b->s, PART_FIRST, &p))
		return false;
	k->node = p.typed ? &p.to : NULL;
	return number(k, b->s, PART_RIGHT, next) && number(k, b->s, PART_LENGTH, length) &&
	       number(k, b->s, PART_PRESENT, length->next) && elements(k, b, length->next->next);
}

static bool make_btree(struct maker *k, struct building *b, const struct node *arg)
{
	const struct node *height = arg->next->next, *length = height->next;
	struct part first = {0};

	b->s->kind = SHAPE_BTREE;
	return first_node(k, b, arg, &first) && number(k, b->s, PART_HEIGHT, height) &&
	       number(k, b->s, PART_LENGTH, length) && number(k, b->s, PART_RIGHT, length->next) &&
	       elements(k, b, length->next->next);
}

static bool make_length(struct maker *k, struct building *b, const struct node *arg)
{
	return number(k, b->s, PART_COUNT, arg);
}

static bool make_optional(struct maker *k, struct building *b, const struct node *arg)
{
	const struct node *label = arg->next->next;

	b->s->kind = SHAPE_OPTIONAL;
	if (label->kind != N_STR || label->next->kind != N_STR)
		return summary_fail(k, label,
				    "the names of a present and of an absent value are strings");
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

		if (!summary_type_argument(&self, i, &t.die))
			break;
		m.shape = ctype_shape(b->plan, &t, b->level);
		vec_push(&b->s->members, m);
		vec_push(&b->s->names, ((struct shape_name){"", i}));
	}
	return b->s->members.n || summary_fail(k, arg, "the type has no type arguments");
}

static bool make_dynamic(struct maker *k, struct building *b, const struct node *arg)
{
	b->s->kind = SHAPE_DYNAMIC;
	if (!number(k, b->s, PART_COUNT, arg) || !number(k, b->s, PART_VALUE, arg->next))
		return false;
	dynamic_shape(b->plan, b->s, b->level);
	return true;
}

static bool make_reference(struct maker *k, struct building *b, const struct node *arg)
{
	struct part p = {0};

	b->s->kind = k->sum->form == FORM_VALUE ? SHAPE_VALUE : SHAPE_ADDRESS;
	if (k->sum->form == FORM_VALUE)
		return object_part(k, b, PART_FIRST, arg, b->level, &b->s->elem);
	if (!summary_value(k, arg, &p) || !set_part(k, b->s, PART_FIRST, &p))
		return false;
	if (!p.typed)
		return summary_fail(
			k, arg, "the type that this points to is not known; give it with typed()");
	b->s->elem = ctype_shape(b->plan, &p.to, b->level);
	return true;
}

typedef bool maker_fn(struct maker *k, struct building *b, const struct node *arg);
static maker_fn *const makers[] = {
	[FORM_TEXT] = make_text,         [FORM_SEQUENCE] = make_sequence,
	[FORM_RANGE] = make_range,       [FORM_INDEXED] = make_indexed,
	[FORM_SLOTS] = make_slots,       [FORM_LIST] = make_list,
	[FORM_LENGTH] = make_length,     [FORM_TREE] = make_tree,
	[FORM_BUCKETS] = make_buckets,   [FORM_BTREE] = make_btree,
	[FORM_OPTIONAL] = make_optional, [FORM_VARIANT] = make_variant,
	[FORM_POINTER] = make_reference, [FORM_VALUE] = make_reference,
	[FORM_DYNAMIC] = make_dynamic,
};

static bool is_nested(enum summary_form form) { return form >= FORM_OPTIONAL; }

static bool make_shape(struct maker *k, void *arg)
{
	struct building *b = arg;
	struct plan *plan = b->plan;
	bool made, nested = is_nested(k->sum->form), cut;

	if (k->sum->form == FORM_LENGTH)
		return false;
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
	struct plan plan = {.m = k->self->c.mod, .left = 1};
	struct building b = {.plan = &plan, .level = 0, .s = xalloc(sizeof *b.s)};
	bool in_row = form == FORM_SEQUENCE || form == FORM_RANGE;
	const struct node *args = k->sum->args;

	k->at_probe = true;
	q->part = (struct part){0};
	if (q->which == PART_FIRST && !in_row)
		return false;
	if (q->which == PART_FIRST)
		return row(k, &b, args, &q->part, &q->size);
	if (form == FORM_SLOTS || form == FORM_BUCKETS || is_nested(form) ||
	    !makers[form](k, &b, args))
		return false;
	q->part.ops = (aop_vec){b.s->parts[PART_COUNT].v, b.s->parts[PART_COUNT].n,
				b.s->parts[PART_COUNT].n};
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
