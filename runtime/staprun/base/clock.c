/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Monotonic clock of a run. */
#include "base/message.h"

#include <stdint.h>
#include <time.h>

uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
