/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information of a module (.eh_frame, else .debug_frame) as rows of struct frame_row,
 * which find the caller's frame for each instruction.
 *
 * Functions begin at the addresses in the search table of .eh_frame_hdr; from each of them on, the
 * rules are read one after the other, up to the last one or to the next function.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "address_maps.h"
#include "arch/arch.h"

static int sp_column(void) { return arch_target()->sp_reg; }
static int fp_column(void) { return arch_target()->frames->fp_reg; }
static int return_column(void) { return arch_target()->frames->return_reg; }

/* ------------------------------------------------------------- functions */

static Elf_Data *section(struct module *m, const char *name, GElf_Shdr *sh)
{
	size_t strings;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(m->elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(m->elf, scn))) {
		const char *have = gelf_getshdr(scn, sh) ? elf_strptr(m->elf, strings, sh->sh_name)
							 : NULL;

		if (have && !strcmp(have, name) && sh->sh_type != SHT_NOBITS)
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

/* The table of .eh_frame_hdr, in the one form that linkers write: sorted pairs of 32-bit offsets
 * from its start. */
static void read_table(struct module *m, addr_vec *out)
{
	/* version, encodings of what follows */
	static const unsigned char form[] = {1, 0x1b, 0x03, 0x3b};
	enum { HEADER = 12, PAIR = 8 };
	GElf_Shdr sh;
	Elf_Data *d = section(m, ".eh_frame_hdr", &sh);
	const unsigned char *p = d ? d->d_buf : NULL;
	uint32_t n;

	if (!p || d->d_size < HEADER || memcmp(p, form, sizeof form))
		return;
	memcpy(&n, p + 8, sizeof n);
	for (size_t i = 0; i < n && HEADER + (i + 1) * PAIR <= d->d_size; i++) {
		int32_t rel;

		memcpy(&rel, p + HEADER + i * PAIR, sizeof rel);
		vec_push(out, sh.sh_addr + (uint64_t)(int64_t)rel);
	}
}

/* Static programs may lack the table. */
static bool add_start(const struct elf_symbol *s, void *out)
{
	addr_vec *v = out;

	if (s->type == STT_FUNC && s->value)
		vec_push(v, s->value);
	return true;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void module_function_starts(struct module *m, addr_vec *out)
{
	read_table(m, out);
	if (!out->n)
		module_symbols(m, add_start, out);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_number);
}

/* ------------------------------------------------------------------ rules */

static bool is_base_offset(const Dwarf_Op *op, int reg, int32_t *offset)
{
	int64_t v;

	if (op->atom == DW_OP_bregx && op->number == (Dwarf_Word)reg)
		v = (int64_t)op->number2;
	else if (op->atom == DW_OP_breg0 + reg)
		v = (int64_t)op->number;
	else
		return false;
	*offset = (int32_t)v;
	return v == *offset;
}

/* The linker's rule for entries of a PLT: one more word is on the stack from byte N of 16 on. */
static bool is_plt(const Dwarf_Op *ops, size_t n, struct frame_row *row)
{
	int32_t zero;

	if (n < 6 || !is_base_offset(&ops[0], sp_column(), &row->cfa) ||
	    !is_base_offset(&ops[1], return_column(), &zero) || ops[2].atom != DW_OP_lit15 ||
	    ops[3].atom != DW_OP_and || ops[5].atom != DW_OP_ge || ops[4].atom < DW_OP_lit0 ||
	    ops[4].atom > DW_OP_lit31)
		return false;
	row->kind = FRAME_PLT;
	row->bp = (int16_t)(ops[4].atom - DW_OP_lit0);
	return true;
}

static bool frame_address(Dwarf_Frame *f, struct frame_row *row)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(f, &ops, &n) || !n)
		return false;
	if (n == 1 && is_base_offset(ops, sp_column(), &row->cfa)) {
		row->kind = FRAME_SP;
		return true;
	}
	if (n == 1 && is_base_offset(ops, fp_column(), &row->cfa)) {
		row->kind = FRAME_BP;
		return true;
	}
	/* a function that aligns its stack keeps the address in its frame */
	if (n == 2 && is_base_offset(ops, fp_column(), &row->cfa) && ops[1].atom == DW_OP_deref) {
		row->kind = FRAME_BP_DEREF;
		return true;
	}
	return is_plt(ops, n, row);
}

enum saved { SAVED_AT, SAME, UNDEFINED, ELSEWHERE };

