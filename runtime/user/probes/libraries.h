/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries of this process (libraries.c). */
#ifndef USTAP_LIBRARIES_H
#define USTAP_LIBRARIES_H

#include "user.h"

/* True if the image at ADDR is that of an ELF file. */
bool library_is_elf(u64 addr);
/* True if a library has code at ADDR. Microseconds, as the next. */
bool library_has_code(u64 addr);
/* True if the program has loaded a library that copies parts of stacks away, and back once. */
bool library_shares_stacks(void);
/* ... that continues copies of stacks any number of times, so that functions return again. */
bool library_reenters_stacks(void);

#endif
