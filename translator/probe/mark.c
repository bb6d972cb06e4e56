/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .mark("NAME"), .provider("PROVIDER").mark("NAME"):
 * statically defined probe points (sys/sdt.h). */
#include <string.h>
#include "process_point.h"
#include "dwarf/code_locations.h"
#include "session.h"

static bool add_mark(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, const struct mark *mark, bool quiet)
{
	const char *provider = point_comp(pt, "provider")
				       ? xprintf(".provider(\"%s\")", mark->provider)
				       : "";
	struct spot spot = {.f = module_function_at(mark->mod, mark->addr),
			    .addr = mark->addr,
			    .mark = mark,
			    .why = "the mark's nop"};

	spot.pp = xprintf("process(\"%s\")%s.mark(\"%s\")", module_name(mark->mod), provider,
			  mark->name);
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

static const char *near_mark(const mark_vec *all, const char *name)
{
	name_vec names = {0};

	for (size_t i = 0; i < all->n; i++)
		vec_push(&names, all->v[i]->name);
	return is_glob(name) ? NULL : nearest(name, names.v, names.n);
}

static void no_mark(struct module *m, const struct point_comp *c)
{
	const char *near;
	mark_vec all = {0};

	module_marks(m, NULL, "*", &all);
	near = near_mark(&all, c->arg->str.s);
	diag_error(E_NO_MARK, c->loc, "no mark \"%s\" in %s%s", c->arg->str.s, module_path(m),
		   near ? xprintf("; did you mean \"%s\"?", near) : "");
	if (!all.n)
		diag_hint("it has no SDT markers, which the macros of sys/sdt.h define");
	else if (!near)
		diag_hint("list them: ustap -l 'process(\"%s\").mark(\"*\")'", module_path(m));
}

static bool resolve_mark(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			 const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "mark"), *p = point_comp(pt, "provider");
	int errors = diag_errors();
	module_vec modules = {0};
	mark_vec found = {0};
	bool any = false;

	if (!point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		module_marks(modules.v[i], p ? p->arg->str.s : NULL, c->arg->str.s, &found);
	if (!found.n && !quiet)
		no_mark(modules.v[0], c);
	for (size_t i = 0; i < found.n; i++)
		any |= add_mark(s, k, decl, pt, found.v[i], quiet);
	return any && errors == diag_errors();
}

const struct probe_kind probe_marks[] = {
	{.pattern = "process(p).library(l).mark(s)", .has_sites = true, .resolve = resolve_mark},
	{.pattern = "process(p).library(l).provider(s).mark(s)",
	 .has_sites = true,
	 .resolve = resolve_mark},
	{0},
};

/* ustap-probes.7, SDT MARKERS
.TP
.BI .mark(\(dqNAME\(dq)
A static probe that the source of the program defines with
.IR sys/sdt.h .
.TP
.BI .provider(\(dqNAME\(dq).mark(\(dqNAME\(dq)
The static probe of this provider.
*/
