/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans of OTLP. Each thread has a stack of open spans; one that ends is written. Records are
 * foreign data, so threads, depth and the text of a span are limited, and spans that have no end
 * or no begin are counted.
 */
#include "output/spans.h"
#include "base/message.h"
#include "output/otlp_values.h"
#include "output/output_format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { THREADS = 16384, REFUSALS = 1024, DEPTH = 128, TEXT_MAX = 16 << 10, KIND_INTERNAL = 1 };
enum { TRACE_BYTES = 16, SPAN_BYTES = 8, RANDOM_BYTES = 256, STATUS_ERROR = 2 };

struct span {
	uint64_t begun; /* ns since 1970 */
	unsigned char id[SPAN_BYTES];
	char *name;
	size_t len;
	struct text attributes; /* JSON */
	struct text error;      /* JSON string, or empty */
};

struct thread {
	bool used;
	uint32_t pid, tid;
	unsigned char trace[TRACE_BYTES];
	struct span *open; /* the innermost last */
	size_t n;
};

struct spans {
	int64_t to_realtime;
	struct thread threads[THREADS]; /* hash table by linear probing, at most half full */
	size_t nthreads;
	unsigned refused; /* so many new threads are refused without another look for idle ones */
	struct spans_lost lost;
	unsigned char random[RANDOM_BYTES];
	size_t used; /* bytes of random[] */
};

struct spans *spans_new(int64_t to_realtime)
{
	struct spans *s = calloc(1, sizeof *s);

	if (!s)
		abort();
	s->to_realtime = to_realtime;
	s->used = RANDOM_BYTES;
	return s;
}

static void free_span(struct span *p)
{
	free(p->name);
	free(p->attributes.s);
	free(p->error.s);
}

void spans_free(struct spans *s)
{
	for (size_t i = 0; s && i < THREADS; i++) {
		for (size_t k = 0; k < s->threads[i].n; k++)
			free_span(&s->threads[i].open[k]);
		free(s->threads[i].open);
	}
	free(s);
}

struct spans_lost spans_lost(const struct spans *s)
{
	struct spans_lost lost = s->lost;

	for (size_t i = 0; i < THREADS; i++)
		lost.open += s->threads[i].n;
	return lost;
}

/* --------------------------------------------------------------------- ids */

/* An id of N bytes, not all 0. */
static void make_id(struct spans *s, unsigned char *id, size_t n)
{
	if (s->used + n > RANDOM_BYTES) {
		if (getrandom(s->random, RANDOM_BYTES, 0) != RANDOM_BYTES)
			abort(); /* up to 256 bytes are never interrupted */
		s->used = 0;
	}
	memcpy(id, s->random + s->used, n);
	s->used += n;
	id[n - 1] |= !id[n - 1];
}

/* ,"NAME":"hexadecimal" */
static void put_id(struct text *t, const char *name, const unsigned char *id, size_t n)
{
	otlp_comma(t);
	text_print(t, "\"%s\":\"", name);
	for (size_t i = 0; i < n; i++)
		text_print(t, "%02x", id[i]);
	text_put(t, "\"");
}

/* ----------------------------------------------------------------- threads */

/* The entry of H's thread; NULL: not found, and NEW is false or the table is full. */
static struct thread *find_thread(struct spans *s, const struct hit_info *h, bool new)
{
	size_t at = (h->tid * 2654435761u ^ h->pid) % THREADS;

	while (s->threads[at].used) {
		struct thread *t = &s->threads[at];

		if (t->tid == h->tid && t->pid == h->pid)
			return t;
		at = (at + 1) % THREADS;
	}
	if (!new || s->nthreads == THREADS / 2)
		return NULL;
	s->nthreads++;
	s->threads[at] = (struct thread){.used = true, .pid = h->pid, .tid = h->tid};
	return &s->threads[at];
}

/* Threads that have ended leave entries without spans: build the table anew. */
static void forget_idle(struct spans *s)
{
	struct thread *old = xrealloc(NULL, sizeof s->threads);

	memcpy(old, s->threads, sizeof s->threads);
	memset(s->threads, 0, sizeof s->threads);
	s->nthreads = 0;
	for (size_t i = 0; i < THREADS; i++) {
		struct hit_info h = {.pid = old[i].pid, .tid = old[i].tid};

		if (old[i].n)
			*find_thread(s, &h, true) = old[i];
		else
			free(old[i].open);
	}
	free(old);
}

static struct thread *thread_of(struct spans *s, const struct hit_info *h)
{
	struct thread *t = find_thread(s, h, true);

	if (t)
		return t;
	if (s->refused) {
		s->refused--;
		return NULL;
	}
	forget_idle(s);
	if (s->nthreads > THREADS / 4)
		s->refused = REFUSALS;
	return find_thread(s, h, true);
}

