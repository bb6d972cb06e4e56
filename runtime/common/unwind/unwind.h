/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding the probed thread's stack: interface between unwind.c, cfi.c and cfi_expr.c. */
#ifndef USTAP_UNWIND_H
#define USTAP_UNWIND_H

#include "common.h"
#include "arch/frame_regs.h"

/* A frame as seen by its function: registers whose bit is set in KNOWN are valid. */
struct frame {
	u64 pc, r[REG_RETURN];
	u64 bp_slot; /* address of the stack that r[REG_BP] is yet to be loaded from, or 0 */
	u32 known;
};

/* True if the value of register REG (DWARF number) is known. */
static inline bool frame_knows(const struct frame *f, u32 reg)
{
	return reg < REG_RETURN && f->known >> reg & 1;
}

/* Load the frame pointer: most rows do not use it, so it is loaded before rules of other kinds. */
static inline void frame_load_bp(struct ust_ctx *c, struct frame *f)
{
	if (f->bp_slot)
		target_read_word(c, f->bp_slot, &f->r[REG_BP]);
	f->bp_slot = 0;
}

enum leaving {
	LEFT,        /* F is the caller's frame */
	LEFT_SIGNAL, /* F is the frame interrupted by a signal: its pc is that of the next
		      * instruction */
	OUTERMOST,   /* no caller, or not a plausible one */
	ABSENT,      /* the page of the stack with the return address is not in memory */
	NO_RULE,     /* no rule for this code */
	NO_REGISTER  /* the rule needs a register that is not known */
};

/* arch/unwind_*.c: the frame that R are the registers of. */
void frame_first(struct frame *f, const struct ust_regs *r);
/* Leave the frame of code that a signal handler returns to. */
enum leaving frame_leave_signal(struct ust_ctx *c, struct frame *f);
/* Is that code at PC?  For libraries without rules for it. */
bool frame_is_signal_return(struct ust_ctx *c, u64 pc);

/* Reads the process byte by byte; unreadable bytes are 0. */
struct cursor {
	struct ust_ctx *c;
	u64 at, word_at, word;
};

/* Read the word that holds r->at; for cursor_u8(). */
u64 cursor_word(struct cursor *r);
/* A cursor at the address AT of the probed process. */
static inline struct cursor cursor_at(struct ust_ctx *c, u64 at)
{
	return (struct cursor){c, at, 1, 0};
}
/* The next byte, unsigned. All cursor_*() functions advance; unreadable memory reads as 0 and sets
 * no error. */
static inline u32 cursor_u8(struct cursor *r)
{
	u64 v = (r->at & ~7ull) == r->word_at ? r->word : cursor_word(r);

	return v >> 8 * (r->at++ & 7) & 255;
}
/* A little-endian number of SIZE bytes, 1 to 8; cursor_signed() extends its sign. */
u64 cursor_fixed(struct cursor *r, u32 size);
s64 cursor_signed(struct cursor *r, u32 size);
/* The next number as LEB128; cursor_sleb() as signed LEB128. Bits above 63 are dropped. */
u64 cursor_uleb(struct cursor *r);
s64 cursor_sleb(struct cursor *r);

/*
 * cfi.c: go to the caller's frame by the call frame information in the process, whose search table
 * (.eh_frame_hdr) is at HDR. PC is the address to look up: F's pc, or a byte before it.
 */
enum leaving cfi_leave(struct ust_ctx *c, u64 hdr, u64 pc, struct frame *f);

/*
 * mapped_image.c: a file whose first byte is mapped at HEADER. BIAS is the run-time address of its
 * address 0, SIZE the end of its last segment; UNWIND and DYNAMIC are addresses in the file, 0 if
 * missing. False if it is not an ELF file.
 */
struct image {
	u64 bias, size, unwind, dynamic;
};
/* Read the program headers of the file mapped at HEADER. Any context; bounded by a limit on
 * program headers. */