/* Where a register of the caller is, from the frame's address on. */
static enum saved saved_register(Dwarf_Frame *f, int reg, int64_t *offset)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	if (dwarf_frame_register(f, reg, mem, &ops, &n))
		return ELSEWHERE;
	if (!n)
		return ops == mem ? UNDEFINED : SAME;
	if (ops[0].atom != DW_OP_call_frame_cfa || n > 2)
		return ELSEWHERE;
	*offset = n == 2 ? (int64_t)ops[1].number : 0;
	return n == 1 || ops[1].atom == DW_OP_plus_uconst ? SAVED_AT : ELSEWHERE;
}

static void read_rule(Dwarf_Frame *f, bool signal, struct frame_row *row)
{
	enum saved ra, bp;
	int64_t at = 0, bp_at = 0;

	if (signal) {
		row->kind = FRAME_SIGNAL;
		return;
	}
	ra = saved_register(f, return_column(), &at);
	if (ra == UNDEFINED) {
		row->kind = FRAME_OUTERMOST;
		return;
	}
	if (ra != SAVED_AT || at != arch_target()->frames->return_at || !frame_address(f, row)) {
		*row = (struct frame_row){.at = row->at, .kind = FRAME_ODD};
		return;
	}
	bp = saved_register(f, fp_column(), &bp_at);
	if (row->kind != FRAME_PLT && bp == SAVED_AT && bp_at == (int16_t)bp_at)
		row->bp = (int16_t)bp_at;
	else if (row->kind != FRAME_PLT && bp != SAME)
		row->bp = FRAME_BP_LOST;
}

/* -------------------------------------------------------------------- rows */

static void add_row(frame_vec *out, const struct frame_row *row)
{
	struct frame_row *last = out->n ? &out->v[out->n - 1] : NULL;

	if (last && last->at == row->at)
		*last = *row;
	else if (!last || last->kind != row->kind || last->cfa != row->cfa || last->bp != row->bp)
		vec_push(out, *row);
}

/* Rules from START on, below LIMIT. */
static void add_function(Dwarf_CFI *cfi, Dwarf_Addr bias, uint64_t start, uint64_t limit,
			 frame_vec *out)
{
	uint64_t at = start;

	while (at < limit) {
		Dwarf_Addr lo, hi;
		Dwarf_Frame *f;
		bool signal;
		struct frame_row row = {.at = at};

		if (dwarf_cfi_addrframe(cfi, at - bias, &f))
			break;
		dwarf_frame_info(f, &lo, &hi, &signal);
		read_rule(f, signal, &row);
		free(f);
		add_row(out, &row);
		if (hi + bias <= at)
			break;
		at = hi + bias;
	}
	if (at < limit)
		add_row(out, &(struct frame_row){.at = at});
}

void module_frames(struct module *m, frame_vec *out)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(m->mod, &bias);
	addr_vec starts = {0};

	if (!arch_target()->frames)
		return;
	module_function_starts(m, &starts);
	if (!cfi)
		cfi = dwfl_module_dwarf_cfi(m->mod, &bias);
	if (!cfi || !starts.n)
		return;
	for (size_t i = 0; i < starts.n; i++) {
		uint64_t limit = i + 1 < starts.n ? starts.v[i + 1] : UINT64_MAX;

		if (limit > starts.v[i])
			add_function(cfi, bias, starts.v[i], limit, out);
	}
}

void module_frames_of(struct module *m, uint64_t start, uint64_t end, frame_vec *out)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = arch_target()->frames ? dwfl_module_eh_cfi(m->mod, &bias) : NULL;

	if (!cfi && arch_target()->frames)
		cfi = dwfl_module_dwarf_cfi(m->mod, &bias);
	if (cfi)
		add_function(cfi, bias, start, end, out);
}

enum entered module_entered(struct module *m, uint64_t entry)
{
	Dwarf_CFI *(*const cfis[])(Dwfl_Module *, Dwarf_Addr *) = {dwfl_module_eh_cfi,
								   dwfl_module_dwarf_cfi};

	for (size_t i = 0; arch_target()->frames && i < ARRAY_LEN(cfis); i++) {
		Dwarf_Addr bias, lo, hi;
		Dwarf_CFI *cfi = cfis[i](m->mod, &bias);
		struct frame_row row = {.at = entry};
		Dwarf_Frame *f;
		bool signal;

		if (!cfi || dwarf_cfi_addrframe(cfi, entry - bias, &f))
			continue;
		dwarf_frame_info(f, &lo, &hi, &signal);
		read_rule(f, signal, &row);
		free(f);
		/* an entry of a PLT is called, and pushes a word behind its first jump */
		return (row.kind == FRAME_SP || row.kind == FRAME_PLT) &&
				       row.cfa == (int)arch_target()->convention->call_pushes
			       ? ENTERED_BY_CALL
			       : ENTERED_OTHERWISE;
	}
	return ENTERED_UNKNOWN;
}
