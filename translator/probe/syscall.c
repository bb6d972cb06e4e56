/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.syscall("NAME"), kernel.syscall and their .return: system calls of all processes.
 *
 * The tapset's syscall.NAME are made of these. They use the kernel's tracepoints of system calls
 * and select by number; the architecture has the numbers of all kernels from 5.10 on. A probe
 * on a number that a kernel does not have never fires.
 */
#include <string.h>
#include "arch/arch.h"
#include "process_point.h"
#include "session.h"

bool syscall_is_known(const char *name)
{
	for (size_t i = 0; i < *arch_target()->ncall_table; i++)
		if (!strcmp(arch_target()->call_table[i].name, name))
			return true;
	return false;
}

/* ------------------------------------------------------------- variables */

/* Variables other than $return are read at the entry of the call, by entry_values.c. */
static bool either_variable(const struct node *n, struct access *out, struct var_error *err)
{
	return (strcmp(n->target.name, "$return") ? call_variable : return_variable)(n, out, err);
}

/* ---------------------------------------------------------------- points */

static const char *pp_of(const struct point *pt, const char *name)
{
	const char *end = point_comp(pt, "return") ? ".return" : "";

	return name ? xprintf("kernel.syscall(\"%s\")%s", name, end)
		    : xprintf("kernel.syscall%s", end);
}

static bool add(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		const struct point *pt, const struct arch_call *call, bool quiet)
{
	struct function *f = xalloc(sizeof *f);
	struct spot spot = {.f = f,
			    .symbol = call ? call->name : "",
			    .why = "the system call's",
			    .pp = pp_of(pt, call ? call->name : NULL)};

	f->name = f->linkage = spot.symbol;
	spot.offset = call ? (uint64_t)(call->number + 1) : 0;
	spot.addr = call ? (uint64_t)(call->number_32 + 1) : 0;
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

static void no_call(const struct point_comp *c)
{
	name_vec names = {0};
	const char *near;

	for (size_t i = 0; i < *arch_target()->ncall_table; i++)
		vec_push(&names, arch_target()->call_table[i].name);
	near = nearest(c->arg->str.s, names.v, names.n);
	diag_error(E_NO_FUNCTION, c->loc, "no system call \"%s\"%s", c->arg->str.s,
		   near ? xprintf("; did you mean \"%s\"?", near) : "");
}

static bool resolve(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		    const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "syscall");
	int errors = diag_errors();
	bool any = false;

	if (s->opt.runtime == RT_USER) {
		if (!quiet) {
			diag_error(E_UNSUPPORTED, pt->loc, "%s needs the kernel runtime",
				   point_text(pt));
			diag_hint("use process.syscall for the system calls of probed processes");
		}
		return false;
	}
	if (!c->arg)
		return add(s, k, decl, pt, NULL, quiet);
	for (size_t i = 0; i < *arch_target()->ncall_table; i++)
		if (glob_match(c->arg->str.s, arch_target()->call_table[i].name))
			any |= add(s, k, decl, pt, &arch_target()->call_table[i], quiet);
	if (!any && !quiet && errors == diag_errors())
		no_call(c);
	return any && errors == diag_errors();
}

#define KIND(text, ret)                                                                   \
	{                                                                                 \
		.pattern = text, .has_sites = true, .is_return = ret, .is_syscall = true, \
		.lacking = 1u << RT_USER, .resolve = resolve,                             \
		.variable = ret ? either_variable : call_variable, .nparms = 6            \
	}
const struct probe_kind probe_syscalls[] = {
	KIND("kernel.syscall", false),
	KIND("kernel.syscall(s)", false),
	KIND("kernel.syscall.return", true),
	KIND("kernel.syscall(s).return", true),
	KIND("kernel.syscall.return.maxactive(n)", true), /* any number can wait */
	KIND("kernel.syscall(s).return.maxactive(n)", true),
	{0},
};

/* ustap-probes.7, THE KERNEL
.TP
.BI kernel.syscall
.TQ
.BI kernel.syscall.return
.TQ
.BI kernel.syscall(\(dqNAME\(dq)
.TQ
.BI kernel.syscall(\(dqNAME\(dq).return
.TQ
.BI kernel.syscall.return.maxactive( N )
.TQ
.BI kernel.syscall(\(dqNAME\(dq).return.maxactive( N )
A system call of any process, by its name in the kernel's tables; wildcards are allowed.
Variables are
.IR $syscall ", " $arg1 " to " $arg6 " and " $$parms ;
in
.BR .return ,
they have the values of the entry, and
.I $return
is the result.
System calls that do not return, and the child side of a fork, have no return.
The number of pending
returns is not limited, so
.I N
has no effect.
*/
