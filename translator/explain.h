/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between explain.c and arch/: instructions as text. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "ustap.h"

/* The instruction at ADDR, whose bytes begin CODE; NULL: it is none.  *EMULATED: uprobes do without a second trap. */
const char *instruction_text(const unsigned char *code, size_t len, uint64_t addr, bool *emulated);

#endif
