/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader thread: drains the script's buffers. It reads all CPUs, writes the records whose order is
 * certain, sleeps briefly, and repeats. It runs from before START until after STOP, because begin
 * and end probes may print more than the buffers hold.
 */
#include "base/message.h"
#include "base/signal.h"
#include "output/output.h"
#include "output/stream.h"
#include "session/session_ops.h"
#include "wire_records.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Longest delay between a record's time stamp and its appearance. Handlers take the time and commit
 * the record without interruption, but a virtual machine's CPU may be preempted by the host. */
static const uint64_t SLACK_NS = 25000000;

/* Sleep between reads: minimum, maximum while records are held back, maximum. Checking rings needs
 * no system call. */
enum { MIN_MS = 2, HELD_MS = 10, MAX_MS = 40, MAX_RING_MS = 8 };

static const uint64_t RESCAN_NS = 1000000000;

/* CPUs that come online later get their file then. */
static void open_missing(struct reader *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!stream_open(&r->streams[i]))
			session_connect(r->session, &r->streams[i]);
}

static void write_records(void *arg, const struct records *run)
{
	struct reader *r = arg;
	const struct ust_rec *rec = run->first;

	for (; rec < run->end && rec->time < r->newest; rec = ust_rec_next(rec))
		r->late++;
	if (run->newest > r->newest)
		r->newest = run->newest;
	output_records(r->out, run->first, run->end);
}

static bool fill_all(struct reader *r, bool *complete, bool *more)
{
	bool any = false;

	*complete = true;
	*more = false;
	for (unsigned i = 0; i < r->n; i++) {
		any |= stream_fill(&r->streams[i]);
		*complete &= r->streams[i].complete;
		*more |= r->streams[i].more;
	}
	return any;
}

static bool any_held(const struct reader *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (stream_head(&r->streams[i]))
			return true;
	return false;
}

static int next_pause(const struct reader *r, int pause)
{
	int most = any_held(r) ? HELD_MS : MAX_MS;

	if (r->n && r->streams[0].ring)
		most = MAX_RING_MS;
	return pause * 2 < most ? pause * 2 : most;
}

static void tell(struct reader *r, atomic_bool *what)
{
	uint64_t one = 1;

	if (!atomic_exchange(what, true) && write(r->event, &one, sizeof one) < 0)
		abort(); /* cannot fail: an eventfd counts up to 2^64 - 2 */
}

/* One round; returns true when everything is written and no more is expected. *MORE: a buffer was
 * not read to its end. */
static bool read_and_write(struct reader *r, bool *any, bool *more)
{
	bool finish = atomic_load(&r->finish), complete;
	uint64_t now = clock_ns();

	*any = fill_all(r, &complete, more);
	merge_until(r->streams, r->n,
		    finish && complete ? UINT64_MAX : merge_limit(r->streams, r->n, now, SLACK_NS),
		    write_records, r);
	output_round_end(r->out);
	if (!*any)
		output_watch_reader(r->out);
	if (r->out->error)
		tell(r, &r->failed);
	return finish && complete;
}

static void *reader_main(void *arg)
{
	struct pollfd wake = {.events = POLLIN};
	struct reader *r = arg;
	uint64_t scanned = clock_ns();
	int pause = MIN_MS;
	bool any, more;

	wake.fd = r->wake;
	signals_allow_interrupt();
	while (!read_and_write(r, &any, &more)) {
		if (clock_ns() - scanned > RESCAN_NS) {
			open_missing(r);
			scanned = clock_ns();
		}
		pause = any ? MIN_MS : next_pause(r, pause);
		if (!more && !atomic_load(&r->finish))
			poll(&wake, 1, pause);
	}
	tell(r, &r->ended);
	return NULL;
}

bool reader_start(struct reader *r, const struct session *s, struct output *out, unsigned ncpu,
		  bool from_start)
{
	int err;

	r->session = s;
	r->out = out;
	r->n = ncpu;
	r->from_start = from_start;
	r->streams = xrealloc(NULL, (ncpu + 1) * sizeof *r->streams);
	for (unsigned i = 0; i < ncpu; i++)
		stream_init(&r->streams[i], i, -1, from_start);
	open_missing(r);
	out->give_up = &r->give_up;
	r->wake = eventfd(0, EFD_CLOEXEC);
	r->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake < 0 || r->event < 0)
		return fail("eventfd: %s", strerror(errno));
	err = pthread_create(&r->thread, NULL, reader_main, r);
	return !err || fail("cannot start a thread: %s", strerror(err));
}

void reader_finish(struct reader *r)
{
	uint64_t one = 1;

	atomic_store(&r->finish, true);
	if (write(r->wake, &one, sizeof one) < 0)
		abort();
}

void reader_give_up(struct reader *r)
{
	atomic_store(&r->give_up, true);
	signals_interrupt(r->thread);
}

void reader_join(struct reader *r)
{
	pthread_join(r->thread, NULL);
	for (unsigned i = 0; i < r->n; i++)
		stream_close(&r->streams[i]);
	if (r->late)
		note("%llu records arrived too late to be sorted by time",
		     (unsigned long long)r->late);
}

void reader_free(struct reader *r)
{
	for (unsigned i = 0; i < r->n; i++)
		stream_free(&r->streams[i]);
	free(r->streams);
	r->streams = NULL;
	r->n = 0;
}

uint64_t reader_gaps(const struct reader *r)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < r->n; i++)
		n += r->streams[i].gaps;
	return n;
}

bool reader_damaged(const struct reader *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->streams[i].damaged || r->streams[i].end != r->streams[i].head)
			return true;
	return false;
}
