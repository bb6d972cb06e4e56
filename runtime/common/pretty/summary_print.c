/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of types with a summary: text with a length, sequences, lists, trees, optional values,
 * variants and pointers.
 *
 * Lengths and links come from the program and may have any value: output ends at the string's
 * limit, walks have a limit, and each step is charged to the handler.
 */
#include "pretty/pretty.h"
#include "utf8_char.h"

enum {
	MOST_ELEMENTS = 64, /* printed elements */
	MOST_SLOTS = 4096,  /* slots of a hash table that are examined */
	MOST_LINKS = 128,   /* steps from one node of a tree to the next */
	MOST_HEIGHT = 12,   /* height of a B-tree */
	STEPS_PER_CHARGE = 16
};

enum { SELF, NODE, INDEX, BUCKET, OPERANDS };

/* ------------------------------------------------------------- expressions */

static u64 extended(u64 v, u32 bits, bool sign)
{
	u32 left = bits && bits < 64 ? 64 - bits : 0;

	return sign ? (u64)((s64)(v << left) >> left) : v << left >> left;
}

/* A quotient of values from the program; 0 for a division by 0. */
static u64 divided(s64 a, s64 b, bool rest)
{
	if (!b || b == -1)
		return b && !rest ? 0 - (u64)a : 0;
	return (u64)(rest ? a % b : a / b);
}

