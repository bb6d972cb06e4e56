/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols and sections of object files that ustap has had compiled. */
#include "object_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

struct object {
	int fd;
	Elf *elf;
};

static bool object_open(const char *path, struct object *o)
{
	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	o->elf = o->fd >= 0 && elf_version(EV_CURRENT) != EV_NONE
			 ? elf_begin(o->fd, ELF_C_READ_MMAP, NULL)
			 : NULL;
	if (o->elf && elf_kind(o->elf) == ELF_K_ELF)
		return true;
	elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
	return false;
}

static void object_close(struct object *o)
{
	elf_end(o->elf);
	close(o->fd);
}

static void read_table(struct object *o, Elf_Scn *scn, const GElf_Shdr *shdr, bool defined,
		       name_vec *out)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 1; gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(o->elf, shdr->sh_link, sym.st_name);

		if (name && *name && GELF_ST_BIND(sym.st_info) != STB_LOCAL &&
		    (sym.st_shndx != SHN_UNDEF) == defined)
			vec_push(out, xstrdup(name));
	}
}

bool object_symbols(const char *path, bool defined, name_vec *out)
{
	Elf_Scn *scn = NULL;
	struct object o;
	GElf_Shdr shdr;

	if (!object_open(path, &o))
		return false;
	while ((scn = elf_nextscn(o.elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			read_table(&o, scn, &shdr, defined, out);
	object_close(&o);
	return true;
}

bool object_has_section(const char *path, const char *name)
{
	Elf_Scn *scn = NULL;
	bool found = false;
	struct object o;
	GElf_Shdr shdr;
	size_t names;

	if (!object_open(path, &o))
		return false;
	if (!elf_getshdrstrndx(o.elf, &names))
		while (!found && (scn = elf_nextscn(o.elf, scn))) {
			const char *own = gelf_getshdr(scn, &shdr)
						  ? elf_strptr(o.elf, names, shdr.sh_name)
						  : NULL;

			found = own && !strcmp(own, name) && shdr.sh_size;
		}
	object_close(&o);
	return found;
}
