/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units, abbreviations and entries of .debug_info (DWARF 5, section 7.5). */
#include "dwarf_reader.h"
#include "bisect.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	SKIP_FIXED,
	SKIP_LEB,
	SKIP_STRING,
	SKIP_BLOCK1,
	SKIP_BLOCK2,
	SKIP_BLOCK4,
	SKIP_BLOCK,
	SKIP_INDIRECT
};

#define MAX_ABBREVS 1000000
#define MAX_FORMS   1000

/* -------------------------------------------------------------------- numbers */

const unsigned char *raw_uleb(const unsigned char *p, const unsigned char *end, uint64_t *out)
{
	uint64_t v = 0;

	for (int shift = 0; p < end; shift += 7) {
		unsigned char c = *p++;

		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			*out = v;
			return p;
		}
	}
	return NULL;
}

/* N bytes, the least significant first, as on every machine that ustap traces. */
static uint64_t fixed(const unsigned char *p, unsigned n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

/* ---------------------------------------------------------------------- forms */

/* Put the rule to skip a value of FORM into OUT; false: the form is not known. */
static bool form_skip(const struct raw_unit *u, unsigned form, struct raw_skip *out)
{
	*out = (struct raw_skip){SKIP_FIXED, 0};
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		break;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		out->n = 1;
		break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		out->n = 2;
		break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		out->n = 3;
		break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		out->n = 4;
		break;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
	case DW_FORM_addr:
		out->n = 8;
		break;
	case DW_FORM_data16:
		out->n = 16;
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		out->n = u->offset_size;
		break;
	case DW_FORM_ref_addr:
		out->n = u->version == 2 ? 8 : u->offset_size;
		break;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		out->kind = SKIP_LEB;
		break;
	case DW_FORM_string:
		out->kind = SKIP_STRING;
		break;
	case DW_FORM_block1:
		out->kind = SKIP_BLOCK1;
		break;
	case DW_FORM_block2:
		out->kind = SKIP_BLOCK2;
		break;
	case DW_FORM_block4:
		out->kind = SKIP_BLOCK4;
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		out->kind = SKIP_BLOCK;
		break;
	case DW_FORM_indirect:
		out->kind = SKIP_INDIRECT;
		break;
	default:
		return false;
	}
	return true;
}

static const unsigned char *forward(const unsigned char *p, const unsigned char *end, uint64_t n)
{
	return p && n <= (uint64_t)(end - p) ? p + n : NULL;
}

static const unsigned char *pass_block(const unsigned char *p, const unsigned char *end,
				       unsigned size)
{
	const unsigned char *q = forward(p, end, size);

	return q ? forward(q, end, fixed(p, size)) : NULL;
}

static const unsigned char *pass(const struct raw_unit *u, struct raw_skip s,
				 const unsigned char *p, const unsigned char *end)
{
	uint64_t n;

	switch (s.kind) {
	case SKIP_FIXED:
		return forward(p, end, s.n);
	case SKIP_LEB:
		while (p < end && *p & 0x80)
			p++;
		return forward(p, end, 1);
	case SKIP_STRING:
		p = memchr(p, 0, (size_t)(end - p));
		return p ? p + 1 : NULL;
	case SKIP_BLOCK1:
		return pass_block(p, end, 1);
	case SKIP_BLOCK2:
		return pass_block(p, end, 2);
	case SKIP_BLOCK4:
		return pass_block(p, end, 4);
	case SKIP_BLOCK:
		p = raw_uleb(p, end, &n);
		return p ? forward(p, end, n) : NULL;
	case SKIP_INDIRECT:
		p = raw_uleb(p, end, &n);
		if (!p || n == DW_FORM_indirect || n > UINT16_MAX || !form_skip(u, (unsigned)n, &s))
			return NULL;
		return pass(u, s, p, end);
	}
	return NULL;
}

/* -------------------------------------------------------------- abbreviations */

