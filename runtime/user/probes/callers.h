/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that calls probed functions (callers.c). */
#ifndef USTAP_CALLERS_H
#define USTAP_CALLERS_H

#include "user.h"

/* Pages of code that were looked up, by page number; ~NUMBER: not of a file. The loader clears the
 * table when mappings have changed. */
extern u64 caller_pages[UST_CALLERS];

/* Where the page of RET is in the table. */
static inline u64 *caller_page(u64 ret) { return &caller_pages[ret / UST_PAGE % UST_CALLERS]; }

/* True if RET is known to be in the code of a file. */
static inline bool caller_known(u64 ret) { return READ_ONCE(*caller_page(ret)) == ret / UST_PAGE; }
/* False if the return address RET is in code that the program has made at run time, and may read it
 * on the stack. */
bool caller_allows(u64 ret);

#endif
