/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of addresses in a module, from its symbol tables: for backtraces. */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "address_maps.h"

struct candidate {
	struct named_range range;
	int rank;
};
struct names {
	VEC(struct candidate) all;
};

/* Rank of S among the names of one address, the shown one first: global before local, then the one
 * with fewer leading underscores, then strong before weak. */
static int rank_of(const struct elf_symbol *s)
{
	size_t underscores = strspn(s->name, "_");

	return (s->bind == STB_LOCAL ? 200 : 0) + (int)(underscores < 90 ? 2 * underscores : 180) +
	       (s->bind == STB_WEAK);
}

static bool add_name(const struct elf_symbol *s, void *arg)
{
	struct names *v = arg;
	bool wanted = s->type == STT_FUNC || s->type == STT_OBJECT || s->type == STT_GNU_IFUNC ||
		      (s->type == STT_NOTYPE && s->bind != STB_LOCAL);

	if (wanted && s->value && s->bare)
		vec_push(&v->all,
			 ((struct candidate){{s->value, s->size, xstrndup(s->name, s->bare)},
					     rank_of(s)}));
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

/* Entries of procedure linkage tables, which have no symbols, as debuggers call them. */
static void add_plt(struct module *m, struct names *v)
{
	enum { ENTRY = 16, ALIGN = 8 };
	plt_vec entries = {0};

	module_plt(m, "*", &entries);
	for (size_t i = 0; i < entries.n; i++) {
		uint64_t addr = entries.v[i].f->entry & ~(uint64_t)(ALIGN - 1);
		uint64_t next = i + 1 < entries.n
					? entries.v[i + 1].f->entry & ~(uint64_t)(ALIGN - 1)
					: addr + ENTRY;
		uint64_t size = next > addr && next - addr < ENTRY ? next - addr : ENTRY;

		vec_push(&v->all,
			 ((struct candidate){
				 {addr, size, xprintf("%s@plt", shown_name(entries.v[i].name))},
				 0}));
	}
}

/* A function without size reaches to the next, and not beyond its section. */
static void bound(struct module *m, struct named_range *r, uint64_t next)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (!r->size && (scn = elf_nextscn(m->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_ALLOC &&
		    r->addr - sh.sh_addr < sh.sh_size)
			r->size = (next - sh.sh_addr < sh.sh_size ? next
								  : sh.sh_addr + sh.sh_size) -
				  r->addr;
}

void module_names(struct module *m, range_vec *out)
{
	struct names v = {0};

	module_symbols(m, add_name, &v);
	add_plt(m, &v);
	qsort(v.all.v, v.all.n, sizeof *v.all.v, by_address);
	for (size_t i = 0; i < v.all.n; i++) {
		struct named_range *last = out->n ? &out->v[out->n - 1] : NULL;

		if (!last || last->addr != v.all.v[i].range.addr)
			vec_push(out, v.all.v[i].range);
	}
	for (size_t i = 0; i < out->n; i++) {
		bound(m, &out->v[i], i + 1 < out->n ? out->v[i + 1].addr : UINT64_MAX);
		out->v[i].name = shown_name(out->v[i].name);
	}
}
