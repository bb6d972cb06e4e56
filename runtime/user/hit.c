/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a stub to the handlers of its point, and through the returns of probed functions. */
#include "user.h"

/* In order of the script, until one of them ends it. */
static noinline void run_others(const u32 *order, u32 n, struct ust_hit *hit)
{
	for (; n && READ_ONCE(agent.armed); n--) {
		hit->site = &ust_program.sites[*order++];
		hit->site->handler(hit);
	}
}

static inline void run_handlers(u32 first, u32 n, struct frame *f, u64 addr)
{
	const u32 *order = (const u32 *)agent.order + first;
	struct ust_hit hit;

	hit.regs = &f->regs;
	hit.site = &ust_program.sites[*order];
	hit.addr = addr;
	hit.probe = NULL;
	hit.mode = MODE_PROBE;
	hit.site->handler(&hit);
	if (unlikely(n > 1))
		run_others(order + 1, n - 1, &hit);
}

static inline bool wanted(void)
{
	return likely(READ_ONCE(agent.armed)) && likely(identity_wanted());
}

/* What is above the frame on the stack. */
static inline u64 *above(struct frame *f)
{
	return (u64 *)(f + 1);
}

static inline void run_entry(const struct ust_point *p, struct frame *f, bool run)
{
	f->regs.ip = p->addr;
	f->regs.sp = (unsigned long)above(f) + (p->flags & UST_POINT_RED_ZONE ? 128 : 0);
	if (p->n && run)
		run_handlers(p->first, p->n, f, p->addr);
}

void hit_entry(struct frame *f)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF(f->ret);

	run_entry(p, f, wanted());
	if (unlikely(p->hook) && hook_entry(p, f, f->regs.sp))
		f->ret = (unsigned long)arch_leave;
}

bool hit_return(struct frame *f)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF(f->ret);
	u64 stub = (u64)(p + 1), *slot = above(f);
	bool run = wanted(), hooked;

	run_entry(p, f, run);
	hooked = unlikely(p->hook);
	if (hooked && hook_entry(p, f, (u64)slot)) {
		f->ret = (unsigned long)arch_leave;
		return false;
	}
	if (((run && p->rn && READ_ONCE(agent.armed)) || (hooked && hook_wants_return(p))) &&
	    slot_put((u64)slot, *slot, stub + UST_STUB_BODY)) {
		*slot = f->ret;
		return true;
	}
	f->ret = stub + p->body;
	return false;
}

void hit_after(struct frame *f)
{
	const struct ust_point *p = (const struct ust_point *)UST_POINT_OF_AFTER(f->ret);
	u64 slot = (u64)&f->ret, caller;
	u64 ret = slot_take(slot, &caller);

	/* There is nowhere to go: somebody has written to the table. */
	if (unlikely(!ret))
		__builtin_trap();
	f->regs.ss = f->ret;
	f->ret = ret;
	f->regs.ip = caller;
	f->regs.sp = slot + 8;
	if (unlikely(p->hook) && hook_return(p, f, slot))
		return;
	if (p->rn && wanted())
		run_handlers(p->rfirst, p->rn, f, p->addr);
}
