/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `elf_excess spin` runs until it is killed.  `elf_excess KIND FILE`: a copy of this program whose headers claim more than the file holds:
 *
 *   symtabs   60,000 symbol tables that are one
 *   bomb      .debug_info that inflates to 8 GB
 *   segments  65,000 program headers
 *   names     a million symbols whose names are a megabyte each, as they share their bytes
 *   symbols   a million symbols, half of them at one address, in no order
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 60000, SEGMENTS = 65000, PADDING = 8 << 20, BOMB_BYTES = 8 << 20, SYMBOLS = 1000000,
       NAME_SIZE = 1 << 20 };

static unsigned char *data;
static size_t size;

static void *grow(size_t n)
{
	size = (size + 63) & ~(size_t)63;
	data = realloc(data, size + n);
	memset(data + size, 0, n);
	size += n;
	return data + size - n;
}

static void load(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;

	fstat(fd, &st);
	if (read(fd, grow((size_t)st.st_size), (size_t)st.st_size) != st.st_size)
		exit(1);
	close(fd);
}

/* The section headers at the end of the file, with room for N more. */
static Elf64_Shdr *sections(unsigned n)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)data;
	size_t old = eh->e_shnum * sizeof(Elf64_Shdr), from = eh->e_shoff;
	Elf64_Shdr *sh = grow(old + n * sizeof *sh);

	eh = (Elf64_Ehdr *)data;
	memcpy(sh, data + from, old);
	eh->e_shoff = (size_t)((unsigned char *)sh - data);
	eh->e_shnum += n;
	return sh;
}

static Elf64_Shdr *find(const char *name)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)data;
	Elf64_Shdr *sh = (Elf64_Shdr *)(data + eh->e_shoff);
	const char *names = (char *)data + sh[eh->e_shstrndx].sh_offset;

	for (int i = 0; i < eh->e_shnum; i++)
		if (!strcmp(names + sh[i].sh_name, name))
			return &sh[i];
	exit(2);
}

static void repeat_symtab(void)
{
	unsigned old = ((Elf64_Ehdr *)data)->e_shnum;
	Elf64_Shdr *sh = sections(COUNT), one = *find(".symtab");

	one.sh_size = PADDING / sizeof(Elf64_Sym) * sizeof(Elf64_Sym);
	for (unsigned i = old; i < old + COUNT; i++)
		sh[i] = one;
}

/* COUNT symbols with a string table of SIZE bytes in the place of those that are there. */
static Elf64_Sym *new_symbols(unsigned count, const char *strings, size_t size)
{
	char *names = memcpy(grow(size), strings, size);
	size_t at = (size_t)(names - (char *)data);
	Elf64_Sym *v = grow(count * sizeof *v);
	Elf64_Shdr *sh = find(".symtab");

	sh->sh_offset = (size_t)((unsigned char *)v - data);
	sh->sh_size = count * sizeof *v;
	sh = find(".strtab");
	sh->sh_offset = at;
	sh->sh_size = size;
	return v;
}

static void make_symbols(bool overlap)
{
	static char strings[NAME_SIZE];
	Elf64_Shdr text = *find(".text");
	Elf64_Sym *v;

	memset(strings, 'x', sizeof strings - 1);
	for (size_t i = 0; !overlap && i < sizeof strings; i += 8)
		strings[i] = 0;
	v = new_symbols(SYMBOLS, strings, sizeof strings);
	for (unsigned i = 1; i < SYMBOLS; i++) {
		v[i].st_name = overlap ? 1 : 1 + i * 8 % (NAME_SIZE - 8);
		v[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		v[i].st_shndx = 1;
		v[i].st_value = i % 2 ? text.sh_addr : text.sh_addr + i * 7919ull % text.sh_size;
		v[i].st_size = i % 3 ? text.sh_size : 0;
	}
}

static void make(const char *kind)
{
	Elf64_Ehdr *eh;

	if (!strcmp(kind, "symtabs")) {
		grow(PADDING);
		repeat_symtab();
	} else if (!strcmp(kind, "names") || !strcmp(kind, "symbols")) {
		make_symbols(!strcmp(kind, "names"));
	} else if (!strcmp(kind, "bomb")) {
		Elf64_Chdr *ch = grow(BOMB_BYTES);
		Elf64_Shdr *sh = find(".debug_info");

		*ch = (Elf64_Chdr){.ch_type = ELFCOMPRESS_ZLIB, .ch_addralign = 1,
				   .ch_size = BOMB_BYTES * 1000ull};
		sh->sh_offset = (size_t)((unsigned char *)ch - data);
		sh->sh_size = BOMB_BYTES;
		sh->sh_flags |= SHF_COMPRESSED;
	} else {
		Elf64_Phdr *ph = grow(SEGMENTS * sizeof *ph);

		eh = (Elf64_Ehdr *)data;
		for (int i = 0; i < SEGMENTS; i++)
			ph[i] = *(Elf64_Phdr *)(data + eh->e_phoff);
		eh->e_phoff = (size_t)((unsigned char *)ph - data);
		eh->e_phnum = SEGMENTS;
	}
}

int main(int argc, char **argv)
{
	FILE *f;

	for (volatile unsigned i = 0; argc == 2; i++)
		;
	if (argc < 3)
		return 0;
	load();
	make(argv[1]);
	f = fopen(argv[2], "w");
	return !f || fwrite(data, 1, size, f) != size || fclose(f);
}
