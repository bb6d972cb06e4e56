/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.function("NAME") and its variants, module("M").function("NAME"), kprobe.function("NAME"),
 * kernel.trace("NAME"): functions and tracepoints of the kernel and of its modules.
 *
 * Their names and parameters are those of BTF, where the kernel is a module like others
 * (dwarf/kernel.c, kmodule.c); where they are is found out by the kernel when the script is loaded.
 * kprobe.function() takes any symbol as it is and knows nothing of its parameters.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "dwarf/kernel/btf.h"
#include "process_point.h"
#include "sema/sema.h"
#include "session.h"

bool kernel_allows(const struct session *s, const struct point *pt, bool quiet)
{
	if (s->opt.runtime == RT_USER && !quiet) {
		diag_error(E_UNSUPPORTED, pt->loc, "%s needs the kernel runtime", point_text(pt));
		diag_hint("use --runtime=kernel, or make the probe point optional with ?");
	}
	return s->opt.runtime != RT_USER;
}

/* The kernel's functions; NULL if the script cannot probe them. */
static struct module *kernel(const struct session *s, const struct point *pt, bool quiet)
{
	return kernel_allows(s, pt, quiet) ? module_kernel(pt->loc) : NULL;
}

/* ------------------------------------------------------------ functions */

static bool is_tracepoint(const struct function *f)
{
	return !strncmp(f->name, BTF_TRACE, strlen(BTF_TRACE));
}

/* Keep the functions or the tracepoints of V, and one of several with the same name in BTF. */
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

/* A distribution's kernel has thousands, and what each has is read and kept when somebody asks
 * first. */
static void open_modules(const name_vec *names, struct loc loc, module_vec *out)
{
	time_t begin = time(NULL);
	bool said = false;

	for (size_t i = 0; i < names->n; i++) {
		struct module *m = module_kmodule(names->v[i], loc);

		if (m)
			vec_push(out, m);
		if (!said && time(NULL) > begin + 2) {
			fprintf(stderr, "ustap: reading %zu modules of the kernel, once\n",
				names->n);
			said = true;
		}
	}
}

/* The modules that PT means: the kernel alone, or some of its modules. */
static bool modules_of(const struct session *s, const struct point *pt, bool quiet, module_vec *out)
{
	const struct point_comp *c = point_comp(pt, "module");
	struct module *m = kernel(s, pt, quiet);
	name_vec names = {0};

	if (!m)
		return false;
	if (!c) {
		vec_push(out, m);
		return true;
	}
	kmodule_names(c->arg->str.s, &names);
	if (!names.n && !quiet)
		kernel_no_module(c);
	open_modules(&names, pt->loc, out);
	return out->n;
}

static void keep_exported(function_vec *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (kernel_exports(module_kmodule_name(v->v[i]->mod), v->v[i]->name))
			v->v[n++] = v->v[i];
	v->n = n;
}

/* The functions of V that C names. */
static bool find_functions(const module_vec *v, const struct point *pt, bool quiet,
			   function_vec *out)
{
	const struct point_comp *c = point_comp(pt, "function");
	struct func_pattern pat = {.func = c->arg->str.s};

	for (size_t i = 0; i < v->n; i++) {
		function_vec found = {0};

		module_functions(v->v[i], &pat, &found);
		keep(&found, false);
		if (point_comp(pt, "exported"))
			keep_exported(&found);
		for (size_t k = 0; k < found.n; k++)
			vec_push(out, found.v[k]);
	}
	if (!out->n && !quiet)
		kernel_no_function(v, pt);
	return out->n;
}

static const char *point_name(const struct point *pt, const struct function *f, const char *name)
{
	const char *module = module_kmodule_name(f->mod);
	struct strbuf sb = {0};

	for (size_t i = 0; i < pt->comps.n; i++) {
		const struct point_comp *c = &pt->comps.v[i];

		sb_printf(&sb, "%s%s", i ? "." : "", c->name);
		if (c->arg && c->arg->kind == N_STR)
			sb_printf(&sb, "(\"%s\")", !strcmp(c->name, "module") ? module : name);
	}
	return sb.s;
}

