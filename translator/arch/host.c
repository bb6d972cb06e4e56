/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The architecture that ustap was built for, which is the one it traces. */
#include "arch.h"

#if !defined(__x86_64__)
#error "ustap: this architecture is not supported yet; see translator/arch/"
#endif

const struct arch *arch_host(void) { return &arch_x86_64; }
