/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry point of libFuzzer for recordings of calls, which traced processes write; see
 * fuzz/run_recording. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

enum { CHUNKS_MAX = 256, HEAD_WORDS = 24 };

/* ----------------------------------------------------------------- mutations */

struct chunk {
	size_t at, len; /* with the head */
};

static uint64_t next(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return *s >> 33;
}

/* The chunks of DATA up to the first damaged one. */
static size_t find_chunks(const uint8_t *data, size_t size, struct chunk *to)
{
	struct ust_calls_head h;
	size_t n = 0;

	for (size_t at = 0; n < CHUNKS_MAX && size - at >= sizeof h; at += to[n++].len) {
		memcpy(&h, data + at, sizeof h);
		if (h.magic != UST_CALLS_MAGIC || h.len > size - at - sizeof h)
			break;
		to[n] = (struct chunk){at, sizeof h + h.len};
	}
	return n;
}

/* A word at the start of C, behind the magic number, gets a value at a limit or near the old one.
 */
static void change_word(uint8_t *data, const struct chunk *c, uint64_t *s)
{
	static const uint32_t limits[] = {0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff};
	size_t words = c->len / 4, word;
	uint32_t v;

	if (words > HEAD_WORDS && next(s) % 4)
		words = HEAD_WORDS;
	if (words < 3)
		return;
	word = 2 + next(s) % (words - 2);
	memcpy(&v, data + c->at + 4 * word, sizeof v);
	v = next(s) % 2 ? limits[next(s) % 7] : v + (uint32_t)(next(s) % 9) - 4;
	memcpy(data + c->at + 4 * word, &v, sizeof v);
}

/* A copy of chunk C, before the chunk TO. */
static size_t copy_chunk(uint8_t *data, size_t size, size_t max, struct chunk c, size_t to)
{
	uint8_t *copy = malloc(c.len);

	if (copy && size + c.len <= max) {
		memcpy(copy, data + c.at, c.len);
		memmove(data + to + c.len, data + to, size - to);
		memcpy(data + to, copy, c.len);
		size += c.len;
	}
	free(copy);
	return size;
}

/* Remove the last 16 bytes of C, or double them, with the length in its head: an event or a part
 * of a text. */
static size_t change_length(uint8_t *data, size_t size, size_t max, struct chunk c, bool more)
{
	enum { UNIT = 16 };
	size_t end = c.at + c.len;
	struct ust_calls_head h;

	if (c.len < sizeof h + UNIT || (more && size + UNIT > max))
		return size;
	memcpy(&h, data + c.at, sizeof h);
	h.len = more ? h.len + UNIT : h.len - UNIT;
	memcpy(data + c.at, &h, sizeof h);
	memmove(data + (more ? end : end - UNIT), data + (more ? end - UNIT : end),
		size - (more ? end - UNIT : end));
	return more ? size + UNIT : size - UNIT;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chunk chunks[CHUNKS_MAX];
	uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
	size_t n = find_chunks(data, size, chunks);
	struct chunk c;

	if (!n || next(&s) % 4 == 0)
		return LLVMFuzzerMutate(data, size, max);
	c = chunks[next(&s) % n];
	switch (next(&s) % 5) {
	case 0:
		return copy_chunk(data, size, max, c, chunks[next(&s) % n].at);
	case 1:
		memmove(data + c.at, data + c.at + c.len, size - c.at - c.len);
		return size - c.len;
	case 2:
		return change_length(data, size, max, c, next(&s) % 2);
	default:
		change_word(data, &c, &s);
		return size;
	}
}

/* -------------------------------------------------------------------- reading */

/* All outputs but --output=ctf, whose writer is a library. */
static void read_all(const struct recording *r)
{
	static const char *const keys[] = {NULL, "self", "calls", "name"};
	struct report_options o = {.thread = -1};
	struct replay_options all = {.thread = -1, .to = 1e300};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		o.sort = keys[i];
		report(r, &o);
	}
	o.sort = NULL;
	o.function = r->nfunctions ? r->functions[r->nfunctions / 2].title : "f";
	report(r, &o);
	o.function = NULL;
	o.diff = r->path;
	report(r, &o);
	replay(r, &all);
	print_trace_events(r, -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording r;
	char path[64];
	int fd = memfd_create("recording", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (recording_open(&r, path))
		read_all(&r);
	recording_close(&r);
	close(fd);
	return 0;
}
