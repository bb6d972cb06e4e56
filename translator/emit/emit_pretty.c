/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pretty-printing to C: a table that describes the type, which the runtime
 * walks.  Tables that come out equal are one.
 */
#include "emit.h"

/* Definition of TYPE with initialiser INIT, once; its name. */
static struct ctext table(struct emit *e, struct ctext type, struct ctext array, struct ctext init)
{
	struct ctext name = ctext_get(&e->shape_names, ctext_chars(init));

	if (name.at)
		return name;
	name = ctext("shape_%zu", e->shape_names.ents.n);
	ctext_put(&e->shape_names, ctext_chars(init), name);
	cbuf_printf(&e->shapes, "static const struct %s %s%s = %s;\n", type, name, array, init);
	return name;
}

static struct ctext shape_table(struct emit *e, const struct shape *s);

static struct ctext member_table(struct emit *e, const struct shape *s)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < s->members.n; i++) {
		const struct shape_member *mb = &s->members.v[i];
		struct ctext of = shape_table(e, mb->shape);

		cbuf_printf(&sb, "%s\n\t{%s, &%s, %llu, %u}", i ? C(",") : C("{"),
			    mb->name ? c_quoted(mb->name) : C("0"), of,
			    (unsigned long long)mb->bit_off, mb->bits);
	}
	if (!sb.n)
		return C("0");
	cbuf_add(&sb, C("\n}"));
	return table(e, C("ust_member"), C("[]"), cbuf_text(&sb));
}

static struct ctext name_table(struct emit *e, const struct shape *s)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < s->names.n; i++) {
		int64_t value = s->names.v[i].value;
		bool least = value == INT64_MIN; /* which has no decimal form */

		cbuf_printf(&sb, "%s\n\t{%s, %s%lld}", i ? C(",") : C("{"),
			    c_quoted(s->names.v[i].name), least ? C("-1 - ") : C(""),
			    (long long)(least ? INT64_MAX : value));
	}
	if (!sb.n)
		return C("0");
	cbuf_add(&sb, C("\n}"));
	return table(e, C("ust_enumerator"), C("[]"), cbuf_text(&sb));
}

static struct ctext op_name(enum aop_kind kind)
{
	static const struct ctext names[] = {
		[A_CONST] = C("CONST"),   [A_INDEX] = C("OPERAND"), [A_DUP] = C("DUP"),
		[A_DEREF] = C("DEREF"),   [A_EXT] = C("EXT"),       [A_BITS] = C("BITS"),
		[A_ADD] = C("ADD"),       [A_SUB] = C("SUB"),       [A_MUL] = C("MUL"),
		[A_DIV] = C("DIV"),       [A_MOD] = C("MOD"),       [A_AND] = C("AND"),
		[A_OR] = C("OR"),         [A_XOR] = C("XOR"),       [A_SHL] = C("SHL"),
		[A_SHR] = C("SHR"),       [A_SRA] = C("SRA"),       [A_NEG] = C("NEG"),
		[A_NOT] = C("NOT"),       [A_EQ] = C("EQ"),         [A_NE] = C("NE"),
		[A_LT] = C("LT"),         [A_LE] = C("LE"),         [A_GT] = C("GT"),
		[A_GE] = C("GE"),         [A_IF] = C("IF"),         [A_ELSE] = C("ELSE"),
		[A_END_IF] = C("END_IF"),
	};

	return names[kind];
}

static struct ctext op_table(struct emit *e, const struct shape_ops *ops)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < ops->n; i++) {
		const struct aop *op = &ops->v[i];

		cbuf_printf(&sb, "%s\n\t{UST_OP_%s, %d, %d, %d, %lldll}", i ? C(",") : C("{"),
			    op_name(op->kind), op->size, op->bits, op->sign, (long long)op->a);
	}
	cbuf_add(&sb, C("\n}"));
	return table(e, C("ust_op"), C("[]"), cbuf_text(&sb));
}

