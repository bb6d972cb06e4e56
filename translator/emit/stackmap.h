/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stack maps, and the modules that they are of. */
#ifndef USTAP_EMIT_STACKMAP_H
#define USTAP_EMIT_STACKMAP_H

#include "sema/program.h"

/* Does the program walk stacks or name addresses? */
bool wants_stackmaps(const struct program *p);
/* Add the modules that backtraces can reach besides the probed ones (stack_modules.c). */
void stack_modules(struct session *s, name_vec *out);
/* Optional parts of a stack map besides frames and symbols: lines of addresses, inlined
 * functions. */
enum map_parts { MAP_LINES = 1, MAP_INLINED = 2 };
/* The parts of a stack map that the builtins which P calls need, of enum map_parts; 0: names of
 * functions only. */
enum map_parts map_parts(const struct program *p);
/* The file that has a struct ust_stackmap of M and what is behind it, with PARTS, after SEAL_SIZE
 * other bytes; made if it is not in the cache.  NULL after an error. */
const char *stackmap_file(struct module *m, enum map_parts parts);
/* Before the emitted C is compiled: make those again that are damaged.  False after an error. */
bool stackmaps_check(void);

#endif
