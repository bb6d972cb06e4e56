/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split units as files of their own: from a DWARF package, by its index (DWARF 5, section 7.3.5;
 * for DWARF 4 the format of GNU's DebugFission), or from an object file. The input is not trusted:
 * data outside of its section is ignored.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dwo.h"
#include "base/trust.h"
#include "arch/arch.h"

/* Columns of an index (DW_SECT_*), with the numbers of DWARF 5; in the older format 5 is
 * .debug_loc. */
enum { C_INFO = 1, C_TYPES, C_ABBREV, C_LINE, C_LOC, C_STR_OFFSETS, C_MACRO, C_RNGLISTS, C_N };
enum { S_STR = C_N, S_LOC4, S_N }; /* .debug_str.dwo; C_LOC of the older format */

static const char *const names[S_N] = {
	[C_INFO] = "debug_info.dwo",         [C_TYPES] = "debug_types.dwo",
	[C_ABBREV] = "debug_abbrev.dwo",     [C_LINE] = "debug_line.dwo",
	[C_LOC] = "debug_loclists.dwo",      [C_STR_OFFSETS] = "debug_str_offsets.dwo",
	[C_RNGLISTS] = "debug_rnglists.dwo", [S_STR] = "debug_str.dwo",
	[S_LOC4] = "debug_loc.dwo",
};

struct bytes {
	const unsigned char *p;
	size_t n;
};

struct dwp {
	const char *path;
	int fd;
	Elf *elf;
	struct bytes sections[S_N], index;
	bool types;
};

/* -------------------------------------------------------------------- writing */

/* A file in memory with the sections PARTS; -1 if it cannot be had. */
static int write_image(const struct strbuf parts[S_N])
{
	struct strbuf text = {0}, strings = {0};
	Elf64_Shdr sh[S_N + 2] = {{0}};
	Elf64_Ehdr eh = {.e_type = ET_REL,
			 .e_machine = arch_target()->machine,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof eh,
			 .e_shentsize = sizeof *sh,
			 .e_shnum = 1};
	int fd = memfd_create("dwo", MFD_CLOEXEC);
	ssize_t n;

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64, eh.e_ident[EI_DATA] = ELFDATA2LSB,
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	sb_addn(&text, (char *)&eh, sizeof eh);
	sb_addn(&strings, "", 1);
	for (int i = 0; i <= S_N; i++) {
		const struct strbuf *part = i < S_N ? &parts[i] : &strings;

		if (!part->n)
			continue;
		sh[eh.e_shnum] = (Elf64_Shdr){.sh_name = (Elf64_Word)strings.n,
					      .sh_offset = text.n,
					      .sh_addralign = 1,
					      .sh_type = i < S_N ? SHT_PROGBITS : SHT_STRTAB};
		sb_printf(&strings, ".%s", i < S_N ? names[i] : "shstrtab");
		sb_addn(&strings, "", 1);
		sh[eh.e_shnum++].sh_size = part->n;
		sb_addn(&text, part->s, part->n);
	}
	eh.e_shstrndx = eh.e_shnum - 1;
	sb_addn(&text, "\0\0\0\0\0\0\0", -text.n % 8);
	eh.e_shoff = text.n;
	sb_addn(&text, (char *)sh, eh.e_shnum * sizeof *sh);
	memcpy(text.s, &eh, sizeof eh);
	for (size_t at = 0; fd >= 0 && at < text.n; at += (size_t)n) {
		n = write(fd, text.s + at, text.n - at);
		if (n <= 0) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

/* --------------------------------------------------------------- object files */

const char *dwo_section_name(Elf *elf, Elf_Scn *scn, size_t strings)
{
	GElf_Shdr sh;
	const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;

	if (!name || sh.sh_type == SHT_NOBITS ||
	    (strncmp(name, ".debug", 6) != 0 && strncmp(name, ".zdebug", 7) != 0))
		return NULL;
	if (sh.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return NULL;
	if (name[1] == 'z' && elf_compress_gnu(scn, 0, 0) < 0)
		return NULL;
	return name + (name[1] == 'z' ? 2 : 1);
}

/* All sections of each kind, one behind the other: type units are in some of their own. */
static void collect(Elf *elf, struct strbuf parts[S_N])
{
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings) != 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name = dwo_section_name(elf, scn, strings);
		Elf_Data *d = name ? elf_getdata(scn, NULL) : NULL;

		for (int i = 0; d && d->d_buf && i < S_N; i++)
			if (names[i] && !strcmp(names[i], name))
				sb_addn(&parts[i], d->d_buf, d->d_size);
	}
}

int dwo_file(const char *path)
{
	struct strbuf parts[S_N] = {{0}};
	int fd = open_regular(path);
	Elf *elf = fd < 0 || elf_implausible(fd) ? NULL
						 : elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64)
		collect(elf, parts);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return parts[C_INFO].n ? write_image(parts) : -1;
}

/* ------------------------------------------------------------------- packages */

static uint32_t word(const struct bytes *b, uint64_t i)
{
	uint32_t v = 0;

	if (i < b->n / 4)
		memcpy(&v, b->p + 4 * i, 4);
	return v;
}

static void read_package(struct dwp *p)
{
	size_t strings;

	if (elf_getshdrstrndx(p->elf, &strings) != 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(p->elf, scn));) {
		const char *name = dwo_section_name(p->elf, scn, strings);
		Elf_Data *d = name ? elf_getdata(scn, NULL) : NULL;

		if (!d || !d->d_buf)
			continue;
		for (int i = 0; i < S_N; i++)
			if (names[i] && !strcmp(names[i], name))
				p->sections[i] = (struct bytes){d->d_buf, d->d_size};
		if (!strcmp(name, "debug_cu_index"))
			p->index = (struct bytes){d->d_buf, d->d_size};
		if (!strcmp(name, "debug_tu_index"))
			p->types = word(&(struct bytes){d->d_buf, d->d_size}, 2);
	}
}

