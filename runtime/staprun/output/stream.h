/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of one CPU from a relay file or a ring, and all CPUs merged in order of time. */
#ifndef STAPRUN_OUTPUT_STREAM_H
#define STAPRUN_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

/* ------------------------------------------------------------------- ring.c */

struct ring {
	struct ust_ring *shared;
	const unsigned char *buf;
	uint64_t size, tail;
	uint64_t busy_since, busy_head; /* ns; since when its lock was seen taken, with this head */
	uint32_t busy_lock;
};

/* False if its buffer is not between LOW and HIGH. */
bool ring_open(struct ring *r, struct ust_ring *shared, uint64_t low, uint64_t high);
/* As read(2): up to SIZE of the bytes that are there, 0: none; EBADMSG: the ring is damaged. */
ssize_t ring_read(struct ring *r, void *to, size_t size);
/* Tell writers that it is never read again. */
void ring_close(struct ring *r);
/* May a record appear of a time before now?  Ask before reading.  Whoever holds the lock for too
 * long does not count: he may be stopped or dead. */
bool ring_busy(struct ring *r);

/* ------------------------------------------------------------------ merge.c */

/* The records of one CPU, as they come: from a file or a ring. */
struct stream {
	unsigned cpu;
	int fd; /* -1: not there */
	struct ring *ring;
	unsigned char *buf;
	size_t head, scanned, end, cap; /* next record; end of whole, valid records; of data */
	bool complete; /* the last read took all there was, and nobody was about to write */
	bool damaged;  /* what came is no record: nothing more is read */
	bool started;  /* a record was seen, or counting starts at 0 */
	uint64_t next_seq;
	uint64_t gaps;      /* records missing in the sequence */
	uint64_t last_time; /* of the newest record */
};

void stream_init(struct stream *s, unsigned cpu, int fd, bool from_start);
void stream_ring(struct stream *s, struct ring *ring);
bool stream_open(const struct stream *s);
/* No more comes; what was read stays. */
void stream_close(struct stream *s);
void stream_free(struct stream *s);
/* Read what is there, up to a bound.  True if anything came. */
bool stream_fill(struct stream *s);
/* The oldest record, or NULL. */
const struct ust_rec *stream_head(const struct stream *s);
void stream_pop(struct stream *s);

/* Take all records of time < LIMIT from N streams in order of time. */
typedef void (*record_fn)(void *arg, const struct ust_rec *rec);
void merge_until(struct stream *s, unsigned n, uint64_t limit, record_fn fn, void *arg);
/* The time before which no stream can give another record, if each was read after NOW
 * and records appear in files at most SLACK ns after the time they carry. */
uint64_t merge_limit(const struct stream *s, unsigned n, uint64_t now, uint64_t slack);

#endif
