// SPDX-License-Identifier: GPL-2.0-or-later
/* Trampoline code (layout: wire.h), and the unwind information for an area of trampolines. */
#include "inject/arch/insn.h"
#include "inject/arch/arch.h"
#include "inject/patch/patch.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* -------------------------------------------------------------------- trampolines */

static void call_common(struct emit *e, uint64_t table, unsigned which)
{
	emit_u8(e, 0xff);
	emit_u8(e, 0x15);
	emit_disp(e, table + 8 * which, 0);
}

static const uint8_t down[] = {0x48, 0x8d, 0x64, 0x24, 0x80};        /* lea -128(%rsp), %rsp */
static const uint8_t up[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0}; /* lea 128(%rsp), %rsp */

static void emit_entry(struct emit *e, const struct ust_point *point, uint64_t table,
		       unsigned common)
{
	bool red_zone = point->flags & UST_POINT_RED_ZONE;

	if (red_zone)
		emit_bytes(e, down, sizeof down);
	call_common(e, table, common);
	if (red_zone)
		emit_bytes(e, up, sizeof up);
}

/* After an entry that steps over the red zone: execution continues with the system call, or,
 * UST_STUB_INSTEAD bytes later, without it. */
static void emit_instead(struct emit *e, const struct window *w)
{
	enum { JMP = 0xeb, SYSCALL_BYTES = 2 };
	static const uint8_t syscall[] = {0x0f, 0x05};

	if (memcmp(w->insns[0].bytes, syscall, sizeof syscall))
		e->why = "it is not a syscall instruction";
	emit_u8(e, JMP);
	emit_u8(e, sizeof up + 2);
	emit_bytes(e, up, sizeof up);
	emit_u8(e, JMP);
	emit_u8(e, SYSCALL_BYTES);
}

static void emit_returns(struct emit *e, struct ust_point *point, uint64_t table,
			 const struct patch_site *site)
{
	unsigned full = site->full ? UST_COMMON_FULL : 0;

	call_common(e, table, site->calls ? UST_COMMON_CALL_RETURN : UST_COMMON_RETURN + full);
	point->body = UST_STUB_AFTER + 1;
	emit_u8(e, 0xe8);
	emit_disp(e, e->base + point->body, 0);
	call_common(e, table, site->calls ? UST_COMMON_CALL_AFTER : UST_COMMON_AFTER + full);
	emit_u8(e, 0xc3);
}

static bool wants_return(const struct patch_site *site)
{
	return site->rn || site->hook == UST_HOOK_PHDR || site->hook == UST_HOOK_FIND_OBJECT ||
	       site->hook == UST_HOOK_SPAWN;
}

/* True if the red zone may be in use at SITE, whose trampoline replaces a return address if
 * RETURNS. */
static bool has_red_zone(const struct patch_site *site, bool returns)
{
	if (site->hook == UST_HOOK_SIGNALS)
		return true;
	return !site->entry && !returns && !site->no_room;
}

static void map_add(struct patch *p, uint64_t addr, unsigned to)
{
	p->map[p->nmap].from = (uint8_t)(addr - p->addr);
	p->map[p->nmap++].to = (uint16_t)to;
}

static void map_window(struct patch *p, const struct window *w)
{
	for (unsigned i = 0; i < w->n; i++)
		map_add(p, w->insns[i].addr, w->moved[i]);
}

/* A thread at an instruction of HEAD has not hit the probe yet. */
static void make_map(struct patch *p, const struct window *head, const struct window *w)
{
	p->nmap = 0;
	if (head) {
		map_window(p, head);
		map_add(p, w->addr, 0);
	}
	map_window(p, w);
}

_Static_assert((int)STUB_BYTES <= UST_STUB_MAX, "the agent finds the trampoline of an address");
_Static_assert(WINDOW_MAX + 1 <= (int)PATCH_MAP, "each instruction of a window has an entry");

bool stub_make(struct patch *p, uint8_t code[STUB_BYTES], const struct patch_site *site,
	       struct window *head, struct window *w, uint64_t table, uint64_t back)
{
	bool returns = wants_return(site);
	unsigned full = site->full ? UST_COMMON_FULL : 0;
	struct ust_point point = {.addr = site->addr,
				  .first = site->first,
				  .rfirst = site->rfirst,
				  .n = site->n,
				  .rn = site->rn,
				  .hook = site->hook,
				  .site = site->site};
	struct emit e = {.code = code + sizeof point,
			 .size = STUB_BYTES - sizeof point,
			 .base = p->at + sizeof point};