static enum raw_attr attr_of(uint64_t at)
{
	switch (at) {
	case DW_AT_name:
		return RA_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return RA_LINKAGE;
	case DW_AT_low_pc:
		return RA_LOW_PC;
	case DW_AT_high_pc:
		return RA_HIGH_PC;
	case DW_AT_ranges:
		return RA_RANGES;
	case DW_AT_entry_pc:
		return RA_ENTRY_PC;
	case DW_AT_inline:
		return RA_INLINE;
	case DW_AT_declaration:
		return RA_DECLARATION;
	case DW_AT_abstract_origin:
		return RA_ORIGIN;
	case DW_AT_specification:
		return RA_SPECIFICATION;
	case DW_AT_str_offsets_base:
		return RA_STR_BASE;
	case DW_AT_addr_base:
		return RA_ADDR_BASE;
	case DW_AT_rnglists_base:
		return RA_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return RA_SPLIT;
	default:
		return RA_NONE;
	}
}

/* Where the attribute is, as long as nothing of variable size came before. */
static void add_place(struct raw_abbrev *a, enum raw_attr attr, uint16_t form, struct raw_skip s)
{
	if (attr && (a->variable || a->nplaces == RA_N || form == DW_FORM_indirect))
		a->scattered = true;
	else if (attr)
		a->places[a->nplaces++] = (struct raw_place){attr, form, a->prefix};
	if (s.kind == SKIP_FIXED)
		a->prefix += s.n;
	else
		a->variable = true;
}

/* Forms of fixed size that follow each other are passed over at once. */
static bool add_form(const struct raw_unit *u, struct raw_abbrev *a, uint64_t at, uint64_t form)
{
	struct raw_skip s;

	if (form > UINT16_MAX || a->nforms >= MAX_FORMS || !form_skip(u, (unsigned)form, &s))
		return false;
	if (a->nforms % 8 == 0) {
		struct raw_form *forms = realloc(a->forms, (a->nforms + 8) * sizeof *forms);
		struct raw_skip *skips = forms ? realloc(a->skips, (a->nforms + 8) * sizeof *skips)
					       : NULL;

		a->forms = forms ? forms : a->forms;
		a->skips = skips ? skips : a->skips;
		if (!forms || !skips)
			return false;
	}
	a->forms[a->nforms++] = (struct raw_form){attr_of(at), (uint16_t)form};
	a->declares |= at == DW_AT_declaration;
	if (at == DW_AT_sibling && form == DW_FORM_ref4 && !a->variable)
		a->sibling = a->prefix + 1;
	add_place(a, attr_of(at), (uint16_t)form, s);
	if (s.kind == SKIP_FIXED && a->nskips && a->skips[a->nskips - 1].kind == SKIP_FIXED)
		a->skips[a->nskips - 1].n += s.n;
	else
		a->skips[a->nskips++] = s;
	return true;
}

/* One abbreviation at *P, after its code. */
static bool read_abbrev(const struct raw_unit *u, const unsigned char **p, const unsigned char *end,
			struct raw_abbrev *a)
{
	uint64_t tag, at, form, value;
	const unsigned char *q = raw_uleb(*p, end, &tag);

	if (!q || q >= end || tag > UINT16_MAX)
		return false;
	a->tag = (uint16_t)tag;
	a->children = *q++;
	for (;;) {
		if (!(q = raw_uleb(q, end, &at)) || !(q = raw_uleb(q, end, &form)))
			return false;
		if (!at && !form)
			break;
		if (form == DW_FORM_implicit_const && !(q = raw_uleb(q, end, &value)))
			return false;
		if (!add_form(u, a, at, form))
			return false;
	}
	*p = q;
	return true;
}

static void abbrevs_free(struct raw_abbrevs *t)
{
	for (size_t i = 0; t && i < t->n; i++) {
		free(t->v[i].forms);
		free(t->v[i].skips);
	}
	if (t)
		free(t->v);
	free(t);
}

