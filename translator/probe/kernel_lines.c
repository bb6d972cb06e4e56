/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points of the kernel that only its debug package knows: lines, files, labels, instances of inlined functions, callees.
 *
 * With it the kernel is a program at a fixed address, and they are resolved as those of a process.
 */
#include <string.h>
#include "probe/process.h"

static bool refuse(const struct point *pt, bool quiet, const char *message, const char *hint)
{
	if (!quiet) {
		diag_error(E_UNSUPPORTED, pt->loc, "%s", message);
		diag_hint("%s", hint);
	}
	return false;
}

bool kernel_lines_modules(const struct point *pt, bool quiet, module_vec *out)
{
	struct module *m;

	if (point_comp(pt, "module"))
		return refuse(pt, quiet, "lines and files of the kernel's modules are not known",
			      "functions of modules are probed by name: module(\"m\").function(\"f\")");
	m = module_kernel_debug(pt->loc, quiet);
	if (m)
		vec_push(out, m);
	return m;
}

static bool with(points_fn *fn, struct session *s, const struct probe_kind *k, struct probe_decl *decl, const struct point *pt,
		 bool quiet)
{
	return kernel_allows(s, decl, pt, quiet) && fn(s, k, decl, pt, quiet);
}

static bool resolve_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl, const struct point *pt, bool quiet)
{
	return with(points_of_function, s, k, decl, pt, quiet);
}

static bool resolve_label(struct session *s, const struct probe_kind *k, struct probe_decl *decl, const struct point *pt, bool quiet)
{
	return with(points_of_label, s, k, decl, pt, quiet);
}

static bool resolve_lines(struct session *s, const struct probe_kind *k, struct probe_decl *decl, const struct point *pt, bool quiet)
{
	return with(points_of_lines, s, k, decl, pt, quiet);
}

static bool resolve_address(struct session *s, const struct probe_kind *k, struct probe_decl *decl, const struct point *pt, bool quiet)
{
	return with(points_of_address, s, k, decl, pt, quiet);
}

static bool resolve_callees(struct session *s, const struct probe_kind *k, struct probe_decl *decl, const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "callees");

	if (c && c->arg && c->arg->num > 1)
		return refuse(pt, quiet, "callees in the kernel are known one call deep", "write .callees");
	return with(points_of_callees, s, k, decl, pt, quiet);
}

#define KIND(text, ret, fn)                                                                                            \
	{                                                                                                              \
		.pattern = "kernel." text, .has_sites = true, .is_return = ret, .in_irq = true, .in_kernel = true,     \
		.lacking = 1u << RT_USER, .resolve = fn                                                                \
	}
const struct probe_kind probe_kernel_lines[] = {
	KIND("function(s).inline", false, resolve_function),
	KIND("function(s).label(s)", false, resolve_label),
	KIND("function(s).callee(s)", false, resolve_callees),
	KIND("function(s).callee(s).call", false, resolve_callees),
	KIND("function(s).callee(s).return", true, resolve_callees),
	KIND("function(s).callees(n?)", false, resolve_callees),
	KIND("statement(s)", false, resolve_lines),
	KIND("statement(s).nearest", false, resolve_lines),
	KIND("statement(n)", false, resolve_address),
	KIND("statement(n).nearest", false, resolve_address),
};
