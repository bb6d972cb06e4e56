/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of ustap_rt.h: unwind and symbol data of a module. */
#ifndef USTAP_USTAP_STACKMAP_H
#define USTAP_USTAP_STACKMAP_H

#include "ustap_types.h"

/* Unwind and symbol data of a module, all at addresses of the file; made by
 * translator/emit/stackmap.c. It is followed by the rows, the symbols, the lines, the rows of
 * inlined functions, these, and the names, which are NUL-terminated. The number of its bytes
 * (ust_u64) directly precedes it, counted by the assembler: the sizes in it are not trusted. */
struct ust_stackmap {
	ust_u32 nrows, nsymbols, strings; /* counts; size of the names in bytes */
	ust_u32 nsegments, nlines, ninlines, ninlined, unused;
	struct {
		ust_u64 offset, size, addr;
	} segments[4]; /* file offset, size, address */
};
/* Valid from AT on, until the next row: the CFA. The return address is directly below it. */
struct ust_frame_row {
	ust_u32 at;
	int cfa;             /* offset to add to the register */
	short bp;            /* offset of the caller's frame pointer from the CFA; 0: unchanged */
	unsigned short kind; /* enum ust_frame_kind */
};
enum ust_frame_kind {
	UST_FRAME_UNKNOWN,
	UST_FRAME_SP,       /* stack pointer + cfa */
	UST_FRAME_BP,       /* frame pointer + cfa */
	UST_FRAME_BP_DEREF, /* the word at that address */
	UST_FRAME_PLT,      /* stack pointer + cfa, plus one word from byte `bp' of 16 on */
	UST_FRAME_SIGNAL,   /* signal frame of the kernel */
	UST_FRAME_OUTERMOST,
	UST_FRAME_ODD /* a rule of another form */
};
#define UST_FRAME_BP_LOST (-32768)
struct ust_symbol {
	ust_u32 at, size, name;
}; /* name: offset in the names */
struct ust_line_row {
	ust_u32 at, line, file;
}; /* file: likewise; line 0: unknown from here on */

/* From AT on, the number from 1 on of the innermost inlined function; 0: none. */
struct ust_inline_row {
	ust_u32 at, innermost;
};
/* An inlined function: its name, and its call site; OUTER: the inlined function that contains it,
 * or 0. */
struct ust_inlined {
	ust_u32 name, file, line, outer;
};

#endif
