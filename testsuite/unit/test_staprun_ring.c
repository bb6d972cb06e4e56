/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's end of a ring: records that a thread writes while they are read, and shared memory
 * that has been overwritten.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "output/stream.h"
#include "staprun_check.h"
#include "wire_agent.h"
#include "wire_records.h"

enum { SIZE = 1 << 16, CPU = 3 };

static struct ust_ring *shared; /* on the heap, so that ASan detects accesses outside */
static unsigned char *buf;

/* ---------------------------------------------------------------- the writer */

static void make(uint64_t at)
{
	shared = calloc(1, sizeof *shared);
	buf = calloc(1, SIZE);
	shared->size = SIZE;
	shared->buf = (uint64_t)buf;
	shared->head = shared->tail = at;
}

static void drop(void)
{
	free(shared);
	free(buf);
}

static bool open_ring(struct ring *r)
{
	bool ok = ring_open(r, shared, (uint64_t)buf, (uint64_t)buf + SIZE);

	r->tail = shared->tail;
	return ok;
}

static void put(uint64_t at, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf[(at + i) % SIZE] = ((const unsigned char *)from)[i];
}

/* Returns false if there is no room. */
static bool write_record(uint64_t time, const char *text, uint32_t len)
{
	struct ust_rec rec = {
		.len = len, .type = UST_REC_OUT, .cpu = CPU, .seq = shared->seq, .time = time};
	uint64_t n = (sizeof rec + len + 7) & ~7ull;

	if (SIZE - (shared->head - __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE)) < n)
		return false;
	put(shared->head, &rec, sizeof rec);
	put(shared->head + sizeof rec, text, len);
	shared->seq++;
	__atomic_store_n(&shared->head, shared->head + n, __ATOMIC_RELEASE);
	return true;
}

enum { RECORDS = 200000, LONGEST = 200 };

static char text[LONGEST + 1];

static uint32_t length_of(uint64_t i) { return (uint32_t)(i * 7919 % LONGEST); }

static void *write_all(void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < RECORDS;)
		i += write_record(i + 1, text, length_of(i));
	return NULL;
}

/* ---------------------------------------------------------------- the reader */

static struct {
	uint64_t n, wrong;
} got;

static void collect(void *arg, const struct records *run)
{
	(void)arg;
	for (const struct ust_rec *rec = run->first; rec < run->end; rec = ust_rec_next(rec)) {
		got.wrong += rec->seq != got.n || rec->len != length_of(got.n) ||
			     memcmp(rec + 1, text, rec->len);
		got.n++;
	}
}

static void count(void *arg, const struct records *run)
{
	(void)arg;
	for (const struct ust_rec *rec = run->first; rec < run->end; rec = ust_rec_next(rec)) {
		got.wrong += rec->len > UST_REC_MAX;
		got.n++;
	}
}

static void read_some(struct stream *s, records_fn fn)
{
	stream_fill(s);
	merge_until(s, 1, UINT64_MAX, fn, NULL);
}

/* From a start near 2^64, so that positions wrap around as well. */
static void test_writer(uint64_t at)
{
	struct stream s;
	struct ring r;
	pthread_t t;

	memset(&got, 0, sizeof got);
	make(at);
	stream_init(&s, CPU, -1, true);
	check(open_ring(&r) && !stream_open(&s), "a ring is opened", "it is not");
	stream_ring(&s, &r);
	pthread_create(&t, NULL, write_all, NULL);
	while (got.n < RECORDS && !s.damaged)
		read_some(&s, collect);
	if (s.damaged)
		shared->tail = shared->head;
	pthread_join(t, NULL);
	check(got.n == RECORDS && !got.wrong && !s.gaps && !s.damaged,
	      "all records of a writer are read", "some are missing or changed");
	read_some(&s, collect);
	check(s.complete && got.n == RECORDS && shared->tail == shared->head,
	      "then the ring is empty", "it is not");
	stream_free(&s);
	drop();
}

/* -------------------------------------------------------------------- damage */

static void refuses(uint64_t size, uint64_t offset, const char *name)
{
	struct ring r;

	make(0);
	shared->size = (uint32_t)size;
	shared->buf = (uint64_t)buf + offset;
	check(!open_ring(&r), name, "it is opened");
	drop();
}

static void damaged_head(uint64_t head, const char *name)
{
	struct stream s;
	struct ring r;

	memset(&got, 0, sizeof got);
	make(0);
	stream_init(&s, CPU, -1, true);
	open_ring(&r);
	stream_ring(&s, &r);
	write_record(1, "x", 1);
	read_some(&s, count);
	shared->head = head;
	read_some(&s, count);
	check(got.n == 1 && s.damaged && s.complete, name, "not noticed");
	stream_free(&s);
	drop();
}

static void scribble(uint64_t n)
{
	unsigned char *p = (unsigned char *)shared;

	while (n--) {
		if (random64() % 4)
			buf[random64() % SIZE] = (unsigned char)random64();
		else
			p[random64() % sizeof *shared] = (unsigned char)random64();
	}
}

