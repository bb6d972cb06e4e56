/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile names: bytes with a meaning in C, in comments, in literals and to the assembler, over the
 * names of an ELF file.
 *
 * A hostile name and its harmless twin differ in these bytes only, each of which has a letter of
 * its own; so two names are equal if their twins are, and what the translator makes of them has the
 * same form.
 */
#include <ctype.h>
#include <elf.h>
#include <string.h>

#include "names.h"

/* Letters that do not occur in the programs' names, so that no harmless name equals a name of the
 * program. */
static const char bytes[] = "\"\\'*/\n\r\t;{}(),#%?& \x01\x1b\x7f\x80\xff!$";
static const char letters[] = "BCDGHIJKLMOPQSTUVWXY0123456789qzjkv";

_Static_assert(sizeof letters >= sizeof bytes, "each byte has a letter");

/* Text that could end a literal or a comment, or begin one. */
static const char *const fragments[] = {
	"\"",     "\\",     "\\\"", "\"\\",         "*/",   "/*",   "*\\\n/",
	"//",     "\n#",    "?\?/", "\"}; int x;{", "\\n",  "%s%n", "\", \"",
	"'",      "*/*",    "\r",   "\\\n",         "\"\n", "\x1b", "\xff\"",
	"\";",    "\\x",    "\\0",  "\"\"",         ");",   "\n",   "\n#define ust_leave(c) x(c)\n",
	"\\\\\"", "?\?/\"",
};

char names_letter(char ch)
{
	const char *at = ch ? strchr(bytes, ch) : NULL;

	return at ? letters[at - bytes] : ch;
}

static uint32_t any(uint64_t *seed, size_t n) /* xorshift64* */
{
	*seed ^= *seed >> 12, *seed ^= *seed << 25, *seed ^= *seed >> 27;
	return (uint32_t)((*seed * 2685821657736338717u) >> 33) % (uint32_t)(n ? n : 1);
}

/* The first bytes of names are kept: the translator sorts by them, and a path may be absolute. */
enum { KEPT_BYTES = 2 };

static void write_name(uint8_t *name, size_t n, uint64_t *seed, bool hostile)
{
	bool file = memchr(name, '/', n) || memmem(name, n, ".c", 2); /* whose parts have a meaning
								       */
	size_t at = KEPT_BYTES + (any(seed, 2) ? 0 : any(seed, n));

	while (at < n) {
		const char *text = fragments[any(seed, sizeof fragments / sizeof *fragments)];

		for (; *text && at < n; text++, at++)
			name[at] = (uint8_t)(hostile && !(file && *text == '/')
						     ? *text
						     : names_letter(*text));
		at += any(seed, 4);
	}
}

void names_change_one(char *name, size_t n, uint64_t seed, bool hostile)
{
	seed |= 1;
	write_name((uint8_t *)name, n, &seed, hostile);
}

/* ------------------------------------------------------------------ sections */

struct rule {
	const char *section;
	size_t shortest;
};

/* Some sections have numbers between the names: there names have a minimum length. */
static const struct rule rules[] = {
	{".debug_str", 1},  {".debug_str.dwo", 1}, {".debug_line_str", 1}, {".strtab", 1},
	{".dynstr", 1},     {".note.stapsdt", 3},  {".debug_info", 4},     {".debug_info.dwo", 4},
	{".debug_line", 4}, {".BTF", 3},           {".shstrtab", 1},
};

/* Names that the translator knows, or by which it finds others. */
static bool is_kept(const char *name, const char *section)
{
	static const char *const kept[] = {"stapsdt", "GNU", "main", "_start"};

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (!strcmp(name, kept[i]))
			return true;
	/* the operands of a marker's arguments are not names */
	if (!strcmp(section, ".note.stapsdt") && strpbrk(name, "%$@"))
		return true;
	/* clang has names of sections among those of symbols */
	if (!strcmp(section, ".strtab") && *name == '.')
		return true;
	/* mangled names have a grammar */
	if (!strncmp(name, "_Z", 2))
		return true;
	/* names of sections that are not looked up */
	return !strcmp(section, ".shstrtab") && strcmp(name, ".comment") && strcmp(name, ".data") &&
	       strcmp(name, ".eh_frame_hdr");
}

static bool is_name_byte(uint8_t ch) { return isgraph(ch) || ch == ' '; }

/* A name is changed in the same way everywhere, for example in the symbol table and the debug
 * information. */
static bool change_name(uint8_t *name, size_t n, uint64_t seed, bool hostile, uint32_t share)
{
	seed |= 1;
	for (size_t i = 0; i < n; i++)
		seed = (seed ^ name[i]) * 0x9e3779b97f4a7c15u + 1;
	seed |= 1;
	if (any(&seed, 16) >= share || n <= KEPT_BYTES)
		return false;
	write_name(name, n, &seed, hostile);
	return true;
}

static size_t change_section(uint8_t *data, size_t size, const struct rule *r, uint64_t seed,
			     bool hostile, uint32_t share)
{
	size_t count = 0;

	for (size_t from = 0, to; from < size; from = to + 1) {
		for (to = from; to < size && is_name_byte(data[to]); to++)
			;
		if (to < size && !data[to] && to - from >= r->shortest &&
		    !is_kept((const char *)data + from, r->section))
			count += change_name(data + from, to - from, seed, hostile, share);
	}
	return count;
}

static const char *name_of(const uint8_t *data, size_t size, const Elf64_Ehdr *eh,
			   const Elf64_Shdr *sh)
{
	const Elf64_Shdr *names = (const Elf64_Shdr *)(data + eh->e_shoff) + eh->e_shstrndx;

	return names->sh_offset + sh->sh_name < size
		       ? (const char *)data + names->sh_offset + sh->sh_name
		       : "";
}

size_t names_change(uint8_t *data, size_t size, uint64_t seed, bool hostile)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)data;
	uint32_t share = 1 + any(&seed, 16);
	size_t count = 0;

	if (size < sizeof *eh || eh->e_shoff + eh->e_shnum * sizeof(Elf64_Shdr) > size)
		return 0;
	/* names of sections last, because the other names are found through them */
	for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
		for (unsigned i = 1; i < eh->e_shnum; i++) {
			Elf64_Shdr *sh = (Elf64_Shdr *)(data + eh->e_shoff) + i;

			if (sh->sh_type != SHT_NOBITS && sh->sh_offset + sh->sh_size <= size &&
			    !(sh->sh_flags & SHF_COMPRESSED) &&
			    !strcmp(name_of(data, size, eh, sh), rules[k].section))
				count += change_section(data + sh->sh_offset, sh->sh_size,
							&rules[k], seed, hostile, share);
		}
	return count;
}
