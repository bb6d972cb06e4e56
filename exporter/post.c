/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Poster of OTLP: the queues between staprun and the server, one for each type of request. Bodies
 * are read as soon as staprun writes them, whatever the server does; what does not fit is
 * discarded. Each queue has one request in progress, and repeats it as the specification says
 * ("OTLP/HTTP", "Retryable Response Codes" and "Throttling"): with exponential back-off and jitter,
 * not before the time that the server asks for, and for at most five minutes. staprun compares what
 * it has handed over with what was accepted.
 */
#include "config.h"
#include "export.h"
#include "request.h"

#ifdef HAVE_OTLP
#include "base/message.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ROUND_BYTES = 4 << 20, /* read from staprun before the server gets its turn */
	TICK_MS = 200,
	FIRST_WAIT_MS = 500,
	LAST_WAIT_MS = 30000
};
#define MS_NS    1000000ull
#define RETRY_NS 300000000000ull /* for one body, from its first attempt */
#define END_NS   5000000000ull   /* for all that remains when staprun has ended */

struct body {
	struct body *next;
	uint64_t number; /* as in its frame */
	uint64_t tried;  /* ns: time of the first attempt; 0: none yet */
	size_t size;
	char data[];
};

struct queue {
	struct body *first, **end;
	struct request *request;
	bool busy;     /* the first body is being posted */
	uint64_t due;  /* ns: the next attempt; 0: now */
	unsigned wait; /* ms: the last one */
	uint64_t accepted;
	char url[URL_MAX + 16];
};

static struct poster {
	CURLM *multi;
	struct queue queues[UST_EXPORT_SIGNALS];
	size_t bytes; /* in all queues */
	/* the frame that is being read */
	struct ust_export_frame frame;
	size_t frame_got, body_got;
	struct body *body;     /* NULL: it is discarded */
	bool frames_end;       /* staprun sends no more */
	uint64_t deadline;     /* ns: when all is given up; 0: not yet */
	uint64_t rejected;     /* data points of metrics */
	bool is_full, is_down; /* told already */
} poster;

static void tell_accepted(void)
{
	const struct queue *q = poster.queues;

	tell(UST_EXPORT_ACCEPTED, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
	     q[UST_EXPORT_LOGS].accepted, q[UST_EXPORT_METRICS].accepted,
	     q[UST_EXPORT_SPANS].accepted, poster.rejected);
}

/* ----------------------------------------------------------------- queues */

static void remove_body(struct body **at)
{
	struct body *b = *at;

	*at = b->next;
	poster.bytes -= b->size;
	free(b);
}

/* Remove all but the one that is being posted. */
static void clear_queue(struct queue *q)
{
	struct body **at = q->busy ? &q->first->next : &q->first;

	while (*at)
		remove_body(at);
	q->end = at;
}

static void remove_first(struct queue *q)
{
	remove_body(&q->first);
	if (!q->first)
		q->end = &q->first;
	q->due = 0;
	q->wait = 0;
}

/* Metrics are cumulative: newer ones replace those that wait. */
static void add_body(enum ust_export_signal signal, struct body *b)
{
	struct queue *q = &poster.queues[signal];

	if (signal == UST_EXPORT_METRICS)
		clear_queue(q);
	*q->end = b;
	q->end = &b->next;
}

/* ----------------------------------------------------------------- frames */

/* Room for the body of the frame; NULL, if the queues are full. */
static struct body *new_body(void)
{
	size_t size = poster.frame.size;
	struct body *b;

	if (size > UST_EXPORT_BODY_MAX || poster.bytes + size > UST_EXPORT_QUEUE_MAX ||
	    poster.frame.signal >= UST_EXPORT_SIGNALS) {
		if (!poster.is_full)
			tell(UST_EXPORT_WARNING,
			     "the queue of %u MB is full: output is lost until the server accepts "
			     "more",
			     UST_EXPORT_QUEUE_MAX >> 20);
		poster.is_full = true;
		return NULL;
	}
	poster.is_full = false;
	b = xrealloc(NULL, sizeof *b + size);
	*b = (struct body){.number = poster.frame.number, .size = size};
	poster.bytes += size;
	return b;
}