static u64 compared(enum ust_op_kind kind, s64 a, s64 b)
{
	switch (kind) {
	case UST_OP_EQ:
		return a == b;
	case UST_OP_NE:
		return a != b;
	case UST_OP_LT:
		return a < b;
	case UST_OP_LE:
		return a <= b;
	case UST_OP_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static u64 combined(enum ust_op_kind kind, u64 a, u64 b)
{
	switch (kind) {
	case UST_OP_ADD:
		return a + b;
	case UST_OP_SUB:
		return a - b;
	case UST_OP_MUL:
		return a * b;
	case UST_OP_DIV:
		return divided((s64)a, (s64)b, false);
	case UST_OP_MOD:
		return divided((s64)a, (s64)b, true);
	case UST_OP_AND:
		return a & b;
	case UST_OP_OR:
		return a | b;
	case UST_OP_XOR:
		return a ^ b;
	case UST_OP_SHL:
		return a << (b & 63);
	case UST_OP_SHR:
		return a >> (b & 63);
	case UST_OP_SRA:
		return (u64)((s64)a >> (b & 63));
	default:
		return compared(kind, (s64)a, (s64)b);
	}
}

static u64 changed(const struct printer *p, const struct ust_op *op, u64 v)
{
	switch (op->kind) {
	case UST_OP_DEREF:
		return extended(pretty_load(p, v, op->size), op->size * 8u, op->sign);
	case UST_OP_EXT:
		return extended(v, op->size * 8u, op->sign);
	case UST_OP_BITS:
		return extended(v >> (op->a & 63), op->bits, op->sign);
	case UST_OP_NEG:
		return 0 - v;
	default:
		return ~v;
	}
}

/* If OP pushes a value, get it in *V. */
static bool source(const struct ust_op *op, const u64 *operand, u64 top, u64 *v)
{
	switch (op->kind) {
	case UST_OP_CONST:
		*v = (u64)op->a;
		return true;
	case UST_OP_OPERAND:
		*v = operand[op->a % OPERANDS];
		return true;
	case UST_OP_DUP:
		*v = top;
		return true;
	default:
		return false;
	}
}

/* The translator has checked the depth; this limit is a second check. */
static noinline u64 evaluate(const struct printer *p, const struct ust_shape *s, enum ust_part part,
			     const u64 *operand)
{
	const struct ust_ops *ops = &s->summary->parts[part];
	u64 st[UST_OP_VALUES] = {0};
	u32 i, n = 0;

	for (i = 0; i < ops->n && !p->c->failed; i++) {
		const struct ust_op *op = &ops->ops[i];

		if (n < UST_OP_VALUES && source(op, operand, n ? st[n - 1] : 0, &st[n])) {
			n++;
		} else if (op->kind == UST_OP_IF || op->kind == UST_OP_ELSE) {
			if (n) /* the operand of ELSE stays on the stack */
				n -= op->kind == UST_OP_IF;
			if (op->kind == UST_OP_ELSE || !st[n])
				i += (u32)op->a;
		} else if (op->kind == UST_OP_END_IF) {
			continue;
		} else if (op->kind < UST_OP_ADD && n) {
			st[n - 1] = changed(p, op, st[n - 1]);
		} else if (n > 1) {
			n--;
			st[n - 1] = combined((enum ust_op_kind)op->kind, st[n - 1], st[n]);
		}
	}
	return n ? st[n - 1] : 0;
}

static bool has(const struct ust_shape *s, enum ust_part part) { return s->summary->parts[part].n; }

/* After a part of the value could not be read: true if printing continues. */
static bool unreadable(const struct printer *p)
{
	if (likely(!p->c->failed))
		return false;
	if (ust_catch(p->c, NULL))
		pretty_put(p, "<unreadable>");
	return true;
}

/* --------------------------------------------------------------------- text */

struct reader {
	u64 addr, left;
	u32 unit;
};

static u32 next_unit(const struct printer *p, struct reader *r)
{
	u32 v = (u32)pretty_load(p, r->addr, r->unit);

	r->addr += r->unit;
	r->left--;
	return v;
}

/* The rest of a UTF-8 character that begins with FIRST; ~0 if it is invalid, and R does not
 * move. */
static u32 utf8_rest(const struct printer *p, struct reader *r, u32 first)
{
	struct reader at = *r;
	u32 size = utf8_size(first), code = utf8_first(first, size), i, ch;

	if (!size || at.left < size - 1)
		return ~0u;
	for (i = 1; i < size; i++) {
		ch = next_unit(p, &at);
		if (p->c->failed || !utf8_continues(ch))
			return ~0u;
		code = utf8_next(code, ch);
	}
	if (!utf8_is_valid(code, size))
		return ~0u;
	*r = at;
	return code;
}

/* The next character. Invalid bytes and units count as characters, marked by the sign bit. */
static u32 next_char(const struct printer *p, struct reader *r)
{
	u32 first = next_unit(p, r), code = first, low;

	if (r->unit == 1 && first >= 0x80) {
		code = utf8_rest(p, r, first);
	} else if (r->unit == 2 && first >> 10 == 0xd800 >> 10 && r->left) {
		struct reader at = *r;

		low = next_unit(p, &at);
		code = low >> 10 == 0xdc00 >> 10 ? 0x10000 + ((first & 0x3ff) << 10) + (low & 0x3ff)
						 : ~0u;
		if (code != ~0u)
			*r = at;
	}
	/* surrogates, and control characters above ASCII, which terminals interpret */
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || (code >= 0x80 && code < 0xa0))
		return (r->unit == 1 ? first : 0xfffd) | 1u << 31;
	return code;
}

static void put_code(const struct printer *p, u32 code, bool bare)
{
	char text[4];

	if (code >> 31 && (code & 0xffff) != 0xfffd)
		bare ? ust_put(p->o, (char[]){(char)code}, 1)
		     : pretty_put_char(p, (unsigned char)code, '"');
	else if (code < 0x80 && !bare)
		pretty_put_char(p, (unsigned char)code, '"');
	else
		ust_put(p->o, text, string_encode_utf8(text, code & ~(1u << 31)));
}

void pretty_put_wide(const struct printer *p, u64 addr, u32 unit, u64 max)
{
	struct reader r = {.addr = addr, .left = max, .unit = unit};
	u32 code = max ? next_char(p, &r) : 0;

	if (p->c->failed) {
		if (ust_catch(p->c, NULL))
			pretty_put_hex(p, addr);
		return;
	}
	pretty_put(p, "\"");
	while (code && !pretty_is_full(p)) {
		put_code(p, code, false);
		code = r.left ? next_char(p, &r) : 0;
		if (p->c->failed)
			break;
	}
	if (p->c->failed && !ust_catch(p->c, NULL))
		return;
	pretty_put(p, "\"");
}

void pretty_put_wide_char(const struct printer *p, u32 code)
{
	char text[24];

	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
		ust_put(p->o, text, fmt_decimal(text, code));
		return;
	}
	pretty_put(p, "'");
	if (code < 0xa0)
		pretty_put_char(p, (unsigned char)code, '\'');
	else
		ust_put(p->o, text, string_encode_utf8(text, code));
	pretty_put(p, "'");
}

