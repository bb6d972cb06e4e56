/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of calls for pairs of functions, in a growing hash table. */
#include "recording.h"
#include "base/message.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_FIRST = 64 };

static struct call_count *find(const struct call_table *t, uint32_t caller, uint32_t callee)
{
	uint64_t i = (caller * 0x9e3779b97f4a7c15ull ^ callee * 0xc2b2ae3d27d4eb4full) >> 20;

	for (;; i++) {
		struct call_count *e = &t->v[i & (t->cap - 1)];

		if (!e->is_used || (e->caller == caller && e->callee == callee))
			return e;
	}
}

static void grow_table(struct call_table *t)
{
	struct call_table old = *t;

	t->cap = old.cap ? 2 * old.cap : CALLS_FIRST;
	t->v = xrealloc(NULL, t->cap * sizeof *t->v);
	memset(t->v, 0, t->cap * sizeof *t->v);
	for (size_t i = 0; i < old.cap; i++)
		if (old.v[i].is_used)
			*find(t, old.v[i].caller, old.v[i].callee) = old.v[i];
	free(old.v);
}

struct call_count *call_table_at(struct call_table *t, uint32_t caller, uint32_t callee)
{
	struct call_count *e;

	if (2 * t->n >= t->cap)
		grow_table(t);
	e = find(t, caller, callee);
	t->n += !e->is_used;
	e->caller = caller;
	e->callee = callee;
	e->is_used = true;
	return e;
}
