/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: the kernel's own stack and symbols, by the kernel's unwinder and its table of names. */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/refcount.h>
#include <linux/sched/task_stack.h>
#include <asm/unwind.h>

#include "rt.h"

enum { MAX_FRAMES = 64 };

/* The kernel's table of its own symbols is searched by halves, that of a module is not. */
enum { STEPS_OF_A_NAME = STEPS_PER_ACTION / 2, STEPS_OF_A_FRAME = 32 };

/* What is between the place of a tracepoint and its probes: frames of ours, and the function that
 * calls them all where there are several. */
static bool is_between(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	if (within_module(addr, THIS_MODULE))
		return true;
	sprint_symbol_no_offset(name, addr);
	return !strncmp(name, "__traceiter_", 12);
}

/* A tracepoint's place: nobody's registers are known there, its probes are called like any
 * function. */
static u32 walk_from_here(unsigned long *to, u32 max)
{
	struct unwind_state state;
	bool between = true;
	u32 n = 0;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state) && n < max;
	     unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		between = between && addr && is_between(addr);
		if (!between && addr)
			to[n++] = addr;
	}
	return n;
}

/* The first frame is FIRST, that of the registers; the kernel's unwinder begins with the one that
 * called it. */
static u32 walk_from_probe(struct pt_regs *regs, unsigned long first, unsigned long *to, u32 max)
{
	struct unwind_state state;
	u32 n = 0;

	to[n++] = first;
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state) && n < max;
	     unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (addr)
			to[n++] = addr;
	}
	return n;
}

/* The addresses from the probed place on, up to MAX; their number. */
static u32 walk(struct ust_ctx *c, unsigned long *to, u32 max)
{
	u32 flags = c->hit->site ? c->hit->site->flags : UST_SITE_RETURN;
	struct pt_regs *regs = (struct pt_regs *)c->hit->regs;

	if (c->hit->mode != RT_KERNEL || !c->hit->regs || port_program_regs(c) ||
	    !ctx_work(c, max * STEPS_OF_A_FRAME))
		return 0;
	if (flags & UST_SITE_TRACE || (c->hit->probe && c->hit->probe->kind == UST_PROBE_NETFILTER))
		return walk_from_here(to, max);
	/* the probed instruction, not where the breakpoint's byte ends; or where the function
	 * returns to */
	return walk_from_probe(regs, flags & UST_SITE_RETURN ? regs->ip : c->hit->addr, to, max);
}

static void put_hex(struct ust_out *o, u64 addr)
{
	char digits[20];

	ust_put(o, "0x", 2);
	ust_put(o, digits, fmt_hex(digits, addr));
}

static void put_name(struct ust_ctx *c, struct ust_out *o, unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	if (!ctx_work(c, STEPS_OF_A_NAME))
		return;
	sprint_symbol(name, addr);
	ust_put_s(o, name);
	if (!strchr(name, '['))
		ust_put_s(o, " [kernel]");
}

/* What stack() prints of one address. */
static void put_line(struct ust_ctx *c, struct ust_out *o, unsigned long addr)
{
	ust_put_s(o, " ");
	put_hex(o, addr);
	ust_put_s(o, " : ");
	put_name(c, o, addr);
	ust_put_s(o, "\n");
}

static const char *list(char *dst, const unsigned long *v, u32 n)
{
	struct ust_out o;
	u32 i;

	ust_out_string(&o, dst);
	for (i = 0; i < n; i++) {
		ust_put(&o, " ", i > 0);
		put_hex(&o, v[i]);
	}
	out_finish_addresses(&o, dst);
	return dst;
}

static const char *addresses(struct ust_ctx *c, char *dst, u32 max)
{
	unsigned long v[MAX_FRAMES];

	return list(dst, v, walk(c, v, max));
}

const char *ust_backtrace(struct ust_ctx *c, char *dst) { return addresses(c, dst, MAX_FRAMES); }

const char *ust_callers(struct ust_ctx *c, char *dst, ust_long n)
{
	return addresses(c, dst, n < 0 || n >= MAX_FRAMES ? MAX_FRAMES : n + 1);
}

/* Of another task, which does not run meanwhile; of one that does the kernel's unwinder gives
 * nothing.  It is kept from giving its stack back; what would do that in its place, should it come
 * to its very end just now, modules cannot call: the stack is lost then. */
static u32 walk_task(struct task_struct *t, unsigned long *to, u32 max)
{
	struct unwind_state state;
	u32 n = 0;

	if (in_nmi() || !try_get_task_stack(t))
		return 0;
	for (unwind_start(&state, t, NULL, NULL); !unwind_done(&state) && n < max;
	     unwind_next_frame(&state)) {
		unsigned long addr = unwind_get_return_address(&state);

		if (addr)
			to[n++] = addr;
	}
	refcount_dec_not_one(&t->stack_refcount);
	return n;
}

