/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .statement("FUNCTION@FILE:LINES"), .statement(ADDRESS), .nearest: lines of source files.
 *
 *   LINES   N   N-M   N,M,K-L   *   or, instead of :LINES, +N: as many lines behind the function's
 * first
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "process_point.h"
#include "dwarf/code_locations.h"
#include "session.h"

/* ------------------------------------------------------------- patterns */

/* A line number at *P; 0 after an error. */
static int take_line(const struct point_comp *c, const char **p)
{
	char *end;
	long n = strtol(*p, &end, 10);

	if (end == *p || **p == '+' || **p == '-' || n < 0 || n > INT_MAX) {
		diag_error(E_PROBE_POINT, c->arg->loc, "\"%s\" is not a line number", *p);
		diag_hint("lines are given as :N, :N-M, :N,M, :* or +N");
		return -1;
	}
	*p = end;
	return (int)n;
}

static bool take_ranges(const struct point_comp *c, const char *p, struct line_pattern *pat)
{
	VEC(struct line_range) v = {0};

	do {
		struct line_range r = {.lo = take_line(c, &p)};

		r.hi = r.lo;
		if (r.lo > 0 && *p == '-') {
			p++;
			r.hi = take_line(c, &p);
		}
		if (r.lo < 0 || r.hi < 0)
			return false;
		if (r.lo == 0 || r.hi < r.lo || (*p && *p != ',')) {
			diag_error(E_PROBE_POINT, c->arg->loc, "\"%s\" does not end in lines",
				   c->arg->str.s);
			return false;
		}
		vec_push(&v, r);
	} while (*p++ == ',');
	pat->ranges = v.v;
	pat->nranges = v.n;
	return true;
}

static bool take_relative(const struct point_comp *c, const char *p, struct line_pattern *pat)
{
	struct line_range *r = xalloc(sizeof *r);

	r->lo = r->hi = take_line(c, &p);
	if (r->lo < 0)
		return false;
	if (*p) {
		diag_error(E_PROBE_POINT, c->arg->loc, "\"%s\" does not end in a line",
			   c->arg->str.s);
		return false;
	}
	pat->ranges = r;
	pat->nranges = 1;
	return pat->relative = true;
}

/* "function@file:lines"; *ENTRY: no lines are given.  False after an error. */
static bool parse_pattern(const struct point_comp *c, struct line_pattern *pat, bool *entry)
{
	const char *text = c->arg->str.s, *at = strchr(text, '@'), *lines;
	const char *rest = at ? at + 1 : text + strcspn(text, ":+");

	/* a:: is of a name */
	while (!at && *rest == ':' && rest[1] == ':')
		rest += 2 + strcspn(rest + 2, ":+");
	*pat = (struct line_pattern){
		.func = xstrndup(text, at ? (size_t)(at - text) : (size_t)(rest - text))};
	if (!*pat->func) {
		diag_error(E_PROBE_POINT, c->arg->loc, "the pattern has no function name");
		diag_hint("use \"*\" for all functions");
		return false;
	}
	lines = strrchr(rest, ':');
	if (!lines)
		lines = strrchr(rest, '+');
	if (at)
		pat->file = xstrndup(rest, lines ? (size_t)(lines - rest) : strlen(rest));
	*entry = !lines;
	if (!lines)
		return true;
	if (!strcmp(lines, ":*"))
		return pat->any = true;
	return *lines == '+' ? take_relative(c, lines + 1, pat) : take_ranges(c, lines + 1, pat);
}

/* ---------------------------------------------------------------- lines */

static void no_line(struct module *m, const struct point_comp *c, const struct line_pattern *pat)
{
	int below = 0, above = 0;

	diag_error(E_NO_FUNCTION, c->loc, "no code for \"%s\" in %s", c->arg->str.s,
		   module_path(m));
	if (!module_has_dwarf(m)) {
		diag_hint("%s has no debug information, so its lines are not known",
			  module_path(m));
		return;
	}
	module_near_lines(m, pat, &below, &above);
	if (below && above)
		diag_hint("the nearest lines with code are %d and %d", below, above);
	else if (below || above)
		diag_hint("the nearest line with code is %d", below ? below : above);
}

