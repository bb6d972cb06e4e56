/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Index of names, for lookups that would otherwise need a walk over all of .debug_info. It is built
 * once for each large debug file, by several threads (index_build.c), cached (debug_cache.h), and
 * mapped (index_file.c).
 */
#ifndef USTAP_NAME_INDEX_H
#define USTAP_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf_reader.h"

#define INDEX_MAGIC "ustapnm3"
#define INDEX_ALT   (1u << 31) /* with a tag: in the file of dwz */

/* Code of a function: in [lo, hi).  One that is entered has a range that begins there. */
struct index_range {
	uint64_t lo, hi;
	uint32_t die;
	uint32_t flags;
};
enum { RANGE_ENTRY = 1, RANGE_LABELS = 4 };

/* A function that was inlined, and the functions with code of it: outers[first .. first + n). */
struct index_inlined {
	uint32_t name, linkage, first, n;
};

/* A definition at the top of a unit, or an enumerator; by hash, tag and offset. */
struct index_def {
	uint32_t hash, name, tag, die;
};

/* A variable at the top of a unit that says where the variable ORIGIN is; by origin. */
struct index_instance {
	uint32_t origin, die;
};

enum { PART_RANGES, PART_INLINED, PART_OUTERS, PART_DEFS, PART_INSTANCES, PART_STRINGS, PART_N };

struct index_header {
	char magic[8];
	uint64_t size, sum; /* of the file; of parts and all behind this header */
	struct {
		uint64_t off, n;
	} parts[PART_N]; /* n: entries, for strings bytes */
};

struct name_index {
	const struct index_header *h;
	const struct index_range *ranges;
	size_t nranges; /* by address */
	const struct index_inlined *inlined;
	size_t ninlined;
	const uint32_t *outers;
	size_t nouters;
	const struct index_def *defs;
	size_t ndefs;
	const struct index_instance *instances;
	size_t ninstances;
	const char *strings;
	size_t nstrings;
};

/* Write the index of F to FD, from the offset 0 on,
 * and its size to SIZE; false: it cannot be made. */
bool index_build(struct raw_file *f, int fd, uint64_t *size);
/* Hash of NAME for the tables of the index (FNV-1a, folded to 32 bits); part of the file's format.
 */
uint32_t index_hash(const char *name);

/* Map the index in FD; false: it is damaged. */
bool index_map(struct name_index *ix, int fd);
/* Unmap; nothing happens if IX is not mapped. Strings of the index become invalid. */
void index_unmap(struct name_index *ix);
const char *index_string(const struct name_index *ix, uint32_t off); /* "" if OFF is invalid */
/* The first definition of NAME with TAG; NULL: not found. */
const struct index_def *index_definition(const struct name_index *ix, int tag, const char *name);
/* The first variable that gives a location for the one at ORIGIN; NULL: not found. */
const struct index_instance *index_instance(const struct name_index *ix, uint32_t origin);
/* Number of ranges that begin at or before ADDR. */
size_t index_ranges_to(const struct name_index *ix, uint64_t addr);

#endif
