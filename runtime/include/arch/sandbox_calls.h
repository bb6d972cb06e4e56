/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of the user runtime that only this machine has: rows of sandbox_needed[]. */
#ifndef USTAP_SANDBOX_CALLS_H
#define USTAP_SANDBOX_CALLS_H

#include <asm/prctl.h>

#define SANDBOX_ARCH_CALLS {__NR_arch_prctl, 0, ARCH_GET_FS},

#endif
