/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of source lines, for statement probes. A line is at its first instruction, once in each
 * function and each inlined instance that has code of it.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"

struct search {
	struct module *m;
	const struct line_pattern *pat;
	int exact; /* only this line; 0: what the pattern says */
	/* functions that are known by the name that is looked for; or NULL */
	const function_vec *named;
	line_vec *out;
};

/* ----------------------------------------------------------------- one row */

static bool wants_line(const struct search *s, const struct function *f, int line)
{
	const struct line_pattern *p = s->pat;

	if (s->exact)
		return line == s->exact;
	if (p->any)
		return true;
	if (p->relative)
		return f && f->file && line == f->line + p->ranges[0].lo;
	for (size_t i = 0; i < p->nranges; i++)
		if (line >= p->ranges[i].lo && line <= p->ranges[i].hi)
			return true;
	return false;
}

/* Is FILE, of a row in the code of F, the one that is meant? */
static bool wants_file(const struct search *s, const struct function *f, const char *file)
{
	if (s->pat->file)
		return file_tail_match(s->pat->file, file);
	return f->file && !strcmp(f->file, file);
}

/* The same line of the same instance: the first address counts. */
static bool merge(const struct search *s, const struct line *l)
{
	for (size_t i = s->out->n; i-- > 0;) {
		struct line *o = &s->out->v[i];

		if (o->line != l->line || o->f->entry != l->f->entry ||
		    strcmp(o->f->name, l->f->name))
			continue;
		if (l->addr < o->addr)
			o->addr = l->addr;
		return true;
	}
	return false;
}

/* F, or the same by the name that is looked for,
 * which may be a symbol's only; NULL: it is another. */
static const struct function *by_name(const struct search *s, const struct function *f)
{
	if (glob_match(s->pat->func, f->name))
		return f;
	for (size_t i = 0; s->named && !f->outer && i < s->named->n; i++)
		if (s->named->v[i]->entry == f->entry && !s->named->v[i]->outer)
			return s->named->v[i];
	return NULL;
}

static void see_row(const struct search *s, Dwarf_Line *row)
{
	struct line l = {0};
	bool begins = false, ends = false;
	const char *file = dwarf_linesrc(row, NULL, NULL);

	dwarf_linebeginstatement(row, &begins);
	dwarf_lineendsequence(row, &ends);
	if (!file || !begins || ends || dwarf_lineno(row, &l.line) || !l.line ||
	    dwarf_lineaddr(row, &l.addr))
		return;
	if (s->pat->file && !file_tail_match(s->pat->file, file))
		return;
	if (!s->pat->relative && !wants_line(s, NULL, l.line))
		return;
	if (!module_is_code(s->m, l.addr))
		return;
	l.file = file;
	l.f = by_name(s, module_scope_at(s->m, l.addr));
	if (l.f && wants_file(s, l.f, file) && wants_line(s, l.f, l.line) && !merge(s, &l))
		vec_push(s->out, l);
}

/* ------------------------------------------------------------------- units */

static void see_unit(const struct search *s, Dwarf_Die *unit)
{
	Dwarf_Lines *rows;
	size_t n;

	if (die_lines(unit, &rows, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		see_row(s, dwarf_onesrcline(rows, i));
}

static bool unit_has_file(Dwarf_Die *unit, const char *pattern)
{
	Dwarf_Files *files;
	const char *known;
	size_t n;

	if (unit_file(unit, 0, &known)) {
		for (size_t i = 1; known && !file_tail_match(pattern, known);)
			unit_file(unit, i++, &known);
		return known != NULL;
	}
	if (dwarf_getsrcfiles(unit, &files, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		if (name && file_tail_match(pattern, name))
			return true;
	}
	return false;
}

static void see_all_units(const struct search *s)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(s->m->dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Die unit = unit_full(&die);

		if (!s->pat->file || unit_has_file(&unit, s->pat->file))
			see_unit(s, &unit);
	}
}

/* Only the units with code of the functions, if they are named. */
static void see_units_of(struct search *s)
{
	struct func_pattern pat = {.func = s->pat->func};
	VEC(struct unit *) seen = {0};
	function_vec found = {0};

	module_functions(s->m, &pat, &found);
	module_inlined(s->m, &pat, &found);
	s->named = &found;
	for (size_t i = 0; i < found.n; i++) {
		struct unit *u = unit_at(s->m, found.v[i]->entry);
		bool known = !u;

		for (size_t k = 0; k < seen.n && !known; k++)
			known = seen.v[k] == u;
		if (known)
			continue;
		vec_push(&seen, u);
		see_unit(s, &u->die);
	}
	s->named = NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->line != y->line)
		return x->line - y->line;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void find(struct search *s)
{
	if (!module_dwarf(s->m))
		return;
	if (is_glob(s->pat->func))
		see_all_units(s);
	else
		see_units_of(s);
	if (s->out->n)
		qsort(s->out->v, s->out->n, sizeof *s->out->v, by_place);
}

/* ----------------------------------------------------------------- searches */

void module_near_lines(struct module *m, const struct line_pattern *pat, int *below, int *above)
{
	struct line_pattern any = *pat;
	line_vec all = {0};
	struct search s = {.m = m, .pat = &any, .out = &all};
	int wanted = pat->nranges ? pat->ranges[0].lo : 0;

	any.any = true;
	any.relative = false;
	*below = *above = 0;
	find(&s);
	for (size_t i = 0; i < all.n; i++) {
		int line = all.v[i].line, from = pat->relative ? wanted + all.v[i].f->line : wanted;

		if (line <= from)
			*below = line;
		else if (!*above)
			*above = line;
	}
}

void module_lines(struct module *m, const struct line_pattern *pat, line_vec *out)
{
	struct search s = {.m = m, .pat = pat, .out = out};
	int below, above, wanted = pat->nranges ? pat->ranges[0].lo : 0;

	find(&s);
	if (out->n || !pat->nearest || pat->relative || !wanted)
		return;
	module_near_lines(m, pat, &below, &above);
	s.exact = !above || (below && wanted - below <= above - wanted) ? below : above;
	if (s.exact)
		find(&s);
}

bool module_line_begins(struct module *m, uint64_t addr, uint64_t *near)
{
	struct unit *u = unit_at(m, addr);
	Dwarf_Lines *rows;
	size_t n;

	*near = 0;
	if (!u || die_lines(&u->die, &rows, &n) != 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Addr a;

		if (dwarf_lineaddr(dwarf_onesrcline(rows, i), &a) != 0)
			continue;
		if (a == addr)
			return true;
		if (a < addr && a > *near)
			*near = a;
	}
	return !*near;
}
