/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describe: functions and variables of the script, with the types that the passes found. */
#include <string.h>
#include "edit.h"

static const char *typed(const char *name, enum type t)
{
	return t == T_UNKNOWN ? name : xprintf("%s:%s", name, type_name(t));
}

static const struct func *func_of(const struct view *v, const struct analysis *a,
				  const struct part *p)
{
	for (size_t i = 0; i < a->s.script.funcs.n; i++) {
		const struct func *f = a->s.script.funcs.v[i];

		if (f->loc.src == a->src && f->loc.beg == v->words.v[p->name_word].loc.beg)
			return f;
	}
	return NULL;
}

const char *function_head(const struct view *v, const struct analysis *a, const struct part *p)
{
	const struct func *f = func_of(v, a, p);
	struct strbuf sb = {0};

	if (!f)
		return words_text(v, p->first, p->head_end);
	sb_printf(&sb, "function %s(", typed(f->name, f->type));
	for (size_t i = 0; i < f->params.n; i++)
		sb_printf(&sb, "%s%s", i ? ", " : "",
			  typed(f->params.v[i]->name, f->params.v[i]->type));
	sb_add(&sb, ")");
	return sb.s;
}

static const char *symbol_text(const struct symbol *sym)
{
	struct strbuf sb = {0};

	sb_printf(&sb, "%s %s",
		  sym->kind == SYM_GLOBAL  ? "global"
		  : sym->kind == SYM_PARAM ? "parameter"
					   : "local",
		  sym->name);
	for (int i = 0; i < sym->nkeys && sym->keys; i++)
		sb_printf(&sb, "%s%s", i ? ", " : "[",
			  sym->keys[i] == T_UNKNOWN ? "?" : type_name(sym->keys[i]));
	sb_printf(&sb, "%s: %s", sym->nkeys > 0 && sym->keys ? "]" : "",
		  sym->type == T_UNKNOWN ? "of unknown type" : type_name(sym->type));
	return sb.s;
}

static const struct symbol *find(struct symbol *const *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i]->name, name))
			return v[i];
	return NULL;
}

/* The probe of the script that P was made of. */
static const struct probe_decl *root_of(const struct probe_decl *d)
{
	while (d && d->from)
		d = d->from;
	return d;
}

static const struct symbol *local_of(const struct view *v, const struct analysis *a,
				     const struct symbol_use *t)
{
	uint32_t at = v->words.v[t->part->first].loc.beg;
	const struct func *f = t->part->kind == PART_FUNCTION ? func_of(v, a, t->part) : NULL;
	const struct symbol *sym = NULL, *untyped = NULL;

	if (f) {
		sym = find(f->params.v, f->params.n, t->name);
		return sym ? sym : find(f->locals.v, f->locals.n, t->name);
	}
	for (size_t i = 0; i < a->s.program.probes.n; i++) {
		const struct probe *p = a->s.program.probes.v[i];
		const struct probe_decl *d = root_of(p->decl);

		if (!d || d->loc.src != a->src || d->loc.beg != at)
			continue;
		sym = find(p->locals.v, p->locals.n, t->name);
		if (sym && sym->type != T_UNKNOWN)
			return sym;
		untyped = sym ? sym : untyped;
	}
	return untyped;
}

const char *variable_text(const struct view *v, const struct analysis *a,
			  const struct symbol_use *t)
{
	const struct symbol *sym = t->kind == SYMBOL_USE_LOCAL
					   ? local_of(v, a, t)
					   : find(a->s.script.globals.v, a->s.script.globals.n,
						  t->name);

	if (sym)
		return symbol_text(sym);
	return xprintf("%s %s", t->kind == SYMBOL_USE_LOCAL ? "local" : "global", t->name);
}
