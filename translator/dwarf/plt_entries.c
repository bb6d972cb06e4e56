/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries of procedure linkage tables: jumps through a slot of the global offset table whose
 * relocation names the function. They are found by decoding them, so the layout that the linker
 * chose does not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "arch/arch.h"

typedef VEC(struct plt_slot) slot_vec;

static void read_relocations(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, slot_vec *out)
{
	Elf_Scn *symscn = elf_getscn(elf, sh->sh_link);
	const struct relocations *types = &arch_target()->relocations;
	Elf_Data *data = elf_getdata(scn, NULL), *syms = symscn ? elf_getdata(symscn, NULL) : NULL;
	GElf_Shdr symsh;

	if (!data || !syms || !gelf_getshdr(symscn, &symsh))
		return;
	for (int i = 0; (size_t)i < data->d_size / sizeof(Elf64_Rela); i++) {
		GElf_Rela r;
		GElf_Sym sym;
		const char *name;

		if (!gelf_getrela(data, i, &r))
			break;
		if (GELF_R_TYPE(r.r_info) != types->jump_slot &&
		    GELF_R_TYPE(r.r_info) != types->glob_dat)
			continue;
		name = gelf_getsym(syms, (int)GELF_R_SYM(r.r_info), &sym)
			       ? elf_strptr(elf, symsh.sh_link, sym.st_name)
			       : NULL;
		if (name && *name)
			vec_push(out, ((struct plt_slot){
					      r.r_offset,
					      sym.st_shndx == SHN_UNDEF ? 0 : sym.st_value, name}));
	}
}

static int by_address(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void read_table(struct module *m, const GElf_Shdr *sh, const slot_vec *slots,
		       plt_entry_fn *fn, void *arg)
{
	const struct arch *arch = arch_target();

	for (uint64_t addr = sh->sh_addr; addr - sh->sh_addr < sh->sh_size;
	     addr += arch->plt_align) {
		size_t len;
		unsigned skip;
		const unsigned char *code = module_bytes(m, addr, &len);
		struct plt_slot key, *found;

		if (!code) /* a damaged header may claim any size */
			return;
		key.addr = arch->plt_slot(code, len, addr, &skip);
		found = key.addr ? bsearch(&key, slots->v, slots->n, sizeof key, by_address) : NULL;
		if (found)
			fn(m, addr, skip, found, arg);
	}
}

/* Read the slots of M, then call FN for each entry of its tables. */
static void read_entries(struct module *m, slot_vec *slots, plt_entry_fn *fn, void *arg)
{
	size_t strings;

	if (elf_getshdrstrndx(m->elf, &strings))
		return;
	for (int pass = 0; pass < 2; pass++) {
		for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
			GElf_Shdr sh;
			const char *name = gelf_getshdr(scn, &sh)
						   ? elf_strptr(m->elf, strings, sh.sh_name)
						   : NULL;

			if (name && pass == 0 && sh.sh_type == SHT_RELA)
				read_relocations(m->elf, scn, &sh, slots);
			else if (name && pass == 1 && slots->n && sh.sh_type == SHT_PROGBITS &&
				 !strncmp(name, ".plt", 4))
				read_table(m, &sh, slots, fn, arg);
		}
		if (slots->n)
			qsort(slots->v, slots->n, sizeof *slots->v, by_address);
	}
}

void each_plt_entry(struct module *m, plt_entry_fn *fn, void *arg)
{
	read_entries(m, &(slot_vec){0}, fn, arg);
}

static void see_own(struct module *m, uint64_t addr, unsigned skip, const struct plt_slot *slot,
		    void *arg)
{
	own_slot_vec *all = arg;

	(void)m, (void)skip;
	if (slot->value)
		vec_push(all, ((struct own_slot){slot->addr, addr, slot->value}));
}

const own_slot_vec *module_own_slots(struct module *m)
{
	slot_vec slots = {0};

	if (m->own_slots)
		return m->own_slots;
	m->own_slots = xalloc(sizeof *m->own_slots);
	read_entries(m, &slots, see_own, m->own_slots);
	for (size_t i = 0; i < slots.n; i++)
		if (slots.v[i].value)
			vec_push(m->own_slots,
				 ((struct own_slot){slots.v[i].addr, 0, slots.v[i].value}));
	return m->own_slots;
}
