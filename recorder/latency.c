/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles of durations: counters of the 64 equal parts of each power of two. */
#include "recording.h"
#include "base/message.h"

#include <stdlib.h>
#include <string.h>

enum { PART_BITS = 6, PARTS = 1 << PART_BITS };

static unsigned octave_of(uint64_t v) { return v < PARTS ? 0 : 63 - __builtin_clzll(v); }

static unsigned part_of(uint64_t v, unsigned octave)
{
	return octave ? v >> (octave - PART_BITS) & (PARTS - 1) : (unsigned)v;
}

void latency_add(struct latency *l, uint64_t v)
{
	unsigned octave = octave_of(v);
	uint64_t **o = &l->octaves[octave];

	if (!*o) {
		*o = xrealloc(NULL, PARTS * sizeof **o);
		memset(*o, 0, PARTS * sizeof **o);
	}
	(*o)[part_of(v, octave)]++;
	l->n++;
	if (v > l->max)
		l->max = v;
}

/* The middle of a part. */
static uint64_t value_of(unsigned octave, unsigned part)
{
	if (!octave)
		return part;
	return ((uint64_t)1 << octave) + ((uint64_t)part << (octave - PART_BITS)) +
	       ((uint64_t)1 << (octave - PART_BITS)) / 2;
}

uint64_t latency_percentile(const struct latency *l, double percent)
{
	uint64_t rank = (uint64_t)((double)l->n * percent / 100), seen = 0;

	for (unsigned o = 0; o < 64; o++)
		for (unsigned p = 0; l->octaves[o] && p < PARTS; p++) {
			seen += l->octaves[o][p];
			if (seen > rank || (seen && seen == l->n)) {
				uint64_t v = value_of(o, p);

				return v < l->max ? v : l->max;
			}
		}
	return 0;
}

void latency_free(struct latency *l)
{
	for (unsigned o = 0; o < 64; o++)
		free(l->octaves[o]);
}