static void end_frame(void)
{
	if (poster.body)
		add_body(poster.frame.signal, poster.body);
	poster.body = NULL;
	poster.frame_got = poster.body_got = 0;
}

/* Bytes read into TO; 0: none now, or the end. */
static size_t read_some(void *to, size_t size)
{
	ssize_t n = recv(UST_EXPORT_FRAMES, to, size, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		poster.frames_end = true;
	return n > 0 ? (size_t)n : 0;
}

/* Read a part of a frame; its length, 0: none now. */
static size_t read_part(void)
{
	char discarded[16 << 10];
	size_t left, n;

	if (poster.frame_got < sizeof poster.frame) {
		n = read_some((char *)&poster.frame + poster.frame_got,
			      sizeof poster.frame - poster.frame_got);
		poster.frame_got += n;
		if (poster.frame_got == sizeof poster.frame)
			poster.body = new_body();
		return n;
	}
	left = poster.frame.size - poster.body_got;
	if (poster.body)
		n = read_some(poster.body->data + poster.body_got, left);
	else
		n = read_some(discarded, left < sizeof discarded ? left : sizeof discarded);
	poster.body_got += n;
	if (poster.body_got == poster.frame.size)
		end_frame();
	return n;
}

static void read_frames(void)
{
	size_t n, total = 0;

	while (!poster.frames_end && total < ROUND_BYTES && (n = read_part()))
		total += n;
}

/* -------------------------------------------------------------- responses */

/* The time of the next attempt: as the server asks, else twice as late as the last time, and up to
 * a fifth earlier or later, so that many clients do not return at once. */
static void postpone(struct queue *q, const struct answer *a)
{
	unsigned ms = q->wait ? 2 * q->wait : FIRST_WAIT_MS;

	q->wait = ms < LAST_WAIT_MS ? ms : LAST_WAIT_MS;
	ms = q->wait - q->wait / 5 + (unsigned)random() % (2 * q->wait / 5 + 1);
	if (a->wait_s > ms / 1000)
		ms = 1000 * a->wait_s;
	q->due = clock_ns() + ms * MS_NS;
}

static void take_accepted(struct queue *q, const struct answer *a)
{
	uint64_t n = q->first->number;
	bool metrics = q == &poster.queues[UST_EXPORT_METRICS];

	if (a->rejected || *a->why)
		tell(UST_EXPORT_WARNING, "%s: the server rejects %" PRIu64 " %s: %s", q->url,
		     a->rejected, metrics ? "data points" : "records",
		     *a->why ? a->why : "without a reason");
	if (metrics) {
		q->accepted = n;
		poster.rejected += a->rejected;
	} else {
		q->accepted += a->rejected < n ? n - a->rejected : 0;
	}
	poster.is_down = false;
	remove_first(q);
	tell_accepted();
}

static void take_failure(struct queue *q, const struct answer *a)
{
	bool again = a->verdict == RETRY && clock_ns() - q->first->tried < RETRY_NS;

	if (again && !poster.is_down)
		tell(UST_EXPORT_WARNING, "%s: %s; it is tried again", q->url, a->why);
	poster.is_down = again;
	if (again) {
		postpone(q, a);
		return;
	}
	tell(UST_EXPORT_WARNING, "%s: %s; the request is not repeated", q->url, a->why);
	remove_first(q);
}

static void take_responses(void)
{
	const CURLMsg *m;
	struct answer a;
	struct queue *q;
	int left;

	while ((m = curl_multi_info_read(poster.multi, &left))) {
		CURL *easy = m->easy_handle;
		CURLcode result = m->data.result;

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&q);
		a = request_answer(q->request, result);
		curl_multi_remove_handle(poster.multi, easy);
		q->busy = false;
		if (a.verdict == ACCEPTED)
			take_accepted(q, &a);
		else
			take_failure(q, &a);
	}
}

/* ----------------------------------------------------------------- the loop */

static void start_requests(void)
{
	for (size_t i = 0; i < UST_EXPORT_SIGNALS; i++) {
		struct queue *q = &poster.queues[i];
		struct body *b = q->first;

		if (!b || q->busy || clock_ns() < q->due)
			continue;
		if (!b->tried)
			b->tried = clock_ns();
		q->busy = true;
		curl_multi_add_handle(poster.multi, request_prepare(q->request, b->data, b->size));
	}
}

