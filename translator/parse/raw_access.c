/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * @uregister(N) and @uderef(SIZE, ADDRESS): registers by their DWARF numbers and memory without a
 * type; @kregister(N) and
 * @kderef(SIZE, ADDRESS) the same of the kernel.
 */
#include "parse/parse.h"
#include "arch/arch.h"

/* Raw access to kernel memory and registers needs guru mode. */
static void needs_guru(const struct parser *p, const char *name, struct loc loc)
{
	if (!p->s->opt.guru && !p->src->library)
		diag_error(E_GURU, loc, "%s needs guru mode", name);
}

struct node *raw_register(const struct parser *p, bool kernel, int64_t number, struct loc loc)
{
	struct node *n = node_new(N_TARGET, loc);

	n->target.start = TS_REGISTER;
	n->target.reg = number >= 0 && number < 64 ? (int)number : -1;
	n->target.name = xprintf("@%cregister(%lld)", kernel ? 'k' : 'u', (long long)number);
	if (kernel)
		needs_guru(p, "@kregister", loc);
	if (!arch_target()->reg_expr(n->target.reg))
		diag_error(E_BAD_ACCESS, loc,
			   "register %lld does not exist, or probes do not save it",
			   (long long)number);
	return n;
}

struct node *raw_memory(const struct parser *p, bool kernel, int64_t size, struct node *addr,
			struct loc at, struct loc loc)
{
	struct node *n = node_new(N_CALL, loc);
	bool known = size == 1 || size == 2 || size == 4 || size == 8;

	n->call.trusted = true;
	n->call.name = xprintf("@%cderef%d", kernel ? 'k' : 'u', known ? (int)size : 8);
	n->call.args = addr;
	n->call.nargs = 1;
	if (kernel)
		needs_guru(p, "@kderef", loc);
	if (!known)
		diag_error(E_BAD_ACCESS, at, "only 1, 2, 4 or 8 bytes can be read at once");
	return n;
}

struct node *perf_node(struct lexstr name, struct loc at, struct loc loc)
{
	struct node *n = node_new(N_CALL, loc), *text = node_new(N_STR, at);

	text->str.s = name.s;
	text->str.len = name.len;
	text->str.pos = name.pos;
	n->call.name = "__perf";
	n->call.trusted = true;
	n->call.args = text;
	n->call.nargs = 1;
	return n;
}
