/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies where in a module, by its symbol tables: for backtraces. */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"

struct candidate { struct named_range range; int rank; };
struct names { VEC(struct candidate) all; };

/* Of several names for one place the most public one is shown, and of those the plainest. */
static int rank_of(const struct elf_symbol *s)
{
	size_t underscores = strspn(s->name, "_");

	return (s->bind == STB_GLOBAL ? 0 : s->bind == STB_WEAK ? 1 : 2) * 100 + (int)(underscores < 90 ? underscores : 90);
}

static bool add_name(const struct elf_symbol *s, void *arg)
{
	struct names *v = arg;
	bool wanted = s->type == STT_FUNC || s->type == STT_OBJECT || s->type == STT_GNU_IFUNC ||
		      (s->type == STT_NOTYPE && s->bind != STB_LOCAL);

	if (wanted && s->value && s->bare)
		vec_push(&v->all, ((struct candidate){{s->value, s->size, xstrndup(s->name, s->bare)}, rank_of(s)}));
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->range.addr != y->range.addr)
		return x->range.addr < y->range.addr ? -1 : 1;
	if (!x->range.size != !y->range.size)
		return x->range.size ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	return strcmp(x->range.name, y->range.name);
}

void module_names(struct module *m, range_vec *out)
{
	struct names v = {0};

	module_symbols(m, add_name, &v);
	qsort(v.all.v, v.all.n, sizeof *v.all.v, by_address);
	for (size_t i = 0; i < v.all.n; i++) {
		struct named_range *last = out->n ? &out->v[out->n - 1] : NULL;

		if (!last || last->addr != v.all.v[i].range.addr)
			vec_push(out, v.all.v[i].range);
	}
}