/* The kernel's symbol for F. */
static const char *kernel_symbol(const struct function *f)
{
	const char *module = module_kmodule_name(f->mod);

	return module ? xprintf("%s:%s", module, f->linkage) : f->name;
}

static struct function *by_debug_package(const struct function *f)
{
	const char *name = module_kmodule_name(f->mod);
	struct module *m = name ? module_kmodule_debug(name, (struct loc){0}, true)
				: module_kernel_debug((struct loc){0}, true);
	struct func_pattern pat = {.func = f->name};
	function_vec found = {0};

	if (m)
		module_functions(m, &pat, &found);
	return found.n ? found.v[0] : NULL;
}

/* BTF knows the parameters; for other variables the debug package is asked, if it is installed. */
static bool add_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			 const struct point *pt, const struct spot *spot, bool quiet)
{
	struct spot other = *spot;

	if (target_add_spot(s, k, decl, pt, spot, true))
		return true;
	other.f = by_debug_package(spot->f);
	if (!other.f)
		return target_add_spot(s, k, decl, pt, spot, quiet);
	other.addr = other.f->entry;
	other.symbol = NULL;
	other.named = false;
	return target_add_spot(s, k, decl, pt, &other, quiet);
}

/* Marked ?, itself or as a part of an alias: that the kernel refuses it is not told of it alone. */
static bool may_lack(const struct point *pt, bool quiet)
{
	return pt->optional || (quiet && !pt->sufficient);
}

static bool resolve_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			     const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "module");
	int errors = diag_errors();
	function_vec found = {0};
	module_vec modules = {0};
	bool any = false;

	/* BTF names no files */
	if (strchr(point_comp(pt, "function")->arg->str.s, '@'))
		return kernel_allows(s, pt, quiet) && points_of_function(s, k, decl, pt, quiet);
	if (!modules_of(s, pt, quiet, &modules) || !find_functions(&modules, pt, quiet, &found))
		return false;
	for (size_t i = 0; i < found.n; i++) {
		const struct function *f = found.v[i];
		struct spot spot = {.f = f,
				    .addr = f->entry,
				    .symbol = kernel_symbol(f),
				    .pp = point_name(pt, f, f->name),
				    .any = is_glob(point_comp(pt, "function")->arg->str.s) ||
					   (c && is_glob(c->arg->str.s)) || may_lack(pt, quiet),
				    .named = true,
				    .why = "the function's first"};

		any |= add_function(s, k, decl, pt, &spot, quiet);
	}
	return any && errors == diag_errors();
}

/* ------------------------------------------------------------- symbols */

