/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of probes for pn(): what aliases the script has them by.  Programs that do not ask, and those without aliases,
 * have no trace of it.
 */
#include <string.h>

#include "emit.h"

/* The outermost alias that P is made of, as the script names it once its wildcards are resolved; 0: none. */
static const char *name_of(const struct probe *p)
{
	const struct point *of = NULL;
	const char *text;

	for (const struct probe_decl *d = p->decl; d && d->from; d = d->from)
		if (d->alias)
			of = d->of;
	if (!of)
		return "0";
	text = point_text(of);
	return c_string(text, strlen(text));
}

static bool any_alias(const struct program *p)
{
	for (size_t i = 0; i < p->probes.n; i++)
		for (const struct probe_decl *d = p->probes.v[i]->decl; d; d = d->from)
			if (d->alias)
				return true;
	return false;
}

/* In the order of the tables: sites, then probes without. */
bool write_names(const struct emit *e, struct strbuf *out)
{
	const struct program *p = &e->s->program;

	if (!e->asks_names || !any_alias(p))
		return false;
	sb_add(out, "\nstatic const char *const names[] = {\n");
	for (size_t i = 0; i < p->probes.n; i++)
		for (size_t j = 0; j < p->probes.v[i]->sites.n; j++)
			sb_printf(out, "\t%s,\n", name_of(p->probes.v[i]));
	for (size_t i = 0; i < p->probes.n; i++)
		if (!p->probes.v[i]->kind->has_sites && is_run(p->probes.v[i]))
			sb_printf(out, "\t%s,\n", name_of(p->probes.v[i]));
	sb_add(out, "\t0\n};\n");
	return true;
}
