/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits on ELF files before libelf and libdw read them. Sections of a real file do not
 * overlap; those of a crafted one may each be the whole file, or claim to be inflated to
 * thousands of times its size. What passes here costs time and memory in proportion to the size
 * of the file.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf.h"

enum {
	MAX_SEGMENTS = 1024,
	MAX_OVERLAP = 2,        /* bytes in sections for each byte of the file */
	MAX_INFLATED = 100,     /* bytes after inflating, likewise */
	SMALL_INFLATED = 64 << 20
};

struct sizes { uint64_t stored, inflated; };

static void add_section(Elf_Scn *scn, struct sizes *s)
{
	GElf_Shdr sh;
	GElf_Chdr ch;

	if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
		return;
	if (__builtin_add_overflow(s->stored, sh.sh_size, &s->stored))
		s->stored = UINT64_MAX;
	if (sh.sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &ch) &&
	    __builtin_add_overflow(s->inflated, ch.ch_size, &s->inflated))
		s->inflated = UINT64_MAX;
}

static const char *check(Elf *elf, uint64_t size)
{
	struct sizes s = {0};
	size_t segments;

	if (elf_getphdrnum(elf, &segments) || segments > MAX_SEGMENTS)
		return "it has too many program headers";
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
		add_section(scn, &s);
	if (s.stored / MAX_OVERLAP > size)
		return "its sections overlap";
	if (s.inflated > SMALL_INFLATED && s.inflated / MAX_INFLATED > size)
		return "its compressed sections are too large";
	return NULL;
}

const char *elf_implausible(int fd)
{
	const char *why = NULL;
	struct stat st;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && !fstat(fd, &st))
		why = check(elf, (uint64_t)st.st_size);
	elf_end(elf);
	return why;
}
