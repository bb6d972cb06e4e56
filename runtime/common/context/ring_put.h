/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies into the ring buffers of both runtimes, the relay of the module and those of the agent. */
#ifndef USTAP_COMMON_RING_PUT_H
#define USTAP_COMMON_RING_PUT_H

#include "common.h"

/* Copy N bytes of FROM, at most SIZE, to AT of the buffer BUF of SIZE bytes, and what does not fit
 * behind AT to its beginning. Returns where the next byte belongs. */
static inline u32 ring_put(char *buf, u32 size, u32 at, const void *from, u32 n)
{
	u32 to_end = size - at;

	if (likely(n < to_end)) {
		memcpy(buf + at, from, n);
		return at + n;
	}
	memcpy(buf + at, from, to_end);
	memcpy(buf, (const char *)from + to_end, n - to_end);
	return n - to_end;
}

#endif