static int by_code(const void *a, const void *b)
{
	const struct raw_abbrev *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

static struct raw_abbrevs *read_abbrevs(const struct raw_unit *u)
{
	const struct raw_section *s = &u->file->abbrev;
	const unsigned char *p, *end = s->p + s->n;
	struct raw_abbrevs *t = u->abbrev_off < s->n ? calloc(1, sizeof *t) : NULL;
	uint64_t code;
	bool ok = t, sorted = true;

	if (!t)
		return NULL;
	p = s->p + u->abbrev_off;

	while (ok && (p = raw_uleb(p, end, &code)) && code) {
		if (t->n % 64 == 0) {
			struct raw_abbrev *v = realloc(t->v, (t->n + 64) * sizeof *v);

			if (!v || t->n > MAX_ABBREVS) {
				ok = false;
				break;
			}
			t->v = v;
		}
		t->v[t->n] = (struct raw_abbrev){.code = code};
		sorted &= !t->n || t->v[t->n - 1].code < code;
		ok = read_abbrev(u, &p, end, &t->v[t->n++]);
	}
	if (ok && p) {
		if (!sorted)
			qsort(t->v, t->n, sizeof *t->v, by_code);
		return t;
	}
	abbrevs_free(t);
	return NULL;
}

struct raw_abbrevs *raw_abbrevs(struct raw_unit *u)
{
	struct raw_abbrevs *t, *none = NULL;

	u = u->first_alike ? u->first_alike : u;
	t = atomic_load(&u->abbrevs);

	if (t)
		return t;
	t = read_abbrevs(u);
	if (t && !atomic_compare_exchange_strong(&u->abbrevs, &none, t)) {
		abbrevs_free(t); /* another thread was faster */
		t = none;
	}
	return t;
}

const struct raw_abbrev *raw_abbrev(const struct raw_abbrevs *t, uint64_t code)
{
	struct raw_abbrev key = {.code = code};

	if (code - 1 < t->n && t->v[code - 1].code == code)
		return &t->v[code - 1];
	return t->n ? bsearch(&key, t->v, t->n, sizeof key, by_code) : NULL;
}

/* -------------------------------------------------------------------- entries */

const unsigned char *raw_pass(const struct raw_unit *u, const struct raw_abbrev *a,
			      const unsigned char *p)
{
	const unsigned char *end = u->file->info.p + u->end;

	for (unsigned i = 0; i < a->nskips && p; i++)
		p = pass(u, a->skips[i], p, end);
	return p;
}

const unsigned char *raw_sibling(const struct raw_unit *u, const struct raw_abbrev *a,
				 const unsigned char *p)
{
	const unsigned char *unit = u->file->info.p + u->off, *end = u->file->info.p + u->end, *to;

	if (!a->sibling || (uint64_t)(end - p) < a->sibling + 3u)
		return NULL;
	to = unit + fixed(p + a->sibling - 1, 4);
	return to > p && to <= end ? to : NULL;
}

/* One attribute after the other. */
static bool read_all(struct raw_unit *u, const struct raw_abbrev *a, const unsigned char *p,
		     struct raw_die *d)
{
	const unsigned char *end = u->file->info.p + u->end;

	for (unsigned i = 0; i < a->nforms && p; i++) {
		struct raw_skip s;
		unsigned form = a->forms[i].form;
		uint64_t real;

		if (form == DW_FORM_indirect) {
			if (!(p = raw_uleb(p, end, &real)) || real > UINT16_MAX)
				return false;
			form = (unsigned)real;
		}
		d->form[a->forms[i].attr] = (uint16_t)form;
		d->p[a->forms[i].attr] = p;
		p = form != DW_FORM_indirect && form_skip(u, form, &s) ? pass(u, s, p, end) : NULL;
	}
	d->form[RA_NONE] = 0;
	d->next = p;
	return p != NULL;
}

bool raw_read(struct raw_unit *u, const struct raw_abbrev *a, const unsigned char *p,
	      struct raw_die *d)
{
	d->abbrev = a;
	memset(d->form, 0, sizeof d->form);
	if (a->scattered)
		return read_all(u, a, p, d);
	for (unsigned i = 0; i < a->nplaces; i++) {
		d->form[a->places[i].attr] = a->places[i].form;
		d->p[a->places[i].attr] = p + a->places[i].at;
	}
	d->next = raw_pass(u, a, p);
	return d->next != NULL;
}

bool raw_at(struct raw_unit *u, uint64_t off, struct raw_die *d)
{
	const struct raw_abbrevs *t = raw_abbrevs(u);
	const unsigned char *p;
	const struct raw_abbrev *a;
	uint64_t code;

	if (!t || off < u->first || off >= u->end)
		return false;
	p = raw_uleb(u->file->info.p + off, u->file->info.p + u->end, &code);
	a = p ? raw_abbrev(t, code) : NULL;
	return a && raw_read(u, a, p, d);
}

/* --------------------------------------------------------------------- values */

bool raw_number(const struct raw_unit *u, const struct raw_die *d, enum raw_attr a, uint64_t *out)
{
	const unsigned char *p = d->p[a], *end = u->file->info.p + u->end;
	struct raw_skip s;

	if (!d->form[a] || !form_skip(u, d->form[a], &s) || d->form[a] == DW_FORM_implicit_const)
		return false;
	if (s.kind == SKIP_LEB && d->form[a] != DW_FORM_sdata)
		return raw_uleb(p, end, out) != NULL;
	if (s.kind != SKIP_FIXED || s.n > 8 || s.n > (uint64_t)(end - p))
		return false;
	*out = fixed(p, s.n);
	return true;
}

/* Entry I of the table of things of SIZE bytes at BASE of S. */
static bool table_entry(const struct raw_section *s, uint64_t base, uint64_t i, unsigned size,
			uint64_t *out)
{
	if (base > s->n || i >= (s->n - base) / size)
		return false;
	*out = fixed(s->p + base + i * size, size);
	return true;
}

bool raw_address(const struct raw_unit *u, const struct raw_die *d, enum raw_attr a, uint64_t *out)
{
	uint64_t n;

	switch (d->form[a]) {
	case DW_FORM_addr:
		return raw_number(u, d, a, out);
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		return raw_number(u, d, a, &n) &&
		       table_entry(&u->file->addr, u->addr_base, n, 8, out);
	default:
		return false;
	}
}

/* raw_open() has seen to it that the last string ends. */
static const char *string_at(const struct raw_section *s, uint64_t off)
{
	return off < s->n ? (const char *)s->p + off : NULL;
}

const char *raw_string(const struct raw_unit *u, const struct raw_die *d, enum raw_attr a,
		       bool *there)
{
	uint64_t n, off;

	*there = d->form[a] == DW_FORM_string;
	if (*there)
		return (const char *)d->p[a];
	if (!raw_number(u, d, a, &n))
		return NULL;
	switch (d->form[a]) {
	case DW_FORM_strp:
		return string_at(&u->file->str, n);
	case DW_FORM_line_strp:
		return string_at(&u->file->line_str, n);
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		return u->file->alt ? string_at(&u->file->alt->str, n) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		return table_entry(&u->file->str_offsets, u->str_base, n, u->offset_size, &off)
			       ? string_at(&u->file->str, off)
			       : NULL;
	default:
		return NULL;
	}
}

static struct raw_unit *unit_with(struct raw_file *f, uint64_t off)
{
	size_t lo = BISECT(mid, f->nunits, f->units[mid].end <= off);

	return lo < f->nunits && off >= f->units[lo].first ? &f->units[lo] : NULL;
}

struct raw_unit *raw_reference(struct raw_unit *u, const struct raw_die *d, enum raw_attr a,
			       uint64_t *off)
{
	if (!raw_number(u, d, a, off))
		return NULL;
	switch (d->form[a]) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*off += u->off;
		return *off >= u->first && *off < u->end ? u : NULL;
	case DW_FORM_ref_addr:
		return unit_with(u->file, *off);
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return u->file->alt ? unit_with(u->file->alt, *off) : NULL;
	default:
		return NULL;
	}
}

