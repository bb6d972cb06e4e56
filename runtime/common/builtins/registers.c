/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: registers by name, and integer arguments where the calling convention puts them. */
#include "common.h"

#define NO_REGISTERS "no user registers available here"

static struct ust_regs *regs_of(struct ust_ctx *c)
{
	if (likely(c->hit->regs))
		return c->hit->regs;
	ctx_fail(c, NO_REGISTERS);
	return NULL;
}

#if defined(__x86_64__)

enum { NARGS = 6 };

#define AT(field) (unsigned char)__builtin_offsetof(struct ust_regs, field)
static const unsigned char arg_at[NARGS] = {AT(di), AT(si), AT(dx), AT(cx), AT(r8), AT(r9)};

/* A register's plain name means all 64 bits; a name with an e means the lower 32. */
static const struct name {
	char name[9];
	unsigned char at, size;
} names[] = {
	{"rax", AT(ax), 8},
	{"ax", AT(ax), 8},
	{"eax", AT(ax), 4},
	{"rbx", AT(bx), 8},
	{"bx", AT(bx), 8},
	{"ebx", AT(bx), 4},
	{"rcx", AT(cx), 8},
	{"cx", AT(cx), 8},
	{"ecx", AT(cx), 4},
	{"rdx", AT(dx), 8},
	{"dx", AT(dx), 8},
	{"edx", AT(dx), 4},
	{"rsi", AT(si), 8},
	{"si", AT(si), 8},
	{"esi", AT(si), 4},
	{"rdi", AT(di), 8},
	{"di", AT(di), 8},
	{"edi", AT(di), 4},
	{"rbp", AT(bp), 8},
	{"bp", AT(bp), 8},
	{"ebp", AT(bp), 4},
	{"rsp", AT(sp), 8},
	{"sp", AT(sp), 8},
	{"esp", AT(sp), 4},
	{"rip", AT(ip), 8},
	{"ip", AT(ip), 8},
	{"eip", AT(ip), 4},
	{"r8", AT(r8), 8},
	{"r8d", AT(r8), 4},
	{"r9", AT(r9), 8},
	{"r9d", AT(r9), 4},
	{"r10", AT(r10), 8},
	{"r10d", AT(r10), 4},
	{"r11", AT(r11), 8},
	{"r11d", AT(r11), 4},
	{"r12", AT(r12), 8},
	{"r12d", AT(r12), 4},
	{"r13", AT(r13), 8},
	{"r13d", AT(r13), 4},
	{"r14", AT(r14), 8},
	{"r14d", AT(r14), 4},
	{"r15", AT(r15), 8},
	{"r15d", AT(r15), 4},
	{"flags", AT(flags), 4},
	{"eflags", AT(flags), 4},
	{"rflags", AT(flags), 8},
	{"orig_rax", AT(orig_ax), 8},
	{"orig_ax", AT(orig_ax), 8},
	{"orig_eax", AT(orig_ax), 4},
	{"xcs", AT(cs), 8},
	{"cs", AT(cs), 8},
	{"xss", AT(ss), 8},
	{"ss", AT(ss), 8},
};

static inline unsigned long *returned(struct ust_regs *r) { return &r->ax; }

/* Stack arguments: the seventh argument is above the return address. */
static inline u64 stack_arg_at(const struct ust_regs *r, u64 n) { return r->sp + 8 * (n - NARGS); }

#endif

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
	return n <= NARGS ? whole(r, arg_at[n - 1]) : stack_load(c, stack_arg_at(r, (u64)n));
}

ust_long ust_returnval(struct ust_ctx *c)
{
	struct ust_regs *r = regs_of(c);

	return r ? *returned(r) : 0;
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
		ust_store(c, stack_arg_at(r, (u64)n), 8, (u64)v);
}

void ust_set_arg_s32(struct ust_ctx *c, ust_long n, ust_long v) { ust_set_arg(c, n, (int)v); }
void ust_set_arg_u32(struct ust_ctx *c, ust_long n, ust_long v) { ust_set_arg(c, n, (u32)v); }

void ust_set_returnval(struct ust_ctx *c, ust_long v)
{
	struct ust_regs *r = regs_of(c);

	if (r)
		*returned(r) = (unsigned long)v;
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
