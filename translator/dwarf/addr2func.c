/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by address, from DWARF and from symbols. */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "bisect.h"

struct code_symbol {
	uint64_t addr, size;
	const char *name;
	size_t len;
	int rank; /* among the names of one address, least is best */
};
struct code_symbols {
	VEC(struct code_symbol) v;
};

static bool collect(const struct elf_symbol *sym, void *arg)
{
	struct code_symbols *all = arg;
	struct code_symbol c = {
		.addr = sym->value, .size = sym->size, .name = sym->name, .len = sym->bare};

	if (sym->type != STT_FUNC && sym->type != STT_GNU_IFUNC)
		return true;
	c.rank = 4 * (int)strspn(sym->name, "_") + (sym->bind == STB_GLOBAL ? 0
						    : sym->bind == STB_WEAK ? 1
									    : 2);
	vec_push(&all->v, c);
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct code_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->rank - y->rank;
}

static const struct code_symbols *code_symbols(struct module *m)
{
	if (m->code)
		return m->code;
	m->code = xalloc(sizeof *m->code);
	module_symbols(m, collect, m->code);
	if (m->code->v.n)
		qsort(m->code->v.v, m->code->v.n, sizeof *m->code->v.v, by_address);
	return m->code;
}

/* The symbol whose code holds ADDR, the best one of several; NULL: not found. */
static const struct code_symbol *symbol_around(struct module *m, uint64_t addr)
{
	const struct code_symbols *all = code_symbols(m);
	size_t lo = BISECT(mid, all->v.n, all->v.v[mid].addr <= addr);

	if (!lo || (all->v.v[lo - 1].size && addr - all->v.v[lo - 1].addr >= all->v.v[lo - 1].size))
		return NULL;
	for (lo--; lo && all->v.v[lo - 1].addr == all->v.v[lo].addr;)
		lo--;
	return &all->v.v[lo];
}

bool module_symbol_extent(struct module *m, uint64_t addr, struct code_extent *out)
{
	const struct code_symbol *s = symbol_around(m, addr);

	if (!s || !s->size)
		return false;
	*out = (struct code_extent){xstrndup(s->name, s->len), s->addr, s->addr + s->size};
	return true;
}

const struct function *module_function_at(struct module *m, uint64_t addr)
{
	struct unit_func *uf = unit_function_around(m, addr);
	const struct code_symbol *s = symbol_around(m, uf ? uf->entry : addr);
	const char *linkage = s ? xstrndup(s->name, s->len) : "";
	const char *name = uf ? dwarf_diename(&uf->die) : NULL;

	return function_new(m, name ? name : linkage, linkage,
			    uf  ? uf->entry
			    : s ? s->addr
				: addr,
			    s ? s->size : 0, uf);
}

const struct function *function_bare(struct module *m, uint64_t addr)
{
	const struct function *f = module_function_at(m, addr);

	return function_new(m, f->name, f->linkage, f->entry, f->size, NULL);
}
