/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: registers by name, and integer arguments where the calling convention puts them. */
#include "common.h"
#include "arch/register_names.h"

#define NO_REGISTERS "no user registers available here"

static struct ust_regs *regs_of(struct ust_ctx *c)
{
	if (likely(c->hit->regs))
		return c->hit->regs;
	ctx_fail(c, NO_REGISTERS);
	return NULL;
}

static inline u64 whole(const struct ust_regs *r, unsigned char at)
{
	return *(const unsigned long *)((const char *)r + at);
}

static u64 stack_load(struct ust_ctx *c, u64 addr)
{
	bool kernel = c->hit->site && c->hit->site->flags & UST_SITE_KERNEL;

	return kernel ? ust_kernel_load(c, addr, 8) : ust_load(c, addr, 8);
}

ust_long ust_arg(struct ust_ctx *c, ust_long n)
{
	const struct ust_regs *r = regs_of(c);

	if (!r)
		return 0;
	if (unlikely(n < 1 || n > 255)) {
		ctx_fail_number(c, "no argument number ", (u64)n, "");
		return 0;
	}
	return n <= NARGS ? whole(r, arg_at[n - 1]) : stack_load(c, regs_stack_arg(r, (u64)n));
}

ust_long ust_returnval(struct ust_ctx *c)
{
	struct ust_regs *r = regs_of(c);

	return r ? *regs_result(r) : 0;
}

void ust_set_arg(struct ust_ctx *c, ust_long n, ust_long v)
{
	struct ust_regs *r = regs_of(c);

	if (!r)
		return;
	if (unlikely(n < 1 || n > 255))
		ctx_fail_number(c, "no argument number ", (u64)n, "");
	else if (n <= NARGS)
		*(unsigned long *)((char *)r + arg_at[n - 1]) = (unsigned long)v;
	else
		ust_store(c, regs_stack_arg(r, (u64)n), 8, (u64)v);
}

void ust_set_arg_s32(struct ust_ctx *c, ust_long n, ust_long v) { ust_set_arg(c, n, (int)v); }
void ust_set_arg_u32(struct ust_ctx *c, ust_long n, ust_long v) { ust_set_arg(c, n, (u32)v); }

void ust_set_returnval(struct ust_ctx *c, ust_long v)
{
	struct ust_regs *r = regs_of(c);

	if (r)
		*regs_result(r) = (unsigned long)v;
}

static const struct name *find_name(const char *name)
{
	u32 i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (!ust_strcmp(names[i].name, name))
			return &names[i];
	return NULL;
}

/* The register's value, shifted to the top of the word. */
static u64 on_top(struct ust_ctx *c, const char *name, u32 *unused)
{
	const struct ust_regs *r = regs_of(c);
	const struct name *n = r ? find_name(name) : NULL;

	*unused = 0;
	if (r && !n)
		ctx_fail(c, "this architecture has no register of that name");
	if (!n)
		return 0;
	*unused = 64 - 8 * n->size;
	return whole(r, n->at) << *unused;
}

ust_long ust_register(struct ust_ctx *c, const char *name)
{
	u32 unused;
	s64 v = (s64)on_top(c, name, &unused);

	return v >> unused;
}

ust_long ust_u_register(struct ust_ctx *c, const char *name)
{
	u32 unused;
	u64 v = on_top(c, name, &unused);

	return (ust_long)(v >> unused);
}

ust_long ust_registers_valid(struct ust_ctx *c) { return c->hit->regs != NULL; }
