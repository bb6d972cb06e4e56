/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tapset index internals, shared by tapset.c and tapset_index.c only. */
#ifndef USTAP_PARSE_TAPSET_H
#define USTAP_PARSE_TAPSET_H

#include <stdbool.h>

/* Definitions that the file at PATH may have, one per line: "f NAME" function, "g NAME" global,
 * "a NAME.NAME" alias ("*": some), "m @NAME" macro of a .stpm file. */
const char *file_definitions(const char *path, bool macros);

#endif
