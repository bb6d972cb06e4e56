/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections of debug information that hold entries, as libdw has read them. */
#include <string.h>

#include "dwarf/dwarf.h"
#include "dwarf_reader.h"

struct name_sections {
	const char *name;
	size_t at;
};

static const struct name_sections wanted[] = {
	{".debug_info", offsetof(struct raw_file, info)},
	{".debug_abbrev", offsetof(struct raw_file, abbrev)},
	{".debug_str", offsetof(struct raw_file, str)},
	{".debug_line_str", offsetof(struct raw_file, line_str)},
	{".debug_str_offsets", offsetof(struct raw_file, str_offsets)},
	{".debug_addr", offsetof(struct raw_file, addr)},
	{".debug_rnglists", offsetof(struct raw_file, rnglists)},
	{".debug_ranges", offsetof(struct raw_file, ranges)},
};

bool dwarf_sections(Dwarf *dw, struct raw_file *f)
{
	Elf *elf = dwarf_getelf(dw);
	size_t names, size = 0;
	const unsigned char *file = elf ? (const unsigned char *)elf_rawfile(elf, &size) : NULL;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name)
							  : NULL;
		Elf_Data *d;

		if (!name || sh.sh_type == SHT_NOBITS || !(d = elf_getdata(scn, NULL)) || !d->d_buf)
			continue;
		if (!strncmp(name, ".zdebug", 7)) /* libdw has inflated it, under its old name */
			name = xprintf(".%s", name + 2);
		if (!strcmp(name, ".debug_types"))
			f->types = (struct raw_section){d->d_buf, d->d_size};
		for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
			if (!strcmp(name, wanted[i].name))
				*(struct raw_section *)((char *)f +
							wanted[i].at) = (struct raw_section){
					d->d_buf, d->d_size};
	}
	f->mapped = file && f->info.p >= file && f->info.p < file + size;
	return f->info.n && f->info.n < UINT32_MAX && f->abbrev.n && !f->types.n;
}