static struct ctext summary_table(struct emit *e, const struct shape *s)
{
	struct cbuf sb = {0};

	for (int i = 0; i < PARTS; i++) {
		const struct shape_ops *ops = &s->parts[i];

		cbuf_printf(&sb, "%s{%s, %zu}", i ? C(", ") : C(""),
			    ops->n ? op_table(e, ops) : C("0"), ops->n);
	}
	return ctext("&%s", table(e, C("ust_summary"), C(""),
				  ctext("{{%s}, %s, {%s, %s}}", cbuf_text(&sb),
					s->key ? ctext("&%s", shape_table(e, s->key)) : C("0"),
					s->labels[0] ? c_quoted(s->labels[0]) : C("0"),
					s->labels[1] ? c_quoted(s->labels[1]) : C("0"))));
}

static struct ctext shape_table(struct emit *e, const struct shape *s)
{
	static const struct ctext kinds[] = {
		[SHAPE_UNKNOWN] = C("UNKNOWN"),   [SHAPE_NUMBER] = C("NUMBER"),
		[SHAPE_CHAR] = C("CHAR"),         [SHAPE_POINTER] = C("POINTER"),
		[SHAPE_STRING] = C("STRING"),     [SHAPE_CHARS] = C("CHARS"),
		[SHAPE_STRUCT] = C("STRUCT"),     [SHAPE_ARRAY] = C("ARRAY"),
		[SHAPE_FLOAT] = C("FLOAT"),       [SHAPE_ENUM] = C("ENUM"),
		[SHAPE_TEXT] = C("TEXT"),         [SHAPE_BARE_TEXT] = C("BARE_TEXT"),
		[SHAPE_ITEMS] = C("ITEMS"),       [SHAPE_LIST] = C("LIST"),
		[SHAPE_TREE] = C("TREE"),         [SHAPE_BUCKETS] = C("BUCKETS"),
		[SHAPE_BTREE] = C("BTREE"),       [SHAPE_WORD] = C("WORD"),
		[SHAPE_OPTIONAL] = C("OPTIONAL"), [SHAPE_VARIANT] = C("VARIANT"),
		[SHAPE_VALUE] = C("VALUE"),       [SHAPE_ADDRESS] = C("ADDRESS"),
		[SHAPE_DYNAMIC] = C("DYNAMIC"),
	};
	int64_t count = s->kind == SHAPE_STRUCT || s->kind == SHAPE_VARIANT ||
					s->kind == SHAPE_DYNAMIC
				? (int64_t)s->members.n
			: s->kind == SHAPE_ENUM ? (int64_t)s->names.n
						: s->count;
	struct ctext elem = s->elem ? ctext("&%s", shape_table(e, s->elem)) : C("0");

	return table(e, C("ust_shape"), C(""),
		     ctext("{UST_SHAPE_%s, %d, %d, %d, %lld, %s, %s, %s, %s}", kinds[s->kind],
			   s->size, s->is_signed, s->cut, (long long)count, elem,
			   member_table(e, s), name_table(e, s),
			   s->kind >= SHAPE_TEXT ? summary_table(e, s) : C("0")));
}

struct val emit_pretty(struct emit *e, const struct node *n, const struct access *a,
		       struct ctext value)
{
	struct ctext buf = new_buffer(e), out = frame_slot(e, SLOT_OUT);
	struct ctext shape = shape_table(e, a->shape);

	set_where(e, n->loc);
	line(e, "ust_out_string(&%s, %s);", out, buf);
	if (a->nwords)
		line(e, "UST_WORDS(ust_pretty_here(c, &%s, &%s, words, %u), %s);", out, shape,
		     a->nwords, value);
	else
		line(e, "ust_pretty(c, &%s, &%s, %s, %d);", out, shape, value,
		     a->is_address | a->in_kernel << 1);
	line(e, "ust_out_finish(&%s);", out);
	return (struct val){.c = buf, .atom = true};
}
