/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for strings: equal strings have the same one. */
#include "output/string_ids.h"
#include "base/message.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t hash(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325;

	while (len--)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

static uint32_t *find(const struct string_ids *t, const char *s, size_t len)
{
	size_t i = hash(s, len) & (t->nslots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		const struct string_id *e = &t->v[t->slots[i] - 1];

		if (e->len == len && !memcmp(e->s, s, len))
			break;
	}
	return &t->slots[i];
}

static void grow(struct string_ids *t)
{
	t->nslots = t->nslots ? 2 * t->nslots : 1024;
	free(t->slots);
	t->slots = xrealloc(NULL, t->nslots * sizeof *t->slots);
	memset(t->slots, 0, t->nslots * sizeof *t->slots);
	for (size_t i = 0; i < t->n; i++)
		*find(t, t->v[i].s, t->v[i].len) = (uint32_t)i + 1;
}

uint32_t string_id(struct string_ids *t, const char *s, size_t len, bool *is_new)
{
	uint32_t *slot;

	if (2 * t->n >= t->nslots)
		grow(t);
	slot = find(t, s, len);
	*is_new = !*slot;
	if (*slot)
		return *slot - 1;
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 512;
		t->v = xrealloc(t->v, t->cap * sizeof *t->v);
	}
	t->v[t->n] = (struct string_id){xrealloc(NULL, len + 1), len};
	memcpy(t->v[t->n].s, s, len);
	t->n++;
	*slot = (uint32_t)t->n;
	return (uint32_t)t->n - 1;
}

void string_ids_free(struct string_ids *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].s);
	free(t->v);
	free(t->slots);
	*t = (struct string_ids){0};
}
