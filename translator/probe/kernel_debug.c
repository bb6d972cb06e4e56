/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel and its modules by their debug packages, as probe points name them. */
#include "process_point.h"

bool kernel_debug_modules(const struct point *pt, bool quiet, module_vec *out)
{
	const struct point_comp *c = point_comp(pt, "module");
	struct module *m = c ? NULL : module_kernel_debug(pt->loc, quiet);
	name_vec names = {0};

	if (m)
		vec_push(out, m);
	if (c)
		kmodule_names(c->arg->str.s, &names);
	if (c && !names.n && !quiet)
		kernel_no_module(c);
	for (size_t i = 0; i < names.n; i++) {
		m = module_kmodule_debug(names.v[i], pt->loc, quiet || is_glob(c->arg->str.s));
		if (m)
			vec_push(out, m);
	}
	if (!out->n && names.n && !quiet && is_glob(c->arg->str.s))
		module_kmodule_debug(names.v[0], pt->loc, false);
	return out->n;
}
