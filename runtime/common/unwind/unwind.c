/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding the probed thread, by the rules that the translator has extracted from the modules'
 * call frame information; without rows for the code, by the information that the process has mapped
 * (cfi.c). Unwinding ends at unreadable memory, unknown code, or a frame that is not above the last
 * one.
 *
 * Most code finds its callers by the stack pointer and the frame pointer, so only these are
 * tracked. If a frame needs another register the walk restarts with all of them.
 */
#include "unwind/unwind.h"

static const struct ust_frame_row *rows_of(const struct ust_stackmap *m)
{
	return (const struct ust_frame_row *)(m + 1);
}

/* A map comes from a file of the cache. Its digest was checked, but a handler in the kernel does
 * not rely on that. */
const struct ust_stackmap *stackmap_of(u32 module)
{
	const struct ust_stackmap *m = module < ust_program.nmodules
					       ? ust_program.modules[module].map
					       : NULL;
	u64 size, want;

	if (!m)
		return NULL;
	size = ((const u64 *)m)[-1];
	if (size < sizeof *m)
		return NULL;
	want = sizeof *m + (u64)m->nrows * sizeof(struct ust_frame_row) +
	       (u64)m->nsymbols * sizeof(struct ust_symbol) +
	       (u64)m->nlines * sizeof(struct ust_line_row) +
	       (u64)m->ninlines * sizeof(struct ust_inline_row) +
	       (u64)m->ninlined * sizeof(struct ust_inlined) + m->strings;
	if (want != size || m->nsegments > sizeof m->segments / sizeof *m->segments)
		return NULL;
	return !m->strings || !((const char *)m)[size - 1] ? m : NULL;
}

/* Number of the segment of M that contains ADDR in the mapping AT; their count if none does. */
static u32 stackmap_segment(const struct ust_stackmap *m, const struct port_mapping *at, u64 addr)
{
	u64 offset = addr - at->start + at->offset;
	u32 i = 0;

	while (i < m->nsegments && offset - m->segments[i].offset >= m->segments[i].size)
		i++;
	return i;
}

bool stackmap_address(const struct ust_stackmap *m, const struct port_mapping *at, u64 addr,
		      u32 *to)
{
	u32 i = stackmap_segment(m, at, addr);

	if (i == m->nsegments)
		return false;
	*to = (u32)(addr - at->start + at->offset - m->segments[i].offset + m->segments[i].addr);
	return true;
}

/* Stacks repeat: the indices at which earlier searches ended, by module and address. They are
 * hints, which threads write at any time and a traced process may forge: each is checked. */
enum { HINT_BITS = 11 };
static u32 hints[1u << HINT_BITS];

static inline u32 *hint_of(const struct ust_stackmap *m, u32 addr)
{
	u64 key = (u64)(unsigned long)m + addr;

	return &hints[key * 0x9e3779b97f4a7c15ull >> (64 - HINT_BITS)];
}

/* True if row number I of M is the last one at or before ADDR. */
static inline bool is_row(const struct ust_stackmap *m, u32 i, u32 addr)
{
	const struct ust_frame_row *rows = rows_of(m);

	return i < m->nrows && rows[i].at <= addr && (i + 1 == m->nrows || rows[i + 1].at > addr);
}

static inline const struct ust_frame_row *find_row(const struct ust_stackmap *m, u32 addr)
{
	const struct ust_frame_row *rows = rows_of(m);
	u32 *hint = hint_of(m, addr), i = READ_ONCE(*hint);

	if (unlikely(!is_row(m, i, addr))) {
		i = stackmap_upto(rows, m->nrows, sizeof *rows, addr);
		if (!i--)
			return NULL;
		WRITE_ONCE(*hint, i);
	}
	return rows[i].kind != UST_FRAME_UNKNOWN ? &rows[i] : NULL;
}

static inline bool is_mapped(const struct walk *w, u64 pc)
{
	return likely(pc - w->at.start < w->at.end - w->at.start);
}

static inline bool find_mapping(struct walk *w, u64 pc)
{
	return is_mapped(w, pc) || port_find_mapping(w->c, pc, &w->at);
}