/* A place in M of which nothing is known but SYMBOL. */
static bool add_symbol(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		       const struct point *pt, bool quiet, struct module *m, const char *symbol)
{
	struct function *f = xalloc(sizeof *f);
	struct spot spot = {.f = f,
			    .symbol = symbol,
			    .pp = point_text(pt),
			    .any = may_lack(pt, quiet),
			    .why = "the symbol's"};

	*f = (struct function){.mod = m, .name = symbol, .linkage = symbol};
	if (!point_comp(pt, "function"))
		spot.pp = xprintf("%s.statement(%s).absolute", pt->comps.v[0].name, symbol);
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

/* "NAME:", as the kernel writes it in front of a symbol of its module. */
static const char *module_prefix(const char *name)
{
	char *prefix = xprintf("%s:", name);

	for (char *c = prefix; *c; c++)
		if (*c == '-')
			*c = '_';
	return prefix;
}

/* A text that begins with a digit would be an address, which kprobe.statement takes. */
static bool is_symbol(const char *name)
{
	return *name && !isdigit((unsigned char)*name) && !is_glob(name);
}

static void not_one_symbol(const struct point_comp *c, const struct point_comp *module)
{
	if (module) {
		diag_error(E_PROBE_POINT, c->loc,
			   "kprobe.module takes the name of one module and of one symbol");
		diag_hint("for wildcards, use module(\"%s\").function(\"%s\")", module->arg->str.s,
			  c->arg->str.s);
	} else {
		diag_error(E_PROBE_POINT, c->loc, "kprobe.function takes the name of one symbol");
		if (isdigit((unsigned char)*c->arg->str.s))
			diag_hint("for an address, use kprobe.statement(ADDRESS).absolute");
		else
			diag_hint("for wildcards, use kernel.function(\"%s\")", c->arg->str.s);
	}
}

static bool resolve_symbol(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			   const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "function"), *of = point_comp(pt, "module");
	struct module *m = kernel(s, pt, quiet);
	const char *symbol = c->arg->str.s;

	if (!m)
		return false;
	if (!is_symbol(symbol) || (of && (is_glob(of->arg->str.s) || !*of->arg->str.s))) {
		if (!quiet)
			not_one_symbol(c, of);
		return false;
	}
	if (of)
		symbol = xprintf("%s%s", module_prefix(of->arg->str.s), symbol);
	return add_symbol(s, k, decl, pt, quiet, m, symbol);
}

/* Guru mode only: ustap cannot check that an instruction begins at the address. */
static bool resolve_statement(struct session *s, const struct probe_kind *k,
			      struct probe_decl *decl, const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "statement");
	struct module *m = kernel(s, pt, quiet);

	if (!m)
		return false;
	if (!s->opt.guru) {
		if (!quiet) {
			diag_error(E_GURU, c->loc, "%s.statement needs guru mode",
				   pt->comps.v[0].name);
			diag_hint("use -g; an address in the middle of an instruction can crash "
				  "the kernel");
		}
		return false;
	}
	return add_symbol(s, k, decl, pt, quiet, m,
			  xprintf("%#llx", (unsigned long long)c->arg->num));
}

/* ----------------------------------------------------------- tracepoints */

/* Is F of SUBSYSTEM, as far as one knows?  Of those of a module, and of one that is named in full,
 * one need not know. */
static bool is_of(const struct function *f, const char *subsystem, bool by_name)
{
	const char *system = kernel_trace_system(f->name);

	if (system)
		return glob_match(subsystem, system);
	return by_name || module_kmodule_name(f->mod) ||
	       glob_match(xprintf("%s*", subsystem), f->name);
}

/* Those of M that NAME means; of SUBSYSTEM, if that is not NULL. */
static void find_tracepoints(struct module *m, const char *subsystem, const char *name,
			     function_vec *out)
{
	struct func_pattern pat = {.func = xprintf(BTF_TRACE "%s", name)};
	function_vec found = {0};

	module_functions(m, &pat, &found);
	keep(&found, true);
	for (size_t i = 0; i < found.n; i++) {
		struct function *f = found.v[i];

		f->linkage = f->name += strlen(BTF_TRACE);
		f->is_trace = true;
		if (!subsystem || is_of(f, subsystem, !is_glob(name)))
			vec_push(out, f);
	}
}

/* Events of a module have its name for that of their subsystem, or the beginning of its name,
 * mostly. Without a subsystem the first word of an event's name stands for it. */
static void modules_of_subsystem(const char *subsystem, struct loc loc, module_vec *out)
{
	name_vec names = {0};

	if (*subsystem && !is_glob(subsystem))
		kmodule_names(xprintf("%s*", subsystem), &names);
	open_modules(&names, loc, out);
}

/* .trace("NAME"), .tracepoint("NAME") */
static const struct point_comp *trace_comp(const struct point *pt)
{
	const struct point_comp *c = point_comp(pt, "trace");

	return c ? c : point_comp(pt, "tracepoint");
}

