/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process(...).data(ADDRESS).write, .rw, .length(N), process(...).data("SYMBOL").write, .rw:
 * accesses of a program's data, watched by the debug registers of the processor.
 *
 * An address in the program's file is one of the file, as nm(1) prints it, and moves with a
 * position-independent program; any other is one of the running process.
 */
#include <inttypes.h>
#include <string.h>
#include "process_point.h"
#include "sema/points/point.h"
#include "session.h"

/* x86-64 has four debug registers; arm64 processors have two to sixteen, usually four. */
enum { DEBUG_REGISTERS = 4 };

/* The upper half of the address space is the kernel's. */
static const uint64_t lowest_kernel_address = 1ull << 63;

/* A watched variable, or an address (name NULL). */
struct watched {
	struct module *mod;
	const char *name;
	uint64_t addr, size; /* size 0: unknown */
};

static const char *pp_of(const struct watched *w, const struct point *pt, bool reads)
{
	const struct point_comp *length = point_comp(pt, "length");
	const char *what = w->name ? xprintf("\"%s\"", w->name) : xprintf("%#" PRIx64, w->addr);
	const char *n = length ? xprintf(".length(%" PRId64 ")", length->arg->num) : "";

	return xprintf("%s.data(%s)%s.%s", point_of_module(w->mod), what, n,
		       reads ? "rw" : "write");
}

/* The bytes to watch; 0 after an error, unless QUIET. */
static unsigned length_of(const struct watched *w, const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "length");
	uint64_t n = w->size;

	if (c || !w->name)
		return (unsigned)watch_length(c);
	if (n == 1 || n == 2 || n == 4 || n == 8)
		return (unsigned)n;
	if (quiet)
		return 0;
	if (n)
		diag_error(E_PROBE_POINT, point_comp(pt, "data")->loc,
			   "\"%s\" has %" PRIu64
			   " bytes; a hardware breakpoint watches 1, 2, 4 or 8",
			   w->name, n);
	else
		diag_error(E_PROBE_POINT, point_comp(pt, "data")->loc,
			   "the size of \"%s\" is not known: its symbol does not have it", w->name);
	diag_hint("watch its start with .data(\"%s\").length(8), or another part by its address; "
		  "\"%s\" begins at %#" PRIx64,
		  w->name, w->name, w->addr);
	return 0;
}

static bool is_aligned(const struct watched *w, const struct point *pt, unsigned length, bool quiet)
{
	if (!(w->addr % length))
		return true;
	if (quiet)
		return false;
	diag_error(E_PROBE_POINT, point_comp(pt, "data")->loc,
		   "%u bytes at address %#" PRIx64
		   " cannot be watched: the address is not a multiple of %u",
		   length, w->addr, length);
	diag_hint("watch fewer bytes: .length(%u)", (unsigned)(w->addr & -w->addr));
	return false;
}

