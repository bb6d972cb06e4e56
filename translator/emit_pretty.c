/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pretty-printing to C: a table that describes the type, which the runtime
 * walks.  Tables that come out equal are one.
 */
#include "emit.h"

/* Definition of TYPE with initialiser INIT, once; its name. */
static const char *table(struct emit *e, const char *type, const char *array, const char *init)
{
	const char *name = smap_get(&e->shape_names, init);

	if (name)
		return name;
	name = xprintf("shape_%zu", e->shape_names.ents.n);
	smap_put(&e->shape_names, init, (void *)name);
	sb_printf(&e->shapes, "static const struct %s %s%s = %s;\n", type, name, array, init);
	return name;
}

static const char *shape_table(struct emit *e, const struct shape *s);

static const char *member_table(struct emit *e, const struct shape *s)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < s->members.n; i++) {
		const struct shape_member *mb = &s->members.v[i];
		const char *of = shape_table(e, mb->shape);

		sb_printf(&sb, "%s\n\t{\"%s\", &%s, %llu, %u}", i ? "," : "{", mb->name, of,
			  (unsigned long long)mb->bit_off, mb->bits);
	}
	if (!sb.n)
		return "0";
	sb_add(&sb, "\n}");
	return table(e, "ust_member", "[]", sb.s);
}

static const char *name_table(struct emit *e, const struct shape *s)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < s->names.n; i++)
		sb_printf(&sb, "%s\n\t{\"%s\", %s%lld%s}", i ? "," : "{", s->names.v[i].name,
			  s->names.v[i].value == INT64_MIN ? "-1 - " : "",
			  (long long)(s->names.v[i].value == INT64_MIN ? INT64_MAX : s->names.v[i].value),
			  s->names.v[i].value == INT64_MIN ? "" : "");
	if (!sb.n)
		return "0";
	sb_add(&sb, "\n}");
	return table(e, "ust_enumerator", "[]", sb.s);
}

static const char *shape_table(struct emit *e, const struct shape *s)
{
	static const char *const kinds[] = {
		[SHAPE_UNKNOWN] = "UNKNOWN", [SHAPE_NUMBER] = "NUMBER", [SHAPE_CHAR] = "CHAR",
		[SHAPE_POINTER] = "POINTER", [SHAPE_STRING] = "STRING", [SHAPE_CHARS] = "CHARS",
		[SHAPE_STRUCT] = "STRUCT", [SHAPE_ARRAY] = "ARRAY", [SHAPE_FLOAT] = "FLOAT", [SHAPE_ENUM] = "ENUM",
	};
	int64_t count = s->kind == SHAPE_STRUCT ? (int64_t)s->members.n
			: s->kind == SHAPE_ENUM ? (int64_t)s->names.n
						: s->count;
	const char *elem = s->elem ? xprintf("&%s", shape_table(e, s->elem)) : "0";

	return table(e, "ust_shape", "",
		     xprintf("{UST_SHAPE_%s, %d, %d, %d, %lld, %s, %s, %s}", kinds[s->kind], s->size, s->is_signed, s->cut,
			     (long long)count, elem, member_table(e, s), name_table(e, s)));
}

struct val emit_pretty(struct emit *e, const struct node *n, const struct access *a, const char *value)
{
	const char *buf = new_buffer(e), *out = xprintf("o%d", ++e->u.nptrs);
	const char *shape = shape_table(e, a->shape);

	set_where(e, n->loc);
	line(e, "struct ust_out %s;", out);
	line(e, "ust_out_string(&%s, %s);", out, buf);
	if (a->nwords)
		line(e, "ust_pretty_here(c, &%s, &%s, %s, %u);", out, shape, value, a->nwords);
	else
		line(e, "ust_pretty(c, &%s, &%s, %s, %d);", out, shape, value, a->is_address | a->in_kernel << 1);
	line(e, "ust_out_finish(&%s);", out);
	return (struct val){.c = buf, .atom = true};
}
