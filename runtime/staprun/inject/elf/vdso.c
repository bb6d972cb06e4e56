/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the vDSO, which the kernel maps into every process: all 64-bit processes share one
 * image, so an offset in the loader's vDSO applies to any other process.
 */
#include <stdint.h>
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "inject/elf/elf.h"

struct dynamic {
	const Elf64_Sym *symbols;
	const char *strings;
	const uint32_t *hash, *gnu_hash;
};

static const Elf64_Phdr *segment(const Elf64_Ehdr *eh, unsigned type)
{
	const Elf64_Phdr *ph = (const Elf64_Phdr *)((const char *)eh + eh->e_phoff);

	for (unsigned i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == type)
			return &ph[i];
	return NULL;
}

/* Addresses in it are relative to those of its first segment. */
static void read_dynamic(const Elf64_Ehdr *eh, struct dynamic *to)
{
	const Elf64_Phdr *load = segment(eh, PT_LOAD), *dyn = segment(eh, PT_DYNAMIC);
	const char *bias = (const char *)eh - (load ? load->p_vaddr : 0);

	if (!load || !dyn)
		return;
	for (const Elf64_Dyn *d = (const Elf64_Dyn *)(bias + dyn->p_vaddr); d->d_tag != DT_NULL;
	     d++) {
		const void *p = bias + d->d_un.d_ptr;

		switch (d->d_tag) {
		case DT_SYMTAB:
			to->symbols = p;
			break;
		case DT_STRTAB:
			to->strings = p;
			break;
		case DT_HASH:
			to->hash = p;
			break;
		case DT_GNU_HASH:
			to->gnu_hash = p;
			break;
		}
	}
}

/* One more than the last symbol of the hash chains: buckets hold the first symbol of each chain. */
static uint32_t count_gnu(const uint32_t *h)
{
	uint32_t nbuckets = h[0], first = h[1], last = 0;
	const uint32_t *buckets = h + 4 + 2 * h[2], *chains = buckets + nbuckets;

	for (uint32_t i = 0; i < nbuckets; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < first)
		return first;
	while (!(chains[last - first] & 1))
		last++;
	return last + 1;
}

uint64_t vdso_offset(const char *name)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct dynamic d = {0};
	uint32_t n;

	if (!eh)
		return 0;
	read_dynamic(eh, &d);
	if (!d.symbols || !d.strings || (!d.hash && !d.gnu_hash))
		return 0;
	n = d.hash ? d.hash[1] : count_gnu(d.gnu_hash);
	for (uint32_t i = 0; i < n; i++)
		if (d.symbols[i].st_shndx != SHN_UNDEF &&
		    !strcmp(d.strings + d.symbols[i].st_name, name))
			return d.symbols[i].st_value - segment(eh, PT_LOAD)->p_vaddr;
	return 0;
}