/* True while something is to be posted that can still be posted in time. */
static bool is_needed(void)
{
	if (!poster.frames_end)
		return true;
	if (!poster.deadline)
		poster.deadline = clock_ns() + END_NS;
	if (clock_ns() >= poster.deadline)
		return false;
	for (size_t i = 0; i < UST_EXPORT_SIGNALS; i++)
		if (poster.queues[i].busy ||
		    (poster.queues[i].first && poster.queues[i].due < poster.deadline))
			return true;
	return false;
}

static int time_to_wait(void)
{
	uint64_t now = clock_ns(), first = now + TICK_MS * MS_NS;

	for (size_t i = 0; i < UST_EXPORT_SIGNALS; i++)
		if (poster.queues[i].first && !poster.queues[i].busy &&
		    poster.queues[i].due < first)
			first = poster.queues[i].due;
	return first > now ? (int)((first - now) / MS_NS) + 1 : 0;
}

static void post_all(void)
{
	struct curl_waitfd frames = {.fd = UST_EXPORT_FRAMES, .events = CURL_WAIT_POLLIN};
	int running;

	while (is_needed()) {
		curl_multi_poll(poster.multi, &frames, poster.frames_end ? 0 : 1, time_to_wait(),
				NULL);
		read_frames();
		start_requests();
		curl_multi_perform(poster.multi, &running);
		take_responses();
	}
}

static void set_up_queues(const char *url, const struct curl_slist *headers)
{
	static const char *const paths[] = {[UST_EXPORT_LOGS] = "/v1/logs",
					    [UST_EXPORT_METRICS] = "/v1/metrics",
					    [UST_EXPORT_SPANS] = "/v1/traces"};
	size_t n = strlen(url);

	while (n && url[n - 1] == '/')
		n--;
	for (size_t i = 0; i < UST_EXPORT_SIGNALS; i++) {
		struct queue *q = &poster.queues[i];

		snprintf(q->url, sizeof q->url, "%.*s%s", (int)n, url, paths[i]);
		q->end = &q->first;
		q->request = request_new(q->url, headers, q);
	}
}

/* The last message must arrive: staprun counts by it. */
static void tell_end(void)
{
	struct pollfd p = {.fd = UST_EXPORT_SOCKET, .events = POLLOUT};

	poll(&p, 1, 1000);
	tell_accepted();
}

int post_frames(const char *url)
{
	struct curl_slist *headers;
	unsigned bad;

	prctl(PR_SET_DUMPABLE, 0); /* the headers are secrets */
	curl_global_init(CURL_GLOBAL_DEFAULT);
	if (!request_url_valid(url)) {
		tell(UST_EXPORT_HINT, "give the server's base URL, such as http://localhost:4318");
		tell(UST_EXPORT_FAILED, "\"%.100s\" is not an http or https URL", url);
		return EXIT_FAILURE;
	}
	headers = request_headers(getenv("OTEL_EXPORTER_OTLP_HEADERS"), &bad);
	poster.multi = curl_multi_init();
	if (!poster.multi) {
		tell(UST_EXPORT_FAILED, "libcurl does not start");
		return EXIT_FAILURE;
	}
	srandom((unsigned)clock_ns() ^ (unsigned)getpid());
	set_up_queues(url, headers);
	tell(UST_EXPORT_READY, "%s", url);
	if (bad)
		tell(UST_EXPORT_WARNING,
		     "pair %u of OTEL_EXPORTER_OTLP_HEADERS is malformed or not permitted: it is "
		     "ignored",
		     bad);
	post_all();
	tell_end();
	return EXIT_SUCCESS;
}

#else

#include <stdlib.h>

int post_frames(const char *url)
{
	tell(UST_EXPORT_HINT, "install libcurl4-openssl-dev and libjson-c-dev and build ustap "
			      "again, or write a file: --output=otlp -o FILE");
	tell(UST_EXPORT_FAILED, "%s: this ustap was built without libcurl and json-c", url);
	return EXIT_FAILURE;
}

#endif