static noinline void print_text(const struct printer *p, const struct ust_shape *s,
				const u64 *operand)
{
	bool bare = s->kind == UST_SHAPE_BARE_TEXT;
	struct reader r = {.unit = s->size};
	char *start = p->o->p;

	r.left = evaluate(p, s, UST_PART_COUNT, operand);
	r.addr = evaluate(p, s, UST_PART_FIRST, operand);
	if (p->c->failed)
		return;
	if ((s64)r.left < 0)
		r.left = 0;
	pretty_put(p, bare ? "" : "\"");
	while (r.left && !pretty_is_full(p)) {
		u32 code = next_char(p, &r);

		if (p->c->failed || (bare && !code))
			break;
		put_code(p, code, bare);
	}
	if (p->c->failed)
		p->o->p = start;
	else
		pretty_put(p, bare ? "" : "\"");
}

/* ----------------------------------------------------------------- elements */

static bool charge(const struct printer *p, u64 step)
{
	return !p->c->failed && (step % STEPS_PER_CHARGE || ust_charge(p->c, 1));
}

/* Print one element; false if it is the last one printed. */
static bool put_element(const struct printer *p, const struct ust_shape *s, const u64 *operand,
			u32 shown, u32 level)
{
	u64 addr;

	if (pretty_is_full(p))
		return false;
	pretty_put(p, shown ? ", " : "");
	if (shown == MOST_ELEMENTS) {
		pretty_put(p, "...");
		return false;
	}
	if (has(s, UST_PART_KEY)) {
		addr = evaluate(p, s, UST_PART_KEY, operand);
		pretty_put(p, "[");
		if (!p->c->failed)
			pretty_put_at(p, s->summary->key, addr, level + 1);
		pretty_put(p, "]=");
	}
	addr = evaluate(p, s, UST_PART_VALUE, operand);
	if (!p->c->failed)
		pretty_put_at(p, s->elem, addr, level + 1);
	return !unreadable(p);
}

static void put_items(const struct printer *p, const struct ust_shape *s, u64 *operand, u32 level)
{
	u64 count = evaluate(p, s, UST_PART_COUNT, operand);
	u32 shown = 0;

	for (operand[INDEX] = 0; operand[INDEX] < count && (s64)count > 0; operand[INDEX]++) {
		if (operand[INDEX] == MOST_SLOTS)
			pretty_put(p, shown ? ", ..." : "...");
		if (operand[INDEX] == MOST_SLOTS || !charge(p, operand[INDEX]))
			break;
		if (has(s, UST_PART_PRESENT) && !evaluate(p, s, UST_PART_PRESENT, operand))
			continue;
		if (p->c->failed || !put_element(p, s, operand, shown++, level))
			break;
	}
}

static void put_list(const struct printer *p, const struct ust_shape *s, u64 *operand, u32 level)
{
	u64 count = evaluate(p, s, UST_PART_COUNT, operand);

	operand[NODE] = evaluate(p, s, UST_PART_FIRST, operand);
	for (operand[INDEX] = 0;
	     operand[INDEX] < count && operand[NODE] && charge(p, operand[INDEX]);
	     operand[INDEX]++) {
		if (!put_element(p, s, operand, (u32)operand[INDEX], level))
			break;
		operand[NODE] = evaluate(p, s, UST_PART_RIGHT, operand);
	}
}

