/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions: interface of arch/ for patch/. */
#ifndef USTAP_INSN_H
#define USTAP_INSN_H

#include "inject/patch/patch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------- decode_x86_64.c */

enum { INSN_BYTES = 15 };

enum insn_kind {
	INSN_PLAIN, /* the same bytes at any address, except for a rip-relative operand */
	INSN_CALL,  /* call rel32 */
	INSN_CALL_RM,
	INSN_JMP, /* jmp rel8, rel32 */
	INSN_JMP_RM,
	INSN_JCC,
	INSN_LOOP, /* loop, loope, loopne, jrcxz */
	INSN_XBEGIN,
	INSN_END,  /* execution does not continue after it: ret, ud2, hlt, ... */
	INSN_FIXED /* cannot be relocated; see `why' */
};

struct insn {
	uint64_t addr;
	uint8_t bytes[INSN_BYTES];
	uint8_t len, kind;
	uint8_t condition;         /* of INSN_JCC: low 4 bits of its opcode */
	uint8_t modrm_at, disp_at; /* offsets; 0: none */
	bool rip;                  /* has a rip-relative memory operand */
	bool nop;
	uint64_t target; /* target of a direct branch, or address of the rip-relative operand */
	const char *why;
};

/* Decode the instruction at TEXT, whose run-time address is ADDR. False if it is invalid. */
bool insn_decode(struct insn *i, const uint8_t *text, size_t size, uint64_t addr);
/* True if execution never continues at the next instruction. */
bool insn_ends(const struct insn *i);
/* Number of padding bytes from TEXT on, at most SIZE: instructions without effect, breakpoints,
 * and, if ZEROS, bytes 0, which may as well be data. */
size_t padding_at(const uint8_t *text, size_t size, bool zeros);

/* One function, decoded from its first to its last byte. */
struct scan {
	bool indirect; /* has a jump whose targets are not known */
	bool leaves;   /* has a conditional jump to another part of the function */
	bool damaged;  /* part of it could not be decoded */
	size_t nrefs;
	struct {
		uint64_t from, to;
	} * refs;        /* of branches and rip-relative operands into the function */
	uint8_t *starts; /* bitmap, one bit a byte: an instruction starts here */
	uint64_t start, end;
};
/* Scan the function [START, END). The result is valid until the next call; NULL if out of
 * memory. */
const struct scan *scan_function(const uint8_t *text, uint64_t start, uint64_t end);
/* True if a branch from outside [LO, HI) targets a byte in it other than the first. */
bool scan_enters(const struct scan *s, uint64_t lo, uint64_t hi);
/* True if an instruction begins at ADDR, by the scan S. */
bool scan_starts_at(const struct scan *s, uint64_t addr);

/* -------------------------------------------------------- branches_x86_64.c */

struct patch_text {
	const uint8_t *bytes;
	size_t size;
	/* Bitmaps, one bit a byte: possible target of a jump or call; address that the data or the
	 * code has, NULL: unknown. */
	uint8_t *targets, *named;
	uint8_t *lengths; /* of the instruction at each offset; 0: not decoded yet */
};

/* True if a branch from outside of [LO, HI) may target (LO, HI), in whatever function it is: any
 * byte may be one. Offsets in T. */
bool text_enters(const struct patch_text *t, size_t lo, size_t hi);
/* True if an instruction whose last LEN bytes are at AT has a rip-relative operand that is TO.
 * Offsets in T. */
bool text_refers(const struct patch_text *t, size_t at, size_t len, uint64_t to);

/* ---------------------------------------------------------- tables_x86_64.c */

/* True if the module's data or code may have the address of byte AT of T, so that a computed jump
 * may lead there. */
bool text_is_named(const struct patch_text *t, size_t at);

/* -------------------------------------------------------- relocate_x86_64.c */

enum { WINDOW_MAX = 5, FIX_MAX = 8 };

/* Code generated for run-time address BASE. */
struct emit {
	uint8_t *code;
	unsigned n, size;
	uint64_t base;
	const char *why; /* why it cannot be generated; NULL: no error */
	unsigned nconst, nlocal;
	struct {
		unsigned at;
		uint64_t value;
	} consts[FIX_MAX]; /* disp32 at `at' that refers to a constant */
	struct {
		unsigned at;
		uint64_t target;
	} locals[FIX_MAX]; /* rel32 at `at' that refers to a relocated instruction */
};

/* The displaced instructions; moved[i] is the offset of instruction i in the generated code. */
struct window {
	uint64_t addr;
	unsigned n, len; /* len: length of the instructions in bytes */
	struct insn insns[WINDOW_MAX];
	unsigned moved[WINDOW_MAX];
	bool ends; /* execution does not continue behind it */
};

/* Append N bytes; e->why is set if they do not fit. emit_u8() appends one byte. */
void emit_bytes(struct emit *e, const void *bytes, unsigned n);
void emit_u8(struct emit *e, uint8_t b);
/* Emit a disp32 to ADDR, relative to the byte TAIL bytes after it. */
void emit_disp(struct emit *e, uint64_t addr, unsigned tail);
/* Emit a jmp to TO at any distance. */
void emit_jump(struct emit *e, uint64_t to);
/* Emit the window's instructions, relocated to this address, then a jump to BACK. */
void emit_window(struct emit *e, struct window *w, uint64_t back);
/* Emit constants and resolve branches within the window. Must be the last call. */
void emit_finish(struct emit *e, const struct window *w);

/* ------------------------------------------------------------ stub_x86_64.c */

/* Generate P's point and trampoline, in CODE, for the instructions of W; execution continues at
 * BACK. HEAD: of an early jump, the instructions before, which p->enter leads to; or NULL. False
 * with p->why set on failure. */
bool stub_make(struct patch *p, uint8_t code[STUB_BYTES], const struct patch_site *site,
	       struct window *head, struct window *w, uint64_t table, uint64_t back);

#endif
