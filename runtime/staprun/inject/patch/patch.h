/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for a jump at an instruction. */
#ifndef USTAP_INJECT_PATCH_PATCH_H
#define USTAP_INJECT_PATCH_PATCH_H

#include "inject/arch/regs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum patch_way {
	PATCH_NONE,   /* not possible; see why */
	PATCH_JUMP,   /* 5-byte jump over whole instructions */
	PATCH_PADDED, /* ... and over padding after the function's end */
	PATCH_PUNNED, /* jump, maybe behind prefixes, whose last bytes are those of the next
		       * instructions */
	PATCH_EARLY,  /* jump that begins at an instruction before the probed one */
	PATCH_SHARED, /* written with the patch before: within its jump, whose trampoline leads to
		       * this one's, or joined to it */
	PATCH_TRAP    /* breakpoint */
};
extern const char *const patch_way_names[];

/* PATCH_MAP: instructions of a window, at most. PATCH_CODES: see struct patch. */
enum { PATCH_MAP = 8, PATCH_CODES = 8 };

struct addresses;
/* All branches in a module's code, to find those into a window of another function. */
struct patch_text;
/* BYTES must stay valid. NULL if out of memory. */
struct patch_text *patch_text_new(const uint8_t *bytes, size_t size);
/* SIZE bytes at virtual address ADDR of a module; BYTES NULL if unknown. */
struct patch_data {
	uint64_t addr;
	const uint8_t *bytes;
	size_t size;
};
/* Find the addresses in T, whose first byte is at virtual address ADDR, that the module has in its
 * loaded segments V: jump tables and pointers. FIXED: they may have 32 bits, as the module is not
 * position-independent. IN_PLACE: pointers may have relocations without addends. Once. */
void patch_text_add_data(struct patch_text *t, uint64_t addr, const struct patch_data *v, size_t n,
			 bool fixed, bool in_place);
/* Free T; NULL is allowed. */
void patch_text_free(struct patch_text *t);

struct patch_site {
	uint64_t addr;             /* run-time address of the probed instruction */
	const uint8_t *text;       /* the original bytes from START to NEXT */
	uint64_t start, end, next; /* run-time bounds of the function, from
				    * elffile_function_at(); if unknown, START is addr and END =
				    * NEXT the end of the range that may be examined */
	uint64_t from, to;         /* all code that may belong to the function, from
				    * elffile_code_around() and in TEXT; TO 0: START to NEXT */
	bool bounded;              /* the function is known, so START is one */
	bool hidden;    /* code before START may belong to the function, and is unknown */
	uint64_t known; /* code bytes are available up to here, if that is beyond NEXT */
	const struct patch_text *all; /* branches of the module; NULL: unknown, fewer sites can
				       * have a jump */
	uint64_t all_start;           /* run-time address of its first byte */
	uint64_t limit; /* code from here on must not change (another probe site); 0: no limit */
	const struct addresses *busy; /* where code continues that cannot be moved: no jump may
				       * contain one of these; NULL: none */
	bool alone; /* ... nor any other instruction than the site's: they are looked for only
		     * when all sites are armed */
	bool entry; /* addr is at or directly after the function's first instruction: no red zone */
	/* Fields of ust_point about handlers; SITE: number of the first site at entry. */
	uint32_t first, rfirst, site;
	uint16_t n, rn, hook;
	bool full;
	bool no_room; /* the stack may be nearly full: switch to one of the runtime at once */
	bool calls;   /* the only handlers record entry and return */
};

/* New code of a site, and its trampoline. */
struct patch {
	enum patch_way way;
	const char *why; /* reason for PATCH_NONE */
	uint64_t addr;
	uint64_t place; /* virtual address, for the caller */
	bool gated;     /* armed only while some gate is open */
	bool joined;    /* its jump is the end of the jump before: see patch_join() */
	uint8_t old_text[PATCH_BYTES], new_text[PATCH_BYTES];
	unsigned prefix; /* number of prefixes of its jump, if that is punned */
	/* Bytes before the probed instruction that an early jump replaces, and the offset of
	 * their instructions, to which it leads, behind the trampoline's first; else 0. */
	unsigned lead, enter;
	unsigned len;  /* number of code bytes that change */
	unsigned span; /* number of bytes that must not change afterwards: len, more for punned
			* jumps */
	uint64_t at;   /* address of `code' in the area's memory: point, then trampoline */
	uint64_t stub; /* run-time address of the trampoline's first instruction: at +
			* sizeof(struct ust_point) */
	uint64_t pad;  /* a jump to the trampoline at the only address that the punned jump
			* reaches; 0: none */
	/* Point and trampoline, until PATCH_CODES more patches have been planned: they are copied
	 * into the area at once, and there may be 100,000 patches. */
	const uint8_t *code;
	unsigned code_len;
	/* A thread at addr + from continues at to bytes into the trampoline, by the first such
	 * entry; no return address refers to these. The first entry is that of addr. */
	unsigned nmap;
	struct {
		uint8_t from;
		uint16_t to;
	} map[PATCH_MAP];
};

