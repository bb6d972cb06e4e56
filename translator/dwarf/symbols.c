/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF symbol tables, read in place: nothing is copied or indexed, so that one
 * name in a table of hundreds of thousands costs one pass over mapped memory.
 * Only 64-bit files get here (module.c checks).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

struct table {
	const Elf64_Sym *syms;
	size_t n;
	const char *str;
	size_t strsize;
};

/* The receiver of a module's symbols. */
struct receiver {
	struct module *m;
	bool (*f)(const struct elf_symbol *, void *);
	void *arg;
};

/* Names may share their bytes, as linkers let them do; those of a crafted table may each be the
 * whole string table.  So all of them together are limited in proportion to the table. */
enum { NAME_BYTES = 128, NAMES_PER_BYTE = 4 };

static bool names_are_plausible(const struct receiver *r, size_t *read, size_t name, size_t n,
				size_t strsize)
{
	*read += name;
	if (*read <= n * NAME_BYTES + strsize * NAMES_PER_BYTE)
		return true;
	if (!r->m->symbols_damaged)
		diag_error(E_BAD_ELF, (struct loc){0},
			   "%s is damaged: the names of its symbols overlap", r->m->path);
	r->m->symbols_damaged = true;
	return false;
}

static bool table_open(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct table *t)
{
	Elf_Data *syms = elf_getdata(scn, NULL);
	Elf_Scn *strscn = elf_getscn(elf, sh->sh_link);
	Elf_Data *str = strscn ? elf_getdata(strscn, NULL) : NULL;
	if (!syms || !syms->d_buf || !str || !str->d_buf || !str->d_size)
		return false;
	*t = (struct table){.syms = syms->d_buf,
			    .n = syms->d_size / sizeof(Elf64_Sym),
			    .str = str->d_buf,
			    .strsize = str->d_size};
	return t->str[t->strsize - 1] == '\0';
}

static bool table_each(const struct table *t, const struct receiver *r)
{
	size_t read = 0;
	for (size_t i = 1; i < t->n; i++) {
		const Elf64_Sym *s = &t->syms[i];
		if (s->st_shndx == SHN_UNDEF || s->st_name == 0 || s->st_name >= t->strsize)
			continue;
		const char *name = t->str + s->st_name;
		struct elf_symbol e = {.name = name,
				       .bare = strcspn(name, "@"),
				       .value = s->st_value,
				       .size = s->st_size,
				       .type = ELF64_ST_TYPE(s->st_info),
				       .bind = ELF64_ST_BIND(s->st_info),
				       .visibility = ELF64_ST_VISIBILITY(s->st_other)};
		if (!names_are_plausible(r, &read, e.bare, t->n, t->strsize) || !r->f(&e, r->arg))
			return false;
	}
	return true;
}

/* All tables of ELF whose section type is in TYPES. */
static bool elf_each(Elf *elf, bool dynsym, const struct receiver *r)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		struct table t;
		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type != SHT_SYMTAB && !(dynsym && sh.sh_type == SHT_DYNSYM))
			continue;
		if (table_open(elf, scn, &sh, &t) && !table_each(&t, r))
			return false;
	}
	return true;
}