/* Events whose subsystem no header names are of their module, or of one that is not known. */
static const char *trace_text(const struct function *f, const char *name)
{
	const char *system;

	if (!strcmp(name, "$$name"))
		return f->name;
	if (strcmp(name, "$$system"))
		return NULL;
	system = kernel_trace_system(f->name);
	if (!system)
		system = module_kmodule_name(f->mod);
	return system ? system : "";
}

static bool resolve_trace(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			  const struct point *pt, bool quiet)
{
	const char *text = trace_comp(pt)->arg->str.s, *colon = strchr(text, ':'),
		   *name = colon ? colon + 1 : text;
	const char *subsystem = colon ? xstrndup(text, (size_t)(colon - text)) : NULL;
	int errors = diag_errors();
	function_vec found = {0};
	module_vec modules = {0};
	bool any = false;
	size_t first;

	if (!modules_of(s, pt, quiet, &modules))
		return false;
	first = modules.n;
	for (size_t i = 0; i < first; i++)
		find_tracepoints(modules.v[i], subsystem, name, &found);
	if (!found.n && !point_comp(pt, "module") && (colon || !is_glob(name)))
		modules_of_subsystem(colon ? subsystem : xstrndup(name, strcspn(name, "_")),
				     pt->loc, &modules);
	for (size_t i = first; i < modules.n && !found.n; i++)
		find_tracepoints(modules.v[i], subsystem, name, &found);
	if (!found.n && !quiet)
		kernel_no_tracepoint(&modules, pt, name);
	for (size_t i = 0; i < found.n; i++) {
		const struct function *f = found.v[i];
		struct spot spot = {.f = f,
				    .addr = f->entry,
				    .symbol = kernel_symbol(f),
				    .offset = argument_words(f),
				    .any = is_glob(name) || may_lack(pt, quiet),
				    .why = "what the tracepoint calls"};

		spot.pp = point_name(pt, f,
				     module_kmodule_name(f->mod) && !point_comp(pt, "module")
					     ? xprintf("%s:%s", subsystem, f->name)
					     : f->name);
		any |= target_add_spot(s, k, decl, pt, &spot, quiet);
	}
	return any && errors == diag_errors();
}

/* -------------------------------------------------------------- families */

#define KIND(words, ret, fn, ...)                                                       \
	{                                                                               \
		.pattern = words, .has_sites = true, .is_return = ret, .in_irq = true,  \
		.in_kernel = true, .lacking = 1u << RT_USER, .resolve = fn, __VA_ARGS__ \
	}
#define TRACE(words) KIND(words, false, resolve_trace, .is_trace = true, .text = trace_text)
const struct probe_kind probe_kernels[] = {
	KIND("kernel.function(s)", false, resolve_function),
	KIND("kernel.function(s).call", false, resolve_function),
	KIND("kernel.function(s).return", true, resolve_function),
	KIND("kernel.function(s).return.maxactive(n)", true, resolve_function),
	KIND("kprobe.function(s)", false, resolve_symbol),
	KIND("kprobe.function(s).call", false, resolve_symbol),
	KIND("kprobe.function(s).return", true, resolve_symbol),
	KIND("kprobe.function(s).return.maxactive(n)", true, resolve_symbol),
	KIND("kprobe.module(s).function(s)", false, resolve_symbol),
	KIND("kprobe.module(s).function(s).call", false, resolve_symbol),
	KIND("kprobe.module(s).function(s).return", true, resolve_symbol),
	KIND("kprobe.module(s).function(s).return.maxactive(n)", true, resolve_symbol),
	KIND("kprobe.statement(n).absolute", false, resolve_statement),
	KIND("kernel.statement(n).absolute", false, resolve_statement),
	TRACE("kernel.trace(s)"),
	TRACE("kernel.tracepoint(s)"),
	{0},
};
const struct probe_kind probe_kmodules[] = {
	KIND("kernel.function(s).exported", false, resolve_function),
	KIND("module(s).function(s)", false, resolve_function),
	KIND("module(s).function(s).call", false, resolve_function),
	KIND("module(s).function(s).exported", false, resolve_function),
	KIND("module(s).function(s).return", true, resolve_function),
	KIND("module(s).function(s).return.maxactive(n)", true, resolve_function),
	TRACE("module(s).trace(s)"),
	TRACE("module(s).tracepoint(s)"),
	{0},
};