static bool add(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		const struct point *pt, const struct watched *w, bool quiet)
{
	bool reads = point_comp(pt, "rw") != NULL;
	unsigned length = length_of(w, pt, quiet);
	struct spot spot = {.addr = w->addr, .watch = {length, reads, false}};

	if (!length || !is_aligned(w, pt, length, quiet))
		return false;
	spot.watch.absolute = !w->name && !module_has_memory(w->mod, w->addr, length);
	spot.f = function_of_data(w->mod, w->name ? w->name : "");
	spot.pp = pp_of(w, pt, reads);
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

/* Accesses happen anywhere in the code, so no local variables are known. */
static bool no_variable(const struct node *n, struct access *out, struct var_error *err)
{
	(void)out;
	*err = (struct var_error){
		.tag = E_CONTEXT,
		.loc = n->loc,
		.msg = xprintf("%s: this probe point has no target variables", n->target.name),
		.hint = "read a variable of the program by its name: @var(\"NAME\")",
	};
	return false;
}

/* ---------------------------------------------------------------- symbols */

static void no_symbol(struct module *m, const struct point_comp *c)
{
	const char *name = c->arg->str.s, *near;
	data_symbol_vec all = {0};
	name_vec names = {0};

	module_data_symbols(m, "*", &all);
	for (size_t i = 0; i < all.n; i++)
		vec_push(&names, all.v[i].name);
	near = is_glob(name) ? NULL : nearest(name, names.v, names.n);
	diag_error(E_NO_VARIABLE, c->loc, "no variable \"%s\" among the symbols of %s%s", name,
		   module_path(m), near ? xprintf("; did you mean \"%s\"?", near) : "");
	if (!all.n)
		diag_hint("its symbols were removed: watch an address, .data(0xADDRESS)");
	else if (!near)
		diag_hint("list them: ustap -l 'process(\"%s\").data(\"*\").write'",
			  module_path(m));
}

/* A thread-local variable has an address in each thread. */
static bool is_shared(const struct data_symbol *d, const struct point_comp *c, bool quiet)
{
	if (!d->in_thread)
		return true;
	if (!quiet) {
		diag_error(E_UNSUPPORTED, c->loc,
			   "\"%s\" is thread-local: it has an address in each thread", d->name);
		diag_hint("print &@var(\"%s\") in a probe of that thread, and watch that address",
			  d->name);
	}
	return false;
}

/* A wildcard leaves out what cannot be watched. */
static bool add_symbols(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt, struct module *m, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "data");
	bool some = is_glob(c->arg->str.s), any = false;
	data_symbol_vec found = {0};

	module_data_symbols(m, c->arg->str.s, &found);
	if (!found.n && !quiet)
		no_symbol(m, c);
	for (size_t i = 0; i < found.n; i++) {
		const struct data_symbol *d = &found.v[i];
		struct watched w = {m, d->name, d->addr, d->size};

		any |= is_shared(d, c, quiet || some) && add(s, k, decl, pt, &w, quiet || some);
	}
	if (found.n && some && !any && !quiet)
		diag_error(E_PROBE_POINT, c->loc,
			   "none of the variables that match \"%s\" has 1, 2, 4 or 8 bytes",
			   c->arg->str.s);
	return any;
}

/* -------------------------------------------------------------- addresses */

static bool add_address(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			const struct point *pt, struct module *m, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "data");
	struct watched w = {.mod = m, .addr = (uint64_t)c->arg->num};

	if (w.addr < lowest_kernel_address)
		return add(s, k, decl, pt, &w, quiet);
	if (!quiet) {
		diag_error(E_PROBE_POINT, c->arg->loc, "this is not an address of a program");
		diag_hint("memory of the kernel is watched by kernel.data(%#" PRIx64 ")", w.addr);
	}
	return false;
}

static bool is_library(struct module *m, const struct point *pt, bool quiet)
{
	if (module_may_be_program(m))
		return false;
	if (!quiet) {
		diag_error(E_UNSUPPORTED, pt->comps.v[0].loc,
			   "%s is a library; only data of the program itself can be watched",
			   module_path(m));
		diag_hint("watch its address in the process: process(PID).data(0xADDRESS), with "
			  "the address from a probe: printf(\"%%p\", &@var(\"NAME\", \"%s\"))",
			  module_path(m));
	}
	return true;
}

static bool resolve(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		    const struct point *pt, bool quiet)
{
	bool by_name = point_comp(pt, "data")->arg->kind == N_STR, any = false;
	int errors = diag_errors();
	module_vec modules = {0};

	if (!point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		if (!is_library(modules.v[i], pt, quiet))
			any |= (by_name ? add_symbols : add_address)(s, k, decl, pt, modules.v[i],
								     quiet);
	return any && errors == diag_errors();
}

/* ------------------------------------------------------------- registers */

static bool same_watch(const struct site *a, const struct site *b)
{
	return a->mod == b->mod && a->addr == b->addr && a->watch.length == b->watch.length &&
	       a->watch.reads == b->watch.reads;
}

typedef VEC(const struct site *) watch_vec;

/* Sites that watch the same bytes share a register. */
static void add_register(watch_vec *v, const struct site *site)
{
	for (size_t i = 0; i < v->n; i++)
		if (same_watch(v->v[i], site))
			return;
	vec_push(v, site);
}

static size_t registers_in(const watch_vec *v, const struct module *m)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += v->v[i]->mod == m;
	return n;
}

