/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the kernel that the BTF of one of its modules needs.
 *
 * A module's types count on from the kernel's and point into them: from `struct file` alone a third
 * of the kernel is reached. So a struct of the kernel that has a name of its own is only declared,
 * as in C, and is looked up in the kernel by that name when it is used.
 */
#include "config.h"

#include "btf.h"

#ifdef HAVE_LIBBPF
#include <bpf/btf.h>
#include <stdlib.h>

struct reach {
	const struct btf *btf;
	unsigned char *use;
	/* the kernel's structs that have a name: the first, or `several' */
	const struct smap *base;
	struct smap own; /* the same of the module's */
	VEC(uint32_t) left;
	uint32_t first;
};

static char several;

static const char *name_of(const struct reach *r, const struct btf_type *t)
{
	return btf__name_by_offset(r->btf, t->name_off);
}

static bool is_named_struct(const struct btf_type *t) { return btf_is_composite(t) && t->name_off; }

static void count_names(const struct btf *btf, uint32_t from, uint32_t to, struct smap *out)
{
	for (uint32_t i = from; i < to; i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);
		const char *name = is_named_struct(t) ? btf__name_by_offset(btf, t->name_off)
						      : NULL;

		if (name)
			smap_put(out, name, smap_get(out, name) ? (void *)&several : (void *)t);
	}
}

/* Those of the kernel, counted once for all of its modules. */
static const struct smap *base_names(const struct btf *btf, uint32_t first)
{
	static ARENA_STATE struct smap names;
	static ARENA_STATE const struct btf *of;

	if (of != btf__base_btf(btf)) {
		of = btf__base_btf(btf);
		names = (struct smap){0};
		count_names(of, 1, first, &names);
	}
	return &names;
}

static bool is_brief(const struct reach *r, uint32_t id, const struct btf_type *t)
{
	const char *name = id < r->first && is_named_struct(t) ? name_of(r, t) : NULL;

	return name && smap_get(r->base, name) != &several && !smap_get(&r->own, name);
}

static void want(struct reach *r, uint32_t id)
{
	const struct btf_type *t = id ? btf__type_by_id(r->btf, id) : NULL;

	if (!t || r->use[id])
		return;
	r->use[id] = is_brief(r, id, t) ? BTF_BRIEF : BTF_WHOLE;
	if (r->use[id] == BTF_WHOLE)
		vec_push(&r->left, id);
}

static void want_parts(struct reach *r, const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (uint32_t i = 0; i < btf_vlen(t); i++)
			want(r, btf_members(t)[i].type);
		break;
	case BTF_KIND_FUNC_PROTO:
		want(r, t->type);
		for (uint32_t i = 0; i < btf_vlen(t); i++)
			want(r, btf_params(t)[i].type);
		break;
	case BTF_KIND_ARRAY:
		want(r, btf_array(t)->type);
		break;
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
		want(r, t->type);
		break;
	default:
		break;
	}
}

unsigned char *btf_reach(const struct btf *btf, uint32_t first)
{
	uint32_t n = btf__type_cnt(btf);
	struct reach r = {
		.btf = btf, .first = first, .use = calloc(n, 1), .base = base_names(btf, first)};

	if (!r.use)
		abort();
	count_names(btf, first, n, &r.own);
	for (uint32_t i = first; i < n; i++)
		want(&r, i);
	while (r.left.n)
		want_parts(&r, btf__type_by_id(btf, r.left.v[--r.left.n]));
	return r.use;
}
#endif
