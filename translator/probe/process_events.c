/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process(...).begin, .end, .thread.begin, .thread.end, .syscall, .syscall.return: what happens to
 * processes, not at a place of their code.  They have a program or a process id to compare with, or
 * neither, and no sites.
 *
 * Of a system call the registers are known as the kernel has got them: $syscall, $arg1 to $arg6,
 * $return.
 */
#include <string.h>
#include "process_point.h"
#include "arch/arch.h"
#include "dwarf/code_locations.h"
#include "sema/points/point.h"
#include "sema/sema.h"
#include "session.h"

enum { MAX_ARGUMENTS = 6 };

/* ------------------------------------------------------------- variables */

static bool no(struct var_error *err, enum errtag tag, const struct node *n, const char *msg,
	       const char *hint)
{
	*err = (struct var_error){tag, n->loc, msg, hint, NULL};
	return false;
}

/* $argN of a call that begins; false if it is none. */
static bool argument_register(const char *name, int *reg)
{
	unsigned n = mark_argument(name);

	if (!n || n > MAX_ARGUMENTS)
		return false;
	*reg = arch_target()->syscall_regs[n];
	return true;
}

static bool unknown(const struct node *n, bool at_return, struct var_error *err)
{
	const char *name = n->target.name;

	if (mark_argument(name) > MAX_ARGUMENTS)
		return no(err, E_NO_VARIABLE, n,
			  xprintf("%s: a system call has %d arguments", name, MAX_ARGUMENTS), NULL);
	if (at_return && mark_argument(name))
		return no(err, E_CONTEXT, n, xprintf("%s is known only in .syscall probes", name),
			  "save it there in an array indexed by tid()");
	if (!at_return && !strcmp(name, "$return"))
		return no(err, E_CONTEXT, n, "$return is known only in .return probes", NULL);
	return no(err, E_NO_VARIABLE, n, xprintf("%s: unknown variable of a system call", name),
		  at_return ? "the variables are $syscall and $return"
			    : "the variables are $syscall, $arg1 to $arg6, and $$parms; variables "
			      "set by syscall.* aliases have no $");
}

static bool variable(const struct node *n, bool at_return, struct access *out,
		     struct var_error *err)
{
	const char *name = n->target.name;
	int reg;

	if (!strcmp(name, "$syscall"))
		reg = arch_target()->syscall_regs[0];
	else if (at_return && !strcmp(name, "$return"))
		reg = arch_target()->syscall_result;
	else if (at_return || !argument_register(name, &reg))
		return unknown(n, at_return, err);
	if (n->target.written)
		return no(err, E_BAD_ACCESS, n, xprintf("%s cannot be set", name),
			  "probes cannot change system calls");
	if (n->target.ncomps || n->target.addrof || n->target.pretty)
		return no(err, E_BAD_ACCESS, n, xprintf("%s is a number without a C type", name),
			  "use @cast, or read memory with user_string() and similar functions");
	access_register(reg, out);
	out->ctype = "long";
	out->is_signed = true;
	return true;
}

bool call_variable(const struct node *n, struct access *out, struct var_error *err)
{
	return variable(n, false, out, err);
}

bool return_variable(const struct node *n, struct access *out, struct var_error *err)
{
	return variable(n, true, out, err);
}

static bool no_variable(const struct node *n, struct access *out, struct var_error *err)
{
	(void)out;
	return no(err, E_CONTEXT, n,
		  xprintf("%s: this probe point has no target variables", n->target.name),
		  "among process events only .syscall and .syscall.return have target variables");
}

/* --------------------------------------------------------------- stacks */

static bool see_stack(struct node *n, void *found)
{
	if (n->kind == N_CALL && n->call.builtin && n->call.builtin->flags & BF_STACK)
		*(const struct node **)found = n;
	return true;
}

const struct node *stack_call(struct node *body)
{
	const struct node *found = NULL;
	func_vec funcs = {0};

	node_walk(body, see_stack, NULL, &found);
	calls_of(body, &funcs);
	for (size_t i = 0; i < funcs.n && !found; i++)
		node_walk(funcs.v[i]->body, see_stack, NULL, &found);
	return found;
}

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
		p->pp = xprintf("process(\"%s\")%s", module_target_path(program),
				strchr(p->pp, ')') + 1);
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

const struct probe_kind probe_lives[] = {
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
	 .nparms = MAX_ARGUMENTS},
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
