/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe points as the parser made them: their components, their canonical text. */
#include <inttypes.h>
#include <string.h>
#include "parse/script.h"

const struct point_comp *point_comp(const struct point *pt, const char *name)
{
	for (size_t i = 0; i < pt->comps.n; i++)
		if (!strcmp(pt->comps.v[i].name, name))
			return &pt->comps.v[i];
	return NULL;
}

const char *point_text(const struct point *pt)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < pt->comps.n; i++) {
		const struct point_comp *c = &pt->comps.v[i];

		sb_printf(&sb, "%s%s", i ? "." : "", c->name);
		if (c->arg && c->arg->kind == N_STR)
			sb_printf(&sb, "(\"%s\")", c->arg->str.s);
		else if (c->arg)
			sb_printf(&sb, "(%" PRId64 ")", c->arg->num);
	}
	return sb.s;
}

bool point_has_glob(const struct point *pt)
{
	for (size_t i = 0; i < pt->comps.n; i++)
		if (pt->comps.v[i].arg && pt->comps.v[i].arg->kind == N_STR &&
		    is_glob(pt->comps.v[i].arg->str.s))
			return true;
	return false;
}

/* Lines N-M or N,M of a statement(). */
static bool has_ranges(const struct point_comp *c)
{
	const char *colon = c && c->arg && c->arg->kind == N_STR ? strrchr(c->arg->str.s, ':')
								 : NULL;

	return colon && strpbrk(colon, "-,");
}

bool point_is_wild(const struct point *pt)
{
	return point_has_glob(pt) || has_ranges(point_comp(pt, "statement"));
}
