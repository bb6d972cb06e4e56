/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information in the process's memory: .eh_frame, found through .eh_frame_hdr (DWARF 5,
 * 6.4; LSB 5.0, "Exception Frames"). For code without rows in the script, and for rules that rows
 * cannot express. The process may contain any bytes there, so all reads are bounded.
 */
#include "unwind/unwind.h"

/* ----------------------------------------------------------------- reading */

noinline u64 cursor_word(struct cursor *r)
{
	r->word_at = r->at & ~7ull;
	r->word = target_touch(r->c, r->word_at, 8);
	return r->word;
}

u64 cursor_fixed(struct cursor *r, u32 size)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < size; i++)
		v |= (u64)cursor_u8(r) << 8 * i;
	return v;
}

s64 cursor_signed(struct cursor *r, u32 size)
{
	u32 rest = 64 - 8 * size;

	return (s64)(cursor_fixed(r, size) << rest) >> rest;
}

static u64 leb(struct cursor *r, bool is_signed)
{
	u64 v = 0;
	u32 shift = 0, byte;

	do {
		byte = cursor_u8(r);
		if (shift < 64)
			v |= (u64)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128 && shift < 70);
	if (is_signed && byte & 64 && shift < 64)
		v |= ~0ull << shift;
	return v;
}

u64 cursor_uleb(struct cursor *r) { return leb(r, false); }
s64 cursor_sleb(struct cursor *r) { return (s64)leb(r, true); }

/* DW_EH_PE_ encodings of addresses: format and base. */
enum {
	PE_ABSOLUTE = 0,
	PE_ULEB,
	PE_U2,
	PE_U4,
	PE_U8,
	PE_SLEB = 9,
	PE_S2,
	PE_S4,
	PE_S8,
	PE_FORM = 15,
	PE_FROM_HERE = 0x10,
	PE_FROM_TABLE = 0x30,
	PE_BASE = 0x70,
	PE_OMIT = 0xff
};

static u64 plain(struct cursor *r, u32 form)
{
	switch (form) {
	case PE_ABSOLUTE:
	case PE_U8:
	case PE_S8:
		return cursor_fixed(r, 8);
	case PE_ULEB:
		return cursor_uleb(r);
	case PE_SLEB:
		return (u64)cursor_sleb(r);
	case PE_U2:
	case PE_U4:
		return cursor_fixed(r, 1u << (form - 1));
	case PE_S2:
	case PE_S4:
		return (u64)cursor_signed(r, 1u << (form - PE_SLEB));
	}
	return 0;
}

static u64 encoded(struct cursor *r, u32 how, u64 table)
{
	u64 base = (how & PE_BASE) == PE_FROM_HERE    ? r->at
		   : (how & PE_BASE) == PE_FROM_TABLE ? table
						      : 0;

	return how == PE_OMIT ? 0 : base + plain(r, how & PE_FORM);
}

/* ------------------------------------------------------------ search table */

/* Address of the entry of the last function at or before PC; 0 if not found, or if the table is not
 * in the format that linkers write. */