	point.flags = (full ? UST_POINT_FULL : 0) | (p->way == PATCH_TRAP ? UST_POINT_TRAP : 0) |
		      (has_red_zone(site, returns) ? UST_POINT_RED_ZONE : 0) |
		      (site->n == 1 && !site->hook ? UST_POINT_SINGLE : 0);
	if (returns)
		emit_returns(&e, &point, table, site);
	else
		emit_entry(&e, &point, table,
			   site->no_room ? UST_COMMON_ENTRY_SWITCHED : UST_COMMON_ENTRY + full);
	if (site->hook == UST_HOOK_SIGNALS)
		emit_instead(&e, w);
	emit_window(&e, w, back);
	if (head) {
		p->enter = e.n;
		emit_window(&e, head, e.base);
	}
	emit_finish(&e, w);
	p->why = e.why;
	memcpy(code, &point, sizeof point);
	p->code = code;
	p->stub = e.base;
	p->code_len = sizeof point + e.n;
	make_map(p, head, w);
	return !e.why;
}

/* ----------------------------------------------------- unwind information */

/*
 * Unwinders meet a trampoline where a return address was replaced: after `call body', with the
 * stack pointer just above the slot. The rules of that frame: the CFA is the slot, so that no other
 * frame has the same (libgcc identifies frames by it); the stack pointer does not change; the
 * return address is the one that the table of slots has for the slot's key, number 0, the true
 * caller. At any other address in a trampoline (interrupted by a signal) the stack is taken to be
 * as at a function entry. Trampolines are 16-byte aligned, which distinguishes the two cases.
 *
 * Encodings: DWARF 5 sections 6.4 and 2.5; LSB core, "Exception Frames".
 */
enum {
	OP_deref = 0x06,
	OP_const1u = 0x08,
	OP_const2s = 0x0b,
	OP_const8u = 0x0e,
	OP_dup = 0x12,
	OP_drop = 0x13,
	OP_over = 0x14,
	OP_pick = 0x15,
	OP_swap = 0x16,
	OP_and = 0x1a,
	OP_minus = 0x1c,
	OP_plus = 0x22,
	OP_plus_uconst = 0x23,
	OP_shl = 0x24,
	OP_shr = 0x25,
	OP_bra = 0x28,
	OP_eq = 0x29,
	OP_ne = 0x2e,
	OP_skip = 0x2f,
	OP_lit0 = 0x30,
	OP_breg7 = 0x77,
	OP_breg16 = 0x80,
	CFA_def_cfa_expression = 0x0f,
	CFA_val_expression = 0x16,
	RSP = 7,
	RIP = 16,
	PE_absptr = 0x00,
	PE_udata4 = 0x03,
	PE_pcrel_sdata4 = 0x1b,
	PE_datarel_sdata4 = 0x3b
};

struct out {
	uint8_t *p;
	unsigned n;
};

static void put(struct out *o, const void *bytes, unsigned n)
{
	memcpy(o->p + o->n, bytes, n);
	o->n += n;
}

static void put1(struct out *o, uint8_t v) { put(o, &v, 1); }
static void put2(struct out *o, int16_t v) { put(o, &v, 2); }
static void put4(struct out *o, int32_t v) { put(o, &v, 4); }
static void put8(struct out *o, uint64_t v) { put(o, &v, 8); }
static void lit(struct out *o, unsigned v) { put1(o, OP_lit0 + v); }

static void fill4(struct out *o, unsigned at, int32_t v) { memcpy(o->p + at, &v, 4); }

/* bra or skip to an address not known yet; here() resolves it. */
static unsigned jump_on(struct out *o, uint8_t op)
{
	put1(o, op);
	put2(o, 0);
	return o->n;
}

static void here(struct out *o, unsigned jump)
{
	int16_t d = o->n - jump;

	memcpy(o->p + jump - 2, &d, 2);
}

static void jump_back(struct out *o, uint8_t op, unsigned to)
{
	put1(o, op);
	put2(o, (int)to - (int)(o->n + 2));
}

/* Push whether RIP is anywhere but after `call body'. */
static void put_elsewhere(struct out *o)
{
	put1(o, OP_breg16);
	put1(o, 0);
	lit(o, 15);
	put1(o, OP_and);
	lit(o, UST_STUB_BODY);
	put1(o, OP_ne);
}

/* Push rsp + ADD (-64 to 63), plus 2 to the power of SHIFT if not after `call body'. */
static void put_rsp(struct out *o, int add, unsigned shift)
{
	put_elsewhere(o);
	lit(o, shift);
	put1(o, OP_shl);
	put1(o, OP_breg7);
	put1(o, add & 0x7f);
	put1(o, OP_plus);
}