/* Follow the link PART of a node, STEP links from the start. */
static u64 linked(const struct printer *p, const struct ust_shape *s, u64 *operand,
		  enum ust_part part, u32 step)
{
	return charge(p, step) ? evaluate(p, s, part, operand) : 0;
}

/* The successor of operand[NODE] in order; 0 if the tree is damaged or cannot be read. */
static noinline u64 successor(const struct printer *p, const struct ust_shape *s, u64 *operand)
{
	u64 next = linked(p, s, operand, UST_PART_RIGHT, 1), from;
	u32 i;

	if (next) {
		for (i = 1; i < MOST_LINKS && next && !p->c->failed; i++) {
			operand[NODE] = next;
			next = linked(p, s, operand, UST_PART_LEFT, i);
		}
		return next ? 0 : operand[NODE];
	}
	for (i = 1; i < MOST_LINKS && operand[NODE] && !p->c->failed; i++) {
		from = operand[NODE];
		operand[NODE] = linked(p, s, operand, UST_PART_PARENT, i);
		if (operand[NODE] && linked(p, s, operand, UST_PART_RIGHT, i) != from)
			return operand[NODE];
	}
	return 0;
}

static void put_tree(const struct printer *p, const struct ust_shape *s, u64 *operand, u32 level)
{
	u64 count = evaluate(p, s, UST_PART_COUNT, operand);

	operand[NODE] = evaluate(p, s, UST_PART_FIRST, operand);
	for (operand[INDEX] = 0;
	     operand[INDEX] < count && operand[NODE] && charge(p, operand[INDEX]);
	     operand[INDEX]++) {
		if (!put_element(p, s, operand, (u32)operand[INDEX], level))
			break;
		if (operand[INDEX] + 1 < count)
			operand[NODE] = successor(p, s, operand);
	}
}

/* Print the elements of one node of a bucket; false if no more are printed. */
static bool put_node(const struct printer *p, const struct ust_shape *s, u64 *operand, u32 level,
		     u32 *shown, u32 *steps)
{
	u64 length = evaluate(p, s, UST_PART_LENGTH, operand);

	for (operand[INDEX] = 0; operand[INDEX] < length && (s64)length > 0; operand[INDEX]++) {
		if (++*steps > MOST_SLOTS || !charge(p, *steps))
			return false;
		if (!evaluate(p, s, UST_PART_PRESENT, operand))
			continue;
		if (p->c->failed || !put_element(p, s, operand, (*shown)++, level))
			return false;
	}
	return !p->c->failed;
}

/* Print a table of buckets, each a chain of nodes with several slots. */
static noinline void put_buckets(const struct printer *p, const struct ust_shape *s, u64 *operand,
				 u32 level)
{
	u64 count = evaluate(p, s, UST_PART_COUNT, operand);
	u32 shown = 0, steps = 0;

	for (operand[BUCKET] = 0; operand[BUCKET] < count && (s64)count > 0; operand[BUCKET]++) {
		operand[NODE] = evaluate(p, s, UST_PART_FIRST, operand);
		while (operand[NODE] && steps <= MOST_SLOTS) {
			if (!put_node(p, s, operand, level, &shown, &steps))
				break;
			operand[NODE] = ++steps > MOST_SLOTS
						? 0
						: evaluate(p, s, UST_PART_RIGHT, operand);
		}
		if (++steps > MOST_SLOTS)
			pretty_put(p, shown ? ", ..." : "...");
		if (steps > MOST_SLOTS || shown > MOST_ELEMENTS || pretty_is_full(p) ||
		    !charge(p, steps))
			break;
	}
}

struct height {
	u64 node;
	u32 index;
};