bool mapped_image_read(struct ust_ctx *c, u64 header, struct image *to);
/* Its dynamic symbol at ADDR; START is an address in the file. */
enum { IMAGE_NAME = 128 };
struct mapped_image_symbol {
	u64 start, size;
	char name[IMAGE_NAME];
};
/* The dynamic function symbol that contains ADDR, a run-time address. False: not found, or the
 * handler's limit of symbols is reached. */
bool mapped_image_symbol(struct ust_ctx *c, const struct image *im, u64 addr,
			 struct mapped_image_symbol *to);

/*
 * The build-id, in hexadecimal, from a mapped note of the file whose first byte is at HEADER;
 * false: not found.
 */
enum { IMAGE_BUILD_ID = 129 };
/* TO has IMAGE_BUILD_ID bytes. */
bool mapped_image_build_id(struct ust_ctx *c, u64 header, char *to);

/*
 * name_mark.c: begin a mark around the text of a frame at ADDR, which is IN_FILE of the file
 * at PATH, whose first byte is mapped at HEADER. False: nothing was written, and
 * name_mark_end() must not be called; staprun does not resolve names, or the path or the
 * build-id is not known.
 */
struct name_mark {
	u64 addr, in_file, header;
	bool behind_call, brief;
	const char *path;
};
/* C's buffer is written before if the mark and its text do not fit: both are in one record. */
bool name_mark_begin(struct ust_ctx *c, struct ust_out *o, const struct name_mark *m);
/* End the mark that name_mark_begin() has begun. */
void name_mark_end(struct ust_out *o);

/* cfi_expr.c: the value of the DWARF expression of SIZE bytes at AT; FIRST: the value pushed
 * initially, or NULL. False on an invalid expression. */
bool cfi_expression(struct ust_ctx *c, u64 at, u32 size, const struct frame *f, const u64 *first,
		    u64 *value);

/* Code in one segment of a mapped module: SIZE bytes from START on, whose addresses in the file are
 * SHIFT more, modulo 2^32. */
struct walk_code {
	u64 start, size; /* size 0: not known */
	u32 shift;
	const struct ust_stackmap *map; /* of the module; not NULL if the size is not 0 */
};

/* Unwinding frame by frame: walk_begin() gives the first frame, walk_next() the next one. */
struct walk {
	struct ust_ctx *c;
	struct frame f;
	bool exact;             /* pc is that of the next instruction, not a return address */
	bool whole;             /* all registers are tracked, not only those that most code needs */
	u32 n;                  /* number of frames left */
	struct port_mapping at; /* of the last frame's code */
	struct walk_code code;
	const struct frame *start; /* instead of the hit's registers, or 0 */
	bool absent;               /* the walk ended at a page of the stack that is not in memory */
};

/* An address in the frame's function, in the program's own code. */
static inline u64 walk_pc(const struct walk *w)
{
	return w->exact && w->n ? port_program_address(w->c, w->f.pc) : w->f.pc;
}
/* START: instead of the hit's registers, or NULL. */
bool walk_begin(struct walk *w, struct ust_ctx *c, const struct frame *start);
/* A frame with the hit's registers, if available, except for these. */
void frame_make(struct ust_ctx *c, struct frame *f, u64 pc, u64 sp, u64 fp);
/* Go to the caller's frame. False: it has no caller, or that cannot be found; W stays at the last
 * frame. */
bool walk_next(struct walk *w);
/* Go N callers up; returns how many of them are missing, as walk_next() is false for. */
u32 walk_skip(struct walk *w, u32 n);

/* Text shown instead of the frames above a page of the stack that is not in memory. */
#define STACK_ABSENT "<stack is not in memory>"

/* Load the return address in SLOT of the stack. False: its page is not in memory, and the handler
 * may not wait for it; *TO is 0 then, as for other addresses that cannot be read. */
static inline bool load_return(struct ust_ctx *c, u64 slot, u64 *to)
{
	return target_read_word(c, slot, to) || !port_skips_absent(c) || c->failed;
}

#endif
