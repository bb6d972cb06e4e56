/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of .debug_info for the index: all entries in order, in several threads at once, which
 * libdw does not support. Its memory is not in the arena, and no input makes it read outside of a
 * section.
 */
#ifndef USTAP_RAW_H
#define USTAP_RAW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raw_section {
	const unsigned char *p;
	size_t n;
};

/* The attributes that are looked at. */
enum raw_attr {
	RA_NONE,
	RA_NAME,
	RA_LINKAGE,
	RA_LOW_PC,
	RA_HIGH_PC,
	RA_RANGES,
	RA_ENTRY_PC,
	RA_INLINE,
	RA_DECLARATION,
	RA_ORIGIN,
	RA_SPECIFICATION,
	RA_STR_BASE,
	RA_ADDR_BASE,
	RA_RANGES_BASE,
	RA_SPLIT,
	RA_N
};

struct raw_form {
	uint16_t attr, form;
}; /* an enum raw_attr, a DW_FORM_ */
struct raw_place {
	uint16_t attr, form;
	uint32_t at;
};
struct raw_skip {
	uint8_t kind;
	uint32_t n;
};
struct raw_abbrev {
	uint64_t code;
	uint16_t tag;
	bool children, declares; /* has children; is a declaration */
	struct raw_form *forms;
	unsigned nforms;
	struct raw_skip *skips; /* the same to be passed over */
	unsigned nskips;
	/* of the attributes that are looked at, if all have fixed ones */
	struct raw_place places[RA_N];
	unsigned nplaces;
	/* 1 + where a DW_AT_sibling of 4 bytes is, counted from its unit; 0: nowhere fixed */
	uint32_t sibling;
	uint32_t prefix; /* bytes of fixed size so far */
	/* something of variable size came; an attribute came after that */
	bool variable, scattered;
};
struct raw_abbrevs {
	struct raw_abbrev *v;
	size_t n;
};

struct raw_file;
struct raw_unit {
	struct raw_file *file;
	uint64_t off, first, end; /* header, first entry, and what follows, in .debug_info */
	uint64_t abbrev_off, str_base, addr_base, ranges_base, low_pc;
	uint8_t version, offset_size;
	bool based; /* the bases are known */
	_Atomic(struct raw_abbrevs *) abbrevs;
	/* the one of those with the same abbreviations that has them */
	struct raw_unit *first_alike;
};
struct raw_file {
	struct raw_section info, abbrev, str, line_str, str_offsets, addr, rnglists, ranges;
	struct raw_section types; /* .debug_types, which is not read */
	struct raw_unit *units;
	size_t nunits;
	struct raw_file *alt; /* the file that dwz has moved common entries to */
	bool is_alt;
	bool mapped; /* .debug_info is part of a file that is mapped */
};

struct raw_die {
	const struct raw_abbrev *abbrev;
	const unsigned char *next;    /* the bytes after the entry */
	const unsigned char *p[RA_N]; /* values of attributes */
	uint16_t form[RA_N];          /* 0: it does not have this one */
};

/* Open the units of F; false: F has something that the index cannot represent. */
bool raw_open(struct raw_file *f);
/* Free what raw_open() allocated; the sections stay their owner's. */
void raw_close(struct raw_file *f);
struct raw_abbrevs *raw_abbrevs(struct raw_unit *u); /* NULL: they are malformed */
/* The abbreviation CODE; NULL: not in the table. */
const struct raw_abbrev *raw_abbrev(const struct raw_abbrevs *t, uint64_t code);
/* The entry with ABBREV whose attributes begin at P; false: it is malformed. */
bool raw_read(struct raw_unit *u, const struct raw_abbrev *a, const unsigned char *p,
	      struct raw_die *d);
/* The bytes after such an entry; NULL: it is malformed. */
const unsigned char *raw_pass(const struct raw_unit *u, const struct raw_abbrev *a,
			      const unsigned char *p);
/* The bytes after all children of the entry with ABBREV and attributes at P; NULL: the entry does
 * not give their end. */
const unsigned char *raw_sibling(const struct raw_unit *u, const struct raw_abbrev *a,
				 const unsigned char *p);
/* Read an unsigned LEB128 number that begins at P and ends before END; bits above 63 are dropped.
 * The byte after it, or NULL. */
const unsigned char *raw_uleb(const unsigned char *p, const unsigned char *end, uint64_t *out);
bool raw_base(struct raw_unit *u); /* read the bases from the unit's own entry */

/* Values; false: not of that kind, or outside of its section. */
bool raw_address(const struct raw_unit *u, const struct raw_die *d, enum raw_attr a, uint64_t *out);
/* A constant of any fixed size or ULEB128. */
bool raw_number(const struct raw_unit *u, const struct raw_die *d, enum raw_attr a, uint64_t *out);
/* In the tables of strings, or right there in .debug_info. */
const char *raw_string(const struct raw_unit *u, const struct raw_die *d, enum raw_attr a,
		       bool *there);
/* The entry that A refers to: its unit, and its offset in .debug_info of that unit's file. */
struct raw_unit *raw_reference(struct raw_unit *u, const struct raw_die *d, enum raw_attr a,
			       uint64_t *off);
/* The entry at OFF of U. */
bool raw_at(struct raw_unit *u, uint64_t off, struct raw_die *d);
/* Call F for each range of code of D, in order, until it returns false. */
void raw_ranges(const struct raw_unit *u, const struct raw_die *d,
		bool (*f)(uint64_t lo, uint64_t hi, void *), void *arg);

#endif
