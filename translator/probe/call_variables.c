/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables of system calls, whose registers are known as the kernel has got them: $syscall, $arg1
 * to $arg6, $return.
 */
#include <string.h>

#include "probe.h"
#include "arch/arch.h"
#include "dwarf/code_locations.h"
#include "sema/points/point.h"

static bool no(struct var_error *err, enum errtag tag, const struct node *n, const char *msg,
	       const char *hint)
{
	*err = (struct var_error){tag, n->loc, msg, hint, NULL};
	return false;
}

/* $argN at the beginning of a call; false for another name. */
static bool argument_register(const char *name, int *reg)
{
	unsigned n = mark_argument(name);

	if (!n || n > CALL_ARGUMENTS)
		return false;
	*reg = arch_target()->syscall_regs[n];
	return true;
}

static bool unknown(const struct node *n, bool at_return, struct var_error *err)
{
	const char *name = n->target.name;

	if (mark_argument(name) > CALL_ARGUMENTS)
		return no(err, E_NO_VARIABLE, n,
			  xprintf("%s: a system call has %d arguments", name, CALL_ARGUMENTS),
			  NULL);
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
