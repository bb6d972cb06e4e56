/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the kernel runtime, which are compiled when a script first needs them. */
#ifndef USTAP_BACKEND_RUNTIME_PARTS_H
#define USTAP_BACKEND_RUNTIME_PARTS_H

#include "base/util.h"

#include <stdbool.h>

/* Every module is linked with the base. A part refers to nothing but the base, itself and what
 * part_may_use() allows. */
enum runtime_part {
	PART_BASE,
	PART_ARRAYS,   /* arrays, statistics and loops over them */
	PART_MERGE,    /* --merge, --reload */
	PART_BUILTINS, /* rarer builtins */
	PART_PRETTY,   /* pretty-printing and floating-point numbers */
	PART_UNWIND,
	PART_KERNEL, /* probes on the kernel */
	PART_EVENTS, /* process events, procfs files, --max-overhead */
	RUNTIME_PARTS
};

typedef VEC(char *) word_vec;

/* Name of the part, for its directory and for messages. */
const char *part_name(enum runtime_part part);

/* True if PART may refer to OTHER. */
bool part_may_use(enum runtime_part part, enum runtime_part other);

/* The paths, relative to ROOT, of all sources and headers of the kernel runtime, sorted. */
void runtime_sources(const char *root, word_vec *out);

/* SHA-256 of all sources below ROOT and their names, 64 hex digits. In the arena. */
const char *runtime_digest(const char *root);

/* True if PATH ends with SUFFIX and is longer. */
bool has_suffix(const char *path, const char *suffix);

/* Part and compile unit of the source PATH, which is relative to the runtime's directory. */
enum runtime_part part_of_source(const char *path, const char **unit);

/* Set NAMED[part] for each part that defines a word of the C code TEXT, and for those that it may
 * use. These are nearly always those that its object will need: only inline functions of the
 * headers refer to others. */
void parts_named(const char *root, const char *text, bool named[RUNTIME_PARTS]);

/* Set NEEDED[part] for each part that defines a symbol which OBJECT refers to and does not define,
 * and for those that it may use; ROOT is the directory of the runtime's sources. False if OBJECT
 * cannot be read as an ELF file. */
bool parts_needed(const char *root, const char *object, bool needed[RUNTIME_PARTS]);

/* The first global symbol that OBJECT defines and that parts_needed() would not look for in PART.
 * NULL if it would find all. */
const char *part_misplaced_symbol(const char *root, const char *object, enum runtime_part part);

#endif