/* ---------------------------------------------------------------------- units */

/* A unit's header at OFF (DWARF 5, section 7.5.1); false: not one that the index can have. */
static bool read_header(struct raw_file *f, uint64_t off, struct raw_unit *u)
{
	const unsigned char *p = f->info.p + off, *end = f->info.p + f->info.n;
	uint64_t length, address_size, type = DW_UT_compile;

	if (end - p < 12)
		return false;
	*u = (struct raw_unit){.file = f, .off = off, .offset_size = 4};
	length = fixed(p, 4);
	p += 4;
	if (length == 0xffffffff) {
		u->offset_size = 8;
		length = fixed(p, 8);
		p += 8;
	}
	if (length > (uint64_t)(end - p) || length < 3u + u->offset_size)
		return false;
	end = p + length;
	u->end = (uint64_t)(end - f->info.p);
	u->version = (uint8_t)fixed(p, 2);
	if (fixed(p, 2) < 2 || fixed(p, 2) > 5)
		return false;
	p += 2;
	if (u->version == 5) {
		if (end - p < 2 + u->offset_size)
			return false;
		type = *p++;
		address_size = *p++;
		u->abbrev_off = fixed(p, u->offset_size);
		p += u->offset_size;
	} else {
		u->abbrev_off = fixed(p, u->offset_size);
		p += u->offset_size;
		address_size = *p++;
	}
	if (type == DW_UT_type)
		p = forward(p, end, 8u + u->offset_size);
	if (!p || address_size != 8 ||
	    (type != DW_UT_compile && type != DW_UT_partial && type != DW_UT_type))
		return false;
	u->first = (uint64_t)(p - f->info.p);
	return true;
}

