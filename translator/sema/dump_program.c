/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dump of struct program: --dump=points, prune, types, locks and the like. */
#include <inttypes.h>
#include <string.h>
#include "sema/points/point.h"
#include "sema.h"
#include "session.h"

static void dump_symbol(struct strbuf *out, const char *what, const struct symbol *sym)
{
	sb_printf(out, "%s %s", what, sym->name);
	if (sym->nkeys > 0) {
		sb_add(out, "[");
		for (int i = 0; i < sym->nkeys; i++)
			sb_printf(out, "%s%s", i ? "," : "",
				  sym->keys ? type_name(sym->keys[i]) : "?");
		sb_add(out, "]");
	}
	sb_printf(out, ":%s", type_name(sym->type));
	sb_add(out, sym->storage == STORE_COUNTER ? " counter" : "");
	if (sym->norders)
		sb_printf(out, " orders=%d", sym->norders);
	sb_add(out, "\n");
}

#define MAX_DUMPED_SITES 4

static void dump_sites(struct strbuf *out, const struct probe *p)
{
	for (size_t i = 0; i < p->sites.n && i < MAX_DUMPED_SITES; i++) {
		const struct site *site = &p->sites.v[i];

		sb_printf(out, "  site %s%s %s", site->func, site->is_return ? " return" : "",
			  site->pp);
		if (site->addr != site->pc)
			sb_printf(out, " +%" PRIu64 " %s", site->addr - site->pc,
				  site_instruction(site));
		sb_add(out, "\n");
	}
	if (p->sites.n > MAX_DUMPED_SITES)
		sb_printf(out, "  and %zu more sites\n", p->sites.n - MAX_DUMPED_SITES);
}

static void dump_accesses(struct strbuf *out, const access_vec *v)
{
	for (size_t i = 0; i < v->n; i++) {
		sb_printf(out, "  access %zu: ", i);
		access_dump(out, &v->v[i]);
		sb_add(out, "\n");
	}
}

/* The pattern of P's kind, with what P left out of it. */
static void dump_shape(struct strbuf *out, const struct probe *p)
{
	const char *pattern = p->kind->pattern;
	struct point_want w;

	for (bool first = true; point_want_next(&pattern, &w); first = false) {
		char arg = w.arg == 'l'                    ? 's'
			   : w.arg != 'p'                  ? w.arg
			   : p->pid                        ? 'n'
			   : strncmp(p->pp, "process(", 8) ? 0
							   : 's';

		if (w.arg == 'l' && !strstr(p->pp, ".library("))
			continue;
		sb_printf(out, "%s%.*s", first ? "" : ".", (int)w.len, w.name);
		if (arg)
			sb_printf(out, "(%c)", arg);
	}
}

static void dump_data(struct strbuf *out, const struct probe *p)
{
	for (const struct probe_field *f = probe_data[p->kind->holds].fields; f->name; f++)
		if (f->in_dump)
			sb_printf(out, " %s=%" PRId64, f->name, probe_field_number(p, f));
}

static void dump_probe(struct strbuf *out, const struct probe *p)
{
	sb_add(out, "probe ");
	if (p->kind->has_sites)
		dump_shape(out, p);
	else
		sb_add(out, p->pp);
	if (!p->kind->has_sites)
		dump_data(out, p);
	sb_add(out, "\n");
	dump_sites(out, p);
	for (size_t i = 0; i < p->locals.n; i++)
		dump_symbol(out, "  local", p->locals.v[i]);
	dump_accesses(out, &p->accesses);
	for (size_t i = 0; i < p->locks.n; i++)
		sb_printf(out, "  lock %s %s\n", p->locks.v[i].sym->name,
			  p->locks.v[i].write ? "write" : "read");
	node_dump(out, p->body, 1);
}

static void dump_function(struct strbuf *out, const struct func *f)
{
	sb_printf(out, "function %s:%s%s\n", f->name, type_name(f->type),
		  f->recursive ? " recursive" : "");
	for (size_t i = 0; i < f->params.n; i++)
		dump_symbol(out, "  param", f->params.v[i]);
	for (size_t i = 0; i < f->locals.n; i++)
		dump_symbol(out, "  local", f->locals.v[i]);
	dump_accesses(out, &f->accesses);
	node_dump(out, f->body, 1);
}

void dump_program(struct strbuf *out, const struct session *s)
{
	for (size_t i = 0; i < s->program.globals.n; i++)
		dump_symbol(out, "global", s->program.globals.v[i]);
	for (size_t i = 0; i < s->program.funcs.n; i++)
		dump_function(out, s->program.funcs.v[i]);
	for (size_t i = 0; i < s->program.probes.n; i++)
		dump_probe(out, s->program.probes.v[i]);
}
