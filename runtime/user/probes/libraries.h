/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries of this process (libraries.c). */
#ifndef USTAP_LIBRARIES_H
#define USTAP_LIBRARIES_H

#include "user.h"

/* True if the image at ADDR is that of an ELF file. */
bool library_is_elf(u64 addr);
/* True if a library has code at ADDR. Microseconds, as the next. */
bool library_has_code(u64 addr);
/* True if a library is loaded whose file name begins with NAME. */
bool library_is_loaded(const char *name);

#endif
