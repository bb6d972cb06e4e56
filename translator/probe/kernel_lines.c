/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points of the kernel that only its debug package knows: lines, files, labels, instances of
 * inlined functions, callees.
 *
 * With it the kernel is a program at a fixed address, and they are resolved as those of a process.
 */
#include <string.h>
#include "process_point.h"
#include "session.h"

static bool refuse(const struct point *pt, bool quiet, const char *message, const char *hint)
{
	if (!quiet) {
		diag_error(E_UNSUPPORTED, pt->loc, "%s", message);
		diag_hint("%s", hint);
	}
	return false;
}

static bool with(points_fn *fn, struct session *s, const struct probe_kind *k,
		 struct probe_decl *decl, const struct point *pt, bool quiet)
{
	return kernel_allows(s, pt, quiet) && fn(s, k, decl, pt, quiet);
}

static bool resolve_function(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			     const struct point *pt, bool quiet)
{
	return with(points_of_function, s, k, decl, pt, quiet);
}

static bool resolve_label(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			  const struct point *pt, bool quiet)
{
	return with(points_of_label, s, k, decl, pt, quiet);
}

static bool resolve_lines(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			  const struct point *pt, bool quiet)
{
	return with(points_of_lines, s, k, decl, pt, quiet);
}

static bool resolve_address(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			    const struct point *pt, bool quiet)
{
	return with(points_of_address, s, k, decl, pt, quiet);
}

static bool resolve_callees(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
			    const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "callees");

	if (c && c->arg && c->arg->num > 1)
		return refuse(pt, quiet, "callees in the kernel are known one call deep",
			      "write .callees");
	return with(points_of_callees, s, k, decl, pt, quiet);
}

#define KIND(text, ret, fn)                                                           \
	{                                                                             \
		.pattern = text, .has_sites = true, .is_return = ret, .in_irq = true, \
		.in_kernel = true, .lacking = 1u << RT_USER, .resolve = fn            \
	}
const struct probe_kind probe_kernel_lines[] = {
	KIND("kernel.function(s).inline", false, resolve_function),
	KIND("kernel.function(s).label(s)", false, resolve_label),
	KIND("kernel.function(s).callee(s)", false, resolve_callees),
	KIND("kernel.function(s).callee(s).call", false, resolve_callees),
	KIND("kernel.function(s).callee(s).return", true, resolve_callees),
	KIND("kernel.function(s).callees(n?)", false, resolve_callees),
	KIND("kernel.statement(s)", false, resolve_lines),
	KIND("kernel.statement(s).nearest", false, resolve_lines),
	KIND("kernel.statement(n)", false, resolve_address),
	KIND("kernel.statement(n).nearest", false, resolve_address),
	KIND("module(s).function(s).inline", false, resolve_function),
	KIND("module(s).function(s).label(s)", false, resolve_label),
	KIND("module(s).statement(s)", false, resolve_lines),
	KIND("module(s).statement(s).nearest", false, resolve_lines),
	{0},
};

/* ustap-probes.7, THE KERNEL
.TP
.BI kernel.function(\(dqNAME\(dq).inline "\fR, " kernel.function(\(dqNAME\(dq).label(\(dqNAME\(dq)
.TQ
.BI kernel.function(\(dqNAME\(dq).callee(\(dqNAME\(dq)
.TQ
.BI kernel.function(\(dqNAME\(dq).callee(\(dqNAME\(dq).call
.TQ
.BI kernel.function(\(dqNAME\(dq).callee(\(dqNAME\(dq).return
.TQ
.BI kernel.function(\(dqNAME\(dq).callees
.TQ
.BI kernel.function(\(dqNAME\(dq).callees( N )
.TQ
.BI kernel.statement(\(dqNAME@FILE:LINE\(dq)
.TQ
.BI kernel.statement(\(dqNAME@FILE:LINE\(dq).nearest
.TQ
.BI kernel.statement( ADDRESS ) "\fR, " kernel.statement( ADDRESS ).nearest
The same as after
.BR process ,
by the debug package. An address is one of its
.IR vmlinux ;
N can only be 1.
.TP
.BI module(\(dqMODULE\(dq).function(\(dqNAME\(dq).inline
.TQ
.BI module(\(dqMODULE\(dq).function(\(dqNAME\(dq).label(\(dqNAME\(dq)
.TQ
.BI module(\(dqMODULE\(dq).statement(\(dqNAME@FILE:LINE\(dq)
.TQ
.BI module(\(dqMODULE\(dq).statement(\(dqNAME@FILE:LINE\(dq).nearest
The same in modules, whose global variables cannot be read.
*/
