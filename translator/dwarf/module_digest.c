/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Digest of a module's contents: its headers and the sections that stack maps are made of. */
#include <string.h>

#include "base/digest.h"
#include "dwarf.h"
#include "address_maps.h"

/* Code and data of the program do not matter, nor does debug information, which is in files of any
 * size. */
static bool is_wanted(const char *name, const GElf_Shdr *sh)
{
	static const char *const others[] = {".text", ".rodata", ".data", ".init_array",
					     ".fini_array"};

	if (sh->sh_type == SHT_NOBITS)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(name, others[i]))
			return false;
	return strcmp(name, ".debug_frame") == 0 ||
	       (strncmp(name, ".debug", 6) != 0 && strncmp(name, ".zdebug", 7) != 0);
}

/* LEN bytes of the file at OFF, or what there is of them. */
static void add(struct strbuf *digests, const char *file, size_t size, uint64_t off, uint64_t len)
{
	unsigned char digest[DIGEST_SIZE];

	if (off > size)
		off = size;
	digest_bytes(file + off, len < size - off ? len : size - off, digest);
	for (size_t i = 0; i < sizeof digest; i++)
		sb_printf(digests, "%02x", digest[i]);
}

const char *module_digest(struct module *m, bool *has_symbols)
{
	struct strbuf digests = {0};
	const char *file;
	size_t size, strings;
	GElf_Ehdr eh;

	*has_symbols = false;
	file = elf_rawfile(m->elf, &size);
	if (!file || !gelf_getehdr(m->elf, &eh))
		return "";
	add(&digests, file, size, 0, sizeof(Elf64_Ehdr));
	add(&digests, file, size, eh.e_phoff, (uint64_t)eh.e_phnum * eh.e_phentsize);
	add(&digests, file, size, eh.e_shoff, (uint64_t)eh.e_shnum * eh.e_shentsize);
	if (elf_getshdrstrndx(m->elf, &strings))
		return digests.s;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(m->elf, strings, sh.sh_name)
							  : NULL;

		if (name && is_wanted(name, &sh))
			add(&digests, file, size, sh.sh_offset, sh.sh_size);
		*has_symbols |= name && sh.sh_type == SHT_SYMTAB;
	}
	return digests.s;
}