struct dwp *dwp_open(const char *path, const char *other)
{
	struct dwp *p = xalloc(sizeof *p);
	const char *const paths[] = {path, other};

	p->fd = -1;
	for (size_t i = 0; i < ARRAY_LEN(paths) && p->fd < 0; i++) {
		p->fd = open_regular(paths[i]);
		p->path = p->fd < 0 ? NULL : paths[i];
	}
	p->elf = p->fd < 0 || elf_implausible(p->fd)
			 ? NULL
			 : elf_begin(p->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (p->elf && elf_kind(p->elf) == ELF_K_ELF && gelf_getclass(p->elf) == ELFCLASS64)
		read_package(p);
	if (p->types) {
		diag_warn(W_DEBUG_FILE, (struct loc){0}, "types in type units of %s are not read",
			  p->path);
		diag_hint("leave out -fdebug-types-section, or keep the .dwo files instead of a "
			  "package");
	}
	return p;
}

void dwp_close(struct dwp *p)
{
	if (!p)
		return;
	elf_end(p->elf);
	if (p->fd >= 0)
		close(p->fd);
}

const char *dwp_path(const struct dwp *p) { return p->path; }

/* The row of unit ID, counted from 1; 0: not found. */
static uint32_t find_row(const struct bytes *index, uint32_t slots, uint64_t id)
{
	uint32_t mask = slots - 1, at = (uint32_t)id & mask,
		 step = ((uint32_t)(id >> 32) & mask) | 1;

	if (!slots || slots & mask || slots > index->n / 12)
		return 0;
	for (uint32_t i = 0; i < slots; i++, at = (at + step) & mask) {
		uint64_t have = word(index, 4 + 2 * (uint64_t)at) |
				(uint64_t)word(index, 5 + 2 * (uint64_t)at) << 32;
		uint32_t row = word(index, 4 + 2 * (uint64_t)slots + at);

		if (have == id && row)
			return row;
		if (!row)
			return 0;
	}
	return 0;
}

/* The strings that the table OFFSETS of a unit names, from ALL, and the table for them. */
static void pick_strings(const struct bytes *all, struct bytes offsets, bool header,
			 struct strbuf parts[S_N])
{
	size_t at = header ? 8 : 0;

	sb_addn(&parts[C_STR_OFFSETS], (const char *)offsets.p, at < offsets.n ? at : offsets.n);
	sb_addn(&parts[S_STR], "", 1);
	for (; at + 4 <= offsets.n; at += 4) {
		uint32_t from, to = (uint32_t)parts[S_STR].n;
		const void *end;

		memcpy(&from, offsets.p + at, 4);
		sb_addn(&parts[C_STR_OFFSETS], (char *)&to, 4);
		end = from < all->n ? memchr(all->p + from, 0, all->n - from) : NULL;
		if (end)
			sb_addn(&parts[S_STR], (const char *)all->p + from,
				(size_t)((const unsigned char *)end - all->p) - from);
		sb_addn(&parts[S_STR], "", 1);
	}
}

int dwp_unit(struct dwp *p, uint64_t id)
{
	const struct bytes *ix = &p->index;
	uint32_t version = word(ix, 0) & 0xffff, columns = word(ix, 1), units = word(ix, 2),
		 slots = word(ix, 3);
	uint32_t row = version == 2 || version == 5 ? find_row(ix, slots, id) : 0;
	uint64_t ids = 4 + 3 * (uint64_t)slots, offsets, sizes;
	struct strbuf parts[S_N] = {{0}};

	if (!row || row > units || columns > C_N)
		return -1;
	offsets = ids + columns + (uint64_t)(row - 1) * columns;
	sizes = offsets + (uint64_t)units * columns;
	for (uint32_t i = 0; i < columns; i++) {
		uint32_t kind = word(ix, ids + i), off = word(ix, offsets + i),
			 size = word(ix, sizes + i);
		uint32_t s = kind == C_LOC && version == 2 ? S_LOC4 : kind;

		if (!size || kind >= C_N || !names[s] || (version == 2 && kind > C_STR_OFFSETS) ||
		    off > p->sections[s].n || size > p->sections[s].n - off)
			continue;
		if (kind == C_STR_OFFSETS)
			pick_strings(&p->sections[S_STR],
				     (struct bytes){p->sections[s].p + off, size}, version == 5,
				     parts);
		else
			sb_addn(&parts[s], (const char *)p->sections[s].p + off, size);
	}
	return parts[C_INFO].n ? write_image(parts) : -1;
}