bool raw_base(struct raw_unit *u)
{
	struct raw_die d;
	uint64_t n;

	if (u->based)
		return true;
	u->based = true;
	u->str_base = u->addr_base = 8;
	if (u->first >= u->end || !raw_at(u, u->first, &d) || d.form[RA_SPLIT])
		return false;
	if (raw_number(u, &d, RA_STR_BASE, &n))
		u->str_base = n;
	if (raw_number(u, &d, RA_ADDR_BASE, &n))
		u->addr_base = n;
	if (raw_number(u, &d, RA_RANGES_BASE, &n))
		u->ranges_base = n;
	if (!raw_address(u, &d, RA_LOW_PC, &u->low_pc))
		u->low_pc = 0;
	return true;
}

static void end_strings(struct raw_section *s)
{
	while (s->n && s->p[s->n - 1])
		s->n--;
}

/* Units that read the same abbreviations in the same way are alike. */
static int by_abbrevs(const void *a, const void *b)
{
	const struct raw_unit *x = *(struct raw_unit *const *)a, *y = *(struct raw_unit *const *)b;

	if (x->abbrev_off != y->abbrev_off)
		return x->abbrev_off < y->abbrev_off ? -1 : 1;
	if (x->version != y->version)
		return x->version - y->version;
	return x->offset_size - y->offset_size;
}

static bool find_alike(struct raw_file *f)
{
	struct raw_unit **units = malloc((f->nunits + 1) * sizeof *units);

	if (!units)
		return false;
	for (size_t i = 0; i < f->nunits; i++)
		units[i] = &f->units[i];
	qsort(units, f->nunits, sizeof *units, by_abbrevs);
	for (size_t i = 0; i < f->nunits; i++)
		units[i]->first_alike = i && !by_abbrevs(&units[i - 1], &units[i])
						? units[i - 1]->first_alike
						: units[i];
	free(units);
	return true;
}

bool raw_open(struct raw_file *f)
{
	struct raw_unit u, *v;

	end_strings(&f->str);
	end_strings(&f->line_str);
	for (uint64_t off = 0; off < f->info.n; off = u.end) {
		if (!read_header(f, off, &u))
			return false;
		if (f->nunits % 256 == 0) {
			if (!(v = realloc(f->units, (f->nunits + 256) * sizeof *v)))
				return false;
			f->units = v;
		}
		f->units[f->nunits++] = u;
	}
	if (!find_alike(f))
		return false;
	for (size_t i = 0; i < f->nunits; i++)
		if (!raw_base(&f->units[i]))
			return false;
	return true;
}

void raw_close(struct raw_file *f)
{
	for (size_t i = 0; i < f->nunits; i++)
		abbrevs_free(f->units[i].abbrevs);
	free(f->units);
	f->units = NULL;
	f->nunits = 0;
}
