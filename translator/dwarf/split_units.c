/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split units that elfutils does not find by itself: those in a DWARF package (.dwp, which elfutils
 * reads from 0.191 on), those that share their .dwo with type units, those in an object file
 * (-gsplit-dwarf=single).
 *
 * libdw joins a skeleton with the unit in the file that DW_AT_dwo_name names.  So there is a second
 * handle of the debug information (struct parted), in memory, where all these attributes name one
 * file descriptor; before a skeleton is asked for its unit, that descriptor becomes a file with
 * this unit alone, which dwo.c makes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf.h"
#include "dwo.h"
#include "address_maps.h"

struct parted {
	Dwarf *dw, *copy; /* the module's own; the second one, NULL if it cannot be had */
	Elf *elf;
	int slot;          /* the descriptor that all skeletons name */
	struct smap units; /* offset -> Dwarf_Die of the unit */
	struct dwp *dwp;
	struct parted *next;
};
static struct parted *all_parted;
static struct smap type_sections; /* an Elf's address -> does it have several? */

/* libdw reads a section by elf_getdata(), and from 0.191 on by elf_rawdata(), which has a
 * descriptor of its own. */
struct section {
	Elf_Data *data, *raw;
};
struct sections {
	struct section info, abbrev, str, line_str, str_offsets;
};

/* -------------------------------------------------------------------- the copy */

static void find_sections(Elf *elf, struct sections *out)
{
	static const struct {
		const char *name;
		size_t at;
	} wanted[] = {
		{"debug_info", offsetof(struct sections, info)},
		{"debug_abbrev", offsetof(struct sections, abbrev)},
		{"debug_str", offsetof(struct sections, str)},
		{"debug_line_str", offsetof(struct sections, line_str)},
		{"debug_str_offsets", offsetof(struct sections, str_offsets)},
	};
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name = dwo_section_name(elf, scn, names);

		for (size_t i = 0; name && i < ARRAY_LEN(wanted); i++)
			if (!strcmp(name, wanted[i].name))
				*(struct section *)((char *)out + wanted[i].at) = (struct section){
					elf_getdata(scn, NULL), elf_rawdata(scn, NULL)};
	}
}

/* Let both descriptors of S name the SIZE bytes at BUF. */
static void set_contents(const struct section *s, void *buf, size_t size)
{
	Elf_Data *const all[] = {s->data, s->raw};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i])
			all[i]->d_buf = buf, all[i]->d_size = size;
}

/* Append TEXT to the strings in S; returns its offset, 0 if S is empty. */
static size_t append(const struct section *s, const char *text)
{
	size_t at = s->data ? s->data->d_size : 0;
	char *longer;

	if (!at)
		return 0;
	longer = xalloc(at + strlen(text) + 1);
	memcpy(longer, s->data->d_buf, at);
	strcpy(longer + at, text);
	set_contents(s, longer, at + strlen(text) + 1);
	return at;
}

static bool put_offset(const struct section *s, size_t at, size_t width, size_t value)
{
	const Elf_Data *d = s->data;

	if (!d || at > d->d_size || width > d->d_size - at || (width != 4 && width != 8))
		return false;
	/* little endian, as all machines that are traced */
	memcpy((char *)d->d_buf + at, &value, width);
	return true;
}

/* Where in .debug_str_offsets the string of attribute A is; SIZE_MAX: not known. */
static size_t string_entry(Dwarf_Die *unit, const Dwarf_Attribute *a, size_t width)
{
	static const struct {
		unsigned form, bytes;
	} fixed[] = {
		{DW_FORM_strx1, 1}, {DW_FORM_strx2, 2}, {DW_FORM_strx3, 3}, {DW_FORM_strx4, 4}};
	Dwarf_Attribute base;
	Dwarf_Word from = 8;
	size_t index = 0;

	if (dwarf_attr(unit, DW_AT_str_offsets_base, &base) && dwarf_formudata(&base, &from) != 0)
		return SIZE_MAX;
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (a->form == fixed[i].form) {
			memcpy(&index, a->valp, fixed[i].bytes);
			return from + index * width;
		}
	if (a->form != DW_FORM_strx || (a->valp[0] & 0x80 && a->valp[1] & 0x80))
		return SIZE_MAX;
	index = a->valp[0] & 0x80 ? (a->valp[0] & 0x7fu) | (size_t)a->valp[1] << 7 : a->valp[0];
	return from + index * width;
}

