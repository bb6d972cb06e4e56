/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding on x86-64: the first frame, and frames of signals. */
#if defined(__x86_64__)
#include "unwind/unwind.h"

/* Leave a signal frame: struct ucontext at the stack pointer of the code that a signal handler
 * returns to, by the kernel's asm/sigcontext.h. */
enum leaving frame_leave_signal(struct ust_ctx *c, struct frame *f)
{
	/* registers 8 to 15, then these, by their DWARF numbers */
	static const unsigned char order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
	enum { FIRST = 40, PC = 168 };
	u64 at = f->r[REG_SP];
	u32 i;

	for (i = 0; i < sizeof order; i++)
		f->r[order[i]] = target_touch(c, at + FIRST + 8 * i, 8);
	f->known = 0xffff;
	f->pc = target_touch(c, at + PC, 8);
	return f->pc ? LEFT_SIGNAL : OUTERMOST;
}

/* Code that a signal handler returns to, in libraries without rules for it: mov $15, %rax or %eax;
 * syscall. */
bool frame_is_signal_return(struct ust_ctx *c, u64 pc)
{
	u64 code = target_touch(c, pc, 8);

	return code == 0x0f0000000fc0c748 || (code & 0xffffffffffffff) == 0x050f0000000fb8;
}

void frame_first(struct frame *f, const struct ust_regs *r)
{
	const u64 v[] = {r->ax, r->dx, r->cx,  r->bx,  r->si,  r->di,  r->bp,  r->sp,
			 r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	memcpy(f->r, v, sizeof v);
	f->pc = r->ip;
	f->bp_slot = 0;
	f->known = 0xffff;
}

#endif
