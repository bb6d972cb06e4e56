/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins on the kernel's own stack and symbols, through the kernel's unwinder and kallsyms. */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/refcount.h>
#include <linux/sched/task_stack.h>
#include <asm/unwind.h>

#include "rt.h"

enum { MAX_FRAMES = 64 };

/* Actions charged: kallsyms is searched by bisection, a module's symbol table linearly. */
enum { STEPS_OF_A_KERNEL_NAME = STEPS_PER_ACTION / 2, STEPS_OF_A_FRAME = 32 };

/* True for frames between a tracepoint and its probes: functions of this module, and the iterator
 * that the kernel calls when a tracepoint has several probes. */
static bool is_between(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	if (within_module(addr, THIS_MODULE))
		return true;
	sprint_symbol_no_offset(name, addr);
	return !strncmp(name, "__traceiter_", 12);
}

/* Unwind from a tracepoint, where no registers are available: its probes are called like
 * functions. */
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

/* Unwind from the registers. FIRST is the first frame; the kernel's unwinder starts with its
 * caller. */
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

/* Store at most MAX return addresses, starting with the probed address; returns their number. */
static u32 walk(struct ust_ctx *c, unsigned long *to, u32 max)
{
	u32 flags = c->hit->site ? c->hit->site->flags : UST_SITE_RETURN;
	struct pt_regs *regs = (struct pt_regs *)c->hit->regs;

	if (c->hit->mode != RT_KERNEL || !c->hit->regs || port_program_regs(c) ||
	    !ctx_work(c, max * STEPS_OF_A_FRAME))
		return 0;
	if (flags & UST_SITE_TRACE || (c->hit->probe && c->hit->probe->kind == UST_PROBE_NETFILTER))
		return walk_from_here(to, max);
	/* the probed instruction, not the address behind the breakpoint; for a return probe, the
	 * return address */
	return walk_from_probe(
		regs, flags & UST_SITE_RETURN ? instruction_pointer(regs) : c->hit->addr, to, max);
}

static void put_address(struct ust_out *o, u64 addr)
{
	char digits[20];

	ust_put(o, "0x", 2);
	ust_put(o, digits, fmt_hex(digits, addr));
}

static void put_name(struct ust_ctx *c, struct ust_out *o, unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	if (!ctx_work(c, STEPS_OF_A_KERNEL_NAME))
		return;
	sprint_symbol(name, addr);
	ust_put_s(o, name);
	if (!strchr(name, '['))
		ust_put_s(o, " [kernel]");
}

/* Print one address as stack() does. */
static void put_line(struct ust_ctx *c, struct ust_out *o, unsigned long addr)
{
	ust_put_s(o, " ");
	put_address(o, addr);
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
		put_address(&o, v[i]);
	}
	out_finish_addresses(&o, dst);
	return dst;
}

static const char *return_addresses(struct ust_ctx *c, char *dst, u32 max)
{
	unsigned long v[MAX_FRAMES];

	return list(dst, v, walk(c, v, max));
}

const char *ust_backtrace(struct ust_ctx *c, char *dst)
{
	return return_addresses(c, dst, MAX_FRAMES);
}

const char *ust_callers(struct ust_ctx *c, char *dst, ust_long n)
{
	return return_addresses(c, dst, n < 0 || n >= MAX_FRAMES ? MAX_FRAMES : n + 1);
}

/* Unwind the stack of a sleeping task; for a running one the kernel's unwinder returns nothing. The
 * reference keeps the stack allocated. Modules cannot call put_task_stack(), which would free it,
 * so the stack leaks if the task exits at this very moment. */
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
	t = task_from_address(task);
	if (t == current)
		n = c->hit->mode == RT_KERNEL ? walk(c, v, MAX_FRAMES)
					      : walk_from_here(v, MAX_FRAMES);
	else if (t)
		n = walk_task(t, v, MAX_FRAMES);
	rcu_read_unlock();
	return list(dst, v, n);
}

ust_long ust_stack_size(struct ust_ctx *c) { return THREAD_SIZE; }

/* Bytes used on the current stack. Stacks are aligned to their size and grow down. Without kernel
 * registers (a tracepoint, a packet, a handler in task context, an interrupt of user code) the
 * handler's own stack is measured. */
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
	if (ctx_work(c, STEPS_OF_A_KERNEL_NAME))
		sprint_symbol_no_offset(name, addr);
	name[strcspn(name, " ")] = 0; /* cut off the module's name, which follows a space */
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

/* The module of ADDR: "kernel", or the name that kallsyms appends in brackets. */
const char *ust_modname(struct ust_ctx *c, char *dst, ust_long addr)
{
	char name[KSYM_SYMBOL_LEN], *open, *close;

	name[0] = 0;
	if (ctx_work(c, STEPS_OF_A_KERNEL_NAME))
		sprint_symbol_no_offset(name, addr);
	open = strchr(name, '[');
	close = open ? strpbrk(open, " ]") : NULL;
	if (close)
		*close = 0;
	ust_strcpy(dst, open ? open + 1 : strncmp(name, "0x", 2) ? "kernel" : "<unknown>");
	return dst;
}