/* Where P, which libdw found by one of the descriptors of S, is in it; SIZE_MAX: not there. */
static size_t offset_in(const struct section *s, const void *p)
{
	const Elf_Data *const all[] = {s->data, s->raw};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i] && (uintptr_t)p - (uintptr_t)all[i]->d_buf < all[i]->d_size)
			return (uintptr_t)p - (uintptr_t)all[i]->d_buf;
	return SIZE_MAX;
}

/* Let the name of the skeleton UNIT be the string that S has at STR and LINE_STR. */
static bool rename_unit(Dwarf_Die *unit, const struct sections *own, struct sections *s, size_t str,
			size_t line_str)
{
	Dwarf_Attribute a;
	uint8_t width = 4;
	Dwarf_Die cu;
	size_t at;

	if ((!dwarf_attr(unit, DW_AT_dwo_name, &a) && !dwarf_attr(unit, DW_AT_GNU_dwo_name, &a)) ||
	    !dwarf_diecu(unit, &cu, NULL, &width))
		return false;
	at = offset_in(&own->info, a.valp);
	if (a.form == DW_FORM_strp)
		return str && put_offset(&s->info, at, width, str);
	if (a.form == DW_FORM_line_strp)
		return line_str && put_offset(&s->info, at, width, line_str);
	return str && put_offset(&s->str_offsets, string_entry(unit, &a, width), width, str);
}

bool split_skeleton(Dwarf_Die *unit, int type)
{
	return type == DW_UT_skeleton ||
	       (type == DW_UT_split_compile && dwarf_hasattr(unit, DW_AT_GNU_addr_base) &&
		dwarf_hasattr(unit, DW_AT_GNU_dwo_name));
}

/* rustc and clang's -fsplit-dwarf-inlining put inlined functions into skeletons, which libdw then
 * takes for none (DWARF 4): let UNIT have no children.  Its abbreviation must be the first of its
 * table. */
static void hide_children(Dwarf_Die *unit, struct sections *s)
{
	size_t header = dwarf_dieoffset(unit) - dwarf_cuoffset(unit);
	unsigned char *a, *end;
	uint32_t table;

	if (!s->abbrev.data || dwarf_cuoffset(unit) != 11)
		return; /* 64-bit DWARF has longer headers */
	memcpy(&table, (char *)s->info.data->d_buf + header + 6, sizeof table);
	a = (unsigned char *)s->abbrev.data->d_buf + table;
	end = (unsigned char *)s->abbrev.data->d_buf + s->abbrev.data->d_size;
	if (table < s->abbrev.data->d_size && end - a > 3 && a[0] == *(unsigned char *)unit->addr &&
	    a[1] == DW_TAG_compile_unit)
		a[2] = DW_CHILDREN_no;
}

/* Contents that may be written to. */
static void make_own(const struct section *s)
{
	size_t size = s->data ? s->data->d_size : 0;

	if (size)
		set_contents(s, memcpy(xalloc(size), s->data->d_buf, size), size);
}

static Dwarf *make_copy(struct parted *p)
{
	struct sections own = {0}, s = {0};
	size_t size, str, line_str;
	char *image = elf_rawfile(dwarf_getelf(p->dw), &size);
	const char *name = xprintf("/proc/self/fd/%d", p->slot);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	Dwarf *copy;

	p->elf = image ? elf_memory(image, size) : NULL;
	if (!p->elf)
		return NULL;
	find_sections(dwarf_getelf(p->dw), &own);
	find_sections(p->elf, &s);
	if (!own.info.data || !s.info.data)
		return NULL;
	make_own(&s.info);
	make_own(&s.str_offsets);
	make_own(&s.abbrev);
	str = append(&s.str, name);
	line_str = append(&s.line_str, name);
	while (dwarf_get_units(p->dw, cu, &cu, NULL, &type, &die, NULL) == 0)
		if (split_skeleton(&die, type)) {
			rename_unit(&die, &own, &s, str, line_str);
			if (type != DW_UT_skeleton)
				hide_children(&die, &s);
		}
	copy = dwarf_begin_elf(p->elf, DWARF_C_READ, NULL);
	if (copy && dwarf_getalt(p->dw))
		dwarf_setalt(copy, dwarf_getalt(p->dw));
	else if (copy)
		dwarf_shared_part(copy); /* it looks for none */
	return copy;
}