/* Descend from operand[NODE], at height AT above the leaves, to its first leaf. */
static bool descend(const struct printer *p, const struct ust_shape *s, u64 *operand,
		    struct height *path, u32 at)
{
	for (;; at--) {
		path[at] = (struct height){.node = operand[NODE]};
		if (!operand[NODE] || !charge(p, 0))
			return false;
		if (!at)
			return true;
		operand[INDEX] = 0;
		operand[NODE] = evaluate(p, s, UST_PART_RIGHT, operand);
	}
}

/* Advance from the element at *AT to the next in order; false after the last one. */
static bool next_in_btree(const struct printer *p, const struct ust_shape *s, u64 *operand,
			  struct height *path, u32 *at, u32 top)
{
	if (*at) {
		operand[NODE] = path[*at].node;
		operand[INDEX] = ++path[*at].index;
		operand[NODE] = evaluate(p, s, UST_PART_RIGHT, operand);
		if (p->c->failed || !descend(p, s, operand, path, *at - 1))
			return false;
		*at = 0;
	} else {
		path[0].index++;
	}
	for (; *at <= top; (*at)++) {
		operand[NODE] = path[*at].node;
		if (path[*at].index < evaluate(p, s, UST_PART_LENGTH, operand) && !p->c->failed)
			return true;
		if (p->c->failed)
			return false;
	}
	return false;
}

/* Print a B-tree: nodes have several elements, and inner nodes one child more than elements. */
static noinline void put_btree(const struct printer *p, const struct ust_shape *s, u64 *operand,
			       u32 level)
{
	struct height path[MOST_HEIGHT];
	u64 count = evaluate(p, s, UST_PART_COUNT, operand), i;
	u64 height = evaluate(p, s, UST_PART_HEIGHT, operand);
	u32 at = 0;

	operand[NODE] = evaluate(p, s, UST_PART_FIRST, operand);
	if (p->c->failed || !count || (s64)count < 0 || !operand[NODE])
		return;
	if (height >= MOST_HEIGHT) {
		pretty_put(p, "...");
		return;
	}
	if (!descend(p, s, operand, path, (u32)height))
		return;
	for (i = 0; i < count; i++) {
		operand[NODE] = path[at].node;
		operand[INDEX] = path[at].index;
		if (!charge(p, i) || !put_element(p, s, operand, (u32)i, level) ||
		    (i + 1 < count && !next_in_btree(p, s, operand, path, &at, (u32)height)))
			break;
	}
}

static void put_container(const struct printer *p, const struct ust_shape *s, u64 *operand,
			  u32 level)
{
	bool map = has(s, UST_PART_KEY);

	pretty_put(p, map ? "{" : "[");
	if (s->kind == UST_SHAPE_ITEMS)
		put_items(p, s, operand, level);
	else if (s->kind == UST_SHAPE_LIST)
		put_list(p, s, operand, level);
	else if (s->kind == UST_SHAPE_BUCKETS)
		put_buckets(p, s, operand, level);
	else if (s->kind == UST_SHAPE_BTREE)
		put_btree(p, s, operand, level);
	else
		put_tree(p, s, operand, level);
	if (!unreadable(p) || !p->c->failed)
		pretty_put(p, map ? "}" : "]");
}

/* ----------------------------------------------------- values inside of others */

static void put_optional(const struct printer *p, const struct ust_shape *s, const u64 *operand,
			 u32 level)
{
	bool present = evaluate(p, s, UST_PART_PRESENT, operand);
	u64 addr;

	if (p->c->failed)
		return;
	pretty_put(p, s->summary->labels[!present]);
	if (!present)
		return;
	addr = evaluate(p, s, UST_PART_VALUE, operand);
	pretty_put(p, "(");
	if (!p->c->failed)
		pretty_put_at(p, s->elem, addr, level + 1);
	pretty_put(p, ")");
}