/* All memory except the reader's private state may change at any time. */
static bool survives(void)
{
	struct stream s;
	struct ring r;

	make(random64() % 2 ? 0 : (uint64_t) - (SIZE / 2));
	stream_init(&s, CPU, -1, true);
	open_ring(&r);
	stream_ring(&s, &r);
	for (int i = 0; i < 20 && !s.damaged; i++) {
		for (uint64_t n = random64() % 50; n && shared->buf == (uint64_t)buf; n--)
			if (!write_record(n, text, length_of(n)))
				break;
		if (random64() % 4 == 0)
			scribble(1 + random64() % 16);
		read_some(&s, count);
	}
	stream_free(&s);
	drop();
	return got.wrong == 0;
}

static void test_scribbles(void)
{
	bool ok = true;

	memset(&got, 0, sizeof got);
	for (int i = 0; i < 5000 && ok; i++)
		ok = survives();
	check(ok && got.n > 10000, "5000 rings with damage",
	      "a record is too long, or nothing was read");
}

static atomic_bool stop;

static void *scribble_always(void *arg)
{
	unsigned char *p = (unsigned char *)shared;
	uint64_t x = 1;

	(void)arg;
	while (!atomic_load(&stop)) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		if (x >> 63)
			p[(x >> 32) % sizeof *shared] = (unsigned char)(x >> 24);
		else
			__atomic_store_n(&shared->head, shared->tail + (x >> 40) % SIZE / 8 * 8,
					 __ATOMIC_RELAXED);
		buf[(x >> 20) % SIZE] = (unsigned char)(x >> 56);
	}
	return NULL;
}

/* Overwritten while it is being read. */
static void test_race(void)
{
	pthread_t t;

	memset(&got, 0, sizeof got);
	make(0);
	pthread_create(&t, NULL, scribble_always, NULL);
	for (int i = 0; i < 3000; i++) {
		struct ring r = {.shared = shared, .buf = buf, .size = SIZE, .tail = shared->tail};
		struct stream s;

		stream_init(&s, CPU, -1, true);
		stream_ring(&s, &r);
		for (int j = 0; j < 5 && !s.damaged; j++)
			read_some(&s, count);
		stream_free(&s);
	}
	atomic_store(&stop, true);
	pthread_join(t, NULL);
	check(!got.wrong, "a ring that is written to without rules", "a record is too long");
	drop();
}

/* A record from the future, and more of one time than is held at once, delay other records only for
 * a limited time. */
static void test_times(void)
{
	struct stream s;
	struct ring r;
	uint64_t n = 0;

	memset(&got, 0, sizeof got);
	make(0);
	stream_init(&s, CPU, -1, true);
	open_ring(&r);
	stream_ring(&s, &r);
	for (int i = 0; i < 200; i++) {
		while (write_record(UINT64_MAX - n % 3, text, LONGEST))
			n++;
		stream_fill(&s);
	}
	for (int i = 0; i < 1000 && got.n < n; i++) {
		uint64_t now = clock_ns();

		stream_fill(&s);
		merge_until(&s, 1, merge_limit(&s, 1, now + 100, 50), count, NULL);
	}
	check(got.n == n && n > 15000, "records from the future are given", "they are held");
	stream_free(&s);
	drop();
}

/* While a lock is held, a record of an earlier time may follow; but not forever. */
static void test_busy(void)
{
	struct stream s;
	struct ring r;

	make(0);
	stream_init(&s, CPU, -1, true);
	open_ring(&r);
	stream_ring(&s, &r);
	stream_fill(&s);
	check(s.complete && merge_limit(&s, 1, 1000, 50) == 1000, "an idle ring delays no record",
	      "it does");
	shared->lock = 1;
	stream_fill(&s);
	check(!s.complete && merge_limit(&s, 1, 1000, 50) == 0, "a writer is waited for",
	      "it is not");
	r.busy_since -= 1000000000;
	stream_fill(&s);
	check(s.complete, "a stopped writer is not waited for", "it is");
	shared->head = 8;
	check(ring_busy(&r), "it counts again once it has gone on", "it does not");
	stream_free(&s);
	drop();
}

int main(void)
{
	memset(text, 'r', LONGEST);
	test_writer(0);
	test_writer((uint64_t)-SIZE * 3);
	refuses(0, 0, "a ring of size 0");
	refuses(SIZE - 8, 0, "a ring of an odd size");
	refuses(2 * SIZE, 0, "a ring that is too large");
	refuses(SIZE, 8, "a ring that ends outside");
	refuses(SIZE, (uint64_t)-8, "a ring that begins outside");
	refuses(SIZE, 1ull << 60, "a ring that is elsewhere");
	damaged_head(0, "a head that went back");
	damaged_head(SIZE * 2, "a head that is too far");
	damaged_head(SIZE - 1, "a head between records");
	test_times();
	test_busy();
	test_scribbles();
	test_race();
	return failed != 0;
}
