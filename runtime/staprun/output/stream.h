/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of one CPU from a relay file or a ring, and all CPUs merged in order of time. */
#ifndef STAPRUN_OUTPUT_STREAM_H
#define STAPRUN_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire_agent.h"
#include "wire_records.h"

/* ------------------------------------------------------------------- ring.c */

struct ring {
	struct ust_ring *shared;
	const unsigned char *buf;
	uint64_t size, tail;
	uint64_t busy_since, busy_head; /* ns; since when its lock has been held, with this head */
	uint32_t busy_lock;
};

/* False if its buffer is not between LOW and HIGH. */
bool ring_open(struct ring *r, struct ust_ring *shared, uint64_t low, uint64_t high);
/* As read(2): at most SIZE of the available bytes, 0: none; EBADMSG: the ring is damaged. */
ssize_t ring_read(struct ring *r, void *to, size_t size);
/* Notify writers that it is not read any more. */
void ring_close(struct ring *r);
/* True if a record with an earlier time than now may still appear. Call before reading. A writer
 * that holds the lock for too long is ignored: it may be stopped or dead. */
bool ring_busy(struct ring *r);

/* ------------------------------------------------------------------ merge.c */

/* The records of one CPU, in order: from a file or a ring. */
struct stream {
	unsigned cpu;
	int fd; /* -1: not available */
	struct ring *ring;
	unsigned char *buf;
	size_t head, scanned, end, cap; /* next record; end of complete, valid records; of data */
	bool complete;                  /* the last read took all data, and no writer was active */
	bool more;                      /* it left data to be read at once */
	bool damaged;                   /* the data is not a valid record: nothing more is read */
	bool started;                   /* a record was read, or counting starts at 0 */
	uint64_t next_seq;
	uint64_t gaps;      /* records missing in the sequence */
	uint64_t last_time; /* of the newest record */
};

/* The stream of CPU, to be read from FD, which it owns; FROM_START: no record precedes. */
void stream_init(struct stream *s, unsigned cpu, int fd, bool from_start);
/* Read from RING in the script's memory instead; borrowed. */
void stream_ring(struct stream *s, struct ring *ring);
/* True if there may be more to read. */
bool stream_open(const struct stream *s);
/* No more data is read; the data read before remains. */
void stream_close(struct stream *s);
/* Close S and free its buffer. */
void stream_free(struct stream *s);
/* Read available data, up to a bound. True if there was any. */
bool stream_fill(struct stream *s);
/* The oldest record, or NULL. */
const struct ust_rec *stream_head(const struct stream *s);

/* Records that follow each other in memory, at least one; their times do not decrease. */
struct records {
	const struct ust_rec *first, *end;
	uint64_t newest; /* time of the last one */
};
typedef void (*records_fn)(void *arg, const struct records *r);
/* Call FN with ARG for all complete records of the N streams S before the time LIMIT (ns), by
 * time, then by CPU; they are dropped. */
void merge_until(struct stream *s, unsigned n, uint64_t limit, records_fn fn, void *arg);
/* The time before which no stream can yield another record, if each was read after NOW and records
 * appear in files at most SLACK ns after their time stamp. */
uint64_t merge_limit(const struct stream *s, unsigned n, uint64_t now, uint64_t slack);

#endif
