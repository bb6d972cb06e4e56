/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges the per-CPU buffers into records in order of time.
 *
 * A stream holds the bytes read from one CPU; each record is checked once, when it is complete.
 * Times never decrease on one CPU, so the oldest record of all is at the head of some stream;
 * merge_limit() decides how long to wait for CPUs without a record.
 */
#include "base/message.h"
#include "output/stream.h"
#include "wire_records.h"

#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CHUNK: bytes requested at once, which must hold any record, because only whole ones are returned.
 * BATCH: bytes that are read before records are written, which then are still in the CPU's cache.
 * MAX_HELD: bytes held for one CPU before the other CPUs are waited for. */
enum { CHUNK = UST_REC_MAX + 4096, BATCH = 128 << 10, MAX_HELD = 4 << 20 };

void stream_init(struct stream *s, unsigned cpu, int fd, bool from_start)
{
	*s = (struct stream){.cpu = cpu, .fd = fd, .started = from_start};
}

void stream_ring(struct stream *s, struct ring *ring) { s->ring = ring; }

bool stream_open(const struct stream *s) { return s->fd >= 0 || s->ring; }

void stream_close(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->ring = NULL;
}

void stream_free(struct stream *s)
{
	stream_close(s);
	free(s->buf);
	s->buf = NULL;
}

/* ------------------------------------------------------------------- records */

static bool record_valid(const struct stream *s, const struct ust_rec *rec)
{
	return rec->len <= UST_REC_MAX && rec->type >= UST_REC_OUT && rec->type <= UST_REC_LAST &&
	       rec->cpu == s->cpu && !(rec->seq >> 48);
}

/* A record was written before it was read: a later time is an error of its writer, and would delay
 * all others. */
static void account(struct stream *s, struct ust_rec *rec, uint64_t now)
{
	if (s->started && rec->seq > s->next_seq)
		s->gaps += rec->seq - s->next_seq;
	s->started = true;
	s->next_seq = rec->seq + 1;
	if (rec->time > now)
		rec->time = now;
	if (rec->time < s->last_time)
		rec->time = s->last_time;
	s->last_time = rec->time;
}

/* Check the records that have become complete. */
static void scan(struct stream *s)
{
	uint64_t now = clock_ns();

	while (s->end - s->scanned >= sizeof(struct ust_rec)) {
		struct ust_rec *rec = (struct ust_rec *)(s->buf + s->scanned);

		if (!record_valid(s, rec)) {
			s->damaged = true;
			break;
		}
		if (s->end - s->scanned < ust_rec_size(rec->len))
			break;
		account(s, rec, now);
		s->scanned += ust_rec_size(rec->len);
	}
	if (s->damaged)
		s->end = s->scanned;
}

/* Make room for a chunk after the data, which always starts at a multiple of 8. */
static void make_room(struct stream *s)
{
	if (s->head == s->end)
		s->head = s->scanned = s->end = 0;
	if (s->head && s->cap - s->end < CHUNK) {
		memmove(s->buf, s->buf + s->head, s->end - s->head);
		s->scanned -= s->head;
		s->end -= s->head;
		s->head = 0;
	}
	if (s->cap - s->end < CHUNK) {
		s->cap = 2 * s->cap + CHUNK;
		s->buf = xrealloc(s->buf, s->cap);
	}
}

static ssize_t take(struct stream *s)
{
	if (s->ring)
		return ring_read(s->ring, s->buf + s->end, CHUNK);
	return read(s->fd, s->buf + s->end, CHUNK);
}

/* A full stream is not read until records have been taken from it. */
static bool is_full(const struct stream *s) { return s->end - s->head >= MAX_HELD; }

