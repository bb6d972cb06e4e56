/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits on ELF files before libelf and libdw read them. Sections of a real file do not overlap;
 * those of a crafted one may each be the whole file, or claim to be inflated to thousands of times
 * its size. A file that passes the checks costs time and memory in proportion to its size.
 *
 * Units of debug information name the table that describes their entries (DWARF 5, section 7.5.3).
 * libdw reads it anew for each unit, so the tables that all units name together are limited, too.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf.h"
#include "dwarf/index/dwarf_reader.h"

enum {
	MAX_SEGMENTS = 1024,
	MAX_OVERLAP = 2,    /* bytes in sections for each byte of the file */
	MAX_INFLATED = 100, /* bytes after inflating, likewise */
	SMALL_INFLATED = 64 << 20,
	MAX_TABLES = 32, /* bytes of abbreviations that all units name, likewise */
	SMALL_TABLES = 8 << 20
};

struct sizes {
	uint64_t stored, inflated;
};

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

/* ------------------------------------------------------------- units of entries */

typedef VEC(uint64_t) table_vec;

/* Where the abbreviations of the units in S are. */
static void add_tables(const struct raw_section *s, table_vec *out)
{
	const unsigned char *p = s->p, *end = s->p + s->n;

	while (end - p >= 16) {
		uint64_t length = 0, table = 0;
		unsigned width = 4, version;

		memcpy(&length, p, 4);
		p += 4;
		if (length == UINT32_MAX) {
			memcpy(&length, p, 8);
			p += 8;
			width = 8;
		}
		if (length > (uint64_t)(end - p) || length < 4 + width)
			return;
		version = p[0] | p[1] << 8;
		memcpy(&table, p + (version < 5 ? 2 : 4), width);
		vec_push(out, table);
		p += length;
	}
}

/* The bytes of the table at P. */
static uint64_t table_size(const unsigned char *p, const unsigned char *end)
{
	const unsigned char *from = p;
	uint64_t code, at, form;

	while (p < end && (p = raw_uleb(p, end, &code)) && code) {
		p = raw_uleb(p, end, &code);
		p = p && p < end ? p + 1 : NULL; /* has it children? */
		do {
			p = p ? raw_uleb(p, end, &at) : NULL;
			p = p ? raw_uleb(p, end, &form) : NULL;
			if (p && form == DW_FORM_implicit_const)
				p = raw_uleb(p, end, &code);
		} while (p && (at || form));
		if (!p)
			return (uint64_t)(end - from);
	}
	return p ? (uint64_t)(p - from) : (uint64_t)(end - from);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static const char *check_tables(const struct raw_file *f)
{
	uint64_t limit = SMALL_TABLES +
			 MAX_TABLES * (uint64_t)(f->info.n + f->types.n + f->abbrev.n);
	uint64_t sum = 0, size = 0, distinct = 0;
	const unsigned char *end = f->abbrev.p + f->abbrev.n;
	table_vec tables = {0};

	add_tables(&f->info, &tables);
	add_tables(&f->types, &tables);
	if (!tables.n || tables.n <= SMALL_TABLES / (f->abbrev.n + 1))
		return NULL;
	qsort(tables.v, tables.n, sizeof *tables.v, by_number);
	for (size_t i = 0; i < tables.n && sum <= limit; i++) {
		if (!i || tables.v[i] != tables.v[i - 1]) {
			size = tables.v[i] < f->abbrev.n
				       ? table_size(f->abbrev.p + tables.v[i], end)
				       : 0;
			distinct += size;
		}
		if (distinct / MAX_OVERLAP > f->abbrev.n)
			return "its tables of abbreviations overlap";
		sum += size;
	}
	return sum > limit ? "too many of its units share tables of abbreviations" : NULL;
}

const char *dwarf_implausible(Dwarf *dw)
{
	struct raw_file own = {0}, shared = {0};
	Dwarf *alt = dwarf_getalt(dw);
	const char *name, *why;
	const void *id;

	dwarf_sections(dw, &own);
	work_permit(own.info.n + own.types.n);
	why = check_tables(&own);
	if (!alt || why)
		return why;
	if (dwelf_dwarf_gnu_debugaltlink(alt, &name, &id) > 0)
		return "the file that dwz shares refers to a further one";
	dwarf_sections(alt, &shared);
	work_permit(shared.info.n + shared.types.n);
	return check_tables(&shared);
}