/* Report a program of which more is watched than the processor can. */
static void check_registers(const struct session *s)
{
	watch_vec v = {0};

	for (size_t i = 0; i < s->program.probes.n && !s->opt.list; i++) {
		const struct probe *p = s->program.probes.v[i];

		for (size_t k = 0; k < p->sites.n && p->kind->is_watch; k++)
			add_register(&v, &p->sites.v[k]);
	}
	for (size_t i = 0; i < v.n; i++) {
		size_t n = registers_in(&v, v.v[i]->mod);

		if (n <= DEBUG_REGISTERS)
			continue;
		diag_error(E_LIMIT, v.v[DEBUG_REGISTERS]->pt->loc,
			   "%zu places of %s are watched; a processor has %d debug registers", n,
			   module_path(v.v[i]->mod), DEBUG_REGISTERS);
		diag_hint("watch at most %d; a struct or array of 8 bytes takes one register",
			  DEBUG_REGISTERS);
		return;
	}
}

#define WATCH(text)                                                                     \
	{                                                                               \
		.pattern = "process(p).data" text, .has_sites = true, .is_watch = true, \
		.resolve = resolve, .variable = no_variable                             \
	}
const struct probe_kind probe_watches[] = {
	{.pattern = "process(p).data(n).write",
	 .has_sites = true,
	 .is_watch = true,
	 .resolve = resolve,
	 .variable = no_variable,
	 .check = check_registers},
	WATCH("(n).rw"),
	WATCH("(n).length(n).write"),
	WATCH("(n).length(n).rw"),
	WATCH("(s).write"),
	WATCH("(s).rw"),
	WATCH("(s).length(n).write"),
	WATCH("(s).length(n).rw"),
	{0},
};

/* ustap-probes.7, HARDWARE BREAKPOINTS
.SS Data of programs
.B process
as above: with a path or a number, or without.
.TP
.BI process.data(\(dqSYMBOL\(dq).write "\fR, " process.data( ADDRESS ).write
.TQ
.BI process.data(\(dqSYMBOL\(dq).length( N ).write "\fR, " process.data( ADDRESS ).length( N ).write
After each instruction of the program that writes the variable, or
.I N
bytes at the address.
.I SYMBOL
is a variable of the program's symbol table with 1, 2, 4 or 8 bytes; static and C++ variables
.RB ( ns::x )
are included, thread-local ones and those of libraries are not. Of a larger one,
.BI .length( N )
selects the first bytes. An
.I ADDRESS
in the program's file, as
.BR nm (1)
prints it, moves with a position-independent program; any other is an address of the running
process. Without
.B .length
one byte is watched; 3 is rounded up to 4, and 5 to 7 to 8. The address must be a multiple of the
length.
.TP
.BI process.data(\(dqSYMBOL\(dq).rw "\fR, " process.data( ADDRESS ).rw
.TQ
.BI process.data(\(dqSYMBOL\(dq).length( N ).rw "\fR, " process.data( ADDRESS ).length( N ).rw
After each instruction that reads or writes it.
.PP
.EX
probe process("./shop").data("sold").write { println(@var("sold")); print_ubacktrace() }
.EE
.PP
The new value is in memory when the handler runs;
.B uaddr()
is the address of the next instruction.
Existing and new threads are watched, and processes after exec; forked children with
.B \-c
or
.B \-x
only if
.B \-\-children
is given.
Accesses by the kernel in system calls, such as
.BR read (2)
into the variable, are not seen. The kernel runtime also watches the dynamic linker, the user
runtime begins at the program's entry point and keeps the process traced, so that no debugger can
attach. Each access costs microseconds; with the user runtime some tens of them. A thread for which
no debug register is free is reported and counted, and so is a program on a virtual machine that
ignores debug registers; the kernel runtime cannot see that. If SIGKILL ends the process
staprun\-tracer while it runs a handler in the program, the program ends with SIGSEGV. .B ustap \-l
\(aqprocess("PATH").data("*").write\(aq lists the variables.
*/
