/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.function("NAME") and its like, kprobe.function("NAME"), kernel.trace("NAME"): functions and tracepoints of the
 * kernel.
 *
 * Their names and parameters are those of the kernel's BTF, where the kernel is a module like others (dwarf/kernel.c);
 * where they are is found out by the kernel when the script is loaded.  kprobe.function() takes any symbol as it is and
 * knows nothing of its parameters.
 */
#include <string.h>
#include "dwarf/btf.h"
#include "probe/probe.h"

/* The process's memory map may be locked by what is interrupted. */
static bool walks_user_stack(struct probe_decl *decl, bool quiet)
{
	const struct node *found = stack_call(decl->body);

	if (found && !quiet) {
		diag_error(E_UNSUPPORTED, found->loc, "%s cannot be called in probes of the kernel", found->call.name);
		diag_hint("backtrace(), print_backtrace() and symname() tell of the kernel's stack");
	}
	return found;
}

/* The kernel's functions; NULL: there are none for this script. */
static struct module *kernel(const struct session *s, struct probe_decl *decl, const struct point *pt, bool quiet)
{
	if (walks_user_stack(decl, quiet))
		return NULL;
	if (s->opt.runtime != RT_USER)
		return module_kernel(pt->loc);
	if (!quiet) {
		diag_error(E_UNSUPPORTED, pt->loc, "%s needs the kernel runtime", point_text(pt));
		diag_hint("use --runtime=kernel; a point marked ? may be missing");
	}
	return NULL;
}

/* ------------------------------------------------------------ functions */

static bool is_tracepoint(const struct function *f) { return !strncmp(f->name, BTF_TRACE, strlen(BTF_TRACE)); }

/* Of those found, the functions or the tracepoints; what BTF calls alike is one. */
static void keep(function_vec *v, bool tracepoints)
{
	struct smap seen = {0};
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (is_tracepoint(v->v[i]) != tracepoints || smap_get(&seen, v->v[i]->name))
			continue;
		smap_put(&seen, v->v[i]->name, v->v[i]);
		v->v[n++] = v->v[i];
	}
	v->n = n;
}

static void no_function(struct module *m, const struct point_comp *c, const struct func_pattern *pat)
{
	const char *near = module_suggest(m, pat);

	diag_error(E_NO_FUNCTION, c->loc, "no function \"%s\" in the kernel%s", pat->func,
		   near ? xprintf("; did you mean \"%s\"?", near) : "");
	if (!near && !is_glob(pat->func))
		diag_hint("functions that the compiler inlined everywhere have no place; kprobe.function(\"%s\") takes any symbol",
			  pat->func);
}

/* The functions that C names. */
static bool find_functions(struct module *m, const struct point_comp *c, bool quiet, function_vec *out)
{
	struct func_pattern pat = {.func = c->arg->str.s};

	if (strchr(pat.func, '@')) {
		if (!quiet) {
			diag_error(E_UNSUPPORTED, c->loc, "source files of the kernel are not known: its BTF does not name them");
			diag_hint("name the function alone, or several by a wildcard, \"vfs_*\"");
		}
		return false;
	}
	module_functions(m, &pat, out);
	keep(out, false);
	if (!out->n && !quiet)
		no_function(m, c, &pat);
	return out->n;
}

static const char *point_name(const struct point *pt, const char *name)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < pt->comps.n; i++) {
		const struct point_comp *c = &pt->comps.v[i];

		sb_printf(&sb, "%s%s", i ? "." : "", c->name);
		if (c->arg && c->arg->kind == N_STR)
			sb_printf(&sb, "(\"%s\")", name);
	}
	return sb.s;
}

static bool resolve_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			     const struct point *pt, bool quiet)
{
	struct module *m = kernel(s, decl, pt, quiet);
	int errors = diag_errors();
	function_vec found = {0};
	bool any = false;

	if (!m || !find_functions(m, point_comp(pt, "function"), quiet, &found))
		return false;
	for (size_t i = 0; i < found.n; i++) {
		const struct function *f = found.v[i];
		struct spot spot = {.f = f, .addr = f->entry, .symbol = f->name, .pp = point_name(pt, f->name),
				    .any = is_glob(point_comp(pt, "function")->arg->str.s), .why = "the function's first"};

		any |= target_add_spot(s, k, decl, pt, &spot, quiet);
	}
	return any && errors == diag_errors();
}

/* ------------------------------------------------------------- symbols */

static bool resolve_symbol(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			   const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "function");
	struct module *m = kernel(s, decl, pt, quiet);
	struct function *f = xalloc(sizeof *f);
	struct spot spot = {.f = f, .symbol = c->arg->str.s, .pp = point_text(pt), .why = "the symbol's"};

	if (!m)
		return false;
	if (is_glob(spot.symbol) || !*spot.symbol) {
		if (!quiet)
			diag_error(E_PROBE_POINT, c->loc, "kprobe.function takes the name of one symbol");
		return false;
	}
	*f = (struct function){.mod = m, .name = spot.symbol, .linkage = spot.symbol};
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

/* ----------------------------------------------------------- tracepoints */

static bool resolve_trace(struct session *s, const struct probe_kind *k, struct probe_decl *decl, const struct point *pt,
			  bool quiet)
{
	const struct point_comp *c = point_comp(pt, "trace");
	const char *colon = strchr(c->arg->str.s, ':'), *name = colon ? colon + 1 : c->arg->str.s;
	struct module *m = kernel(s, decl, pt, quiet);
	struct func_pattern pat = {.func = xprintf(BTF_TRACE "%s", name)};
	int errors = diag_errors();
	function_vec found = {0};
	bool any = false;

	if (!m)
		return false;
	module_functions(m, &pat, &found);
	keep(&found, true);
	if (!found.n && !quiet) {
		const char *near = module_suggest(m, &pat);

		diag_error(E_NO_FUNCTION, c->loc, "no tracepoint \"%s\" in the kernel%s", name,
			   near && !strncmp(near, BTF_TRACE, strlen(BTF_TRACE))
				   ? xprintf("; did you mean \"%s\"?", near + strlen(BTF_TRACE)) : "");
	}
	for (size_t i = 0; i < found.n; i++) {
		struct function *f = found.v[i];
		struct spot spot = {.f = f, .addr = f->entry, .any = is_glob(name), .why = "what the tracepoint calls"};

		spot.symbol = f->name += strlen(BTF_TRACE);
		spot.pp = point_name(pt, f->name);
		any |= target_add_spot(s, k, decl, pt, &spot, quiet);
	}
	return any && errors == diag_errors();
}

/* -------------------------------------------------------------- families */

#define KIND(text, ret, fn, ...)                                                                                       \
	{                                                                                                              \
		.pattern = text, .has_sites = true, .is_return = ret, .in_irq = true, .in_kernel = true,               \
		.lacking = 1u << RT_USER, .resolve = fn, __VA_ARGS__                                                   \
	}
const struct probe_kind probe_kernels[] = {
	KIND("kernel.function(s)", false, resolve_function),
	KIND("kernel.function(s).call", false, resolve_function),
	KIND("kernel.function(s).return", true, resolve_function),
	KIND("kernel.function(s).return.maxactive(n)", true, resolve_function),
	KIND("kprobe.function(s)", false, resolve_symbol),
	KIND("kprobe.function(s).call", false, resolve_symbol),
	KIND("kprobe.function(s).return", true, resolve_symbol),
	KIND("kprobe.function(s).return.maxactive(n)", true, resolve_symbol),
	KIND("kernel.trace(s)", false, resolve_trace, .is_trace = true),
};
