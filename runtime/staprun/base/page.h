/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounding to pages. */
#ifndef USTAP_BASE_PAGE_H
#define USTAP_BASE_PAGE_H

#include <stdint.h>

#include "wire_agent.h"

/* N rounded down to a page. */
static inline uint64_t page_down(uint64_t n) { return n & -(uint64_t)UST_PAGE; }
/* N rounded up to a page. */
static inline uint64_t page_up(uint64_t n) { return page_down(n + UST_PAGE - 1); }

#endif
