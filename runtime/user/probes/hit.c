/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hits: from a trampoline to the handlers of its probe point, and the returns of probed
 * functions. */
#include "probes/callers.h"
#include "probes/handler_stack.h"
#include "probes/return_slots.h"
#include "user.h"
#include "wire_records.h"

static inline void run(struct ust_hit *hit, ust_handler handler)
{
	u32 flags = hit->site->flags;

	if (unlikely(flags & UST_SITE_DEEP || (flags & UST_SITE_WALKS && handler_stack_wanted())))
		handler_stack_run(hit, handler);
	else
		handler(hit);
}

/* In script order, until one of them ends the script. */
static noinline void run_others(const u32 *order, u32 n, struct ust_hit *hit)
{
	for (; n && is_armed(); n--) {
		hit->site = &ust_program.sites[*order++];
		run(hit, hit->site->handler);
	}
}

static inline void begin_hit(struct ust_hit *hit, struct frame *f, u64 addr)
{
	hit->regs = &f->regs;
	hit->addr = addr;
	hit->probe = NULL;
	hit->mode = MODE_PROBE;
	hit->saved = NULL;
}

static inline void run_handlers(u32 first, u32 n, struct frame *f, u64 addr)
{
	const u32 *order = (const u32 *)layout.order + first;
	struct ust_hit hit;

	begin_hit(&hit, f, addr);
	hit.site = &ust_program.sites[*order];
	run(&hit, hit.site->handler);
	if (unlikely(n > 1))
		run_others(order + 1, n - 1, &hit);
}

/* Estimates: a jump, with the saved registers; the same twice; a signal; two stops by
 * the tracer. */
u32 port_hit_cycles(const struct ust_hit *hit)
{
	enum { JUMP = 45, RETURN = 90, BREAKPOINT = 9000, WATCH = 100000 };

	if (unlikely(hit->site->flags & UST_SITE_WATCH))
		return WATCH;
	if (unlikely(trap_at(hit->addr)))
		return BREAKPOINT;
	return hit->site->flags & UST_SITE_RETURN ? RETURN : JUMP;
}

/* ------------------------------------- what is kept from entry to return */

/* Run the entry part of SITE, or its handler with the saved entry values. */
static inline void run_site_keeping(struct ust_hit *hit, u32 site, ust_long *saved, bool at_entry)
{
	ust_handler handler;

	hit->site = &ust_program.sites[site];
	hit->saved = saved + hit->site->saved;
	handler = at_entry ? hit->site->entry : hit->site->handler;
	if (handler)
		run(hit, handler);
}

static noinline void run_others_keeping(const u32 *order, u32 n, struct ust_hit *hit,
					ust_long *saved, bool at_entry)
{
	for (; n && is_armed(); n--)
		run_site_keeping(hit, *order++, saved, at_entry);
}

/* Run the entry parts of P's return sites, at least one, or their handlers. */
static noinline void run_keeping(const struct ust_point *p, struct frame *f, ust_long *saved,
				 bool at_entry)
{
	const u32 *order = (const u32 *)layout.order + p->rfirst;
	struct ust_hit hit;

	begin_hit(&hit, f, p->addr);
	run_site_keeping(&hit, *order, saved, at_entry);
	if (unlikely(p->rn > 1))
		run_others_keeping(order + 1, p->rn - 1, &hit, saved, at_entry);
}

/* ------------------------------------------------- for programs that count */

static void note(u32 first, u32 n, u32 flags)
{
	const u32 *order = (const u32 *)layout.order + first;

	for (; n; n--)
		counts_note(*order++, flags);
}

static noinline void note_entered(const struct ust_point *p)
{
	note(p->rfirst, p->rn, UST_COUNT_ENTERED);
}

static noinline void note_unwanted(const struct ust_point *p)
{
	if (!is_armed())
		return;
	if (p->n || p->rn)
		request_untraced();
	if (!counts_on())
		return;
	note(p->first, p->n, UST_COUNT_UNWANTED);
	note(p->rfirst, p->rn, UST_COUNT_UNWANTED);
}

/* ----------------------------------------------------- from a trampoline */

static inline bool wanted(void) { return likely(is_armed()) && likely(identity_wanted()); }

/* The stack slot above the frame. */
static inline u64 *above(struct frame *f) { return (u64 *)(f + 1); }

/* The program counter and the stack pointer of the probed code. */
static inline void set_place(const struct ust_point *p, struct frame *f)
{
	*regs_pc(&f->regs) = p->addr;
	*regs_sp(&f->regs) = (unsigned long)above(f) + (p->flags & UST_POINT_RED_ZONE ? 128 : 0);
}