static void forget_code(struct walk *w)
{
	w->at = (struct port_mapping){0, 0, 0, PORT_NO_MODULE};
	w->code = (struct walk_code){0, 0, 0, NULL};
}

static u64 least(u64 a, u64 b) { return a < b ? a : b; }

/* Set W->code to the code around PC. */
static noinline bool find_code(struct walk *w, u64 pc)
{
	struct walk_code *code = &w->code;
	const struct port_mapping *at = &w->at;
	u64 offset, before, after;
	u32 i;

	if (!find_mapping(w, pc)) {
		forget_code(w);
		return false;
	}
	code->size = 0;
	code->map = stackmap_of(at->module);
	i = code->map ? stackmap_segment(code->map, at, pc) : 0;
	if (!code->map || i == code->map->nsegments)
		return false;
	offset = pc - at->start + at->offset - code->map->segments[i].offset;
	before = least(pc - at->start, offset);
	after = least(at->end - pc, code->map->segments[i].size - offset);
	code->start = pc - before;
	code->size = before + after;
	code->shift = (u32)(code->map->segments[i].addr + offset - pc);
	return true;
}

/* Consecutive frames are often in the same module. */
static inline const struct ust_frame_row *row_of(struct walk *w, u64 pc)
{
	if (unlikely(pc - w->code.start >= w->code.size) && !find_code(w, pc))
		return NULL;
	return find_row(w->code.map, (u32)pc + w->code.shift);
}

static inline u64 load(struct ust_ctx *c, u64 addr)
{
	u64 v;

	target_read_word(c, addr, &v);
	return v;
}

static bool frame_address(struct ust_ctx *c, const struct ust_frame_row *row, const struct frame *f,
			  u64 *to)
{
	u64 by = (u64)(s64)row->cfa, sp = f->r[REG_SP], bp = f->r[REG_BP];

	switch (row->kind) {
	case UST_FRAME_SP:
		*to = sp + by;
		return true;
	case UST_FRAME_PLT:
		*to = sp + by + (f->pc % 16 >= (u64)row->bp ? 8 : 0);
		return true;
	case UST_FRAME_BP:
		*to = bp + by;
		return frame_knows(f, REG_BP);
	case UST_FRAME_BP_DEREF:
		*to = load(c, bp + by);
		return frame_knows(f, REG_BP);
	}
	return false;
}

/* Leave the frame by a row of the module's map: the caller's is at CFA. */
static enum leaving leave_for(struct ust_ctx *c, const struct ust_frame_row *row, struct frame *f,
			      u64 cfa)
{
	u64 ret;

	if (cfa <= f->r[REG_SP] || cfa % 8)
		return OUTERMOST;
	if (!load_return(c, cfa - 8, &ret))
		return ABSENT;
	f->known &= 1u << REG_SP | 1u << REG_BP;
	if (row->kind != UST_FRAME_PLT && row->bp == UST_FRAME_BP_LOST)
		f->known = 1u << REG_SP;
	else if (row->kind != UST_FRAME_PLT && row->bp)
		f->bp_slot = cfa + (u64)(s64)row->bp;
	f->pc = port_real_return(c, cfa - 8, ret);
	f->r[REG_SP] = cfa;
	return f->pc ? LEFT : OUTERMOST;
}

static enum leaving leave_by_row(struct ust_ctx *c, const struct ust_frame_row *row,
				 struct frame *f)
{
	u64 cfa;

	frame_load_bp(c, f);
	if (row->kind == UST_FRAME_SIGNAL)
		return frame_leave_signal(c, f);
	if (row->kind == UST_FRAME_OUTERMOST)
		return OUTERMOST;
	return frame_address(c, row, f, &cfa) ? leave_for(c, row, f, cfa) : NO_REGISTER;
}

/* Address of the search table for the code at PC; 0 if not found. */
static u64 table_of(struct walk *w, u64 pc)
{
	u64 table = port_unwind_table(w->c, pc), header;
	struct image im;

	if (table || !w->at.end)
		return table;
	header = port_file_start(w->c, pc);
	return header && mapped_image_read(w->c, header, &im) && im.unwind ? im.unwind + im.bias
									   : 0;
}

