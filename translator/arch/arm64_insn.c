/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64 instructions, as far as it matters where a probe is put: what an instruction changes, where
 * it goes, and what kernels do with a probe on it (arch/arm64/kernel/probes/).  All have four
 * bytes; the masks are those of the Arm Architecture Reference Manual, chapter C4.
 */
#include <string.h>

#include "arm64.h"
#include "base/util.h"

enum { INSN = 4 };

struct class
{
	uint32_t mask, value;
};

uint32_t arm64_word(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_one_of(uint32_t word, const struct class *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((word & v[i].mask) == v[i].value)
			return true;
	return false;
}
#define IS_ONE_OF(word, classes) is_one_of(word, classes, ARRAY_LEN(classes))

/* ------------------------------------------------------------------ branches */

/* Bits [AT, AT + N) of WORD, signed, times four: how far a branch goes. */
static uint64_t distance(uint32_t word, unsigned at, unsigned n)
{
	int64_t field = (int64_t)((uint64_t)word << (64 - at - n)) >> (64 - n);

	return (uint64_t)field * INSN;
}

static bool is_jump(uint32_t w) { return (w & 0xfc000000) == 0x14000000; }
static bool is_call(uint32_t w) { return (w & 0xfc000000) == 0x94000000; }
/* b.cond and bc.cond; cbz, cbnz */
static bool is_conditional(uint32_t w)
{
	return (w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000;
}
/* tbz, tbnz */
static bool is_bit_test(uint32_t w) { return (w & 0x7e000000) == 0x36000000; }

uint64_t arm64_branch_target(uint32_t w, uint64_t addr)
{
	if (is_jump(w) || is_call(w))
		return addr + distance(w, 0, 26);
	if (is_conditional(w))
		return addr + distance(w, 5, 19);
	return is_bit_test(w) ? addr + distance(w, 5, 14) : 0;
}

/* br, blr, ret and their forms with authentication */
static bool is_indirect(uint32_t w) { return (w & 0xfe000000) == 0xd6000000; }
static unsigned indirect_kind(uint32_t w) { return w >> 21 & 7; } /* 0 br, 1 blr, 2 ret */

/* --------------------------------------------------------------------- probes */

static const struct class address_of[] = {{0x1f000000, 0x10000000}}; /* adr, adrp */

/* Kernels run these themselves, as far as they are not refused. */
static bool is_emulated(uint32_t w)
{
	return is_jump(w) || is_call(w) || is_conditional(w) || is_bit_test(w) ||
	       IS_ONE_OF(w, address_of) || (w & 0xff9ffc1f) == 0xd61f0000;
}

static const struct class exclusives[] = {{0x3f000000, 0x08000000}};
/* svc, hvc, smc, brk, hlt, dcps */
static const struct class exceptions[] = {{0xff000000, 0xd4000000}};
static const struct class literals[] = {{0x3b000000, 0x18000000}};
/* msr of an immediate, of a register */
static const struct class system_writes[] = {{0xfff8f000, 0xd5004000}, {0xfff00000, 0xd5100000}};
/* wfe, wfi, sev, sevl, yield; those that check a pointer's signature */
static const struct class refused_hints[] = {
	{0xffffffff, 0xd503203f}, {0xffffffff, 0xd503205f}, {0xffffffff, 0xd503207f},
	{0xffffffff, 0xd503209f}, {0xffffffff, 0xd50320bf}, {0xffffff9f, 0xd503219f},
	{0xffffff9f, 0xd503239f},
};

static const char *refused(uint32_t w)
{
	/* bit 23 set and bit 21 clear: ldar and stlr, which are not exclusives */
	if (IS_ONE_OF(w, exclusives) && (!(w >> 23 & 1) || w >> 21 & 1))
		return "it is part of an exclusive access, which a probe would break";
	if (IS_ONE_OF(w, exceptions))
		return "it enters the kernel or a debugger";
	if (IS_ONE_OF(w, literals))
		return "it reads memory beside itself";
	if (IS_ONE_OF(w, system_writes))
		return "it changes a system register";
	if (IS_ONE_OF(w, refused_hints))
		return "kernels refuse this hint";
	/* braa, blraa, retaa, eret and so on */
	if (is_indirect(w) && (w & 0xff9ffc1f) != 0xd61f0000)
		return "it branches in a way that kernels do not emulate";
	return NULL;
}

/* ---------------------------------------------------------------------- plain */

/* Data processing: of immediates, but not adr, and of registers; the destination is in the low five
 * bits. */
static bool is_data_processing(uint32_t w)
{
	return ((w & 0x1c000000) == 0x10000000 && !IS_ONE_OF(w, address_of)) ||
	       (w & 0x0e000000) == 0x0a000000;
}

/* add, sub, and, orr, eor of immediates write sp where others write nothing */
static bool writes_sp(uint32_t w)
{
	bool add = (w & 0x1f800000) == 0x11000000, logic = (w & 0x1f800000) == 0x12000000;
	bool sets_flags = add ? w >> 29 & 1 : (w >> 29 & 3) == 3;

	return (add || logic) && !sets_flags;
}

/* Those that set flags alone have no destination: ccmp, setf. */
static bool has_destination(uint32_t w)
{
	return (w & 0x1fe00000) != 0x1a400000 && (w & 0x1fe07c00) != 0x1a000800;
}

/* nop, bti: hints that change nothing */
static bool is_no_operation(uint32_t w)
{
	return w == 0xd503201f || (w & 0xffffff3f) == 0xd503241f;
}

static uint64_t written_by(uint32_t w)
{
	unsigned reg = w & 31;

	if (!is_data_processing(w) || !has_destination(w))
		return 0;
	return reg < 31 || writes_sp(w) ? 1ull << reg : 0;
}

/* brk */
bool arm64_is_breakpoint(const unsigned char *code, size_t len)
{
	return len >= INSN && (arm64_word(code) & 0xffe0001f) == 0xd4200000;
}

bool arm64_decode(const unsigned char *code, size_t len, uint64_t addr, struct machine_insn *out)
{
	uint32_t w;

	*out = (struct machine_insn){0};
	if (len < INSN)
		return false;
	w = arm64_word(code);
	if (!(w >> 16)) /* udf */
		return false;
	out->len = INSN;
	out->refused = refused(w);
	out->emulated = !out->refused && is_emulated(w);
	out->target = arm64_branch_target(w, addr);
	out->jumps = out->target && !is_call(w);
	out->returns = is_indirect(w) && indirect_kind(w) == 2;
	out->indirect = is_indirect(w) && indirect_kind(w) == 0;
	out->plain = is_data_processing(w) || is_no_operation(w);
	out->writes = written_by(w);
	return true;
}

/* ------------------------------------------------------------------------- text */

static const struct {
	uint32_t word;
	const char *text;
} fixed[] = {
	{0xd503201f, "nop"},     {0xd503241f, "bti"},     {0xd503245f, "bti c"},
	{0xd503249f, "bti j"},   {0xd50324df, "bti jc"},  {0xd503233f, "paciasp"},
	{0xd50323bf, "autiasp"}, {0xd65f03c0, "ret"},     {0xd65f0bff, "retaa"},
	{0xd503237f, "pacibsp"}, {0xd50323ff, "autibsp"},
};

static const char *branch_text(uint32_t w, uint64_t addr)
{
	static const char *const conditions[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
						 "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};
	unsigned long long to = arm64_branch_target(w, addr);
	char c = w >> 31 ? 'x' : 'w';

	if (is_jump(w) || is_call(w))
		return xprintf("%s 0x%llx", is_call(w) ? "bl" : "b", to);
	if (is_bit_test(w))
		return xprintf("%s %c%u, #%u, 0x%llx", w >> 24 & 1 ? "tbnz" : "tbz", c, w & 31,
			       (w >> 31) << 5 | (w >> 19 & 31), to);
	if ((w & 0xff000000) == 0x54000000)
		return xprintf("b.%s 0x%llx", conditions[w & 15], to);
	return xprintf("%s %c%u, 0x%llx", w >> 24 & 1 ? "cbnz" : "cbz", c, w & 31, to);
}

/* Branches and hints as assemblers write them, others as words. */
const char *arm64_text(const unsigned char *code, size_t len, uint64_t addr)
{
	uint32_t w;

	if (len < INSN)
		return "?";
	w = arm64_word(code);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (fixed[i].word == w)
			return fixed[i].text;
	return arm64_branch_target(w, addr) ? branch_text(w, addr) : xprintf(".inst 0x%08x", w);
}