static inline void run_entry(const struct ust_point *p, struct frame *f, bool run)
{
	set_place(p, f);
	if (unlikely(!run))
		note_unwanted(p);
	else if (p->n)
		run_handlers(p->first, p->n, f, p->addr);
}

static noinline void entry_slowly(const struct ust_point *p, struct frame *f)
{
	run_entry(p, f, wanted());
	if (unlikely(p->hook) && hook_entry(p, f, *regs_sp(&f->regs)))
		f->ret = p->hook == UST_HOOK_SIGNALS ? f->ret + UST_STUB_INSTEAD
						     : (unsigned long)arch_leave;
}

/* Nothing is kept over the call of the handler. */
void hit_entry(struct frame *f)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF(f->ret);
	struct ust_hit hit;

	if (unlikely(!(p->flags & UST_POINT_SINGLE) || !wanted())) {
		entry_slowly(p, f);
		return;
	}
	set_place(p, f);
	begin_hit(&hit, f, p->addr);
	hit.site = &ust_program.sites[p->site];
	run(&hit, hit.site->handler);
}

struct switched {
	const struct ust_point *p;
	struct frame *f;
};

static void run_switched(void *arg)
{
	const struct switched *s = arg;

	run_handlers(s->p->first, s->p->n, s->f, s->p->addr);
}

void hit_entry_switched(struct frame *f, u64 sp)
{
	struct switched s = {(const struct ust_point *)UST_POINT_OF(f->ret), f};

	*regs_pc(&f->regs) = s.p->addr;
	*regs_sp(&f->regs) = sp;
	if (unlikely(!wanted()))
		note_unwanted(s.p);
	else if (s.p->n)
		handler_stack_open(sp, run_switched, &s);
}

bool hit_return(struct frame *f)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF(f->ret);
	u64 stub = (u64)(p + 1), *slot = above(f);
	bool run = wanted(), hooked;
	struct ust_slot *kept = NULL;

	run_entry(p, f, run);
	hooked = unlikely(p->hook);
	if (hooked && hook_entry(p, f, (u64)slot)) {
		f->ret = (unsigned long)arch_leave;
		return false;
	}
	if ((run && p->rn && is_armed() && likely(caller_allows(*slot))) ||
	    (hooked && hook_wants_return(p)))
		kept = slot_put((u64)slot, *slot, stub + UST_STUB_BODY);
	if (unlikely(!kept)) {
		f->ret = stub + p->body;
		return false;
	}
	if (ust_program.saved_words && run && p->rn)
		run_keeping(p, f, slot_saved(kept), true);
	if (unlikely(counts_on()))
		note_entered(p);
	*slot = f->ret;
	return true;
}

/* The record is removed after the handlers have run, because they read the values that it
 * keeps. */
static noinline void after_keeping(const struct ust_point *p, struct frame *f, u64 slot,
				   ust_long *saved)
{
	u64 caller;

	if (unlikely(p->hook)) {
		slot_take(slot, &caller);
		if (hook_return(p, f, slot))
			return;
	}
	if (wanted())
		run_keeping(p, f, saved, false);
	if (likely(!p->hook))
		slot_take(slot, &caller);
}

void hit_after(struct frame *f)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF_AFTER(f->ret);
	bool keeps = ust_program.saved_words && p->rn, again = false;
	u64 slot = (u64)&f->ret, caller = 0, ret;
	struct ust_slot *kept = NULL;

	if (keeps) {
		kept = slot_last(slot, &caller);
		ret = kept ? kept->ret : 0;
	} else {
		ret = slot_take(slot, &caller);
	}

	if (unlikely(!ret)) {
		again = true;
		ret = caller = slot_reentered(slot, (u64)(p + 1) + UST_STUB_BODY);
	}
	/* The return address is lost: a traced process has written to the table. */
	if (unlikely(!ret))
		__builtin_trap();
	*regs_spare(&f->regs) = f->ret;
	f->ret = ret;
	*regs_pc(&f->regs) = caller;
	*regs_sp(&f->regs) = slot + 8;
	if (unlikely(again))
		return;
	if (keeps) {
		after_keeping(p, f, slot, slot_saved(kept));
		return;
	}
	if (unlikely(p->hook) && hook_return(p, f, slot))
		return;
	if (p->rn && wanted())
		run_handlers(p->rfirst, p->rn, f, p->addr);
}
