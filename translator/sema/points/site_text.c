/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Site texts: the probe point of one function as pp() and listings show it, one copy of each. */
#include <stdint.h>
#include <string.h>
#include "site.h"

/* One text for all that have the same. */
static const char *shared_text(const char *text)
{
	static ARENA_STATE struct smap texts;
	const char *known = smap_get(&texts, text);

	if (!known) {
		known = xstrdup(text);
		smap_put(&texts, known, (void *)known);
	}
	return known;
}

const char *site_text_named(const struct point *pt, const struct function *f, const char *name)
{
	static ARENA_STATE struct strbuf sb;
	const char *last = pt->comps.v[pt->comps.n - 1].name;

	sb.n = 0;
	sb_printf(&sb, "%s.function(\"%s", point_of_module(f->mod), name);
	if (f->file)
		sb_printf(&sb, "@%s:%d", f->file, f->line);
	sb_add(&sb, "\")");
	if (strcmp(last, "function") != 0)
		sb_printf(&sb, ".%s", last);
	return shared_text(sb.s);
}

/* The instances of a function, of which there may be thousands, have the same text. */
const char *site_text(const struct point *pt, const struct function *f)
{
	static ARENA_STATE struct {
		const struct point *pt;
		struct function f;
		const char *text;
	} known[1024], *k;

	k = &known[((uintptr_t)f->name ^ (uintptr_t)f->name >> 10 ^ (uintptr_t)f->line) %
		   ARRAY_LEN(known)];
	if (k->pt != pt || k->f.mod != f->mod || k->f.name != f->name || k->f.file != f->file ||
	    k->f.line != f->line) {
		k->pt = pt;
		k->f = *f;
		k->text = site_text_named(pt, f, f->name);
	}
	return k->text;
}