static struct parted *parted_of(Dwarf *dw)
{
	struct parted *p = all_parted;

	while (p && p->dw != dw)
		p = p->next;
	if (p)
		return p;
	p = xalloc(sizeof *p);
	*p = (struct parted){
		.dw = dw, .slot = memfd_create("dwo", MFD_CLOEXEC), .next = all_parted};
	all_parted = p;
	if (p->slot >= 0)
		p->copy = make_copy(p);
	return p;
}

void split_close(void)
{
	for (struct parted *p = all_parted; p; p = p->next) {
		dwarf_end(p->copy);
		elf_end(p->elf);
		dwp_close(p->dwp);
		if (p->slot >= 0)
			close(p->slot);
	}
	all_parted = NULL;
	type_sections = (struct smap){0};
}

/* ----------------------------------------------------------------- finding units */

static const char *unit_string(Dwarf_Die *die, unsigned name, unsigned gnu)
{
	Dwarf_Attribute a;

	return dwarf_attr(die, name, &a) || (gnu && dwarf_attr(die, gnu, &a)) ? dwarf_formstring(&a)
									      : NULL;
}

/* A file with the unit of SKELETON alone; -1: it is not found. */
static int find_file(struct parted *p, Dwarf_Die *skeleton, uint64_t id)
{
	struct module *m = module_of(p->dw);
	const char *name = unit_string(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *dir = unit_string(skeleton, DW_AT_comp_dir, 0),
		   *debug = m ? module_debug_file(m) : NULL;
	const char *slash = debug ? strrchr(debug, '/') : NULL;
	int fd = -1;

	if (!name || !debug)
		return -1;
	if (!p->dwp)
		p->dwp = dwp_open(xprintf("%s.dwp", m->path), xprintf("%s.dwp", debug));
	fd = dwp_unit(p->dwp, id);
	if (fd < 0 && *name == '/')
		return dwo_file(name);
	if (fd < 0 && slash)
		fd = dwo_file(xprintf("%.*s/%s", (int)(slash - debug), debug, name));
	if (fd < 0 && dir)
		fd = dwo_file(xprintf("%s/%s", dir, name));
	if (fd < 0)
		warn_split_missing(m, name, dwp_path(p->dwp));
	return fd;
}

/* Join the skeleton at OFF in the copy with the file FD, which it names; OUT gets the full unit. */
static bool join(struct parted *p, Dwarf_Off off, int fd, Dwarf_Die *out)
{
	Dwarf_Die skeleton;

	if (dup3(fd, p->slot, O_CLOEXEC) < 0 || !dwarf_offdie(p->copy, off, &skeleton))
		return false;
	memset(out, 0, sizeof *out);
	return dwarf_cu_info(skeleton.cu, NULL, NULL, NULL, out, NULL, NULL, NULL) == 0 && out->cu;
}

bool split_lacks_types(Dwarf_Die *unit)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu));
	const char *key = xprintf("%p", (void *)elf);
	static char yes, no;
	void *known = smap_get(&type_sections, key);
	size_t strings, n = 0;

	if (known || elf_getshdrstrndx(elf, &strings) != 0)
		return known == &yes;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name)
							  : NULL;

		n += name && !strcmp(name, ".debug_types.dwo");
	}
	smap_put(&type_sections, key, n > 1 ? &yes : &no);
	return n > 1;
}

bool split_unit(Dwarf_Die *skeleton, Dwarf_Die *out)
{
	struct parted *p = parted_of(dwarf_cu_getdwarf(skeleton->cu));
	Dwarf_Off off = dwarf_dieoffset(skeleton);
	const char *key = xprintf("%llx", (unsigned long long)off);
	Dwarf_Die *known = smap_get(&p->units, key);
	uint64_t id;
	int fd;

	if (!p->copy)
		return false;
	if (!known) {
		known = xalloc(sizeof *known);
		smap_put(&p->units, key, known);
		if (dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) != 0)
			return false;
		fd = find_file(p, skeleton, id);
		if (fd >= 0 && !join(p, off, fd, known))
			memset(known, 0, sizeof *known);
		if (fd >= 0)
			close(fd);
	}
	*out = *known;
	return known->cu;
}
