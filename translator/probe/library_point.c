/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .library("NAME"): libraries that a program needs, by path, by file name, by the name that
 * programs link with (soname), or by a wildcard of these; and others that the dynamic linker would
 * find for the program, which may load them later.
 */
#include <string.h>
#include "process_point.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_named(struct module *m, const char *pattern)
{
	return glob_match(pattern, module_path(m)) ||
	       glob_match(pattern, base_name(module_path(m))) ||
	       glob_match(pattern, module_soname(m));
}

static void no_library(const struct module *program, const struct point_comp *c,
		       const module_vec *libraries)
{
	const char *near, *name = c->arg->str.s;
	struct strbuf list = {0};
	name_vec names = {0};

	for (size_t i = 0; i < libraries->n; i++)
		vec_push(&names, base_name(module_path(libraries->v[i])));
	near = is_glob(name) ? NULL : nearest(name, names.v, names.n);
	diag_error(E_NO_FILE, c->loc, "no library \"%s\" of %s%s", name, module_path(program),
		   near ? xprintf("; did you mean \"%s\"?", near) : "");
	for (size_t i = 0; i < names.n && i < 8; i++)
		sb_printf(&list, "%s%s", i ? ", " : "", names.v[i]);
	if (!near)
		diag_hint(names.n ? "it needs %s%s" : "it needs no libraries", list.s,
			  names.n > 8 ? ", ..." : "");
}

bool library_modules(struct module *program, const struct point_comp *c, bool quiet,
		     module_vec *out)
{
	const char *name = c->arg->str.s, *path;
	module_vec all = {0};
	name_vec paths = {0};
	size_t before = out->n;
	struct module *m;

	module_libraries(program, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		m = module_get(paths.v[i], c->loc);
		if (m)
			vec_push(&all, m);
		if (m && is_named(m, name))
			vec_push(out, m);
	}
	path = out->n == before && !is_glob(name) ? module_find_library(program, name) : NULL;
	m = path ? module_get(path, c->loc) : NULL;
	if (m)
		vec_push(out, m);
	if (out->n == before && !path && !quiet)
		no_library(program, c, &all);
	return out->n > before;
}
