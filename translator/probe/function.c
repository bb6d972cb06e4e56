/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .function("NAME[@FILE[:LINE]]"), .call, .return: functions of user-space programs and libraries. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "probe/process.h"

/* "name@file:line" to its parts; false after an error. */
static bool parse_pattern(const struct point_comp *c, struct func_pattern *pat)
{
	const char *text = c->arg->str.s, *at = strchr(text, '@'), *colon;
	char *end;
	long line;

	*pat = (struct func_pattern){.func = at ? xstrndup(text, (size_t)(at - text)) : text};
	if (!*pat->func) {
		diag_error(E_PROBE_POINT, c->arg->loc, "no function is named");
		diag_hint("\"*\" stands for all");
		return false;
	}
	if (!at)
		return true;
	colon = strrchr(at, ':');
	pat->file = xstrndup(at + 1, colon ? (size_t)(colon - at - 1) : strlen(at + 1));
	if (!colon)
		return true;
	line = strtol(colon + 1, &end, 10);
	if (end == colon + 1 || *end || line <= 0 || line > INT_MAX) {
		diag_error(E_PROBE_POINT, c->arg->loc, "\"%s\" is not a line number", colon + 1);
		return false;
	}
	pat->line = (int)line;
	return true;
}

static void no_function(struct module *m, const struct point_comp *c,
			const struct func_pattern *pat)
{
	const char *near = module_inlines(m, pat->func) ? NULL : module_suggest(m, pat);
	const char *guess = near ? xprintf("; did you mean \"%s\"?", near) : "";

	diag_error(E_NO_FUNCTION, c->loc, "no function \"%s\" in %s%s", c->arg->str.s,
		   module_path(m), guess);
	if (pat->file && !module_has_dwarf(m))
		diag_hint("%s has no debug information, so its source files are not known",
			  module_path(m));
	else if (module_inlines(m, pat->func))
		diag_hint("the compiler inlined it everywhere; probes on inlined functions are not "
			  "supported yet");
}

static bool add_functions(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			  const struct point *pt, function_vec *found, bool quiet)
{
	int errors = diag_errors();
	bool any = false;

	for (size_t i = 0; i < found->n; i++)
		any |= target_add_site(s, k, decl, pt, found->v[i], quiet);
	return any && errors == diag_errors();
}

static bool resolve_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			     const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "function");
	struct func_pattern pat;
	function_vec found = {0};
	module_vec modules = {0};

	if (!parse_pattern(c, &pat) || !point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		module_functions(modules.v[i], &pat, &found);
	if (!found.n && !quiet)
		no_function(modules.v[0], c, &pat);
	return add_functions(s, k, decl, pt, &found, quiet);
}

#define FUNCTION(text, ret)                                                                        \
	{                                                                                          \
		.pattern = "process(p).library(l)." text, .has_sites = true, .is_return = ret,     \
		.resolve = resolve_function                                                        \
	}
const struct probe_kind probe_functions[] = {
    FUNCTION("function(s)", false),
    FUNCTION("function(s).call", false),
    FUNCTION("function(s).return", true),
};
