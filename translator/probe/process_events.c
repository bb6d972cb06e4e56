/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process(...).begin, .end, .thread.begin, .thread.end, .syscall, .syscall.return: what happens to
 * processes, not at a place of their code.  They have a program or a process id to compare with, or
 * neither, and no sites.
 */
#include <string.h>
#include "process_point.h"
#include "arch/arch.h"
#include "dwarf/code_locations.h"
#include "sema/points/point.h"
#include "sema/sema.h"
#include "session.h"

/* ------------------------------------------------------------- variables */

static bool no_variable(const struct node *n, struct access *out, struct var_error *err)
{
	(void)out;
	*err = (struct var_error){
		.tag = E_CONTEXT,
		.loc = n->loc,
		.msg = xprintf("%s: this probe point has no target variables", n->target.name),
		.hint = "among process events only .syscall and .syscall.return have target "
			"variables",
	};
	return false;
}

/* --------------------------------------------------------------- stacks */

/* Neither runtime knows there what the process has mapped where. */
static bool walks_stack(struct node *body)
{
	const struct node *found = stack_call(body);

	if (!found)
		return false;
	diag_error(E_UNSUPPORTED, found->loc,
		   "%s cannot be called in probes on begin, end and system calls of processes",
		   found->call.name);
	diag_hint("probe the C library's function that makes the system call: "
		  "process(\"/lib/%s/libc.so.6\").function(\"open64\")",
		  arch_target()->triplet);
	return true;
}

/* --------------------------------------------------------------- probes */

static bool add(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		const struct point *pt, struct module *program)
{
	struct probe *p = probe_new(s, k, decl, pt);
	const struct node *arg = pt->comps.v[0].arg;

	p->program = program;
	if (program)
		p->pp = xprintf("process(\"%s\")%s", module_name(program), strchr(p->pp, ')') + 1);
	else if (arg)
		p->process.pid = arg->num;
	if (walks_stack(p->body) || !target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

static bool resolve(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		    const struct point *pt, bool quiet)
{
	const struct node *arg = pt->comps.v[0].arg;
	module_vec modules = {0};
	bool any = false;

	if (!arg || arg->kind == N_NUM)
		return add(s, k, decl, pt, NULL);
	if (!point_modules(s, pt, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		any |= add(s, k, decl, pt, modules.v[i]);
	return any;
}

const struct probe_kind probe_process_events[] = {
	{.pattern = "process(p).begin",
	 .rt = "UST_PROBE_PROCESS_BEGIN",
	 .holds = HOLDS_PROCESS,
	 .resolve = resolve,
	 .variable = no_variable},
	{.pattern = "process(p).end",
	 .rt = "UST_PROBE_PROCESS_END",
	 .holds = HOLDS_PROCESS,
	 .resolve = resolve,
	 .variable = no_variable},
	{.pattern = "process(p).thread.begin",
	 .rt = "UST_PROBE_THREAD_BEGIN",
	 .holds = HOLDS_PROCESS,
	 .resolve = resolve,
	 .variable = no_variable},
	{.pattern = "process(p).thread.end",
	 .rt = "UST_PROBE_THREAD_END",
	 .holds = HOLDS_PROCESS,
	 .resolve = resolve,
	 .variable = no_variable},
	{.pattern = "process(p).syscall",
	 .rt = "UST_PROBE_SYSCALL",
	 .holds = HOLDS_PROCESS,
	 .resolve = resolve,
	 .variable = call_variable,
	 .nparms = CALL_ARGUMENTS},
	{.pattern = "process(p).syscall.return",
	 .rt = "UST_PROBE_SYSCALL_RETURN",
	 .holds = HOLDS_PROCESS,
	 .resolve = resolve,
	 .variable = return_variable},
	{0},
};

/* ------------------------------------------------------ single instructions */

static bool refuse(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		   const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "insn");

	(void)s, (void)k, (void)decl;
	if (quiet)
		return false;
	diag_error(E_UNSUPPORTED, c->loc,
		   "probing every instruction of a process is not supported");
	diag_hint("one trap per instruction would make it ten thousand times slower; probe lines "
		  "with .statement(\"*@FILE:*\")");
	return false;
}

const struct probe_kind probe_insns[] = {
	{.pattern = "process(p).insn", .resolve = refuse},
	{.pattern = "process(p).insn.block", .resolve = refuse},
	{0},
};

/* ustap-probes.7, PROCESSES AND SYSTEM CALLS
.TP
.B process.begin\fR, \fPprocess.end
A process starts to run the program; it ends or executes another program. Processes that exist when
the script starts count as started.
.TP
.B process.thread.begin\fR, \fPprocess.thread.end
A thread starts or ends, except the first thread of a process.
.TP
.B process.syscall\fR, \fPprocess.syscall.return
Entry and exit of each system call.
*/
