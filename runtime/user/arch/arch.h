/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The architecture of the user runtime. */
#ifndef USTAP_USER_ARCH_H
#define USTAP_USER_ARCH_H

#if defined(__x86_64__)
#include "x86_64.h"
#else
#error "ustap: the user runtime does not know this architecture yet; see doc/adding.md"
#endif

#endif