bool stream_fill(struct stream *s)
{
	bool got = false, busy = s->ring && !s->damaged && ring_busy(s->ring);
	size_t sum = 0;

	s->complete = !stream_open(s) || s->damaged;
	while (!s->complete && !is_full(s) && sum < BATCH) {
		ssize_t n;

		make_room(s);
		n = take(s);
		if (n > 0) {
			s->end += (size_t)n;
			sum += (size_t)n;
			got = true;
		} else if (n == 0 || errno == EAGAIN) {
			s->complete = true;
		} else if (errno != EINTR) {
			s->damaged = s->complete = true;
		}
	}
	s->complete &= !busy;
	s->more = sum >= BATCH;
	if (got)
		scan(s);
	if (s->damaged && s->ring)
		ring_close(s->ring);
	return got;
}

const struct ust_rec *stream_head(const struct stream *s)
{
	return s->head < s->scanned ? (const struct ust_rec *)(s->buf + s->head) : NULL;
}

/* -------------------------------------------------------------------- merging */

static bool earlier(const struct stream *a, const struct stream *b)
{
	uint64_t ta = stream_head(a)->time, tb = stream_head(b)->time;

	return ta < tb || (ta == tb && a->cpu < b->cpu);
}

/* Restore the heap order at element I, downwards. */
static void sift_down(struct stream **heap, size_t n, size_t i)
{
	for (;;) {
		size_t least = i, child = 2 * i + 1;

		for (size_t c = child; c < n && c < child + 2; c++)
			if (earlier(heap[c], heap[least]))
				least = c;
		if (least == i)
			return;
		struct stream *t = heap[i];
		heap[i] = heap[least];
		heap[least] = t;
		i = least;
	}
}

/* Up to this time the records of the first stream of the heap precede those of all others. */
static uint64_t run_limit(struct stream **heap, size_t n, uint64_t limit)
{
	for (size_t i = 1; i < n && i < 3; i++) {
		uint64_t time = stream_head(heap[i])->time + (heap[0]->cpu < heap[i]->cpu);

		if (time < limit)
			limit = time;
	}
	return limit;
}

/* Most records follow others of their stream. */
static void take_run(struct stream *s, uint64_t limit, records_fn fn, void *arg)
{
	const struct ust_rec *rec = stream_head(s);
	struct records run = {.first = rec, .end = (const struct ust_rec *)(s->buf + s->scanned)};

	run.newest = s->last_time;
	if (s->last_time >= limit) {
		for (; rec < run.end && rec->time < limit; rec = ust_rec_next(rec))
			run.newest = rec->time;
		run.end = rec;
	}
	s->head = (size_t)((const unsigned char *)run.end - s->buf);
	fn(arg, &run);
}

void merge_until(struct stream *s, unsigned n, uint64_t limit, records_fn fn, void *arg)
{
	struct stream **heap = xrealloc(NULL, (n + 1) * sizeof *heap);
	size_t used = 0;

	for (unsigned i = 0; i < n; i++)
		if (stream_head(&s[i]))
			heap[used++] = &s[i];
	for (size_t i = used; i-- > 0;)
		sift_down(heap, used, i);
	while (used && stream_head(heap[0])->time < limit) {
		take_run(heap[0], run_limit(heap, used, limit), fn, arg);
		if (!stream_head(heap[0]))
			heap[0] = heap[--used];
		sift_down(heap, used, 0);
	}
	free(heap);
}

uint64_t merge_limit(const struct stream *s, unsigned n, uint64_t now, uint64_t slack)
{
	uint64_t limit = UINT64_MAX;

	for (unsigned i = 0; i < n; i++) {
		uint64_t mark = s[i].last_time, late = s[i].ring ? 0 : slack;

		if (s[i].complete && now > late && mark < now - late)
			mark = now - late;
		/* all have the same time: the next record may have it too, but must not be waited
		 * for */
		if (is_full(&s[i]) && stream_head(&s[i]) && stream_head(&s[i])->time == mark)
			mark++;
		if (mark < limit && !s[i].damaged)
			limit = mark;
	}
	return limit;
}