/* True if SLOT of the stack holds a return address. F: the caller's frame, if it is one. */
static bool is_return(struct walk *w, u64 slot, struct frame *f)
{
	u64 ret = port_real_return(w->c, slot, load(w->c, slot));
	struct port_mapping to;

	if (slot < f->r[REG_SP] || slot % 8 || !ret || !port_find_mapping(w->c, ret, &to))
		return false;
	f->pc = ret;
	f->r[REG_SP] = slot + 8;
	return true;
}

/* Leave a frame F whose code is unknown: it may be a signal return; code that has pushed nothing,
 * such as an entry of a PLT; or code with a frame pointer. (Code outside of files has a frame
 * pointer, or the walk ends.) */
static enum leaving guess(struct walk *w, struct frame *f)
{
	u64 bp = f->r[REG_BP];

	if (frame_is_signal_return(w->c, f->pc))
		return frame_leave_signal(w->c, f);
	if (w->exact && w->at.end && is_return(w, f->r[REG_SP], f)) {
		f->known &= 1u << REG_SP | 1u << REG_BP;
		return LEFT;
	}
	if (!frame_knows(f, REG_BP) || !is_return(w, bp + 8, f))
		return NO_RULE;
	f->r[REG_BP] = load(w->c, bp);
	f->known = 1u << REG_SP | 1u << REG_BP;
	return LEFT;
}

/* A frame that a row of a stack map does not suffice for. */
struct odd_frame {
	struct walk *w;
	struct frame *f;
	const struct ust_frame_row *row;
	enum leaving how;
};

static void leave_odd(void *arg)
{
	struct odd_frame *o = arg;
	struct walk *w = o->w;
	struct frame *f = o->f;
	u64 pc = f->pc - !w->exact, table = table_of(w, pc);
	bool is_odd = o->row && o->row->kind == UST_FRAME_ODD;

	frame_load_bp(w->c, f);
	if (table)
		o->how = cfi_leave(w->c, table, pc, f);
	if (o->how == NO_RULE && o->row && !is_odd)
		o->how = leave_by_row(w->c, o->row, f);
	if (o->how == NO_RULE && !is_odd)
		o->how = guess(w, f);
}

static noinline enum leaving leave_oddly(struct walk *w, const struct ust_frame_row *row,
					 struct frame *f)
{
	struct odd_frame odd = {w, f, row, NO_RULE};

	port_call_deep(w->c, leave_odd, &odd);
	return odd.how;
}

static enum leaving leave(struct walk *w, struct frame *f)
{
	u64 pc = f->pc - !w->exact;
	const struct ust_frame_row *row = row_of(w, pc);

	if (!row || row->kind == UST_FRAME_ODD || w->whole)
		return leave_oddly(w, row, f);
	return leave_by_row(w->c, row, f);
}

/*
 * Leave at most MAX frames by rows by the stack pointer, which nearly all frames have; returns
 * their number. Ends before a frame that needs anything else. A walk is this loop, so its state is
 * in local variables.
 */
static u32 leave_plainly(struct walk *w, u32 max)
{
	const struct walk_code *code = &w->code;
	u64 start = code->start, size = code->size, sp = w->f.r[REG_SP], cfa, ret;
	u64 pc = w->f.pc, in_call = !w->exact, bp_slot = w->f.bp_slot;
	u32 n;

	if (unlikely(w->whole))
		return 0;
	for (n = 0; n < max && likely(pc - in_call - start < size); n++) {
		u32 addr = (u32)(pc - in_call) + code->shift;
		const struct ust_frame_row *row = find_row(code->map, addr);

		if (unlikely(!row || row->kind != UST_FRAME_SP || row->bp == UST_FRAME_BP_LOST))
			break;
		cfa = sp + (u64)(s64)row->cfa;
		if (unlikely(cfa <= sp || cfa % 8 || !target_read_word(w->c, cfa - 8, &ret)))
			break;
		ret = port_real_return(w->c, cfa - 8, ret);
		if (unlikely(!ret))
			break;
		if (row->bp)
			bp_slot = cfa + (u64)(s64)row->bp;
		pc = ret;
		sp = cfa;
		in_call = 1;
	}
	if (unlikely(!n))
		return 0;
	w->f.pc = pc;
	w->f.r[REG_SP] = sp;
	w->f.bp_slot = bp_slot;
	w->f.known &= 1u << REG_SP | 1u << REG_BP;
	w->exact = false;
	w->n += n;
	return n;
}

