/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .plt, .plt("NAME"), .return: calls that a program or library makes of functions of other
 * libraries. */
#include <string.h>
#include "process_point.h"
#include "dwarf/code_locations.h"
#include "session.h"

static void no_entry(struct module *m, const struct point_comp *c, const char *name)
{
	plt_vec all = {0};
	name_vec names = {0};
	const char *near;

	module_plt(m, "*", &all);
	for (size_t i = 0; i < all.n; i++)
		vec_push(&names, all.v[i].name);
	near = is_glob(name) ? NULL : nearest(name, names.v, names.n);
	diag_error(E_NO_FUNCTION, c->loc, "no entry \"%s\" in the procedure linkage table of %s%s",
		   name, module_path(m), near ? xprintf("; did you mean \"%s\"?", near) : "");
	if (!all.n)
		diag_hint("it has no procedure linkage table, as after linking with -fno-plt or -z "
			  "now");
	else if (!near)
		diag_hint("list them: ustap -l 'process(\"%s\").plt(\"*\")'", module_path(m));
}

static bool resolve_plt(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "plt");
	const char *name = c->arg ? c->arg->str.s : "*";
	int errors = diag_errors();
	module_vec modules = {0};
	plt_vec found = {0};
	bool any = false;

	if (!point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		module_plt(modules.v[i], name, &found);
	if (!found.n && !quiet)
		no_entry(modules.v[0], c, name);
	for (size_t i = 0; i < found.n; i++) {
		const struct function *f = found.v[i].f;
		struct spot spot = {.f = f,
				    .addr = f->entry,
				    .why = "the first of the entry in the linkage table"};

		spot.pp = xprintf("process(\"%s\").plt(\"%s\")%s", module_name(f->mod), f->name,
				  k->is_return ? ".return" : "");
		any |= target_add_spot(s, k, decl, pt, &spot, quiet);
	}
	return any && errors == diag_errors();
}

static const char *plt_text(const struct function *f, const char *name)
{
	return strcmp(name, "$$name") ? NULL : f->name;
}

#define KIND(words, ret)                                                                        \
	{                                                                                       \
		.pattern = "process(p).library(l)." words, .has_sites = true, .is_return = ret, \
		.resolve = resolve_plt, .text = plt_text                                        \
	}
const struct probe_kind probe_plts[] = {
	KIND("plt", false),
	KIND("plt.return", true),
	KIND("plt(s)", false),
	KIND("plt(s).return", true),
	{0},
};

/* ustap-probes.7, PROCEDURE LINKAGE TABLE
.TP
.BI .plt "\fR, " .plt(\(dqNAME\(dq)
Calls that the module makes through its procedure linkage table, of all functions or of this one.
They have no debug information:
.B $$name
is the name of the function, arguments are
.BI long_arg( N )
and similar functions, see
.BR ustap\-functions (7).
.TP
.BI .plt.return "\fR, " .plt(\(dqNAME\(dq).return
The returns of these calls.
*/
