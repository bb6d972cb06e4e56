/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listing: the probe points that a pattern stands for (-l), with the variables that can be read there (-L).  They are
 * those of a script that does nothing at them, found by the same passes.
 */
#include <stdlib.h>
#include <string.h>
#include "ustap.h"

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void describe_mark(const struct mark *m, name_vec *out)
{
	for (unsigned i = 1; i <= m->nargs; i++)
		vec_push(out, xprintf("$arg%u:long", i));
}

static const char *site_line(const struct session *s, const struct site *site)
{
	struct strbuf sb = {0};
	name_vec vars = {0};

	sb_add(&sb, site->pp);
	if (s->opt.list != LIST_VARIABLES)
		return sb.s;
	if (site->mark)
		describe_mark(site->mark, &vars);
	else
		var_describe(site->f, site->pc, site->is_return, &vars);
	for (size_t i = 0; i < vars.n; i++)
		sb_printf(&sb, " %s", vars.v[i]);
	return sb.s;
}

void print_points(struct session *s)
{
	name_vec lines = {0};

	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];

		for (size_t j = 0; j < p->sites.n; j++)
			vec_push(&lines, site_line(s, &p->sites.v[j]));
		if (!p->kind->has_sites)
			vec_push(&lines, p->pp);
	}
	if (lines.n)
		qsort(lines.v, lines.n, sizeof *lines.v, by_text);
	for (size_t i = 0; i < lines.n; i++)
		if (!i || strcmp(lines.v[i - 1], lines.v[i]))
			puts(lines.v[i]);
}