/* ustap-probes.7, THE KERNEL
.TP
.BI kernel.function(\(dqNAME\(dq) "\fR, " kernel.function(\(dqNAME\(dq).call
The entry of a kernel function; wildcards are allowed.
Functions that match a wildcard but cannot be
probed are omitted, and one line reports their number.
Thousands of functions are armed in a second.
A name with
.BI @ FILE
or
.BI @ FILE : LINE
requires the kernel's debug package
.RI ( linux-image-RELEASE-dbg ),
as do local variables, and global variables except per-CPU variables.
All of these have the same form
as in programs.
.TP
.BI kernel.function(\(dqNAME\(dq).exported
.TQ
.BI module(\(dqMODULE\(dq).function(\(dqNAME\(dq).exported
The same, only for functions that are exported to modules.
.TP
.BI kernel.function(\(dqNAME\(dq).return "\fR, " kernel.function(\(dqNAME\(dq).return.maxactive( N )
The return of the function. At most
.I N
returns are pending at a time; the default is 64 or more, and 10 or more for each function if
thirty or
more functions are probed. The end of the run reports missed returns.
.TP
.BI module(\(dqMODULE\(dq).function(\(dqNAME\(dq)
.TQ
.BI module(\(dqMODULE\(dq).function(\(dqNAME\(dq).call
.TQ
.BI module(\(dqMODULE\(dq).function(\(dqNAME\(dq).return
.TQ
.BI module(\(dqMODULE\(dq).function(\(dqNAME\(dq).return.maxactive( N )
The same in a kernel module below
.IR /lib/modules ;
wildcards are allowed in both names. The module need not be loaded: probes are armed when it is
loaded, and it can be removed while it is probed.
Kernels before 5.11 do not describe the parameters
of functions in modules.
.TP
.BI kprobe.function(\(dqNAME\(dq)
.TQ
.BI kprobe.function(\(dqNAME\(dq).call
.TQ
.BI kprobe.function(\(dqNAME\(dq).return
.TQ
.BI kprobe.function(\(dqNAME\(dq).return.maxactive( N )
Any symbol of the kernel, without types. Arguments are
.BR ulong_arg( 1 )
and so on.
.TP
.BI kprobe.module(\(dqMODULE\(dq).function(\(dqNAME\(dq)
.TQ
.BI kprobe.module(\(dqMODULE\(dq).function(\(dqNAME\(dq).call
.TQ
.BI kprobe.module(\(dqMODULE\(dq).function(\(dqNAME\(dq).return
.TQ
.BI kprobe.module(\(dqMODULE\(dq).function(\(dqNAME\(dq).return.maxactive( N )
The same in a module, which need not be loaded yet.
.TP
.BI kprobe.statement( ADDRESS ).absolute
.TQ
.BI kernel.statement( ADDRESS ).absolute
The instruction at an address of the kernel, in guru mode only. Whether an instruction begins there
is not checked.
.TP
.BI kernel.trace(\(dqNAME\(dq) "\fR, " kernel.tracepoint(\(dqNAME\(dq)
.TQ
.BI module(\(dqMODULE\(dq).trace(\(dqNAME\(dq)
.TQ
.BI module(\(dqMODULE\(dq).tracepoint(\(dqNAME\(dq)
A tracepoint, whose arguments are variables.
.B $$name
is its name,
.B $$system
that of its subsystem. The name may be preceded by the subsystem and a colon;
wildcards are allowed. The kernel's headers define the subsystems; for a tracepoint that they
do not
contain, a wildcard after a subsystem matches names that begin with the subsystem's name. If the
kernel does not have the tracepoint, modules whose names begin with the subsystem's name are
searched.
*/
