/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .function("NAME[@FILE[:LINE]]"), .function(ADDRESS): functions of user-space programs and
 * libraries and, unless .call, .return or .exported is asked for, their inlined instances; labels
 * in functions.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "process_point.h"
#include "dwarf/code_locations.h"
#include "session.h"

/* "name@file:line" to its parts; false after an error. */
static bool parse_pattern(const struct point_comp *c, struct func_pattern *pat)
{
	const char *text = c->arg->str.s, *at = strchr(text, '@'), *colon;
	char *end;
	long line;

	*pat = (struct func_pattern){.func = at ? xstrndup(text, (size_t)(at - text)) : text};
	if (!*pat->func) {
		diag_error(E_PROBE_POINT, c->arg->loc, "the pattern has no function name");
		diag_hint("use \"*\" for all functions");
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

/* Functions that a pattern selects, by the component that follows it. */
enum which { ALL, CALLS, INLINED, EXPORTED };

static void no_function(struct module *m, const struct point_comp *c,
			const struct func_pattern *pat, enum which which)
{
	bool indirect = module_has_indirect(m, pat->func);
	const char *near = indirect || module_inlines(m, pat->func) ? NULL : module_suggest(m, pat);
	const char *guess = near ? xprintf("; did you mean \"%s\"?", near) : "";

	diag_error(E_NO_FUNCTION, c->loc, "no %sfunction \"%s\" in %s%s",
		   which == INLINED    ? "inlined "
		   : which == EXPORTED ? "exported "
				       : "",
		   c->arg->str.s, module_path(m), guess);
	if (indirect) {
		diag_hint("its code is chosen when a program is linked to it (IFUNC), and is not "
			  "known "
			  "before;");
		diag_hint("calls of a program: process(\"PROGRAM\").plt(\"%s\")", pat->func);
		return;
	}
	if (module_script(m))
		diag_hint("%s is a script that %s runs", module_script(m), module_path(m));
	if (pat->file && !module_has_dwarf(m)) {
		diag_hint("%s has no debug information, so its source files are not known",
			  module_path(m));
		return;
	}
	if (which == CALLS && module_inlines(m, pat->func)) {
		diag_hint("the compiler inlined it everywhere: probe .function(\"%s\") without .%s",
			  c->arg->str.s, "call or .return");
		return;
	}
	if (which != EXPORTED && module_is_stripped(m))
		diag_hint("only functions that it exports are known, as %s has no symbol table; %s",
			  module_path(m), module_debuginfo_hint(m));
	if (!near && !is_glob(pat->func))
		diag_hint("list them: ustap -l '%s.function(\"*\")'", point_of_module(m));
}

/* Per cent of the code of a stripped program. Some export most of their functions (Debian's bash 60
 * per cent of its code, python3 16), others a few by accident (tar 2, git none), of which a pattern
 * would find next to nothing without a word. Libraries are asked for what they export. */
enum { FEW_EXPORTED = 10 };

static void warn_of_stripped(const module_vec *modules, const struct point_comp *c,
			     const struct func_pattern *pat, enum which which)
{
	if (!is_glob(pat->func) || which == EXPORTED || c->loc.src->library)
		return;
	for (size_t i = 0; i < modules->n; i++) {
		struct module *m = modules->v[i];

		unsigned named;

		if (!module_may_be_program(m) || !module_is_stripped(m))
			continue;
		named = module_named_code(m);
		if (named >= FEW_EXPORTED)
			continue;
		diag_warn(W_STRIPPED, c->loc,
			  "\"%s\" matches only functions that %s exports, %u %% of its code",
			  c->arg->str.s, module_path(m), named);
		diag_hint("the others need a symbol table or debug information: %s",
			  module_debuginfo_hint(m));
	}
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

static enum which which(const struct point *pt)
{
	const char *last = pt->comps.v[pt->comps.n - 1].name;

	return !strcmp(last, "inline")     ? INLINED
	       : !strcmp(last, "exported") ? EXPORTED
	       : strcmp(last, "function")  ? CALLS
					   : ALL;
}

static void keep_exported(function_vec *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (v->v[i]->exported)
			v->v[n++] = v->v[i];
	v->n = n;
}

static void find_functions(struct module *m, const struct func_pattern *pat, enum which which,
			   function_vec *found)
{
	if (which != INLINED)
		module_functions(m, pat, found);
	if (which == EXPORTED)
		keep_exported(found);
	if (which == ALL || which == INLINED)
		module_inlined(m, pat, found);
}

bool point_functions(struct session *s, const struct point *pt, bool quiet, function_vec *out)
{
	const struct point_comp *c = point_comp(pt, "function");
	struct func_pattern pat;
	module_vec modules = {0};

	if (!parse_pattern(c, &pat) || !point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		find_functions(modules.v[i], &pat, ALL, out);
	if (!out->n && !quiet)
		no_function(modules.v[0], c, &pat, ALL);
	return out->n;
}

bool points_of_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "function");
	struct func_pattern pat;
	function_vec found = {0};
	module_vec modules = {0};

	if (!parse_pattern(c, &pat) || !point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		find_functions(modules.v[i], &pat, which(pt), &found);
	if (!found.n && !quiet)
		no_function(modules.v[0], c, &pat, which(pt));
	else if (!quiet)
		warn_of_stripped(&modules, c, &pat, which(pt));
	return add_functions(s, k, decl, pt, &found, quiet);
}

/* function(ADDRESS): the one that has code there. */
static bool resolve_address(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			    const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "function");
	uint64_t addr = (uint64_t)c->arg->num;
	module_vec modules = {0};
	function_vec found = {0};

	if (!point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++) {
		const struct function *f = module_is_text(modules.v[i], addr)
						   ? module_function_at(modules.v[i], addr)
						   : NULL;

		if (f && *f->name)
			vec_push(&found, (struct function *)f);
	}
	if (!found.n && !quiet)
		diag_error(E_NO_FUNCTION, c->loc, "no function of %s has code at address %#llx",
			   module_path(modules.v[0]), (unsigned long long)addr);
	return add_functions(s, k, decl, pt, &found, quiet);
}

/* -------------------------------------------------------------- labels */

static void no_label(const struct point_comp *c, const function_vec *functions)
{
	label_vec all = {0};
	name_vec names = {0};
	struct strbuf list = {0};

	for (size_t i = 0; i < functions->n; i++)
		function_labels(functions->v[i], "*", &all);
	for (size_t i = 0; i < all.n && i < 8; i++)
		sb_printf(&list, "%s%s", i ? ", " : "", all.v[i].name);
	for (size_t i = 0; i < all.n; i++)
		vec_push(&names, all.v[i].name);
	diag_error(E_NO_FUNCTION, c->loc, "no label \"%s\" in these functions", c->arg->str.s);
	if (all.n)
		diag_hint("their labels are %s%s", list.s, all.n > 8 ? ", ..." : "");
	else
		diag_hint("their debug information has no labels");
}

static bool add_label(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		      const struct point *pt, const struct code_label *l, bool quiet)
{
	struct spot spot = {
		.f = module_scope_at(l->f->mod, l->addr), .addr = l->addr, .why = "the label's"};

	spot.pp = xprintf("%s.function(\"%s@%s:%d\").label(\"%s\")", point_of_module(l->f->mod),
			  l->f->name, l->f->file ? l->f->file : "?", l->line, l->name);
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

bool points_of_label(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "function"), *l = point_comp(pt, "label");
	int errors = diag_errors();
	struct func_pattern pat;
	function_vec found = {0};
	module_vec modules = {0};
	label_vec labels = {0};
	bool any = false;

	if (!parse_pattern(c, &pat) || !point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		find_functions(modules.v[i], &pat, ALL, &found);
	for (size_t i = 0; i < found.n; i++)
		function_labels(found.v[i], l->arg->str.s, &labels);
	if (!found.n && !quiet)
		no_function(modules.v[0], c, &pat, ALL);
	else if (!labels.n && !quiet)
		no_label(l, &found);
	for (size_t i = 0; i < labels.n; i++)
		any |= add_label(s, k, decl, pt, &labels.v[i], quiet);
	return any && errors == diag_errors();
}

#define KIND(text, ret, fn)                                                                    \
	{                                                                                      \
		.pattern = "process(p).library(l)." text, .has_sites = true, .is_return = ret, \
		.resolve = fn                                                                  \
	}
const struct probe_kind probe_functions[] = {
	KIND("function(s)", false, points_of_function),
	KIND("function(s).call", false, points_of_function),
	KIND("function(s).inline", false, points_of_function),
	KIND("function(s).exported", false, points_of_function),
	KIND("function(s).return", true, points_of_function),
	KIND("function(n)", false, resolve_address),
	KIND("function(n).call", false, resolve_address),
	KIND("function(n).return", true, resolve_address),
	KIND("function(s).label(s)", false, points_of_label),
	{0},
};

/* ustap-probes.7, FUNCTIONS
.TP
.BI .function(\(dqNAME\(dq)
The entry of the function, and the entries of its inlined instances.
.IP
.I NAME
is a name of C, or a name of C++, Rust or Go as in the source, of which leading parts may be
omitted
.RB ( f ", " Class::f ", " ns::Class::f(int) ", " crate::module::f ", " main.(*T).Method );
with
.BI @ FILE
only in this source file, with
.BI @ FILE : LINE
only the function that has code at this line. Wildcards are allowed.
.TP
.BI .function( ADDRESS )
The function that contains this address of the file.
.TP
.BI .function(\(dqNAME\(dq).call "\fR, " .function( ADDRESS ).call
Without inlined instances.
.TP
.BI .function(\(dqNAME\(dq).inline
Only inlined instances.
.TP
.BI .function(\(dqNAME\(dq).exported
Only functions that other modules can call.
.TP
.BI .function(\(dqNAME\(dq).return "\fR, " .function( ADDRESS ).return
The return of the function; inlined instances have no return probes. Functions of Go and OCaml are
probed at their return instructions, so the probe does not fire when a panic or an exception leaves
the function. Functions that may return more than once for a call, as
.BR setjmp (3)
does, and code that is not called, as that of Haskell, have no return probes. Several results of Go
are
.IR $name ", or " $~r0 " and " $~r1
if they have no names.
.TP
.BI .function(\(dqNAME\(dq).label(\(dqNAME\(dq)
A label of C that the debug information contains.
*/