/* Name{.a=1}, Name(1, 2), Name: an enum with data, in the language's syntax. */
static void put_payload(const struct printer *p, const struct ust_member *m, u64 addr, u32 level)
{
	const struct ust_shape *s = m->shape;

	pretty_put(p, m->name);
	if (s->kind == UST_SHAPE_STRUCT && (s->count || s->cut))
		pretty_put_at(p, s, addr, level);
}

static void put_variant(const struct printer *p, const struct ust_shape *s, const u64 *operand,
			u32 level)
{
	u64 which = evaluate(p, s, UST_PART_COUNT, operand),
	    addr = evaluate(p, s, UST_PART_VALUE, operand);
	ust_long i = 0, last = s->count - 1;

	if (p->c->failed)
		return;
	while (i <= last && !((u64)s->names[i].value == which || (s->cut && i == last)))
		i++;
	if (i <= last && !s->members[i].name) {
		pretty_put_at(p, s->members[i].shape, addr, level);
		return;
	}
	if (i <= last && *s->members[i].name) {
		put_payload(p, &s->members[i], addr + s->members[i].bit_off / 8, level);
		return;
	}
	pretty_put(p, "{.index=");
	ust_put_d(p->o, i <= last ? (ust_long)which : -1);
	if (i <= last) {
		pretty_put(p, ", .value=");
		pretty_put_at(p, s->members[i].shape, addr, level + 1);
	}
	pretty_put(p, "}");
}

/* Type(value): the type with the value's number; nil if there is no value. */
static void put_dynamic(const struct printer *p, const struct ust_shape *s, const u64 *operand,
			u32 level)
{
	u64 which = evaluate(p, s, UST_PART_COUNT, operand),
	    addr = evaluate(p, s, UST_PART_VALUE, operand);
	ust_long i = 0;

	if (p->c->failed)
		return;
	if (!which) {
		pretty_put(p, "nil");
		return;
	}
	while (i < s->count && (u64)s->names[i].value != which)
		i++;
	pretty_put(p, i < s->count ? s->names[i].name : "?");
	pretty_put(p, "(");
	if (i < s->count)
		pretty_put_at(p, s->members[i].shape, addr, level + 1);
	else
		pretty_put_hex(p, pretty_load(p, addr, 8));
	pretty_put(p, ")");
}

static void put_reference(const struct printer *p, const struct ust_shape *s, const u64 *operand,
			  u32 level)
{
	u64 addr = evaluate(p, s, UST_PART_FIRST, operand);

	if (p->c->failed)
		return;
	if (s->kind == UST_SHAPE_ADDRESS && !addr) {
		pretty_put_hex(p, addr);
		return;
	}
	pretty_put(p, s->kind == UST_SHAPE_ADDRESS ? "&" : "");
	pretty_put_at(p, s->elem, addr, level + 1);
	if (p->c->failed && ust_catch(p->c, NULL))
		pretty_put_hex(p, addr);
}

void summary_put_at(const struct printer *p, const struct ust_shape *s, u64 addr, u32 level)
{
	u64 operand[OPERANDS] = {addr};

	if (level > MAX_LEVEL) {
		pretty_put(p, "...");
		return;
	}
	switch (s->kind) {
	case UST_SHAPE_TEXT:
	case UST_SHAPE_BARE_TEXT:
		print_text(p, s, operand);
		break;
	case UST_SHAPE_ITEMS:
	case UST_SHAPE_LIST:
	case UST_SHAPE_TREE:
	case UST_SHAPE_BUCKETS:
	case UST_SHAPE_BTREE:
		put_container(p, s, operand, level);
		break;
	case UST_SHAPE_OPTIONAL:
		put_optional(p, s, operand, level);
		break;
	case UST_SHAPE_DYNAMIC:
		put_dynamic(p, s, operand, level);
		break;
	case UST_SHAPE_VARIANT:
		put_variant(p, s, operand, level);
		break;
	default:
		put_reference(p, s, operand, level);
	}
	if (s->kind != UST_SHAPE_BARE_TEXT)
		unreadable(p);
}
