/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tapset.c and tapset_index.c share; nobody else includes this. */
#ifndef USTAP_PARSE_TAPSET_H
#define USTAP_PARSE_TAPSET_H

#include <stdbool.h>

/* What the file at PATH may define, a line each: "f NAME" function, "g NAME"
 * global, "a NAME.NAME" alias ("*": some), "m @NAME" macro of a .stpm file. */
const char *file_definitions(const char *path, bool macros);

#endif