const char *ust_task_backtrace(struct ust_ctx *c, char *dst, ust_long task)
{
	unsigned long v[MAX_FRAMES];
	struct task_struct *t;
	u32 n = 0;

	rcu_read_lock();
	t = task_at(task);
	if (t == current)
		n = c->hit->mode == RT_KERNEL ? walk(c, v, MAX_FRAMES)
					      : walk_from_here(v, MAX_FRAMES);
	else if (t)
		n = walk_task(t, v, MAX_FRAMES);
	rcu_read_unlock();
	return list(dst, v, n);
}

ust_long ust_stack_size(struct ust_ctx *c) { return THREAD_SIZE; }

/* Stacks are aligned to their size, and grow down.  Where the hit has no registers of the kernel,
 * the handler's own are meant: a tracepoint, a packet, a handler in a task, an interrupt of the
 * program. */
ust_long ust_stack_used(struct ust_ctx *c)
{
	bool trace = c->hit->site && c->hit->site->flags & UST_SITE_TRACE;
	bool known = c->hit->mode == RT_KERNEL && !trace && c->hit->regs && !port_program_regs(c) &&
		     c->hit->regs->sp;
	unsigned long sp = known ? c->hit->regs->sp : (unsigned long)__builtin_frame_address(0);

	return THREAD_SIZE - (sp & (THREAD_SIZE - 1));
}

ust_long ust_stack(struct ust_ctx *c, ust_long n)
{
	unsigned long v[MAX_FRAMES];
	u32 k = walk(c, v, MAX_FRAMES);

	return n >= 0 && n < k ? v[n] : 0;
}

void ust_print_backtrace(struct ust_ctx *c)
{
	unsigned long v[MAX_FRAMES];
	u32 n = walk(c, v, MAX_FRAMES), i;

	for (i = 0; i < n; i++)
		put_line(c, &c->out, v[i]);
}

const char *ust_sprint_backtrace(struct ust_ctx *c, char *dst)
{
	unsigned long v[MAX_FRAMES];
	u32 n = walk(c, v, MAX_FRAMES), i;
	struct ust_out o;

	ust_out_string(&o, dst);
	for (i = 0; i < n; i++)
		put_line(c, &o, v[i]);
	out_finish_lines(&o, dst);
	return dst;
}

static void put_lines(struct ust_ctx *c, struct ust_out *o, const char *stack)
{
	while (*stack && !c->failed) {
		bool is_cut = !ust_strcmp(stack, ADDRESSES_CUT);
		unsigned long addr = symbol_next_address(c, &stack);

		if (is_cut)
			ust_put_s(o, ADDRESSES_CUT "\n");
		if (addr)
			put_line(c, o, addr);
	}
}

void ust_print_stack(struct ust_ctx *c, const char *stack) { put_lines(c, &c->out, stack); }

const char *ust_sprint_stack(struct ust_ctx *c, char *dst, const char *stack)
{
	struct ust_out o;

	ust_out_string(&o, dst);
	put_lines(c, &o, stack);
	out_finish_lines(&o, dst);
	return dst;
}

/* ------------------------------------------------------------------- names */

const char *ust_symname(struct ust_ctx *c, char *dst, ust_long addr)
{
	char name[KSYM_SYMBOL_LEN];

	name[0] = 0;
	if (ctx_work(c, STEPS_OF_A_NAME))
		sprint_symbol_no_offset(name, addr);
	name[strcspn(name, " ")] = 0; /* the module's name behind it */
	ust_strcpy(dst, name);
	return dst;
}

const char *ust_symdata(struct ust_ctx *c, char *dst, ust_long addr)
{
	struct ust_out o;

	ust_out_string(&o, dst);
	put_name(c, &o, addr);
	ust_out_finish(&o);
	return dst;
}

/* "kernel", or the module in brackets that the kernel puts behind a name. */
const char *ust_modname(struct ust_ctx *c, char *dst, ust_long addr)
{
	char name[KSYM_SYMBOL_LEN], *open, *close;

	name[0] = 0;
	if (ctx_work(c, STEPS_OF_A_NAME))
		sprint_symbol_no_offset(name, addr);
	open = strchr(name, '[');
	close = open ? strpbrk(open, " ]") : NULL;
	if (close)
		*close = 0;
	ust_strcpy(dst, open ? open + 1 : strncmp(name, "0x", 2) ? "kernel" : "<unknown>");
	return dst;
}
