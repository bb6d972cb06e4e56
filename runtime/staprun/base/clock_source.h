/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock source of the kernel. */
#ifndef USTAP_STAPRUN_CLOCK_SOURCE_H
#define USTAP_STAPRUN_CLOCK_SOURCE_H

#include <stdbool.h>

/* True if the kernel's clocks are the cycle counter of the processor, which then advances evenly
 * and is the same on all CPUs. Runs a thread for a moment if it is a virtual machine's clock. */
bool clock_source_is_ticks(void);

#endif
