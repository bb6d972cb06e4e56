/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summaries of the script and, where a type needs them, of the tapset library, by number. */
#include "parse/library.h"
#include "parse/summary_decl.h"
#include "session.h"

static ARENA_STATE struct {
	struct session *s;
	bool loaded;
} current;

const struct summary *summary_at(size_t i, bool library)
{
	struct session *s = current.s;

	if (s && library && !current.loaded) {
		current.loaded = true;
		load_library_summaries(s);
	}
	return s && i < s->script.summaries.n ? s->script.summaries.v[i] : NULL;
}

void summaries_begin(struct session *s)
{
	current.s = s;
	current.loaded = false;
}
