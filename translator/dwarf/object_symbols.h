/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols and sections of object files that ustap has had compiled. */
#ifndef USTAP_DWARF_OBJECT_SYMBOLS_H
#define USTAP_DWARF_OBJECT_SYMBOLS_H

#include "base/util.h"

#include <stdbool.h>

/* Append the names, in the arena, of the global symbols that the object file PATH defines or, if
 * not DEFINED, refers to without defining them. False if it is not a readable ELF file. */
bool object_symbols(const char *path, bool defined, name_vec *out);

/* True if the ELF file at PATH has a section NAME that is not empty. */
bool object_has_section(const char *path, const char *name);

#endif
