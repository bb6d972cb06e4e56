/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's record parser and merge, on made-up files: order, gaps, records that arrive in
 * pieces, and damage of every type.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/stream.h"
#include "staprun_check.h"
#include "wire_records.h"

/* ------------------------------------------------------------ made-up buffers */

struct bytes {
	unsigned char b[1 << 20];
	size_t n;
};

static void add_record(struct bytes *f, unsigned cpu, uint64_t seq, uint64_t time, const char *text)
{
	struct ust_rec rec = {.len = (uint32_t)strlen(text),
			      .type = UST_REC_OUT,
			      .cpu = (uint16_t)cpu,
			      .seq = seq,
			      .time = time};

	memcpy(f->b + f->n, &rec, sizeof rec);
	memcpy(f->b + f->n + sizeof rec, text, rec.len);
	f->n += (sizeof rec + rec.len + 7) & ~(size_t)7;
}

/* A file with these bytes, read from its start. */
static int file_of(const struct bytes *f)
{
	char path[] = "/tmp/ustap-merge-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	if (write(fd, f->b, f->n) != (ssize_t)f->n)
		abort();
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static struct bytes cpu_bytes[4];

static void clear(void)
{
	for (int i = 0; i < 4; i++) {
		memset(&cpu_bytes[i], 0, sizeof cpu_bytes[i]);
	}
}

static void open_streams(struct stream *s, unsigned n, bool from_start)
{
	for (unsigned i = 0; i < n; i++)
		stream_init(&s[i], i, file_of(&cpu_bytes[i]), from_start);
}

static void close_streams(struct stream *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		stream_free(&s[i]);
}

/* Result of a merge: the text of all records, and a flag that times never decreased. */
static struct {
	char text[1 << 16];
	size_t n, records;
	uint64_t last;
	bool ordered;
} got;

static void collect_one(const struct ust_rec *rec)
{
	got.ordered &= rec->time >= got.last;
	got.last = rec->time;
	got.records++;
	if (got.n + rec->len < sizeof got.text) {
		memcpy(got.text + got.n, rec + 1, rec->len);
		got.n += rec->len;
	}
}

static void collect(void *arg, const struct records *run)
{
	const struct ust_rec *rec = run->first;
	uint64_t newest = 0;

	(void)arg;
	check(rec < run->end, "a run has a record", "it is empty");
	for (; rec < run->end; rec = ust_rec_next(rec)) {
		collect_one(rec);
		newest = rec->time;
	}
	check(newest == run->newest, "the newest time is that of the last record", "it is not");
}

static void reset(void)
{
	memset(&got, 0, sizeof got);
	got.ordered = true;
}

/* --------------------------------------------------------------------- checks */

static void test_order(void)
{
	struct stream s[2];

	clear();
	reset();
	add_record(&cpu_bytes[0], 0, 0, 10, "a");
	add_record(&cpu_bytes[1], 1, 0, 20, "bb");
	add_record(&cpu_bytes[0], 0, 1, 30, "ccc");
	add_record(&cpu_bytes[1], 1, 1, 30, "D");
	add_record(&cpu_bytes[1], 1, 2, 40, "12345678");
	open_streams(s, 2, true);
	stream_fill(&s[0]);
	stream_fill(&s[1]);
	merge_until(s, 2, UINT64_MAX, collect, NULL);
	check(got.n == 15 && !memcmp(got.text, "abbcccD12345678", 15), "two CPUs merge by time",
	      got.text);
	check(s[0].complete && !s[0].damaged && !s[0].gaps, "a whole file is read to its end",
	      "it is not");
	close_streams(s, 2);
}

static void test_limit(void)
{
	struct stream s[2];

	clear();
	reset();
	add_record(&cpu_bytes[0], 0, 0, 1000, "x");
	open_streams(s, 2, true);
	stream_fill(&s[0]);
	stream_fill(&s[1]);
	check(merge_limit(s, 2, 1010, 25) == 985, "an idle CPU holds young records back",
	      "limit differs");
	check(merge_limit(s, 2, 2000, 25) == 1975, "silence ends the wait", "limit differs");
	s[0].complete = false;
	check(merge_limit(s, 2, 2000, 25) == 1000,
	      "a CPU with more to read limits to what it showed", "limit differs");
	merge_until(s, 2, 1000, collect, NULL);
	check(got.records == 0, "a record at the limit waits", "it was given");
	merge_until(s, 2, 1001, collect, NULL);
	check(got.records == 1, "a record below the limit is given", "it was not");
	s[0].damaged = s[1].damaged = true;
	check(merge_limit(s, 2, 2000, 25) == UINT64_MAX, "damaged CPUs hold nothing back",
	      "limit differs");
	close_streams(s, 2);
}

static void test_gaps(void)
{
	struct stream s[1];

	clear();
	add_record(cpu_bytes, 0, 3, 1, "a");
	add_record(cpu_bytes, 0, 4, 2, "b");
	add_record(cpu_bytes, 0, 9, 3, "c");
	open_streams(s, 1, true);
	stream_fill(s);
	check(s->gaps == 3 + 4, "gaps count from 0 in a new session", "count differs");
	close_streams(s, 1);
	open_streams(s, 1, false);
	stream_fill(s);
	check(s->gaps == 4, "gaps count from the first record after an attach", "count differs");
	close_streams(s, 1);
}

static void test_time_never_falls(void)
{
	struct stream s[1];

	clear();
	reset();
	add_record(cpu_bytes, 0, 0, 100, "a");
	add_record(cpu_bytes, 0, 1, 50, "b");
	open_streams(s, 1, true);
	stream_fill(s);
	merge_until(s, 1, UINT64_MAX, collect, NULL);
	check(got.ordered && !memcmp(got.text, "ab", 2), "order on one CPU is the file's",
	      "it is not");
	close_streams(s, 1);
}

/* Bytes trickle in through a pipe: no record is passed on before it is complete. */
static void test_pieces(void)
{
	struct stream s;
	size_t whole_at = 0;
	int p[2];

	clear();
	reset();
	add_record(cpu_bytes, 0, 0, 1, "hello");
	if (pipe2(p, O_NONBLOCK))
		abort();
	stream_init(&s, 0, p[0], true);
	for (size_t i = 0; i < cpu_bytes->n; i++) {
		if (write(p[1], cpu_bytes->b + i, 1) != 1)
			abort();
		stream_fill(&s);
		if (!whole_at && stream_head(&s))
			whole_at = i + 1;
	}
	check(whole_at == cpu_bytes->n, "a record is given once it is whole", "too early or never");
	merge_until(&s, 1, UINT64_MAX, collect, NULL);
	check(got.n == 5 && !memcmp(got.text, "hello", 5), "a record in pieces keeps its text",
	      got.text);
	stream_free(&s);
	close(p[1]);
}

static void damage_at(size_t at, unsigned char value, const char *name)
{
	struct stream s[1];

	clear();
	reset();
	add_record(cpu_bytes, 0, 0, 1, "first");
	add_record(cpu_bytes, 0, 1, 2, "second");
	cpu_bytes->b[32 + at] = value;
	open_streams(s, 1, true);
	stream_fill(s);
	merge_until(s, 1, UINT64_MAX, collect, NULL);
	check(s->damaged && got.n == 5 && !memcmp(got.text, "first", 5), name,
	      "not noticed, or what is before was not given");
	check(!stream_fill(s) && s->complete, "nothing is read after damage", "something was");
	close_streams(s, 1);
}

/* Many records on four CPUs: all are passed on, in order, through several rounds. */
static void test_many(void)
{
	uint64_t seq[4] = {0}, time = 0;
	struct stream s[4];

	clear();
	reset();
	for (int i = 0; i < 20000; i++) {
		unsigned cpu = random64() % 4;

		time += random64() % 3;
		add_record(&cpu_bytes[cpu], cpu, seq[cpu]++, time,
			   "text of a record" + random64() % 17);
	}
	open_streams(s, 4, true);
	for (uint64_t limit = 1000; got.records < 20000 && limit < 100000; limit += 1000) {
		for (int i = 0; i < 4; i++)
			stream_fill(&s[i]);
		merge_until(s, 4, limit, collect, NULL);
	}
	check(got.records == 20000 && got.ordered, "20000 records of four CPUs in order",
	      "some are missing or out of order");
	close_streams(s, 4);
}

/* More than the merge holds for one CPU. */
static void test_large(void)
{
	static char text[60001];
	struct stream s;
	size_t rounds = 0;
	struct bytes *f = &cpu_bytes[0];
	char path[] = "/tmp/ustap-merge-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	reset();
	memset(text, 'x', sizeof text - 1);
	for (unsigned i = 0; i < 200; i++) {
		f->n = 0;
		add_record(f, 0, i, i, text);
		if (write(fd, f->b, f->n) != (ssize_t)f->n)
			abort();
	}
	lseek(fd, 0, SEEK_SET);
	stream_init(&s, 0, fd, true);
	for (; rounds < 100 && (!s.complete || stream_head(&s)); rounds++) {
		stream_fill(&s);
		merge_until(&s, 1, merge_limit(&s, 1, 1u << 30, 5), collect, NULL);
	}
	check(got.records == 200 && got.ordered && !s.damaged, "12 MB from one CPU",
	      "records are missing");
	check(s.cap < (8u << 20), "what is held from one CPU is bounded", "it is not");
	stream_free(&s);
}

/* Random bytes: records passed on are always valid, and no memory is damaged. */
static void test_mutations(void)
{
	size_t given = 0;

	for (int round = 0; round < 3000; round++) {
		struct stream s[1];

		clear();
		reset();
		for (unsigned i = 0; i < 20; i++)
			add_record(cpu_bytes, 0, i, i * 10, "some text" + random64() % 9);
		for (uint64_t n = 1 + random64() % 4; n; n--)
			cpu_bytes->b[random64() % cpu_bytes->n] = (unsigned char)random64();
		if (random64() % 2)
			cpu_bytes->n = random64() % cpu_bytes->n;
		open_streams(s, 1, true);
		stream_fill(s);
		merge_until(s, 1, UINT64_MAX, collect, NULL);
		given += got.records;
		if (got.n > cpu_bytes->n || !got.ordered) {
			check(false, "mutated buffers", "more text than bytes, or out of order");
			return;
		}
		close_streams(s, 1);
	}
	check(given > 1000 && given < 3000 * 20, "mutated buffers", "no damage was noticed");
}

int main(void)
{
	test_order();
	test_limit();
	test_gaps();
	test_time_never_falls();
	test_pieces();
	damage_at(3, 0xff, "a length beyond the bound is damage");
	damage_at(4, 0, "type 0 is damage");
	damage_at(4, UST_REC_LAST + 1, "an unknown type is damage");
	damage_at(6, 1, "another CPU's number is damage");
	test_many();
	test_large();
	test_mutations();
	return failed != 0;
}