static bool add_line(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, const struct line *l, bool quiet)
{
	bool is_line = strpbrk(point_comp(pt, "statement")->arg->str.s, ":+");
	struct spot spot = {.f = l->f,
			    .addr = l->addr,
			    .why = is_line ? "the first of the line"
					   : "the first with the function's parameters in place"};

	spot.pp = xprintf("%s.statement(\"%s@%s:%d\")%s", point_of_module(l->f->mod), l->f->name,
			  l->file, l->line, point_comp(pt, "nearest") ? ".nearest" : "");
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

/* Without lines: where the function begins, and where its instances do. */
static void entries(struct module *m, const struct line_pattern *pat, line_vec *out)
{
	struct func_pattern fp = {.func = pat->func, .file = pat->file};
	function_vec found = {0};

	module_functions(m, &fp, &found);
	module_inlined(m, &fp, &found);
	for (size_t i = 0; i < found.n; i++) {
		const struct function *f = found.v[i];

		vec_push(out, ((struct line){f, f->body, f->file ? f->file : "?", f->line}));
	}
}

bool points_of_lines(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "statement");
	int errors = diag_errors();
	struct line_pattern pat;
	module_vec modules = {0};
	line_vec found = {0};
	bool entry, any = false;

	if (!parse_pattern(c, &pat, &entry) || !point_modules(s, pt, quiet, &modules))
		return false;
	pat.nearest = point_comp(pt, "nearest");
	for (size_t i = 0; i < modules.n; i++)
		entry ? entries(modules.v[i], &pat, &found)
		      : module_lines(modules.v[i], &pat, &found);
	if (!found.n && !quiet)
		no_line(modules.v[0], c, &pat);
	for (size_t i = 0; i < found.n; i++)
		any |= add_line(s, k, decl, pt, &found.v[i], quiet);
	return any && errors == diag_errors();
}

/* -------------------------------------------------------------- addresses */

static bool add_address(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt, struct module *m, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "statement");
	struct spot spot = {.addr = (uint64_t)c->arg->num, .why = "the given address"};
	unsigned long long shown = spot.addr;
	uint64_t near = 0;
	bool begins = module_is_text(m, spot.addr) && module_line_begins(m, spot.addr, &near);

	if (!begins && near && point_comp(pt, "nearest")) {
		spot.addr = near;
		spot.why = "the nearest address before it where a statement begins";
	} else if (!begins) {
		if (quiet)
			return false;
		diag_error(E_PROBE_POINT, c->loc,
			   near ? "no statement of %s begins at address %#llx"
				: "%s has no code at address %#llx",
			   module_path(m), shown);
		if (near)
			diag_hint("try %#llx", (unsigned long long)near);
		return false;
	}
	spot.f = module_scope_at(m, spot.addr);
	spot.pp = xprintf("%s.statement(%#llx)%s", point_of_module(m), shown,
			  point_comp(pt, "nearest") ? ".nearest" : "");
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

bool points_of_address(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		       const struct point *pt, bool quiet)
{
	int errors = diag_errors();
	module_vec modules = {0};
	bool any = false;

	if (!point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		any |= add_address(s, k, decl, pt, modules.v[i], quiet);
	return any && errors == diag_errors();
}

#define KIND(text, fn)                                                                     \
	{                                                                                  \
		.pattern = "process(p).library(l)." text, .has_sites = true, .resolve = fn \
	}
const struct probe_kind probe_statements[] = {
	KIND("statement(s)", points_of_lines),
	KIND("statement(s).nearest", points_of_lines),
	KIND("statement(n)", points_of_address),
	KIND("statement(n).nearest", points_of_address),
	{0},
};

/* ustap-probes.7, LINES AND ADDRESSES
.TP
.BI .statement(\(dqFUNCTION@FILE:LINES\(dq)
The first instruction of each of these lines, in every function and inlined instance that
.I FUNCTION
matches.
.I LINES
are
.BR 30 ", " 30\-40 ", " 30,34,40\-42 " or " *
(all) after a colon, or
.BI + N
instead of the colon for the
.IR N th
line after that of the function.
Without lines it is the entry of the function.
.TP
.BI .statement(\(dqNAME\(dq).nearest
.I NAME
is as above, with one line. If the line has no code, the nearest line with code is used.
.TP
.BI .statement( ADDRESS )
The instruction at this address of the file. If the file has debug information, a statement must
begin at the address.
.TP
.BI .statement( ADDRESS ).nearest
The last statement that begins at or before the address.
*/