/* Plan the patch of SITE with its trampoline at AT (16-byte aligned), in an area whose table of
 * common code (see wire.h) is at TABLE. Tries a jump, then a jump over padding. False with way
 * PATCH_NONE if neither fits. */
bool patch_plan(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table);
enum { GROUP_MAX = 4 };
/* Plan one jump for N sites of one function, the first of which has too little room before the
 * second: its window contains the others, and each trampoline continues in the next one. AT: their
 * trampolines, which patch_move() reaches from the first: at most 64 KB apart. False with way
 * PATCH_NONE in P[0] if that is not possible, and the others are undefined. */
bool patch_plan_group(struct patch *const p[], const struct patch_site *const site[], unsigned n,
		      const uint64_t at[], uint64_t table);
/* Range of addresses for the trampoline's first byte that a punned jump behind PREFIX prefixes, at
 * most JUMP_PREFIXES, can reach; each prefix makes other bytes of the code the fixed ones of the
 * distance. False if punning is not possible. Then plan with an AT such that AT + sizeof(struct
 * ust_point) is in the range. */
bool patch_pun_range(const struct patch_site *site, unsigned prefix, uint64_t *lo, uint64_t *hi);
/* The only address that a punned jump can reach whose distance consists of fixed bytes; a jump to
 * the trampoline is put there, the pad. 0: not such a site. */
uint64_t patch_pun_pad(const struct patch_site *site, unsigned prefix);
/* PAD: 0, or a result of patch_pun_pad(). */
bool patch_plan_punned(struct patch *p, const struct patch_site *site, unsigned prefix, uint64_t at,
		       uint64_t pad, uint64_t table);
/* The address directly behind SITE's instruction if that is shorter than a jump, else 0. If another
 * site's jump begins there or a few bytes later, as JUMP, SITE's jump can end with the first bytes
 * of that one: plan it, punned, with these bytes in the text, then join both. */
uint64_t patch_behind(const struct patch_site *site);
/* True if a punned jump of SITE may reach into JUMP, and be joined to it. */
bool patch_can_join(const struct patch_site *site, const struct patch *jump);
/* Make the code of JUMP part of the code of P: both are written and restored together. */
void patch_join(struct patch *p, struct patch *jump);
/* Plan a jump that begins at an instruction before SITE's, at FROM or later, and ends with SITE's:
 * for a short one that others directly precede. */
bool patch_plan_early(struct patch *p, const struct patch_site *site, uint64_t from, uint64_t at,
		      uint64_t table);
/* Plan an int3; the trap handler enters the trampoline. Works wherever the instruction can be
 * relocated. */
bool patch_plan_trap(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table);
/* The number of a patch's `why', for patch_reason() of hits.h. */
unsigned patch_reason_of(const char *why);
/* Detect changes by a debugger or another run at a site: THERE are its N bytes in memory, FILE
 * those in the program's file. Returns the offset from which on they differ, beyond the change at
 * the site itself; 0 if they do not. */
unsigned patch_foreign(const uint8_t *there, const uint8_t *file, size_t n);
/* True if a jump of another run that begins in one of the BEFORE bytes before a site contains the
 * site's first byte: its last bytes may be original ones, which must not change. THERE and FILE:
 * those bytes in memory and in the program's file. */
bool patch_covered(const uint8_t *there, const uint8_t *file, size_t before);
/* True if both patches need the same bytes. (Only one can be armed; see patch_site.limit.) */
bool patch_overlaps(const struct patch *a, const struct patch *b);
/* New address for a thread at PC within the code that P replaces; 0 if it is not, or is at its
 * first byte, unless that is within the jump of another site. */
uint64_t patch_move(const struct patch *p, uint64_t pc);
/* The reverse, for removing P: the original address for PC at the start of P's trampoline or of a
 * relocated instruction; 0: PC is elsewhere and the thread has to run on. */
uint64_t patch_move_back(const struct patch *p, uint64_t pc);

#endif
