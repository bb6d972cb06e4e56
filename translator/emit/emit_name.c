/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of probes for pn(): what aliases the script has them by.  Programs that do not ask, and
 * those without aliases, have no trace of it.
 */
#include <string.h>

#include "emit.h"

/* The outermost alias that P is made of, as the script names it once its wildcards are resolved; 0:
 * none. */
static struct ctext name_of(const struct probe *p)
{
	const struct point *of = NULL;

	for (const struct probe_decl *d = p->decl; d && d->from; d = d->from)
		if (d->alias)
			of = d->of;
	if (!of)
		return C("0");
	return c_quoted(point_text(of));
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
bool write_names(const struct emit *e, struct cbuf *out)
{
	const struct program *p = &e->s->program;

	if (!e->asks_names || !any_alias(p))
		return false;
	cbuf_add(out, C("\nstatic const char *const names[] = {\n"));
	for (size_t i = 0; i < p->probes.n; i++)
		for (size_t j = 0; j < p->probes.v[i]->sites.n; j++)
			cbuf_printf(out, "\t%s,\n", name_of(p->probes.v[i]));
	for (size_t i = 0; i < p->probes.n; i++)
		if (!p->probes.v[i]->kind->has_sites && is_run(p->probes.v[i]))
			cbuf_printf(out, "\t%s,\n", name_of(p->probes.v[i]));
	cbuf_add(out, C("\t0\n};\n"));
	return true;
}
