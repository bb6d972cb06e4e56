/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors about functions, modules and tracepoints that the kernel does not have, with hints on
 * alternatives. */
#include <string.h>
#include "dwarf/kernel/btf.h"
#include "process_point.h"

static const char *guess(const char *near)
{
	return near ? xprintf("; did you mean \"%s\"?", near) : "";
}

static const char *where_text(const struct point *pt)
{
	const struct point_comp *c = point_comp(pt, "module");

	return c ? xprintf("module %s", c->arg->str.s) : "the kernel";
}

/* ------------------------------------------------------------ functions */

/* "ext4_readdir" may be in ext4: the module whose name is the first word of NAME, and that has such
 * a function. */
static const char *module_with(const char *name, struct loc loc)
{
	struct func_pattern pat = {.func = name};
	function_vec found = {0};
	name_vec names = {0};
	struct module *m;

	kmodule_names(xstrndup(name, strcspn(name, "_*?[")), &names);
	m = names.n == 1 ? module_kmodule(names.v[0], loc) : NULL;
	if (m)
		module_functions(m, &pat, &found);
	return found.n ? names.v[0] : NULL;
}

/* "sys_open" was a function once; NULL if it is not the function of a system call. */
static const char *system_call(const char *name)
{
	static const char *const prefixes[] = {"sys_",      "SyS_",      "__x64_sys_",
					       "__do_sys_", "__se_sys_", "do_sys_"};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])) &&
		    syscall_is_known(name + strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

static void hint_exported(const struct func_pattern *pat)
{
	if (!kernel_lists_exports())
		diag_hint("exported functions are listed in Module.symvers of the kernel's "
			  "headers, which are not installed");
	else
		diag_hint("use .function(\"%s\") for a function that is not exported to modules",
			  pat->func);
}

/* A hint on NAME, for which no module was given, if its alternative is certain; else NULL. */
static const char *sure_hint(const char *name, struct loc loc)
{
	const char *module = module_with(name, loc), *call = system_call(name);

	if (module)
		return xprintf("it is in module %s: module(\"%s\").function(\"%s\")", module,
			       module, name);
	if (call)
		return xprintf(
			"for the system call, use syscall.%s, nd_syscall.%s and their .return",
			call, call);
	return strchr(name, '(') ? "give the name without parentheses" : NULL;
}

void kernel_no_function(const module_vec *v, const struct point *pt)
{
	const struct point_comp *c = point_comp(pt, "function");
	struct func_pattern pat = {.func = c->arg->str.s};
	bool exported = point_comp(pt, "exported"), named = point_comp(pt, "module");
	const char *sure = exported || named ? NULL : sure_hint(pat.func, c->loc),
		   *near = v->n == 1 && !sure ? module_suggest(v->v[0], &pat) : NULL;

	diag_error(E_NO_FUNCTION, c->loc, "no %sfunction \"%s\" in %s%s",
		   exported ? "exported " : "", pat.func, where_text(pt), guess(near));
	if (exported)
		hint_exported(&pat);
	else if (sure)
		diag_hint("%s", sure);
	else if (!named && is_glob(pat.func))
		diag_hint("for functions of modules, use module(\"MODULE\").function(\"%s\")",
			  pat.func);
	else if (!named && !near)
		diag_hint("functions that the compiler inlined everywhere have no probe site; "
			  "kprobe.function(\"%s\") takes any symbol, "
			  "module(\"MODULE\").function(\"%s\") functions of modules",
			  pat.func, pat.func);
}

/* -------------------------------------------------------------- modules */

void kernel_no_module(const struct point_comp *c)
{
	const char *name = c->arg->str.s, *end = strstr(name, ".ko"), *near;

	if (kmodule_is_builtin(name)) {
		diag_error(E_NO_FILE, c->loc, "module \"%s\" is built into the kernel", name);
		diag_hint("use kernel.function(...) for its functions");
		return;
	}
	near = kmodule_suggest(end ? xstrndup(name, (size_t)(end - name)) : name);
	diag_error(E_NO_FILE, c->loc, "the kernel has no module \"%s\"%s", name, guess(near));
	diag_hint("searched: /lib/modules of the probed kernel");
}

/* ---------------------------------------------------------- tracepoints */

/* The name nearest to NAME of the tracepoints in V. */
static const char *nearest_tracepoint(const module_vec *v, const char *name)
{
	struct func_pattern all = {.func = BTF_TRACE "*"};
	function_vec found = {0};
	name_vec names = {0};

	for (size_t i = 0; i < v->n; i++)
		module_functions(v->v[i], &all, &found);
	for (size_t i = 0; i < found.n; i++)
		vec_push(&names,
			 found.v[i]->name + (strncmp(found.v[i]->name, BTF_TRACE, strlen(BTF_TRACE))
						     ? 0
						     : strlen(BTF_TRACE)));
	return is_glob(name) ? NULL : nearest(name, names.v, names.n);
}

void kernel_no_tracepoint(const module_vec *v, const struct point *pt, const char *name)
{
	const struct point_comp *trace = point_comp(pt, "trace"),
				*c = trace ? trace : point_comp(pt, "tracepoint");
	const char *near = nearest_tracepoint(v, name),
		   *system = near && strchr(c->arg->str.s, ':') ? kernel_trace_system(near) : NULL;

	diag_error(E_NO_FUNCTION, c->loc, "no tracepoint \"%s\" in %s%s", c->arg->str.s,
		   where_text(pt), guess(system ? xprintf("%s:%s", system, near) : near));
	if (!point_comp(pt, "module"))
		diag_hint("for a tracepoint of a module, name the module: "
			  "kernel.trace(\"MODULE:%s\"), module(\"MODULE\").trace(\"%s\")",
			  name, name);
}
