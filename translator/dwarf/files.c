/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of source files from the header of a line table (DWARF 5, section 6.2.4). libdw provides
 * them only together with all rows of the table, which take most of the time and memory in a large
 * program.
 */
#include <string.h>

#include "dwarf.h"
#include "dwarf/index/dwarf_reader.h"

#define MAX_FORMATS 16
#define MAX_FILES   100000

typedef VEC(const char *) file_vec;
struct files {
	file_vec v;
};

struct table {
	struct raw_section line, line_str, str;
	const unsigned char *p, *end; /* NULL after something malformed */
	unsigned version, offset_size;
};

/* ---------------------------------------------------------------------- reading */

static uint64_t number(struct table *t, unsigned n)
{
	uint64_t v = 0;

	if (!t->p || (size_t)(t->end - t->p) < n) {
		t->p = NULL;
		return 0;
	}
	memcpy(&v, t->p, n);
	t->p += n;
	return v;
}

static uint64_t leb(struct table *t)
{
	uint64_t v = 0;

	t->p = t->p ? raw_uleb(t->p, t->end, &v) : NULL;
	return v;
}

static const char *text(struct table *t)
{
	const char *s = (const char *)t->p;
	const unsigned char *nul = t->p ? memchr(t->p, 0, (size_t)(t->end - t->p)) : NULL;

	t->p = nul ? nul + 1 : NULL;
	return nul ? s : "";
}

static const char *text_in(struct table *t, const struct raw_section *s)
{
	uint64_t off = number(t, t->offset_size);

	if (t->p && off < s->n && memchr(s->p + off, 0, s->n - off))
		return (const char *)s->p + off;
	t->p = NULL;
	return "";
}

/* A value of FORM: its text or its number. */
static void value(struct table *t, uint64_t form, const char **s, uint64_t *n)
{
	switch (form) {
	case DW_FORM_string:
		*s = text(t);
		break;
	case DW_FORM_line_strp:
		*s = text_in(t, &t->line_str);
		break;
	case DW_FORM_strp:
		*s = text_in(t, &t->str);
		break;
	case DW_FORM_udata:
		*n = leb(t);
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		*n = number(t, form == DW_FORM_data1   ? 1
			       : form == DW_FORM_data2 ? 2
			       : form == DW_FORM_data4 ? 4
						       : 8);
		break;
	case DW_FORM_data16:
		number(t, 8);
		number(t, 8);
		break;
	default:
		t->p = NULL;
	}
}

/* "DIR/NAME" */
static const char *path_of(const file_vec *dirs, uint64_t dir, const char *name)
{
	const char *d = dir < dirs->n ? dirs->v[dir] : dirs->n ? dirs->v[0] : NULL;

	return *name == '/' || !d ? name : xprintf("%s/%s", d, name);
}

/* A list of directories, or with DIRS of files in them. */
static void read_list(struct table *t, const file_vec *dirs, file_vec *out)
{
	struct {
		uint64_t what, form;
	} formats[MAX_FORMATS];
	unsigned nformats = (unsigned)number(t, 1);
	uint64_t n;

	for (unsigned i = 0; i < nformats && t->p; i++) {
		if (i == MAX_FORMATS) {
			t->p = NULL;
			return;
		}
		formats[i].what = leb(t);
		formats[i].form = leb(t);
	}
	n = leb(t);
	for (uint64_t i = 0; i < n && t->p && i < MAX_FILES; i++) {
		const char *name = "";
		uint64_t dir = 0;

		for (unsigned k = 0; k < nformats; k++) {
			const char *s = "";
			uint64_t v = 0;

			value(t, formats[k].form, &s, &v);
			if (formats[k].what == DW_LNCT_path)
				name = s;
			else if (formats[k].what == DW_LNCT_directory_index)
				dir = v;
		}
		vec_push(out, dirs ? path_of(dirs, dir, name) : name);
	}
}

/* Before DWARF 5: both lists end with an empty name, and count from one. */
static void read_old(struct table *t, const char *comp_dir, file_vec *out)
{
	file_vec dirs = {0};

	vec_push(&dirs, comp_dir);
	for (const char *s; t->p && *(s = text(t)) && dirs.n < MAX_FILES;)
		vec_push(&dirs, s);
	vec_push(out, "???");
	for (const char *s; t->p && *(s = text(t)) && out->n < MAX_FILES;) {
		uint64_t dir = leb(t);

		leb(t);
		leb(t);
		vec_push(out, path_of(&dirs, dir, s));
	}
}

/* The header of the table at OFF; false: it is malformed. */
static bool read_table(struct table *t, uint64_t off, const char *comp_dir, file_vec *out)
{
	file_vec dirs = {0};
	uint64_t length;

	if (off >= t->line.n)
		return false;
	t->p = t->line.p + off;
	t->end = t->line.p + t->line.n;
	t->offset_size = 4;
	length = number(t, 4);
	if (length == 0xffffffff) {
		t->offset_size = 8;
		length = number(t, 8);
	}
	if (!t->p || length > (uint64_t)(t->end - t->p))
		return false;
	t->end = t->p + length;
	t->version = (unsigned)number(t, 2);
	if (t->version < 2 || t->version > 5)
		return false;
	if (t->version == 5)
		number(t, 2);
	number(t, t->offset_size);          /* length of the header */
	number(t, t->version >= 4 ? 5 : 4); /* of instructions, and what special opcodes are */
	for (uint64_t n = number(t, 1); n > 1 && t->p; n--)
		number(t, 1);
	if (t->version == 5) {
		read_list(t, NULL, &dirs);
		read_list(t, &dirs, out);
	} else {
		read_old(t, comp_dir, out);
	}
	return t->p != NULL;
}

/* ---------------------------------------------------------------------- the unit */

struct wanted {
	const char *name;
	struct raw_section *to;
};

static bool find_sections(Dwarf *dw, struct table *t)
{
	const struct wanted all[] = {
		{"debug_line", &t->line}, {"debug_line_str", &t->line_str}, {"debug_str", &t->str}};
	Elf *elf = dwarf_getelf(dw);
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name)
							  : NULL;

		for (size_t i = 0; name && *name == '.' && i < ARRAY_LEN(all); i++) {
			Elf_Data *d = strcmp(name + 1 + (name[1] == 'z'), all[i].name)
					      ? NULL
					      : elf_getdata(scn, NULL);

			if (d && d->d_buf)
				*all[i].to = (struct raw_section){d->d_buf, d->d_size};
		}
	}
	return t->line.n;
}

static const struct files none;

static const struct files *read_files(Dwarf *dw, Dwarf_Die *unit, uint64_t off)
{
	struct table t = {0};
	struct files *files = xalloc(sizeof *files);
	Dwarf_Attribute a;
	const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &a));

	return find_sections(dw, &t) && read_table(&t, off, dir, &files->v) ? files : &none;
}

bool unit_file(Dwarf_Die *unit, uint64_t i, const char **name)
{
	static ARENA_STATE struct smap tables;
	Dwarf *dw = dwarf_cu_getdwarf(unit->cu);
	Dwarf_Attribute a;
	Dwarf_Word off;
	const struct files *f;
	const char *key;

	if (!dwarf_attr(unit, DW_AT_stmt_list, &a) || dwarf_formudata(&a, &off) != 0)
		return false;
	key = xprintf("%p %llx", (void *)dw, (unsigned long long)off);
	f = smap_get(&tables, key);
	if (!f) {
		f = read_files(dw, unit, off);
		smap_put(&tables, key, (void *)f);
	}
	*name = i < f->v.n ? f->v.v[i] : NULL;
	return f != &none;
}
