/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damage to ELF files that leaves them recognisable: random files are rejected at the first header.
 */
#include <elf.h>
#include <string.h>

#include "elf.h"

static uint32_t any(uint64_t *seed, size_t n) /* xorshift64* */
{
	*seed ^= *seed >> 12, *seed ^= *seed << 25, *seed ^= *seed >> 27;
	return (uint32_t)((*seed * 2685821657736338717u) >> 33) % (uint32_t)(n ? n : 1);
}

/* Boundary values, as bytes, 32 or 64 bits. */
static const uint64_t odd[] = {
	0,
	1,
	2,
	3,
	4,
	7,
	8,
	16,
	0x7f,
	0x80,
	0xff,
	0x100,
	0x7fff,
	0xffff,
	0x10000,
	0x7fffffff,
	0x80000000,
	0xffffff00,
	0xfffffff0,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xfffffffffffffff0,
	0xffffffffffffffff,
};

/* -------------------------------------------------------------------- bytes */

static void change(uint8_t *p, size_t n, uint64_t *seed)
{
	size_t at = any(seed, n), width = (size_t)1 << any(seed, 4), from = any(seed, n);
	uint64_t v = odd[any(seed, sizeof odd / sizeof *odd)];

	if (!n)
		return;
	switch (any(seed, 8)) {
	case 0:
		p[at] ^= (uint8_t)(1u << any(seed, 8));
		break;
	case 1:
		p[at] = (uint8_t)any(seed, 256);
		break;
	case 2:
		p[at] += (uint8_t)(1 + any(seed, 4));
		break;
	case 3:
		p[at] -= (uint8_t)(1 + any(seed, 4));
		break;
	case 4:
		memcpy(p + at, &v, width < n - at ? width : n - at);
		break;
	case 5:
		memset(p + at, 0xff, width < n - at ? width : n - at);
		break;
	case 6:
		memmove(p + at, p + from, width + 4 < n - (at > from ? at : from) ? width + 4 : 1);
		break;
	case 7:
		p[at] = p[from];
		break;
	}
}

/* ----------------------------------------------------------------- sections */

static Elf64_Ehdr *header(uint8_t *data, size_t size)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)data;

	if (size < sizeof *eh || eh->e_shoff > size || eh->e_shoff % 8 ||
	    eh->e_shentsize != sizeof(Elf64_Shdr) ||
	    (size - eh->e_shoff) / sizeof(Elf64_Shdr) < eh->e_shnum)
		return NULL;
	return eh;
}

/* True if ustap reads the section. Code is rarely damaged. */
static int is_read(const uint8_t *data, size_t size, const Elf64_Ehdr *eh, const Elf64_Shdr *sh)
{
	const Elf64_Shdr *names = (const Elf64_Shdr *)(data + eh->e_shoff) + eh->e_shstrndx;
	const char *name;

	if (sh->sh_type == SHT_NOBITS || sh->sh_offset > size || sh->sh_size > size - sh->sh_offset)
		return 0;
	if (eh->e_shstrndx >= eh->e_shnum || names->sh_offset >= size ||
	    sh->sh_name > size - names->sh_offset)
		return 1;
	name = (const char *)data + names->sh_offset + sh->sh_name;
	if (memchr(name, 0, size - (size_t)((const uint8_t *)name - data)) == NULL)
		return 1;
	return strcmp(name, ".text") && strcmp(name, ".comment") && strcmp(name, ".data") &&
	       strcmp(name, ".rodata");
}

static Elf64_Shdr *some_section(uint8_t *data, size_t size, uint64_t *seed)
{
	Elf64_Ehdr *eh = header(data, size);

	for (int i = 0; eh && i < 20; i++) {
		Elf64_Shdr *sh = (Elf64_Shdr *)(data + eh->e_shoff) + any(seed, eh->e_shnum);

		if (eh->e_shnum && is_read(data, size, eh, sh))
			return sh;
	}
	return NULL;
}

/* Move a copy of SH's content to the end of the file, with a few bytes more or less in its
 * middle. */
static size_t resize(uint8_t *data, size_t size, size_t max, Elf64_Shdr *sh, uint64_t *seed)
{
	size_t old = sh->sh_size, at = any(seed, old + 1), extra = 1 + any(seed, 16);

	if (size + old + extra > max)
		return size;
	memcpy(data + size, data + sh->sh_offset, at);
	for (size_t i = 0; i < extra; i++)
		data[size + at + i] = (uint8_t)any(seed, 256);
	memcpy(data + size + at + extra, data + sh->sh_offset + at, old - at);
	sh->sh_offset = size;
	sh->sh_size = any(seed, 2) ? old + extra : at;
	return size + old + extra;
}

/* Add many headers for the content of SH: each may cost as much as the first. */
static size_t multiply(uint8_t *data, size_t size, size_t max, const Elf64_Shdr *sh, uint64_t *seed)
{
	Elf64_Ehdr *eh = header(data, size);
	size_t old = eh->e_shnum * sizeof *sh, n = 1 + any(seed, 400), at = (size + 7) & ~(size_t)7;
	Elf64_Shdr one = *sh;

	if (at + old + n * sizeof one > max || eh->e_shnum + n >= SHN_LORESERVE)
		return size;
	memset(data + size, 0, at - size);
	memcpy(data + at, data + eh->e_shoff, old);
	if (any(seed, 2)) {
		one.sh_offset = 0;
		one.sh_size = size;
	}
	for (size_t i = 0; i < n; i++)
		memcpy(data + at + old + i * sizeof one, &one, sizeof one);
	eh->e_shoff = at;
	eh->e_shnum = (uint16_t)(eh->e_shnum + n);
	return at + old + n * sizeof one;
}

size_t elf_damage(uint8_t *data, size_t size, size_t max, uint64_t *seed)
{
	Elf64_Ehdr *eh = header(data, size);
	Elf64_Shdr *sh = some_section(data, size, seed);
	uint32_t what = any(seed, 40);

	if (!eh || !sh || what == 0) {
		change(data, size, seed);
	} else if (what == 1) {
		change(data, sizeof *eh, seed);
	} else if (what <= 3) {
		if (eh->e_phoff < size && (size - eh->e_phoff) / sizeof(Elf64_Phdr) >= eh->e_phnum)
			change(data + eh->e_phoff, eh->e_phnum * sizeof(Elf64_Phdr), seed);
	} else if (what <= 6) {
		change((uint8_t *)sh, sizeof *sh, seed);
	} else if (what <= 8) {
		return resize(data, size, max, sh, seed);
	} else if (what == 9) {
		return multiply(data, size, max, sh, seed);
	} else {
		for (uint32_t i = 1 + any(seed, 4); i > 0; i--)
			change(data + sh->sh_offset, sh->sh_size, seed);
	}
	return size;
}