static u64 find_entry(struct ust_ctx *c, u64 hdr, u64 pc)
{
	enum { VERSION = 1, TABLE_FORM = PE_FROM_TABLE | PE_S4, PAIR = 8 };
	struct cursor r = cursor_at(c, hdr);
	u32 version = cursor_u8(&r), frames = cursor_u8(&r), counted = cursor_u8(&r),
	    form = cursor_u8(&r);
	u64 lo = 0, hi, pair;

	if (version != VERSION || form != TABLE_FORM)
		return 0;
	encoded(&r, frames, hdr);
	hi = encoded(&r, counted, hdr);
	if (hi > 1u << 28)
		return 0;
	while (lo < hi) {
		u64 mid = (lo + hi) / 2;

		if (hdr + (u64)(s64)(int)target_touch(c, r.at + mid * PAIR, 4) <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return 0;
	pair = target_touch(c, r.at + (lo - 1) * PAIR, 8);
	return hdr + (u64)(s64)(int)(pair >> 32);
}

/* ----------------------------------------------------------------- entries */

enum { LETTERS = 8 }; /* maximum length of an augmentation */

struct entry {
	u64 begin, end;                        /* code range */
	u64 cie_code, cie_end, code, code_end; /* instructions of the CIE, and of the FDE */
	u64 code_unit;
	s64 data_unit;
	u32 form;               /* encoding of addresses */
	bool signal, augmented; /* frame of a signal handler; augmentation data is present */
};

/* Read the length at R; returns the end of the entry. */
static u64 end_of(struct cursor *r)
{
	u64 length = cursor_fixed(r, 4);

	if (length == 0xffffffff)
		length = cursor_fixed(r, 8);
	return r->at + length;
}

/* Read the letters of an augmentation, and the data after it that they announce. */
static bool read_augmentation(struct cursor *r, struct cursor *letters, struct entry *e)
{
	u64 end = r->at;
	u32 letter = cursor_u8(letters), n = 0;

	if (!letter)
		return true;
	if (letter != 'z')
		return false;
	e->augmented = true;
	end = cursor_uleb(r);
	end += r->at;
	while ((letter = cursor_u8(letters)) && n++ < LETTERS) {
		if (letter == 'R')
			e->form = cursor_u8(r);
		else if (letter == 'L')
			cursor_u8(r);
		else if (letter == 'P')
			encoded(r, cursor_u8(r), 0);
		else if (letter == 'S')
			e->signal = true;
		else if (letter != 'B')
			break;
	}
	r->at = end;
	return true;
}

static bool read_cie(struct ust_ctx *c, u64 at, struct entry *e)
{
	struct cursor r = cursor_at(c, at), letters;
	u32 version, n = 0;

	e->cie_end = end_of(&r);
	if (cursor_fixed(&r, 4))
		return false;
	version = cursor_u8(&r);
	letters = r;
	while (cursor_u8(&r) && n++ < LETTERS)
		;
	if (version == 4)
		cursor_fixed(&r, 2);
	else if (version != 1 && version != 3)
		return false;
	e->code_unit = cursor_uleb(&r);
	e->data_unit = cursor_sleb(&r);
	if (cursor_uleb(&r) != REG_RETURN || !read_augmentation(&r, &letters, e))
		return false;
	e->cie_code = r.at;
	return true;
}

static bool read_entry(struct ust_ctx *c, u64 at, struct entry *e)
{
	struct cursor r = cursor_at(c, at);
	u64 id_at, id;

	e->form = PE_ABSOLUTE;
	e->signal = e->augmented = false;
	e->code_end = end_of(&r);
	id_at = r.at;
	id = cursor_fixed(&r, 4);
	if (!id || !read_cie(c, id_at - id, e))
		return false;
	e->begin = encoded(&r, e->form, 0);
	e->end = e->begin + plain(&r, e->form & PE_FORM);
	e->code = e->augmented ? cursor_uleb(&r) : 0;
	e->code += r.at;
	return true;
}

/* ------------------------------------------------------------------- rules */

enum rule {
	RULE_SAME,
	RULE_UNDEFINED,
	RULE_AT,      /* at the frame's address + value */
	RULE_IS,      /* is that */
	RULE_REG,     /* is in that register */
	RULE_EXPR_AT, /* at the address given by the expression, at `value' from the entry's
		       * instructions */
	RULE_EXPR_IS
};
enum { CFA_BY_EXPR = 255, SAVED = 3, MOST = 4000 };

struct rules {
	unsigned char kind[NREGS], cfa_reg;
	int value[NREGS], cfa;
};

struct program {
	struct cursor r;
	const struct entry *e;
	u64 loc, pc;
	struct rules now, initial, saved[SAVED];
	u32 nsaved;
	bool bad;
};

static void set_rule(struct program *p, u64 reg, enum rule kind, s64 value)
{
	if (reg >= NREGS)
		return; /* vector registers are not needed */
	p->now.kind[reg] = (unsigned char)kind;
	p->now.value[reg] = (int)value;
}

static void set_expression(struct program *p, u64 reg, enum rule kind)
{
	u64 from = p->r.at;
	u64 size = cursor_uleb(&p->r);

	set_rule(p, reg, kind, (s64)(from - p->e->begin));
	p->r.at += size;
}

static void set_cfa(struct program *p, u64 reg, s64 offset)
{
	p->bad |= reg >= REG_RETURN;
	p->now.cfa_reg = (unsigned char)reg;
	p->now.cfa = (int)offset;
}

static void remember(struct program *p)
{
	if (p->nsaved < SAVED)
		p->saved[p->nsaved++] = p->now;
	else
		p->bad = true;
}

static void recall(struct program *p)
{
	if (p->nsaved)
		p->now = p->saved[--p->nsaved];
	else
		p->bad = true;
}

static void advance(struct program *p, u64 by) { p->loc += by * p->e->code_unit; }

static void restore(struct program *p, u64 reg)
{
	if (reg < NREGS)
		set_rule(p, reg, (enum rule)p->initial.kind[reg], p->initial.value[reg]);
}

enum {
	CFA_ADVANCE = 1,
	CFA_OFFSET,
	CFA_RESTORE, /* in the upper two bits */
	CFA_NOP = 0,
	CFA_SET_LOC,
	CFA_ADVANCE1,
	CFA_ADVANCE2,
	CFA_ADVANCE4,
	CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED,
	CFA_SAME,
	CFA_REGISTER,
	CFA_REMEMBER,
	CFA_RECALL,
	CFA_DEF,
	CFA_DEF_REGISTER,
	CFA_DEF_OFFSET,
	CFA_DEF_EXPR,
	CFA_EXPR,
	CFA_OFFSET_SIGNED,
	CFA_DEF_SIGNED,
	CFA_DEF_OFFSET_SIGNED,
	CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SIGNED,
	CFA_VAL_EXPR,
	CFA_ARGS_SIZE = 0x2e,
	CFA_OFFSET_NEGATIVE
};

static bool about_location(struct program *p, u32 op)
{
	switch (op) {
	case CFA_SET_LOC:
		p->loc = encoded(&p->r, p->e->form, 0);
		return true;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		advance(p, cursor_fixed(&p->r, 1u << (op - CFA_ADVANCE1)));
		return true;
	case CFA_REMEMBER:
		remember(p);
		return true;
	case CFA_RECALL:
		recall(p);
		return true;
	case CFA_ARGS_SIZE:
		cursor_uleb(&p->r);
		return true;
	}
	return op == CFA_NOP;
}

static bool about_frame(struct program *p, u32 op)
{
	s64 unit = p->e->data_unit;
	u64 v;

	if (op < CFA_DEF || op > CFA_DEF_OFFSET_SIGNED || op == CFA_EXPR || op == CFA_OFFSET_SIGNED)
		return false;
	if (op == CFA_DEF_OFFSET) {
		set_cfa(p, p->now.cfa_reg, (s64)cursor_uleb(&p->r));
	} else if (op == CFA_DEF_OFFSET_SIGNED) {
		set_cfa(p, p->now.cfa_reg, cursor_sleb(&p->r) * unit);
	} else if (op == CFA_DEF_EXPR) {
		v = p->r.at;
		p->r.at += cursor_uleb(&p->r);
		p->now.cfa_reg = CFA_BY_EXPR;
		p->now.cfa = (int)(v - p->e->begin);
	} else {
		v = cursor_uleb(&p->r);
		set_cfa(p, v,
			op == CFA_DEF_REGISTER ? p->now.cfa
			: op == CFA_DEF        ? (s64)cursor_uleb(&p->r)
					       : cursor_sleb(&p->r) * unit);
	}
	return true;
}

static bool about_register(struct program *p, u32 op)
{
	s64 unit = p->e->data_unit;
	u64 reg = cursor_uleb(&p->r);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
	case CFA_VAL_OFFSET:
		set_rule(p, reg, op == CFA_VAL_OFFSET ? RULE_IS : RULE_AT,
			 (s64)cursor_uleb(&p->r) * unit);
		return true;
	case CFA_OFFSET_SIGNED:
	case CFA_VAL_OFFSET_SIGNED:
		set_rule(p, reg, op == CFA_OFFSET_SIGNED ? RULE_AT : RULE_IS,
			 cursor_sleb(&p->r) * unit);
		return true;
	case CFA_OFFSET_NEGATIVE:
		set_rule(p, reg, RULE_AT, -(s64)cursor_uleb(&p->r) * unit);
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(p, reg);
		return true;
	case CFA_UNDEFINED:
	case CFA_SAME:
		set_rule(p, reg, op == CFA_SAME ? RULE_SAME : RULE_UNDEFINED, 0);
		return true;
	case CFA_REGISTER:
		set_rule(p, reg, RULE_REG, (s64)cursor_uleb(&p->r));
		return true;
	case CFA_EXPR:
	case CFA_VAL_EXPR:
		set_expression(p, reg, op == CFA_EXPR ? RULE_EXPR_AT : RULE_EXPR_IS);
		return true;
	}
	return false;
}

static void run_one(struct program *p)
{
	u32 byte = cursor_u8(&p->r), low = byte & 63;

	switch (byte >> 6) {
	case CFA_ADVANCE:
		advance(p, low);
		break;
	case CFA_OFFSET:
		set_rule(p, low, RULE_AT, (s64)cursor_uleb(&p->r) * p->e->data_unit);
		break;
	case CFA_RESTORE:
		restore(p, low);
		break;
	default:
		if (!about_location(p, low) && !about_frame(p, low) && !about_register(p, low))
			p->bad = true;
	}
}

/* Run from AT to END, or until the rules for P's pc are complete. */
static void run(struct program *p, u64 at, u64 end)
{
	u32 steps = 0;

	p->r = cursor_at(p->r.c, at);
	while (p->r.at < end && p->loc <= p->pc && !p->bad) {
		run_one(p);
		p->bad |= steps++ > MOST;
	}
}

static noinline bool find_rules(struct ust_ctx *c, const struct entry *e, u64 pc, struct rules *to)
{
	struct program p;

	memset(&p.now, 0, sizeof p.now);
	p.r = cursor_at(c, 0);
	p.e = e;
	p.loc = e->begin;
	p.pc = pc;
	p.nsaved = 0;
	p.bad = false;
	p.initial = p.now;
	run(&p, e->cie_code, e->cie_end);
	p.initial = p.now;
	/* stop at an advance beyond PC */
	run(&p, e->code, e->code_end);
	*to = p.now;
	return !p.bad;
}

/* ------------------------------------------------------------------ leaving */

static bool expression(struct ust_ctx *c, const struct entry *e, int at, const struct frame *f,
		       const u64 *first, u64 *value)
{
	struct cursor r = cursor_at(c, e->begin + (u64)(s64)at);
	u64 size = cursor_uleb(&r);

	return size < 1000 && cfi_expression(c, r.at, (u32)size, f, first, value);
}

/* The value of register REG in the caller's frame; false if unknown. WHERE: the address that it was
 * loaded from, or 0. */
static bool recover(struct ust_ctx *c, const struct entry *e, const struct rules *rules, u32 reg,
		    const struct frame *f, u64 cfa, u64 *value, u64 *where)
{
	int v = rules->value[reg];

	*where = 0;
	switch (rules->kind[reg]) {
	case RULE_SAME:
		*value = reg < REG_RETURN ? f->r[reg] : f->pc;
		return frame_knows(f, reg);
	case RULE_AT:
		*where = cfa + (u64)(s64)v;
		break;
	case RULE_IS:
		*value = cfa + (u64)(s64)v;
		return true;
	case RULE_REG:
		*value = frame_knows(f, (u32)v) ? f->r[v] : 0;
		return frame_knows(f, (u32)v);
	case RULE_EXPR_AT:
		if (!expression(c, e, v, f, &cfa, where))
			return false;
		break;
	case RULE_EXPR_IS:
		return expression(c, e, v, f, &cfa, value);
	default:
		return false;
	}
	*value = target_touch(c, *where, 8);
	return true;
}

static noinline enum leaving apply(struct ust_ctx *c, const struct entry *e,
				   const struct rules *rules, struct frame *f)
{
	struct frame to;
	u64 cfa, slot, where, ret;
	u32 i;

	to.known = 0;
	to.bp_slot = 0;
	if (rules->kind[REG_RETURN] == RULE_UNDEFINED || rules->kind[REG_RETURN] == RULE_SAME)
		return OUTERMOST;
	if (rules->cfa_reg == CFA_BY_EXPR) {
		if (!expression(c, e, rules->cfa, f, NULL, &cfa))
			return NO_REGISTER;
	} else {
		if (!frame_knows(f, rules->cfa_reg))
			return NO_REGISTER;
		cfa = f->r[rules->cfa_reg] + (u64)(s64)rules->cfa;
	}
	for (i = 0; i < REG_RETURN; i++)
		if (recover(c, e, rules, i, f, cfa, &to.r[i], &where))
			to.known |= 1u << i;
	if (rules->kind[REG_SP] == RULE_SAME) {
		to.r[REG_SP] = cfa;
		to.known |= 1u << REG_SP;
	}
	if (!recover(c, e, rules, REG_RETURN, f, cfa, &to.pc, &slot))
		return NO_REGISTER;
	if (slot && !to.pc && !load_return(c, slot, &ret))
		return ABSENT;
	if (slot)
		to.pc = port_real_return(c, slot, to.pc);
	if (!to.pc || (!e->signal && (!frame_knows(&to, REG_SP) || to.r[REG_SP] < f->r[REG_SP] ||
				      (to.r[REG_SP] == f->r[REG_SP] && to.pc == f->pc))))
		return OUTERMOST;
	*f = to;
	return e->signal ? LEFT_SIGNAL : LEFT;
}

enum leaving cfi_leave(struct ust_ctx *c, u64 hdr, u64 pc, struct frame *f)
{
	u64 at = find_entry(c, hdr, pc);
	struct entry e;
	struct rules rules;

	if (!at || !read_entry(c, at, &e) || pc - e.begin >= e.end - e.begin ||
	    !find_rules(c, &e, pc, &rules))
		return NO_RULE;
	return apply(c, &e, &rules, f);
}
