/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backtraces of the probed thread, by the rules that the translator has taken from the modules' call frame
 * information.  Memory that cannot be read, code of no module and a frame that does not lie above the last end them.
 */
#include "common.h"

/* A frame, as its function sees it. */
struct frame { u64 pc, sp, bp; };

static const struct ust_frame_row *rows_of(const struct ust_stackmap *m)
{
	return (const struct ust_frame_row *)(m + 1);
}

/* The address in the file of what is mapped at ADDR; false: in none of its segments. */
bool stackmap_address(const struct ust_stackmap *m, const struct port_mapping *at, u64 addr, u32 *to)
{
	u64 offset = addr - at->start + at->offset;
	u32 i;

	for (i = 0; i < m->nsegments; i++)
		if (offset - m->segments[i].offset < m->segments[i].size) {
			*to = (u32)(offset - m->segments[i].offset + m->segments[i].addr);
			return true;
		}
	return false;
}

static const struct ust_frame_row *find_row(const struct ust_stackmap *m, u32 addr)
{
	const struct ust_frame_row *rows = rows_of(m);
	u32 n = stackmap_upto(rows, m->nrows, sizeof *rows, addr);

	return n ? &rows[n - 1] : NULL;
}

static const struct ust_frame_row *row_of(struct ust_ctx *c, u64 pc)
{
	struct port_mapping at;
	const struct ust_stackmap *m;
	u32 addr;

	if (!port_find_mapping(c, pc, &at))
		return NULL;
	m = ust_program.modules[at.module].map;
	return m && stackmap_address(m, &at, pc, &addr) ? find_row(m, addr) : NULL;
}

static u64 load(struct ust_ctx *c, u64 addr) { return (u64)ust_user_uint64(c, (ust_long)addr); }

#if defined(__x86_64__)
/* struct ucontext at the stack pointer of the code that a signal handler returns to, by the kernel's asm/sigcontext.h. */
static bool leave_signal(struct ust_ctx *c, struct frame *f)
{
	enum { BP = 120, SP = 160, PC = 168 };
	u64 at = f->sp;

	f->bp = load(c, at + BP);
	f->sp = load(c, at + SP);
	f->pc = load(c, at + PC);
	return f->pc;
}

static u64 first_bp(const struct ust_regs *r) { return r->bp; }
#endif

static u64 frame_address(struct ust_ctx *c, const struct ust_frame_row *row, const struct frame *f)
{
	switch (row->kind) {
	case UST_FRAME_SP:
		return f->sp + (u64)(s64)row->cfa;
	case UST_FRAME_BP:
		return f->bp + (u64)(s64)row->cfa;
	case UST_FRAME_BP_DEREF:
		return load(c, f->bp + (u64)(s64)row->cfa);
	case UST_FRAME_PLT:
		return f->sp + (u64)(s64)row->cfa + (f->pc % 16 >= (u64)row->bp ? 8 : 0);
	}
	return 0;
}

/* To the caller's frame.  EXACT: F's pc is of the next instruction, not behind a call. */
static bool leave(struct ust_ctx *c, struct frame *f, bool *exact)
{
	const struct ust_frame_row *row = row_of(c, f->pc - !*exact);
	u64 cfa;

	if (!row)
		return false;
	*exact = row->kind == UST_FRAME_SIGNAL;
	if (*exact)
		return leave_signal(c, f);
	cfa = frame_address(c, row, f);
	if (cfa <= f->sp || cfa % 8)
		return false;
	if (row->kind != UST_FRAME_PLT && row->bp == UST_FRAME_BP_LOST)
		f->bp = 0;
	else if (row->kind != UST_FRAME_PLT && row->bp)
		f->bp = load(c, cfa + (u64)(s64)row->bp);
	f->pc = port_real_return(c, cfa - 8, load(c, cfa - 8));
	f->sp = cfa;
	return f->pc;
}

/* ---------------------------------------------------- values by call sites */

ust_u64 ust_caller(struct ust_ctx *c, ust_u64 slot)
{
	u64 ret = ust_load(c, slot, 8);

	return c->failed ? 0 : port_real_return(c, slot, ret);
}

void ust_caller_lost(struct ust_ctx *c, ust_u64 ret, enum ust_caller_lost why)
{
	ctx_fail_addr(c, why == UST_CALLER_SILENT ? "the debug information does not tell what was passed by the call that returns to 0x"
						  : "it was not called by a call that the debug information describes, to return to 0x",
		      ret);
}

u32 stack_walk(struct ust_ctx *c, u64 *pcs, u32 max, u32 *exactly)
{
	const struct ust_regs *r = c->hit->regs;
	struct frame f;
	bool exact = true;
	u32 n = 0;

	if (!r)
		return 0;
	f = (struct frame){r->ip, r->sp, first_bp(r)};
	*exactly = 0;
	do {
		*exactly |= (u32)exact << n;
		pcs[n++] = f.pc;
	} while (n < max && leave(c, &f, &exact));
	return n;
}
