/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SDT markers: notes of type 3, owner "stapsdt", that the macros of sys/sdt.h leave in the section
 * .note.stapsdt. Each gives the address of a nop, the counter by which the program knows that a
 * tracer is attached, and the operands that hold the arguments, as text in the assembler's notation
 * (systemtap's wiki, "UserSpaceProbeImplementation").
 */
#include <string.h>

#include "dwarf.h"

enum { NT_STAPSDT = 3, ADDRESSES = 3 };

/* ------------------------------------------------------------------- notes */

/* The text at *P, NUL-terminated before END; NULL if it is not. */
static const char *take_text(const char **p, const char *end)
{
	const char *text = *p, *nul = end > text ? memchr(text, 0, (size_t)(end - text)) : NULL;

	*p = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

/* Bytes of the first argument of TEXT: spaces separate arguments, but not within [...]. */
static size_t argument_length(const char *text)
{
	size_t n = 0;
	bool bracket = false;

	for (; text[n] && (bracket || text[n] != ' '); n++)
		bracket = text[n] == '[' || (bracket && text[n] != ']');
	return n;
}

static void split_args(struct mark *k, const char *text)
{
	VEC(const char *) args = {0};

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t n = argument_length(text);

		vec_push(&args, xstrndup(text, n));
		text += n;
	}
	k->args = args.v;
	k->nargs = (unsigned)args.n;
}

/* The note DESC of SIZE bytes; addresses in it move by as much as the section .stapsdt.base, now at
 * BASE, did. */
static struct mark *read_note(struct module *m, const char *desc, size_t size, uint64_t base)
{
	struct mark *k = xalloc(sizeof *k);
	const char *p = desc + ADDRESSES * 8, *end = desc + size, *args;
	uint64_t addr[ADDRESSES];

	if (size < sizeof addr)
		return NULL;
	memcpy(addr, desc, sizeof addr);
	k->mod = m;
	k->provider = take_text(&p, end);
	k->name = take_text(&p, end);
	args = take_text(&p, end);
	if (!k->provider || !k->name)
		return NULL;
	split_args(k, args ? args : "");
	k->addr = addr[0] + (base && addr[1] ? base - addr[1] : 0);
	k->semaphore = addr[2] ? addr[2] + (base && addr[1] ? base - addr[1] : 0) : 0;
	return k;
}

static uint64_t base_section(Elf *elf, size_t strings)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name)
							  : NULL;

		if (name && !strcmp(name, ".stapsdt.base"))
			return sh.sh_addr;
	}
	return 0;
}

static void read_section(struct module *m, Elf_Scn *scn, uint64_t base)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, next, name, desc;
	GElf_Nhdr nh;

	while (data && (next = gelf_getnote(data, at, &nh, &name, &desc)) > 0) {
		const char *bytes = data->d_buf;
		struct mark *k;

		at = next;
		if (nh.n_type != NT_STAPSDT || nh.n_namesz != sizeof "stapsdt" ||
		    memcmp(bytes + name, "stapsdt", 8))
			continue;
		k = read_note(m, bytes + desc, nh.n_descsz, base);
		if (!k || !module_is_code(m, k->addr)) {
			vlog(1, "%s: ignoring a damaged SDT note", m->path);
			continue;
		}
		k->number = (unsigned)m->marks.n;
		vec_push(&m->marks, k);
	}
}

static void read_marks(struct module *m)
{
	uint64_t base;
	size_t strings;

	m->marks_read = true;
	if (elf_getshdrstrndx(m->elf, &strings))
		return;
	base = base_section(m->elf, strings);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(m->elf, strings, sh.sh_name)
							  : NULL;

		if (name && sh.sh_type == SHT_NOTE && !strcmp(name, ".note.stapsdt"))
			read_section(m, scn, base);
	}
}

void module_marks(struct module *m, const char *provider, const char *name, mark_vec *out)
{
	if (!m->marks_read)
		read_marks(m);
	for (size_t i = 0; i < m->marks.n; i++) {
		struct mark *k = m->marks.v[i];

		if ((!provider || glob_match(provider, k->provider)) && glob_match(name, k->name))
			vec_push(out, k);
	}
}