static struct span *innermost(struct spans *s, const struct hit_info *h)
{
	struct thread *t = find_thread(s, h, false);

	return t && t->n ? &t->open[t->n - 1] : NULL;
}

/* ------------------------------------------------------------------- items */

static uint64_t realtime(const struct spans *s, uint64_t time)
{
	return time + (uint64_t)s->to_realtime;
}

static void begin_span(struct spans *s, const struct hit_info *h, const struct item *it)
{
	struct thread *t = thread_of(s, h);
	struct span *p;

	if (!t || t->n == DEPTH) {
		s->lost.left_out++;
		return;
	}
	if (!t->n)
		make_id(s, t->trace, TRACE_BYTES);
	t->open = xrealloc(t->open, (t->n + 1) * sizeof *t->open);
	p = &t->open[t->n++];
	*p = (struct span){.begun = realtime(s, it->time),
			   .name = xstrndup(it->args[0].s, it->args[0].len),
			   .len = it->args[0].len};
	make_id(s, p->id, SPAN_BYTES);
	otlp_hit(&p->attributes, h);
}

static void put_span(const struct spans *s, const struct thread *t, uint64_t end, struct text *out)
{
	const struct span *p = &t->open[t->n - 1];

	otlp_comma(out);
	text_put(out, "{");
	put_id(out, "traceId", t->trace, TRACE_BYTES);
	put_id(out, "spanId", p->id, SPAN_BYTES);
	if (t->n > 1)
		put_id(out, "parentSpanId", t->open[t->n - 2].id, SPAN_BYTES);
	text_put(out, ",\"name\":");
	json_string(out, p->name, p->len);
	text_print(out,
		   ",\"kind\":%d,\"startTimeUnixNano\":\"%" PRIu64
		   "\",\"endTimeUnixNano\":\"%" PRIu64 "\",\"attributes\":[",
		   KIND_INTERNAL, p->begun, realtime(s, end));
	text_add(out, p->attributes.s, p->attributes.n);
	text_put(out, "]");
	if (p->error.n) {
		text_print(out, ",\"status\":{\"code\":%d,\"message\":", STATUS_ERROR);
		text_add(out, p->error.s, p->error.n);
		text_put(out, "}");
	}
	text_put(out, "}");
}

static bool has_name(const struct span *p, const struct arg *a)
{
	return p->len == a->len && !memcmp(p->name, a->s, a->len);
}

static unsigned end_span(struct spans *s, const struct hit_info *h, const struct item *it,
			 struct text *out)
{
	struct thread *t = find_thread(s, h, false);
	size_t n = t ? t->n : 0;

	while (n && !has_name(&t->open[n - 1], &it->args[0]))
		n--;
	if (!n) {
		s->lost.unbegun++;
		return 0;
	}
	for (; t->n > n; s->lost.open++)
		free_span(&t->open[--t->n]);
	put_span(s, t, it->time, out);
	free_span(&t->open[--t->n]);
	return 1;
}

static void add_attribute(struct spans *s, struct span *p, const struct item *it)
{
	const struct arg *key = &it->args[0], *value = &it->args[1];
	struct text *t = &p->attributes;

	if (t->n + key->len + value->len > TEXT_MAX) {
		s->lost.left_out++;
		return;
	}
	otlp_comma(t);
	text_put(t, "{\"key\":");
	json_string(t, key->s, key->len);
	text_put(t, ",\"value\":");
	if (value->is_string)
		otlp_string_value(t, value->s, value->len);
	else
		text_print(t, "{\"intValue\":\"%" PRId64 "\"}", value->number);
	text_put(t, "}");
}

static void set_error(struct span *p, const struct arg *message)
{
	p->error.n = 0;
	json_string(&p->error, message->s, message->len);
}

unsigned spans_item(struct spans *s, const struct hit_info *h, const struct item *it,
		    struct text *out)
{
	bool attribute = *it->what == 'a';
	struct span *p;

	if (it->nargs != 1 + (size_t)attribute || !it->args[0].is_string ||
	    it->args[0].len > TEXT_MAX)
		return 0;
	if (*it->what == 'e')
		return end_span(s, h, it, out);
	if (*it->what == 'b') {
		begin_span(s, h, it);
		return 0;
	}
	p = innermost(s, h);
	if (!p)
		s->lost.unbegun++;
	else if (attribute)
		add_attribute(s, p, it);
	else if (*it->what == 'f')
		set_error(p, &it->args[0]);
	return 0;
}

void spans_ids(struct spans *s, const struct hit_info *h, struct text *out)
{
	const struct thread *t = find_thread(s, h, false);

	if (!t || !t->n)
		return;
	put_id(out, "traceId", t->trace, TRACE_BYTES);
	put_id(out, "spanId", t->open[t->n - 1].id, SPAN_BYTES);
}
