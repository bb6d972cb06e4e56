/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions for the files that move them: patch/patch.c, patch/branches.c and those of arch/.
 */
#ifndef USTAP_INSN_H
#define USTAP_INSN_H

#include "inject/inject.h"

/* ---------------------------------------------------------- decode_x86_64.c */

enum { INSN_BYTES = 15 };

enum insn_kind {
	INSN_PLAIN, /* same bytes anywhere, but for a rip-relative operand */
	INSN_CALL,  /* call rel32 */
	INSN_CALL_RM,
	INSN_JMP, /* jmp rel8, rel32 */
	INSN_JMP_RM,
	INSN_JCC,
	INSN_LOOP, /* loop, loope, loopne, jrcxz */
	INSN_XBEGIN,
	INSN_END,  /* control does not come to what follows: ret, ud2, hlt, ... */
	INSN_FIXED /* cannot be moved: `why' */
};

struct insn {
	uint64_t addr;
	uint8_t bytes[INSN_BYTES];
	uint8_t len, kind;
	uint8_t condition;         /* of INSN_JCC: low 4 bits of its opcode */
	uint8_t modrm_at, disp_at; /* offsets; 0: none */
	bool rip;                  /* has a rip-relative memory operand */
	bool nop;
	uint64_t target; /* of a direct branch, or address of the rip-relative operand */
	const char *why;
};

/* Decode what is at TEXT, whose run-time address is ADDR.  False: it is no instruction. */
bool insn_decode(struct insn *i, const uint8_t *text, size_t size, uint64_t addr);
/* Does control never come to the next instruction? */
bool insn_ends(const struct insn *i);
/* Bytes from TEXT on that are only there to align what follows, up to SIZE; zeros, too, from ZEROS
 * on. */
size_t padding_at(const uint8_t *text, size_t size, size_t zeros);

/* One function, decoded from its first to its last byte. */
struct scan {
	bool indirect; /* has a jump whose targets are not known */
	bool leaves;   /* has a conditional jump to another part of the function */
	bool damaged;  /* not all of it could be decoded */
	size_t nrefs;
	struct {
		uint64_t from, to;
	} * refs;        /* of branches and rip-relative operands into the function */
	uint8_t *starts; /* a bit for each byte: an instruction starts here */
	uint64_t start, end;
};
/* Scan [START, END); what was scanned last is kept.  NULL: no memory. */
const struct scan *scan_function(const uint8_t *text, uint64_t start, uint64_t end);
/* Does anything outside of [LO, HI) go to somewhere in it but its first byte? */
bool scan_enters(const struct scan *s, uint64_t lo, uint64_t hi);
bool scan_starts_at(const struct scan *s, uint64_t addr);

/* --------------------------------------------------------------- branches.c */

/* Might anything outside of the function [START, NEXT) branch into (LO, HI), which is in it?
 * Offsets in T. */
bool text_enters(const struct patch_text *t, size_t start, size_t next, size_t lo, size_t hi);

/* -------------------------------------------------------- relocate_x86_64.c */

enum { WINDOW_MAX = 5, FIX_MAX = 8 };

/* Code that will run at address BASE. */
struct emit {
	uint8_t *code;
	unsigned n, size;
	uint64_t base;
	const char *why; /* it cannot be made; NULL: all is well */
	unsigned nconst, nlocal;
	struct {
		unsigned at;
		uint64_t value;
	} consts[FIX_MAX]; /* disp32 at `at' of a constant */
	struct {
		unsigned at;
		uint64_t target;
	} locals[FIX_MAX]; /* rel32 at `at' to a moved instruction */
};

/* The instructions that make room; moved[i] is where the one goes, as an offset in the code. */
struct window {
	uint64_t addr;
	unsigned n, len; /* len: of the instructions, in bytes */
	struct insn insns[WINDOW_MAX];
	unsigned moved[WINDOW_MAX];
	bool ends; /* control does not come out of it at its end */
};

void emit_bytes(struct emit *e, const void *bytes, unsigned n);
void emit_u8(struct emit *e, uint8_t b);
/* disp32 to ADDR, counted from what is TAIL bytes behind it. */
void emit_disp(struct emit *e, uint64_t addr, unsigned tail);
/* jmp to TO, however far. */
void emit_jump(struct emit *e, uint64_t to);
/* The window's instructions, such that they do the same here, then a jump to BACK. */
void emit_window(struct emit *e, struct window *w, uint64_t back);
/* Constants and branches in between: the last to be called. */
void emit_finish(struct emit *e, const struct window *w);

/* ------------------------------------------------------------ stub_x86_64.c */

/* P's point and stub, its instructions those of W, which goes on at BACK.  False: p->why. */
bool stub_make(struct patch *p, const struct patch_site *site, struct window *w, uint64_t table,
	       uint64_t back);

#endif
