/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a buffer that handlers in other processes write to. They may write any value anywhere in
 * shared memory, by an error of their program or on purpose: address and read position of the
 * buffer are kept privately, HEAD is read once and checked, and bytes are examined only after they
 * were copied.
 */
#include "base/message.h"
#include "output/stream.h"
#include "wire_agent.h"

#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

/* Longest wait for a writer. */
static const uint64_t PATIENCE_NS = 500000000;

bool ring_open(struct ring *r, struct ust_ring *shared, uint64_t low, uint64_t high)
{
	uint64_t size = __atomic_load_n(&shared->size, __ATOMIC_RELAXED);
	uint64_t buf = __atomic_load_n(&shared->buf, __ATOMIC_RELAXED);

	if (!size || (size & (size - 1)) || buf < low || buf > high || size > high - buf)
		return false;
	*r = (struct ring){.shared = shared, .buf = (const unsigned char *)buf, .size = size};
	return true;
}

/* Copy bytes that other processes may change meanwhile. */
static void copy_out(const struct ring *r, unsigned char *to, uint64_t n)
{
	uint64_t at = r->tail & (r->size - 1), first = r->size - at < n ? r->size - at : n;

	memcpy(to, r->buf + at, first);
	memcpy(to + first, r->buf, n - first);
}

void ring_close(struct ring *r) { __atomic_store_n(&r->shared->closed, 1, __ATOMIC_RELEASE); }

ssize_t ring_read(struct ring *r, void *to, size_t size)
{
	uint64_t head = __atomic_load_n(&r->shared->head, __ATOMIC_ACQUIRE), n = head - r->tail;

	if (n > r->size || head % 8) {
		errno = EBADMSG;
		return -1;
	}
	if (n > size)
		n = size;
	copy_out(r, to, n);
	r->tail += n;
	/* even without new data: with a wrong tail the ring would remain full */
	if (__atomic_load_n(&r->shared->tail, __ATOMIC_RELAXED) != r->tail)
		__atomic_store_n(&r->shared->tail, r->tail, __ATOMIC_RELEASE);
	return (ssize_t)n;
}

/* Writers take the time with the lock held, and advance HEAD before they release it. */
bool ring_busy(struct ring *r)
{
	uint32_t lock = __atomic_load_n(&r->shared->lock, __ATOMIC_ACQUIRE);
	uint64_t head = __atomic_load_n(&r->shared->head, __ATOMIC_RELAXED), now;

	now = lock ? clock_ns() : 0;
	if (lock != r->busy_lock || head != r->busy_head) {
		r->busy_lock = lock;
		r->busy_head = head;
		r->busy_since = now;
	}
	return lock && now - r->busy_since < PATIENCE_NS;
}
