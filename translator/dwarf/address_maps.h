/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of symbols and frames by address: rows for the stack maps of the runtimes. */
#ifndef USTAP_DWARF_ADDRESS_MAPS_H
#define USTAP_DWARF_ADDRESS_MAPS_H

#include "dwarf/module.h"

/* Rules to find the caller's frame from an instruction on, as in struct ust_frame_row of
 * ustap_rt.h. */
enum frame_kind {
	FRAME_UNKNOWN,
	FRAME_SP,
	FRAME_BP,
	FRAME_BP_DEREF,
	FRAME_PLT,
	FRAME_SIGNAL,
	FRAME_OUTERMOST,
	FRAME_ODD
};
#define FRAME_BP_LOST INT16_MIN
struct frame_row {
	uint64_t at;
	int32_t cfa;
	int16_t bp;
	uint16_t kind;
};
typedef VEC(struct frame_row) frame_vec;
/* The rows of M, by module address. */
void module_frames(struct module *m, frame_vec *out);
/* Those of the code [START, END) only, which are one function's; the last is of unknown kind where
 * the information ends before. */
void module_frames_of(struct module *m, uint64_t start, uint64_t end, frame_vec *out);
/* Where functions begin, in order: by the search table of .eh_frame_hdr, else by symbols. */
void module_function_starts(struct module *m, addr_vec *out);
enum entered { ENTERED_UNKNOWN, ENTERED_BY_CALL, ENTERED_OTHERWISE };
/* Is the code at ENTRY of M entered by calls: is the word that they push on top of its stack?  By
 * its unwind information; unknown without any. */
enum entered module_entered(struct module *m, uint64_t entry);
/* The digest of M's file, but for code, data and debug information; HAS_SYMBOLS: its symbol table
 * is in that file. */
const char *module_digest(struct module *m, bool *has_symbols);
/* the file that debug information is in, or would be */
const char *module_debug_file(const struct module *m);
struct named_range {
	uint64_t addr, size;
	const char *name;
};
typedef VEC(struct named_range) range_vec;
/* Functions and data by address, one name for each. */
void module_names(struct module *m, range_vec *out);
/* --no-demangle: names of functions are symbols as the program has them, in all that is printed. */
void names_set_raw(void);
/* True if symbol names are shown mangled. */
bool names_are_raw(void);
/* The lines of M by address; line 0: from here on nothing is known.  Addresses are those of M's
 * file. */
struct line_row {
	uint64_t addr;
	int line;
	const char *file;
};
typedef VEC(struct line_row) line_row_vec;
/* Append the rows of M's line tables to OUT by address, each address once, adjacent rows of one
 * line merged. Nothing if M has no DWARF. */
void module_line_rows(struct module *m, line_row_vec *out);
/* Functions that were inlined: NAME, and where it was called; OUTER is the number of the instance
 * that it is in, from 1 on; 0: none. */
struct inlined_call {
	const char *name, *file;
	int line;
	uint32_t outer;
};
typedef VEC(struct inlined_call) inlined_vec;
/* From ADDR on, the number of the innermost instance, or 0. */
struct inline_row {
	uint64_t addr;
	uint32_t innermost;
};
typedef VEC(struct inline_row) inline_row_vec;
/* Append the ranges of inlined code of M to ROWS by address, and the calls that they refer to, to
 * CALLS. Nothing if M has no DWARF, or so much that the map would be too large. */
void module_inline_map(struct module *m, inline_row_vec *rows, inlined_vec *calls);
struct module_segment {
	uint64_t offset, size, addr;
};
/* The file offsets, sizes and addresses of up to MAX loaded segments of M; their number. */
size_t module_segments(struct module *m, struct module_segment *v, size_t max);

#endif
