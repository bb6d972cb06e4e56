/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for a variable that cannot be read at a probe's address: the part of the function where
 * it can be read, and the variables that can be read here. They take the ranges of all variables
 * and lines, so they are made only for errors that are shown, not for each that is tried.
 */
#include <inttypes.h>
#include <string.h>

#include "values.h"

enum { MAX_RANGES = 6 };

/* "line 12 (0x1139-0x1150)" */
static void add_range(struct strbuf *sb, const struct var_range *r, size_t n)
{
	sb_add(sb, n ? ", " : "");
	if (r->first && r->first != r->last)
		sb_printf(sb, "lines %d-%d ", r->first, r->last);
	else if (r->first)
		sb_printf(sb, "line %d ", r->first);
	sb_printf(sb, "(%#" PRIx64 "-%#" PRIx64 ")", r->lo, r->hi);
}

static bool is_readable(const struct var_range *r)
{
	return *r->place != '(' && strcmp(r->place, "optimised out");
}

static const char *ranges_of(const struct function *f, uint64_t pc, const char *name)
{
	seen_vec seen = {0};
	struct strbuf sb = {0};
	size_t n = 0;

	function_variables(f, pc, &seen);
	for (size_t i = 0; i < seen.n; i++) {
		const struct var_seen *v = &seen.v[i];

		for (size_t k = 0; !strcmp(v->name, name) && k < v->ranges.n; k++) {
			if (!is_readable(&v->ranges.v[k]))
				continue;
			if (n < MAX_RANGES)
				add_range(&sb, &v->ranges.v[k], n);
			else if (n == MAX_RANGES)
				sb_add(&sb, ", ...");
			n++;
		}
	}
	return sb.s;
}

const char *var_hint(const struct var_error *err)
{
	const struct lost *l = err->lost;
	const char *ranges, *others;
	name_vec names;

	if (err->hint || !l)
		return err->hint;
	names = variables_at(l->f, l->pc, l->known);
	ranges = ranges_of(l->f, l->pc, l->name);
	others = names_hint(l->known ? NULL : l->name, &names,
			    l->known ? "available here" : "variables here");
	if (kernel_debug_hint(l->f->mod) && !l->f->is_trace)
		return xprintf("%s%s%s", others ? others : "", others ? "; " : "",
			       kernel_debug_hint(l->f->mod));
	if (ranges && l->known)
		return xprintf("it is available at %s%s%s", ranges, others ? "; " : "",
			       others ? others : "");
	if (ranges)
		return xprintf("it is that of a block at %s%s%s", ranges, others ? "; " : "",
			       others ? others : "");
	return others;
}
