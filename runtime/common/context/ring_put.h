/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies into the ring buffers of both runtimes, the relay of the module and those of the agent. */
#ifndef USTAP_COMMON_RING_PUT_H
#define USTAP_COMMON_RING_PUT_H

#include "common.h"
#include "wire_records.h"

/* Bytes that output leaves free for messages: the error that ends a script is not lost because its
 * output was. */
enum { RING_RESERVE = 4096 };

/* True if a record of WHOLE bytes and TYPE fits into the buffer of SIZE bytes, of which USED are in
 * use. */
static __always_inline bool ring_fits(u32 size, u64 used, u32 whole, u32 type)
{
	bool output = type == UST_REC_OUT || type == UST_REC_PARTS;
	u64 room = size - used;

	if (likely(room >= whole + RING_RESERVE))
		return true;
	return room >= whole && (!output || !used);
}

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