static bool has_symtab(Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

/* Symbols that only libdwfl knows to find: .gnu_debugdata. */
static void dwfl_each(const struct receiver *r)
{
	int n = dwfl_module_getsymtab(r->m->mod);
	size_t read = 0;
	for (int i = 1; i < n; i++) {
		GElf_Sym s;
		GElf_Addr addr;
		GElf_Word shndx;
		const char *name = dwfl_module_getsym_info(r->m->mod, i, &s, &addr, &shndx, NULL,
							   NULL);
		if (!name || !*name || shndx == SHN_UNDEF)
			continue;
		struct elf_symbol e = {.name = name,
				       .bare = strcspn(name, "@"),
				       .value = addr,
				       .size = s.st_size,
				       .type = GELF_ST_TYPE(s.st_info),
				       .bind = GELF_ST_BIND(s.st_info),
				       .visibility = GELF_ST_VISIBILITY(s.st_other)};
		if (!names_are_plausible(r, &read, e.bare, (size_t)n, 0) || !r->f(&e, r->arg))
			return;
	}
}

void module_symbols(struct module *m, bool (*f)(const struct elf_symbol *, void *), void *arg)
{
	const struct receiver r = {m, f, arg};

	if (m->symbols_damaged || !elf_each(m->elf, true, &r) || has_symtab(m->elf))
		return;
	Dwarf *dw = module_dwarf(m);
	Elf *debug = dw ? dwarf_getelf(dw) : NULL;
	if (debug && debug != m->elf && has_symtab(debug))
		elf_each(debug, false, &r);
	else
		dwfl_each(&r);
}

/* Does the table of libdwfl have more than what the file exports? */
static bool has_local_functions(const struct module *m)
{
	int n = dwfl_module_getsymtab(m->mod);

	for (int i = 1; i < n; i++) {
		GElf_Sym s;
		GElf_Addr addr;

		if (dwfl_module_getsym_info(m->mod, i, &s, &addr, NULL, NULL, NULL) &&
		    GELF_ST_TYPE(s.st_info) == STT_FUNC && GELF_ST_BIND(s.st_info) == STB_LOCAL)
			return true;
	}
	return false;
}

bool module_is_stripped(struct module *m)
{
	Dwarf *dw;

	if (m->is_kernel || has_symtab(m->elf))
		return false;
	dw = module_dwarf(m);
	return !(dw && has_symtab(dwarf_getelf(dw))) && !has_local_functions(m);
}

struct extent {
	uint64_t addr, size;
};
typedef VEC(struct extent) extent_vec;

static bool collect_extent(const struct elf_symbol *s, void *arg)
{
	extent_vec *to = arg;

	if (s->type == STT_FUNC)
		vec_push(to, ((struct extent){s->value, s->size}));
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The bytes of the sections of M that are executed. */
static uint64_t code_size(const struct module *m)
{
	uint64_t size = 0;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR &&
		    sh.sh_type == SHT_PROGBITS)
			size += sh.sh_size;
	}
	return size;
}

unsigned module_named_code(struct module *m)
{
	uint64_t all = code_size(m), named = 0, end = 0;
	extent_vec v = {0};

	module_symbols(m, collect_extent, &v);
	if (v.n)
		qsort(v.v, v.n, sizeof *v.v, by_addr);
	for (size_t i = 0; i < v.n; i++) {
		uint64_t from = v.v[i].addr > end ? v.v[i].addr : end;
		uint64_t to = v.v[i].addr + v.v[i].size;

		if (to <= from)
			continue;
		named += to - from;
		end = to;
	}
	return !all || named >= all ? 100 : (unsigned)(named * 100 / all);
}

struct data_search {
	const char *name;
	size_t len;
	bool local;
	uint64_t addr;
	bool found;
};

static bool data_symbol(const struct elf_symbol *s, void *arg)
{
	struct data_search *d = arg;
	if (s->type != STT_OBJECT || (s->bind == STB_LOCAL) != d->local || s->bare != d->len ||
	    memcmp(s->name, d->name, d->len) != 0)
		return true;
	d->addr = s->value;
	d->found = true;
	return false;
}

/* Each function of a wildcard asks for the same name, which few programs have. */
bool module_data_symbol(struct module *m, const char *name, uint64_t *addr)
{
	struct data_search *d = smap_get(&m->data_symbols, name);

	if (!d) {
		d = xalloc(sizeof *d);
		*d = (struct data_search){.name = xstrdup(name), .len = strlen(name)};
		module_symbols(m, data_symbol, d);
		if (!d->found) { /* link-time optimisation makes globals local */
			d->local = true;
			module_symbols(m, data_symbol, d);
		}
		smap_put(&m->data_symbols, d->name, d);
	}
	*addr = d->addr;
	return d->found;
}

/* One <source-name> of the Itanium C++ ABI: a length and that many characters. */
static const char *source_name(const char *p, struct strbuf *out)
{
	size_t n = 0;
	for (; isdigit((unsigned char)*p); p++)
		n = n * 10 + (size_t)(*p - '0');
	if (!n || strnlen(p, n) < n)
		return NULL;
	if (out->n)
		sb_add(out, "::");
	sb_addn(out, p, n);
	return p + n;
}

const char *mangled_path(const char *p)
{
	struct strbuf sb = {0};
	if (strncmp(p, "_Z", 2) != 0)
		return NULL;
	p += 2;
	if (*p == 'L') /* internal linkage */
		p++;
	if (isdigit((unsigned char)*p))
		return source_name(p, &sb) ? sb.s : NULL;
	if (*p++ != 'N')
		return NULL;
	p += strspn(p, "KVrRO");
	while (isdigit((unsigned char)*p)) {
		p = source_name(p, &sb);
		if (!p)
			return NULL;
	}
	return *p == 'E' && sb.n ? sb.s : NULL;
}
