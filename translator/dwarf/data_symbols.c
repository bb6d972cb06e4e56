/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of a module by the names of its symbols, for hardware watchpoints. */
#include <stdlib.h>
#include <string.h>

#include "values.h"

struct search {
	struct module *m;
	const char *pattern;
	data_symbol_vec *out;
};

/* C++ variables are named as in the source, ns::x, or by their symbol. */
static bool matches(const char *pattern, const char *name)
{
	const char *path = mangled_path(name);

	return glob_match(pattern, name) || (path && glob_match(pattern, path));
}

/* Assembler code may leave the type of a symbol out: then only its exact name counts. */
static bool is_variable(const struct search *f, const struct elf_symbol *s)
{
	if (s->type == STT_NOTYPE)
		return s->bare == strlen(f->pattern) && !memcmp(s->name, f->pattern, s->bare) &&
		       !module_is_text(f->m, s->value);
	return s->type == STT_OBJECT || s->type == STT_COMMON || s->type == STT_TLS;
}

/* Check whether a symbol of this address was found: its name is kept, and the larger size. */
static bool is_known(const struct search *f, const struct data_symbol *d)
{
	for (size_t i = 0; i < f->out->n; i++) {
		struct data_symbol *other = &f->out->v[i];

		if (other->addr != d->addr || other->in_thread != d->in_thread)
			continue;
		if (other->size < d->size)
			other->size = d->size;
		return true;
	}
	return false;
}

static bool see_symbol(const struct elf_symbol *s, void *arg)
{
	const struct search *f = arg;
	struct data_symbol d = {.addr = s->value, .size = s->size, .in_thread = s->type == STT_TLS};

	if (!is_variable(f, s))
		return true;
	d.name = xstrndup(s->name, s->bare);
	if (matches(f->pattern, d.name) && !is_known(f, &d))
		vec_push(f->out, d);
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct data_symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void module_data_symbols(struct module *m, const char *pattern, data_symbol_vec *out)
{
	struct search f = {m, pattern, out};

	module_symbols(m, see_symbol, &f);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_address);
}

struct function *function_of_data(struct module *m, const char *name)
{
	return function_new(m, name, name, 0, 0, NULL);
}

bool module_has_memory(struct module *m, uint64_t addr, uint64_t size)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(m->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(m->elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
		    addr >= ph.p_vaddr && addr - ph.p_vaddr < ph.p_memsz &&
		    ph.p_memsz - (addr - ph.p_vaddr) >= size)
			return true;
	return false;
}

bool module_may_be_program(struct module *m)
{
	return module_is_program(m) || (module_has_section(m, ".interp") && !*module_soname(m));
}
