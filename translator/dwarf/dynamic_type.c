/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dynamic values: those of Go's interfaces, whose type is known only at run time. The program has a
 * descriptor of each such type (internal/abi.Type), which its debug information refers to
 * (DW_AT_go_runtime_type, cmd/internal/dwarf): the hash in it identifies the type of a value.
 */
#include <string.h>

#include "values.h"

enum {
	AT_RUNTIME_TYPE = 0x2904,
	HASH = 16, /* offsets in a description */
	FLAGS = 20,
	KIND = 23,
	/* the value is the word of the interface itself: in the kind, in the flags since Go 1.26 or
	 * 1.27, whose other versions do not use this bit */
	DIRECT = 32,
	MOST_TYPES = 300, /* that a table has */
	MOST_SEEN = 100000,
	TABLE_PARTS = 3000
};

struct runtime_type {
	Dwarf_Die die;
	uint32_t hash;
	bool direct;
};
typedef VEC(struct runtime_type) type_vec;

static uint32_t number_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Types of the runtime itself, and those that only the compiler names, are rarely in interfaces. */
static bool is_of_runtime(const char *name)
{
	static const char *const beginnings[] = {"runtime.", "internal/", "noalg.", "struct {",
						 "func("};

	name += strspn(name, "*[]");
	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* The packages of the program itself and the types of the language come first. */
static bool is_near(const char *name)
{
	name += strspn(name, "*[]");
	return !strchr(name, '.') || !strncmp(name, "main.", 5) || !strncmp(name, "errors.", 7) ||
	       !strncmp(name, "fmt.", 4);
}

static bool described(struct module *m, uint64_t types, Dwarf_Die *die, struct runtime_type *out)
{
	Dwarf_Attribute a;
	Dwarf_Word off;
	Dwarf_Addr addr;
	const unsigned char *bytes;
	size_t len;

	if (!dwarf_attr(die, AT_RUNTIME_TYPE, &a))
		return false;
	if (dwarf_formudata(&a, &off) != 0) {
		if (dwarf_formaddr(&a, &addr) != 0)
			return false;
		off = addr;
	}
	if (!off)
		return false;
	bytes = module_bytes(m, off < types ? types + off : off, &len);
	if (!bytes || len <= KIND)
		return false;
	*out = (struct runtime_type){*die, number_at(bytes + HASH),
				     (bytes[KIND] | bytes[FLAGS]) & DIRECT};
	return out->hash != 0;
}

static void see_unit(struct module *m, uint64_t types, Dwarf_Die *unit, bool near, type_vec *out)
{
	struct runtime_type t;
	Dwarf_Die die;
	size_t seen = 0;

	if (dwarf_child(unit, &die) != 0)
		return;
	do {
		const char *name = dwarf_diename(&die);

		if (name && !is_of_runtime(name) && is_near(name) == near &&
		    described(m, types, &die, &t))
			vec_push(out, t);
	} while (out->n < MOST_TYPES && ++seen < MOST_SEEN && die_sibling(&die, &die) == 0);
}

static type_vec find_types(struct module *m)
{
	type_vec out = {0};
	Dwarf_Die unit;
	uint64_t types;

	if (!module_data_symbol(m, "runtime.types", &types))
		return out;
	for (int far = 0; far < 2; far++) {
		Dwarf_CU *cu = NULL;

		while (out.n < MOST_TYPES && module_dwarf(m) &&
		       dwarf_get_units(m->dw, cu, &cu, NULL, NULL, &unit, NULL) == 0)
			see_unit(m, types, &unit, !far, &out);
	}
	return out;
}

/* The same, looked for once for as long as it is the same module. */
static type_vec runtime_types(struct module *m)
{
	static ARENA_STATE struct {
		struct module *m;
		type_vec types;
	} last;

	if (last.m != m) {
		last.types = find_types(m);
		last.m = m;
	}
	return last.types;
}

/* ------------------------------------------------------------------ shapes */

/* A shape of KIND for an ELEM that is reached through the word at the object's address. */
static const struct shape *behind(enum shape_kind kind, const struct shape *elem)
{
	struct shape *s = xalloc(sizeof *s);
	aop_vec ops = {0};

	s->kind = kind;
	s->elem = elem;
	vec_push(&ops, ((struct aop){.kind = A_INDEX, .a = OPERAND_SELF}));
	vec_push(&ops, ((struct aop){.kind = A_DEREF, .size = 8}));
	s->parts[PART_FIRST] = (struct shape_ops){ops.v, ops.n};
	return s;
}

static const struct shape *value_shape(struct plan *plan, struct runtime_type *t, int level)
{
	struct ctype c = {plan->m, t->die, 0, 0};
	Dwarf_Die to;

	if (!t->direct)
		return behind(SHAPE_VALUE, ctype_shape(plan, &c, level));
	if (dwarf_tag(&t->die) == DW_TAG_pointer_type && die_type(&t->die, &to) &&
	    type_peel(plan->m, &to, &to) && type_is_struct(&to)) {
		c.die = to;
		return behind(SHAPE_ADDRESS, ctype_shape(plan, &c, level));
	}
	return ctype_shape(plan, &c, level);
}

void dynamic_shape(struct plan *plan, struct shape *s, int level)
{
	type_vec types = {0};
	unsigned left = plan->left;
	int at = level >= plan->most ? plan->most - 1 : level;

	if (plan->dynamic) {
		s->kind = SHAPE_STRUCT;
		s->cut = true;
		return;
	}
	types = runtime_types(plan->m);
	plan->left = TABLE_PARTS;
	plan->dynamic = true;
	for (size_t i = 0; i < types.n && plan->left; i++) {
		struct shape_member m = {.name = dwarf_diename(&types.v[i].die)};

		m.shape = value_shape(plan, &types.v[i], at);
		vec_push(&s->members, m);
		vec_push(&s->names, ((struct shape_name){m.name, types.v[i].hash}));
	}
	plan->dynamic = false;
	plan->left = left;
}