/* With the CFA on the stack: push the return address of that slot, or 0. */
static void put_look_up(struct out *o, uint64_t slots, uint64_t mask)
{
	unsigned loop, some, none, found, end;

	/* libgcc's pick does not reach the bottom of the stack: leave the CFA there */
	put1(o, OP_dup), lit(o, UST_SLOT_CHAIN_BITS), put1(o, OP_shl); /* key */
	put1(o, OP_const1u), put1(o, UST_SLOT_PROBES);                 /* key n */
	put1(o, OP_over), lit(o, UST_SLOT_SHIFT), put1(o, OP_shr);     /* key n index */
	loop = o->n;
	put1(o, OP_dup), put1(o, OP_const8u), put8(o, mask), put1(o, OP_and);
	lit(o, 5), put1(o, OP_shl);
	put1(o, OP_const8u), put8(o, slots), put1(o, OP_plus); /* key n index entry */
	put1(o, OP_dup), put1(o, OP_deref), put1(o, OP_dup);   /* ... entry its-key its-key */
	some = jump_on(o, OP_bra);
	none = jump_on(o, OP_skip);
	here(o, some);
	put1(o, OP_const2s), put2(o, ~(int)UST_SLOT_STATES), put1(o, OP_and);
	put1(o, OP_pick), put1(o, 4), put1(o, OP_eq); /* key n index entry equal */
	found = jump_on(o, OP_bra);
	put1(o, OP_drop), put1(o, OP_plus_uconst), put1(o, 1), put1(o, OP_swap);
	lit(o, 1), put1(o, OP_minus), put1(o, OP_swap), put1(o, OP_over); /* key n-1 index+1 n-1 */
	jump_back(o, OP_bra, loop);
	here(o, none);
	lit(o, 0);
	end = jump_on(o, OP_skip);
	here(o, found);
	put1(o, OP_plus_uconst), put1(o, offsetof(struct ust_slot, ret)), put1(o, OP_deref);
	here(o, end);
}

static void put_return_address(struct out *o, const struct ust_layout *layout)
{
	unsigned slot, end;

	put_elsewhere(o);
	lit(o, 0), put1(o, OP_eq);
	slot = jump_on(o, OP_bra);
	lit(o, 8), put1(o, OP_minus), put1(o, OP_deref);
	end = jump_on(o, OP_skip);
	here(o, slot);
	put_look_up(o, layout->slots, layout->slots_mask);
	here(o, end);
}

/* Begin an expression; its length precedes it as two bytes of LEB128. */
static unsigned begin_expression(struct out *o)
{
	put2(o, 0);
	return o->n;
}

static void end_expression(struct out *o, unsigned begin)
{
	unsigned n = o->n - begin;

	o->p[begin - 2] = (n & 0x7f) | 0x80;
	o->p[begin - 1] = n >> 7;
}

static void put_rules(struct out *o, const struct ust_layout *layout)
{
	unsigned begin;

	put1(o, CFA_def_cfa_expression);
	begin = begin_expression(o);
	put_rsp(o, -8, 4);
	end_expression(o, begin);
	put1(o, CFA_val_expression);
	put1(o, RSP);
	begin = begin_expression(o);
	/* the CFA is on the stack already; values below the result do not matter */
	put_rsp(o, 0, 3);
	end_expression(o, begin);
	put1(o, CFA_val_expression);
	put1(o, RIP);
	begin = begin_expression(o);
	put_return_address(o, layout);
	end_expression(o, begin);
}

static void end_entry(struct out *o, unsigned begin)
{
	while (o->n % 8)
		put1(o, 0);
	fill4(o, begin, o->n - begin - 4);
}

static unsigned put_cie(struct out *o, const struct ust_layout *layout)
{
	unsigned begin = o->n;

	put4(o, 0);
	put4(o, 0);
	put1(o, 1); /* version */
	put(o, "zR", 3);
	put1(o, 1);    /* code alignment */
	put1(o, 0x78); /* data alignment -8 */
	put1(o, RIP);
	put1(o, 1);
	put1(o, PE_absptr);
	put_rules(o, layout);
	end_entry(o, begin);
	return begin;
}

static unsigned put_fde(struct out *o, unsigned cie, uint64_t area, uint64_t size)
{
	unsigned begin = o->n;

	put4(o, 0);
	put4(o, o->n - cie);
	put8(o, area);
	put8(o, size);
	put1(o, 0);
	end_entry(o, begin);
	return begin;
}

enum { HDR = 8 * UST_COMMON_COUNT, HDR_SIZE = 24 };

size_t area_eh_frame_hdr(void) { return HDR; }

size_t area_eh_frame(void) { return HDR + HDR_SIZE; }

/* A search table with one entry. */
static void put_hdr(struct out *o, unsigned fde)
{
	put1(o, 1);
	put1(o, PE_pcrel_sdata4);
	put1(o, PE_udata4);
	put1(o, PE_datarel_sdata4);
	put4(o, HDR + HDR_SIZE - o->n);
	put4(o, 1);
	put4(o, -HDR);
	put4(o, fde - HDR);
}

size_t area_head(uint8_t dst[AREA_HEAD_MAX], uint64_t area, uint64_t size,
		 const struct ust_layout *layout)
{
	struct out o = {.p = dst, .n = HDR + HDR_SIZE}, hdr = {.p = dst, .n = HDR};
	unsigned cie, fde;

	memset(dst, 0, AREA_HEAD_MAX);
	memcpy(dst, layout->common, sizeof layout->common);
	cie = put_cie(&o, layout);
	fde = put_fde(&o, cie, area, size);
	put_hdr(&hdr, fde);
	put4(&o, 0); /* the end of the CIEs and FDEs */
	return (o.n + 15) & ~15u;
}