static enum leaving step(struct walk *w)
{
	enum leaving how = leave(w, &w->f);

	w->exact = how == LEFT_SIGNAL;
	w->absent = how == ABSENT;
	w->n++;
	return how;
}

static bool has_left(enum leaving how) { return how == LEFT || how == LEFT_SIGNAL; }

static void start(struct walk *w)
{
	if (w->start)
		w->f = *w->start;
	else
		frame_first(&w->f, port_stack_regs(w->c));
	w->exact = true;
	w->n = 0;
}

/* A frame needs a register that was not tracked: repeat the walk with all of them, up to the frame
 * after it. */
static bool step_whole(struct walk *w)
{
	u32 n = w->n;

	w->whole = true;
	start(w);
	while (w->n < n)
		if (!has_left(step(w)))
			return false;
	return true;
}

void frame_make(struct ust_ctx *c, struct frame *f, u64 pc, u64 sp, u64 fp)
{
	const struct ust_regs *r = port_stack_regs(c);

	f->known = 0;
	f->bp_slot = 0;
	if (r)
		frame_first(f, r);
	f->pc = pc;
	f->r[REG_SP] = sp;
	f->r[REG_BP] = fp;
	f->known |= 1u << REG_SP | 1u << REG_BP;
}

bool walk_begin(struct walk *w, struct ust_ctx *c, const struct frame *from)
{
	w->absent = false;
	if (!from && !port_stack_regs(c))
		return false;
	w->c = c;
	forget_code(w);
	w->whole = false;
	w->start = from;
	target_begin(c);
	start(w);
	return true;
}

/* Skip trampolines of the runtime that have called the program's code: they are not its
 * functions. */
static inline bool is_own(struct walk *w)
{
	u64 pc = w->f.pc;

	return !w->exact && !is_mapped(w, pc - 1) && port_unwind_table(w->c, pc) &&
	       !find_mapping(w, pc - 1);
}

static noinline bool step_anyhow(struct walk *w)
{
	enum leaving how = step(w);

	return how == NO_REGISTER && !w->whole ? step_whole(w) : has_left(how);
}

u32 walk_skip(struct walk *w, u32 n)
{
	u32 left = n, plain;

	while (left) {
		plain = leave_plainly(w, left);
		if (!plain && !step_anyhow(w))
			break;
		left -= plain ? plain : 1;
		left += is_own(w);
	}
	return left;
}

bool walk_next(struct walk *w) { return !walk_skip(w, 1); }

u32 stack_walk(struct ust_ctx *c, u64 *pcs, u32 max, u32 *exactly)
{
	struct walk w port_uncleared;
	bool more;
	u32 n = 0;

	*exactly = 0;
	for (more = walk_begin(&w, c, NULL); more && n < max; more = walk_next(&w)) {
		*exactly |= (u32)w.exact << n;
		pcs[n++] = walk_pc(&w);
	}
	return n;
}

/* ---------------------------------------------------- values by call sites */

ust_u64 ust_caller(struct ust_ctx *c, ust_u64 slot)
{
	u64 ret = ust_load(c, slot, 8);

	return c->failed ? 0 : port_real_return(c, slot, ret);
}

void ust_caller_lost(struct ust_ctx *c, ust_u64 ret, enum ust_caller_lost why)
{
	ctx_fail_addr(c,
		      why == UST_CALLER_SILENT
			      ? "the debug information does not describe the value passed by the "
				"call that returns to 0x"
			      : "the debug information describes no call that returns to 0x",
		      ret);
}
